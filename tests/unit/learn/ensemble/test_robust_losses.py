"""Boosting by quantiles of residuals: held against scikit-learn's models, and against numpy's quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
)

from madtree.learn.data import Block, Floats, finished, portable
from madtree.learn.ensemble import Boosting, train_boosted
from madtree.learn.packing import RawRows, prepare
from madtree.learn.prune import TrainedTrees
from madtree.learn.requests import driven
from madtree.trees import BoostParameters, FeatureKind, NodeLayout, Parameters
from tests.unit.learn.binned import at_hand, cut


def example(seed: int = 11, n: int = 3_001) -> tuple[Floats, Floats, Floats]:
    """Features of at most 200 values, a target with heavy tails, weights."""
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 200, (n, 4)).astype(float)
    x = features / 200
    return features, 4 * x[:, 0] * x[:, 1] - 3 * x[:, 2] + rng.standard_t(2, n) / 2, rng.random(n) + 0.5


def fitted(
    features: Floats,
    target: Floats,
    of_model: BoostParameters,
    weight: Floats | None = None,
    exposure: Floats | None = None,
    **more: Any,
) -> tuple[Floats, list[TrainedTrees], TrainedTrees, NodeLayout]:
    """(n_rows,) the scores of the training rows; the trees, and what is said beside them."""
    given = {"max_leaf_nodes": 31, "n_bins": 255, "min_split": 40, "min_bucket": 20, **more}
    classes = 2 if of_model.loss in ("exponential", "log_loss") else 0
    criterion = "gini" if classes else "mse" if exposure is None else "poisson"
    parameters = Parameters(criterion, 60, cp=-1.0, **given)
    raw = RawRows(features.T.copy(), target.astype(float), weight, None, exposure=exposure)
    problem, block = prepare(raw, 1, classes, [FeatureKind.CONTINUOUS] * features.shape[1], parameters)
    trees: list[TrainedTrees] = []
    provider = at_hand(cut(block, np.arange(len(target)), 3))
    program = train_boosted(Boosting(problem, of_model, np.array([1])), trees.append, rows_at_hand=True)
    said = finished(driven(program, provider))
    lines = Block.join([placed.block for placed in provider._blocks]).scores
    assert lines is not None
    return lines[-1], trees, said, NodeLayout(False, 0, True, False)


def test_keys_are_ordered_as_numbers() -> None:
    numbers = np.array([-np.inf, -3.5, -1e-300, -5e-324, 0.0, 5e-324, 1.0, np.nextafter(1, 2), 1e300, np.inf])
    keys = portable.ordered_keys(numbers)
    assert (np.diff(keys.astype(object)) > 0).all()
    assert portable.numbers_of_keys(keys).tobytes() == numbers.tobytes()


@pytest.mark.parametrize(
    ("loss", "weighted"), [("absolute_error", False), ("absolute_error", True), ("quantile", True)]
)
def test_it_is_scikit_learns(loss: str, weighted: bool) -> None:
    """Where no share of the weight is met exactly, as its two definitions of a quantile differ there."""
    features, target, weight = example()
    level = 0.83 if loss == "quantile" else None
    other = HistGradientBoostingRegressor(loss=loss, quantile=level, max_iter=20, early_stopping=False)
    other.fit(features, target, sample_weight=weight if weighted else None)
    of_model = BoostParameters(loss, 20, loss_quantile=level)
    found, *_ = fitted(features, target, of_model, weight if weighted else None)
    np.testing.assert_allclose(found, other._raw_predict(features)[:, 0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
def test_an_exposure_is_an_offset_of_its_logarithm(weighted: bool) -> None:
    """The loss exp(F + log t) - y (F + log t) is t times that of the rate y / t, but for what does not depend on F: so
    scikit-learn's model of rates, with exposures as weights.
    """
    features, target, weight = example()
    rng = np.random.default_rng(4)
    exposure = rng.integers(1, 40, len(target)) / 8
    counts = rng.poisson(np.exp(np.clip(target, -2, 2)) * exposure).astype(float)
    counted = exposure * weight if weighted else exposure
    other = HistGradientBoostingRegressor(loss="poisson", max_iter=20, early_stopping=False)
    other.fit(features, counts / exposure, sample_weight=counted)
    of_model = BoostParameters("poisson", 20)
    found, _, said, _ = fitted(features, counts, of_model, weight if weighted else None, exposure)
    np.testing.assert_allclose(found, other._raw_predict(features)[:, 0], rtol=1e-5, atol=1e-5)
    base = said.boosted.base[0, 0]
    assert base == pytest.approx(np.log(np.average(counts / exposure, weights=counted)), rel=1e-12)
    first = np.average(np.exp(base) - counts / exposure * base, weights=counted)
    assert said.rounds.training[0] == pytest.approx(first, rel=1e-12)


def test_huber_is_scikit_learns() -> None:
    """Its exact trees: thresholds lie in the middle of two values, as here where each has a bin of its own."""
    features, target, weight = example()
    other = GradientBoostingRegressor(
        loss="huber",
        alpha=0.8,
        n_estimators=20,
        max_depth=None,
        max_leaf_nodes=8,
        min_samples_leaf=20,
        min_samples_split=40,
    ).fit(features, target, sample_weight=weight)
    of_model = BoostParameters("huber", 20, loss_quantile=0.8)
    found, *_ = fitted(features, target, of_model, weight, max_leaf_nodes=8)
    np.testing.assert_allclose(found, other.predict(features), rtol=1e-5, atol=1e-5)


def test_the_leaves_of_exponential_are_scikit_learns() -> None:
    """Its splits are those of squares: here all rows that are alike in their features have a leaf of their own."""
    rng = np.random.default_rng(3)
    features = rng.integers(0, 2, (2_000, 2)).astype(float)
    target = (rng.random(2_000) < 0.2 + 0.3 * features[:, 0] + 0.4 * features[:, 1]).astype(float)
    other = GradientBoostingClassifier(loss="exponential", n_estimators=10, max_depth=2).fit(features, target)
    found, *_ = fitted(features, target, BoostParameters("exponential", 10), max_leaf_nodes=4)
    np.testing.assert_allclose(found, other.decision_function(features), rtol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("loss", "level"), [("absolute_error", 0.5), ("quantile", 0.9), ("quantile", 0.25)])
def test_leaves_say_quantiles_of_their_rows_and_of_two_that_share_one_the_mean(
    loss: str, level: float, weighted: bool
) -> None:
    """Where weights are small whole numbers, shares are met exactly."""
    rng = np.random.default_rng(int(level * 100))
    features = rng.integers(0, 3, (400, 1)).astype(float)
    target = np.round(rng.normal(size=400), 1) * 7 + features[:, 0]
    times = rng.integers(1, 4, 400) if weighted else np.ones(400, int)
    of_model = BoostParameters(loss, 1, loss_quantile=level if loss == "quantile" else None)
    weight = times.astype(float) if weighted else None
    found, _, said, _ = fitted(features, target, of_model, weight, min_bucket=1, learning_rate=1.0)

    def quantile(rows: Any) -> float:
        return float(np.quantile(np.repeat(target[rows], times[rows]), level, method="averaged_inverted_cdf"))

    assert said.boosted.base[0, 0] == quantile(slice(None))
    for value in range(3):
        (score,) = set(found[features[:, 0] == value])
        assert score == pytest.approx(quantile(features[:, 0] == value), abs=1e-12)


def test_a_weight_of_three_is_three_copies() -> None:
    rng = np.random.default_rng(3)
    features, target, _ = example(n=500)
    times = rng.integers(1, 4, 500)
    for of_model in (BoostParameters("absolute_error", 5), BoostParameters("huber", 5, loss_quantile=0.9)):
        by_weight, *_ = fitted(features, target, of_model, times.astype(float), min_bucket=1, min_split=2)
        copies = np.repeat(np.arange(500), times)
        by_copies, *_ = fitted(features[copies], target[copies], of_model, min_bucket=1, min_split=2)
        np.testing.assert_allclose(by_weight[copies], by_copies, rtol=1e-9, atol=1e-9)


def test_inner_nodes_say_the_mean_of_their_leaves() -> None:
    features, target, _ = example(n=600)
    _, trees, _, layout = fitted(features, target, BoostParameters("absolute_error", 1), max_leaf_nodes=5)
    nodes = np.frombuffer(trees[0].packed.records.tobytes(), np.dtype(layout.big_endian))
    leaves = nodes[nodes["feature"] == 0]
    assert len(leaves) == 5
    expected = (leaves["prediction"] * leaves["n_rows"]).sum() / leaves["n_rows"].sum()
    assert float(nodes["prediction"][0]) == pytest.approx(float(expected), rel=1e-9)


def test_huber_tells_all_losses_by_the_threshold_of_the_first_round() -> None:
    features, target, _ = example(n=501)
    _, _, said, _ = fitted(features, target, BoostParameters("huber", 3, loss_quantile=0.9))
    error = np.abs(target - np.median(target))
    threshold = np.quantile(error, 0.9, method="averaged_inverted_cdf")
    assert said.boosted.threshold[0] == threshold
    first = np.where(error <= threshold, error**2 / 2, threshold * (error - threshold / 2)).mean()
    assert said.rounds.training[0] == pytest.approx(first, rel=1e-12)
    assert (np.diff(said.rounds.training) < 0).all()


def test_a_group_all_of_whose_rows_are_held_out_has_no_model() -> None:
    features, target, _ = example(n=301)
    last = np.arange(301) == 300
    raw = RawRows(features.T.copy(), np.where(last, 7.0, target), None, last.astype(np.int32), fold=last.astype(float))
    problem, block = prepare(raw, 2, 0, [FeatureKind.CONTINUOUS] * 4, Parameters("mse", cp=-1.0))
    trees: list[TrainedTrees] = []
    of_model = BoostParameters("absolute_error", 2, held_out_by="late")
    program = train_boosted(Boosting(problem, of_model, np.array([1, 2])), trees.append, rows_at_hand=True)
    said = finished(driven(program, at_hand([block])))
    assert said.boosted.group.tolist() == [1]
    assert len(trees) == 2
