"""Rows that a boosted tree is grown on by the size of their gradients (Ke et al. 2017)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from madtree.learn.data import N_SIZES, Grid, bins_of_sizes, least_sizes
from madtree.learn.ensemble.gradient_samples import sample_by_gradient
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem import Sampled, identities
from madtree.learn.requests import ReplaceRequest, SumsRequest
from madtree.trees import BoostParameters, FeatureKind, Parameters
from tests.unit.learn.ensemble.test_boosting import ANYWHERE, grown_by, store_of

N = 20_000


def test_sizes_stand_in_order_in_their_bins() -> None:
    sizes = np.sort(np.random.default_rng(1).random(5_000) * 2.0 ** np.arange(-10, 40).repeat(100))
    bins = bins_of_sizes(-sizes, 39)
    assert (np.diff(bins) >= 0).all()
    assert (bins.min(), bins.max()) == (0, N_SIZES - 1)
    top, inner = np.full(len(bins), 39), bins < N_SIZES - 1
    assert (sizes[inner] < least_sizes(top, bins + 1)[inner]).all()
    assert (sizes >= least_sizes(top, bins)).all()
    assert bins_of_sizes(np.zeros(1), 40) == 0


def example(n_classes: int) -> tuple[Parameters, RawRows]:
    rng = np.random.default_rng(8)
    features = rng.random((4, N))
    z = 5 * np.sin(6 * features[0]) * features[1] + 3 * (features[2] > 0.5) + rng.normal(size=N)
    target = (z > 1).astype(float) if n_classes else z
    parameters = Parameters("gini" if n_classes else "mse", 60, min_split=40, cp=-1.0, max_leaf_nodes=31, n_bins=255)
    return parameters, RawRows(features, target, None, None, identity=identities(np.arange(float(N))))


@pytest.mark.parametrize(("top_rate", "other_rate"), [(0.2, 0.1), (0.05, 0.3), (0.6, 0.3)])
def test_large_gradients_are_kept_and_others_count_for_all_of_them(top_rate: float, other_rate: float) -> None:
    """The blocks after a sample was drawn, beside those before."""
    rng = np.random.default_rng(2)
    parameters = Parameters("newton", 60, cp=-1.0, learning_rate=1.0)
    gradient, hessian = rng.normal(size=N), rng.random(N)
    raw = RawRows(rng.random((1, N)), gradient, None, None, identity=identities(np.arange(float(N))))
    packed, block = prepare(raw, 1, 0, [FeatureKind.CONTINUOUS], Parameters("mse", 60))
    grids = [Grid.choose(np.array([10.0]) / other_rate, packed.rows, 1) for _ in range(2)]
    columns: dict[str, Any] = {"target": grids[0].split(gradient), "weight": grids[1].split(hessian)}
    largest = {"largest_target": np.array([10.0]), "largest_weight": np.array([1.0])}
    of_trees: dict[str, Any] = {"target_grid": grids[0], "weight_grid": grids[1], "centre": np.zeros(1), **largest}
    problem, block = replace(packed, parameters=parameters, **of_trees), replace(block, **columns)

    model = BoostParameters("squared_error", 2, top_rate=top_rate, other_rate=other_rate)
    program = sample_by_gradient(problem, model, 1, 1)
    counted = next(program)
    assert isinstance(counted, SumsRequest)
    sampled = program.send(counted.of(block, None))
    assert isinstance(sampled, ReplaceRequest)
    block.lock()  # else they were written over
    after, _ = sampled.applied_to(block, None)
    with pytest.raises(StopIteration) as ended:
        program.send(None)
    of_tree = ended.value.value
    assert after.fold is not None
    kept = after.fold == Sampled.IN_SAMPLE
    same = kept & (after.target[0] == block.target[0])
    times = after.target[0][kept & ~same] / block.target[0][kept & ~same]
    size = np.abs(gradient)
    least = size[same].min()
    assert (same == (size >= least)).all()
    assert top_rate <= same.mean() < top_rate + 0.02
    if (~same).any() and len(times):
        assert len(times) / N == pytest.approx(other_rate, rel=0.1)
        np.testing.assert_allclose(times, np.count_nonzero(~same) / (other_rate * N), rtol=1e-3)
        assert np.abs(after.target[0][kept]).max() <= of_tree.largest_target[0] / 2.0 ** grids[0].exponents[0, 0]
        assert after.weight[0][kept].sum() == pytest.approx(block.weight[0].sum(), rel=0.05)
    assert of_tree.replicas.multiplicity(after, 0).sum() == kept.sum()


@pytest.mark.parametrize("n_classes", [2, 0])
def test_a_model_of_three_rows_in_ten_loses_little(n_classes: int) -> None:
    """On rows that are held out, beside one of all rows."""
    parameters, raw = example(n_classes)
    problem, block = prepare(raw, 1, n_classes, [FeatureKind.CONTINUOUS] * 4, parameters)
    losses = []
    every: list[dict[str, Any]] = [{}, {"top_rate": 0.2}]
    for more in every:
        model = BoostParameters("log_loss" if n_classes else "squared_error", 25, held_out=0.3, patience=99, **more)
        said = grown_by(problem, store_of([block], problem, 2**30, ANYWHERE), model)[1]
        losses.append(said.rounds.held_out)
    # 1 / learning rate rounds are grown on all rows, though by a coarser grid.
    np.testing.assert_allclose(losses[1][:11], losses[0][:11], rtol=1e-7)
    assert (np.abs(losses[1][11:] / losses[0][11:] - 1) > 1e-6).all()
    assert losses[1][25] == pytest.approx(losses[0][25], rel=0.02)
