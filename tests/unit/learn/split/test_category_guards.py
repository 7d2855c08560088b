"""Splits of many categories: candidates are those of a plain loop, and trees are LightGBM's."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
import pytest

from madtree.learn.data import Floats
from madtree.learn.packing import RawRows, prepare
from madtree.learn.split.category_order import guarded_splits, is_rare, with_rare_in_the_middle
from madtree.trees import BoostParameters, FeatureKind, Parameters
from tests.unit.learn.binned import problem_of, sample_rows
from tests.unit.learn.ensemble.test_boosting import ANYWHERE, grown_by, store_of


def plain_candidates(rows: list[int], missing: int, parameters: Parameters) -> set[int]:
    """Behind which of the bins of one segment a split may lie."""
    found = {len(rows) - 1} if min(missing, sum(rows)) >= parameters.min_data_per_group else set()
    for way in (1, -1):
        order = range(len(rows)) if way == 1 else range(len(rows) - 1, -1, -1)
        known = [place for place in order if rows[place] >= parameters.cat_smooth]
        half = (len(known) + 1) // 2 if way == 1 or len(known) == len(rows) else len(known) // 2
        most = min(parameters.max_cat_threshold, half)
        one_side = group = 0
        for n, place in enumerate(order):
            one_side += rows[place]
            group += rows[place]
            other_side = sum(rows) + missing - one_side
            too_few = one_side < parameters.min_bucket or group < parameters.min_data_per_group
            if n >= most or n == len(rows) - 1 or other_side < parameters.min_data_per_group or too_few:
                continue
            group = 0
            found.add(place if way == 1 else place - 1)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_candidates_are_those_of_a_plain_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parameters = Parameters(
        min_bucket=int(rng.integers(1, 60)),
        max_cat_threshold=int(rng.integers(1, 12)),
        cat_smooth=float(rng.integers(0, 15)),
        min_data_per_group=int(rng.integers(1, 60)),
    )
    problem, _ = problem_of(sample_rows(50, 0), 0, parameters)
    sizes = rng.integers(1, 30, 9)
    rows = rng.integers(1, 40, int(sizes.sum()))
    stop = np.cumsum(sizes)
    start = stop - sizes
    missing = rng.integers(0, 50, 9)
    score = rng.normal(size=len(rows))
    segment = np.repeat(np.arange(9), sizes)
    order = with_rare_in_the_middle(np.arange(len(rows)), score, segment, is_rare(problem, rows))
    assert sorted(order.tolist()) == list(range(len(rows)))
    rows, score = rows[order], score[order]
    for first, last in zip(start, stop, strict=True):
        places = np.flatnonzero(rows[first:last] >= parameters.cat_smooth)
        assert (np.diff(score[first:last][places]) >= 0).all()
        half = (len(places) + 1) // 2
        assert places.tolist() == [*range(half), *range(last - first - len(places) + half, last - first)]
    mine = np.flatnonzero(rng.random(9) < 0.7)
    found = guarded_splits(problem, rows, start[mine], stop[mine], missing[mine])
    for s in range(9):
        own = np.flatnonzero(found[start[s] : stop[s]]).tolist()
        if s in mine:
            assert set(own) == plain_candidates(rows[start[s] : stop[s]].tolist(), int(missing[s]), parameters)
        else:
            assert own == list(range(sizes[s]))


def scores_of(category: Floats, number: Floats, target: Floats, n_rounds: int, **more: Any) -> Floats:
    """(n_rows,) of the training rows."""
    given = {"max_leaf_nodes": 31, "n_bins": 255, "cp": -1.0, "min_split": 40, "min_bucket": 20}
    parameters = Parameters("mse", 60, **{**given, **more})
    raw = RawRows(np.stack((category, number)), target, None, None)
    kinds = [FeatureKind.UNORDERED, FeatureKind.CONTINUOUS]
    problem, block = prepare(raw, 1, 0, kinds, parameters)
    store = store_of([block], problem, 2**30, ANYWHERE)
    grown_by(problem, store, BoostParameters("squared_error", n_rounds))
    (kept,) = store._kept
    return np.asarray(kept.columns["scores"])[1]


@pytest.mark.parametrize(
    ("n_categories", "more"),
    [
        (40, {}),
        (40, {"cat_l2": 0.0, "min_data_per_group": 20}),
        (40, {"cat_l2": 50.0, "max_cat_threshold": 3}),
        (40, {"cat_smooth": 1.0, "min_data_per_group": 300}),
        (40, {"max_leaf_nodes": 2}),
        (200, {}),
        (200, {"min_data_per_group": 20}),
        (200, {"max_leaf_nodes": 8}),
    ],
    ids=str,
)
def test_trees_are_lightgbms(n_categories: int, more: dict[str, Any]) -> None:
    """Scores after 3 rounds; many of 200 categories, whose sizes are uneven, are rare in the nodes."""
    rng = np.random.default_rng(4)
    n = 8_000
    share = np.linspace(1, 1 if n_categories == 40 else 6, n_categories)
    category = 1.0 + rng.choice(n_categories, n, p=share / share.sum())
    number = rng.integers(0, 50, n).astype(float)
    effect = rng.normal(size=n_categories + 1)
    target = effect[category.astype(int)] * (1 + number / 25) + rng.normal(size=n)
    names = {"max_leaf_nodes": "num_leaves"}
    params = {"objective": "regression", "verbose": -1, "num_threads": 1, "max_bin": 255, "min_data_in_bin": 1}
    params |= {names.get(name, name): value for name, value in more.items()}
    data = lightgbm.Dataset(np.stack((category, number), axis=1), target, categorical_feature=[0])
    expected = lightgbm.train(params, data, 3).predict(np.stack((category, number), axis=1))
    found = scores_of(category, number, target, 3, **more)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
