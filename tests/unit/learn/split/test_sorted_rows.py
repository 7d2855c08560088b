"""Small nodes that are searched by their rows in order, against the search of the same rows' bins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from madtree.learn.data import Block, Ints
from madtree.learn.histogram import HistogramLayout, RowsOfNodes
from madtree.learn.histogram.rows_of_nodes import RowsInPlay
from madtree.learn.problem import Problem
from madtree.learn.split import BestSplits, SmallNodes, row_tables, search, search_small
from madtree.learn.split.node_rows import sweep
from madtree.trees import FeatureKind, Parameters
from tests.unit.learn.binned import KINDS, problem_of, sample_rows

SIZES = (1, 2, 2, 3, 5, 7, 9, 17, 20, 33, 50, 70, 130)  # rows of nodes


def small_nodes(problem: Problem, block: Block, seed: int, times: bool) -> SmallNodes:
    """Nodes of some rows each, which come in any order; with `times`, some rows count more than once."""
    rng = np.random.default_rng(seed)
    n_rows = block.codes.n_rows
    slots = np.full(n_rows, -1, np.int32)
    slots[rng.permutation(n_rows)[: sum(SIZES)]] = np.repeat(np.arange(len(SIZES)), SIZES)
    often = rng.integers(1, 4, n_rows) if times else None
    rows = RowsOfNodes.of(problem.channels, [RowsInPlay(block, slots, often)])
    layout = HistogramLayout(problem.channels, problem.bins.widths, len(SIZES))
    features = np.broadcast_to(np.arange(len(layout.widths)), (len(SIZES), len(layout.widths)))
    sums = np.zeros((problem.channels.count, len(SIZES)))  # of no matter here
    return SmallNodes(rows, layout, features, np.zeros(len(SIZES), np.int64), sums)


def once(small: SmallNodes) -> SmallNodes:
    """The same rows, each but once, with how often it counts."""
    rows = small.rows
    ((codes, which),) = rows.sources
    assert which is not None
    first = np.flatnonzero(np.diff(which, prepend=-1))
    times = np.diff(first, append=len(which)).astype(np.float64)
    summed = rows.limbs[:, first] * times
    some = RowsOfNodes(rows.slot[first], rows.row_class[first], summed, [(codes, which[first])], times=times)
    return replace(small, rows=some)


def by_bins(problem: Problem, small: SmallNodes) -> BestSplits:
    found = BestSplits.none(len(SIZES), problem.channels.count)
    search(problem, sweep(small.rows, small.layout, 10**6), small.tree, found)
    return found


def in_order(problem: Problem, small: SmallNodes, allowed: Any = None) -> BestSplits:
    found = BestSplits.none(len(SIZES), problem.channels.count)
    for _ in search_small(problem, small, found, allowed):
        pass
    return found


def assert_same(found: BestSplits, expected: BestSplits) -> None:
    """But for codes of an earlier feature, whose split has been replaced."""
    assert (expected.gain > 0).sum() > len(SIZES) // 2
    for name in ("gain", "feature", "left_sums", "known_sums"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    unordered = np.isin(expected.feature, np.flatnonzero([kind is FeatureKind.UNORDERED for kind in KINDS]))
    for name in ("left", "right"):
        assert np.array_equal(getattr(found, name)[~unordered], getattr(expected, name)[~unordered]), name
    for slot in np.flatnonzero(unordered).tolist():
        assert found.left_codes[slot].tolist() == expected.left_codes[slot].tolist()
        assert found.right_codes[slot].tolist() == expected.right_codes[slot].tolist()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "mse"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_rows_in_order_give_the_same_splits_as_their_bins(n_classes: int, criterion: str, weighted: bool) -> None:
    n_classes = 0 if criterion == "mse" else n_classes
    problem, block = problem_of(
        sample_rows(800, n_classes, weighted=weighted), n_classes, Parameters(criterion, min_bucket=2)
    )
    for seed, min_bucket in enumerate((1, 2, 4)):
        problem = replace(problem, parameters=replace(problem.parameters, min_bucket=min_bucket))
        small = small_nodes(problem, block, seed, times=True)
        expected = by_bins(problem, small)
        assert_same(in_order(problem, small), expected)
        assert_same(in_order(problem, once(small)), expected)
        assert_same(by_bins(problem, once(small)), expected)
        a_little_at_a_time = replace(problem.tuning, chunk_values=40, copied_codes=300)
        assert_same(in_order(replace(problem, tuning=a_little_at_a_time), small), expected)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize(("constant", "value"), [("MOST_ROWS", 1), ("SHORT_LINE", 0), ("SHORT_LINE", 10**6)])
def test_splits_do_not_depend_on_how_rows_are_told_apart_and_added_up(
    n_classes: int, constant: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, block = problem_of(sample_rows(800, n_classes), n_classes, Parameters(min_bucket=2))
    small = small_nodes(problem, block, 4, times=True)
    expected = by_bins(problem, small)
    monkeypatch.setattr(row_tables, constant, value)
    assert_same(in_order(problem, small), expected)
    assert_same(in_order(problem, once(small)), expected)


@pytest.mark.parametrize("costs", [(), (1.0, 3.0, 1.0, 2.0, 1.0)])
def test_features_that_are_not_allowed_and_costs_count_as_in_the_search_of_bins(costs: tuple[float, ...]) -> None:
    parameters = Parameters(min_bucket=1, feature_costs=costs)
    problem, block = problem_of(sample_rows(800, 2), 2, parameters)
    small = small_nodes(problem, block, 1, times=False)
    assert_same(in_order(problem, small), by_bins(problem, small))
    allowed = np.random.default_rng(1).random(small.features.shape) < 0.6
    expected = BestSplits.none(len(SIZES), problem.channels.count)
    search(problem, sweep(small.rows, small.layout, 10**6, allowed), small.tree, expected)
    assert_same(in_order(problem, small, allowed), expected)


def drawn(features: Ints) -> list[str]:
    return [",".join(map(str, line)) for line in features.tolist()]


def test_each_node_may_have_features_of_its_own() -> None:
    problem, block = problem_of(sample_rows(800, 3), 3, Parameters(min_bucket=1))
    small = small_nodes(problem, block, 2, times=False)
    all_features = in_order(problem, small)

    class OwnCodes:
        """By the place of a feature among those of a row's node."""

        def column(self, place: int) -> Any:
            of_rows = features[small.rows.slot, place]
            return np.stack([small.rows.codes(f) for f in range(5)])[of_rows, np.arange(len(of_rows))]

    features = np.sort(np.argsort(np.random.default_rng(3).random((len(SIZES), 5)), axis=1)[:, :2], axis=1)
    assert len(set(drawn(features))) > 3
    widths = np.full(2, problem.bins.widths.max())
    rows = replace(small.rows, sources=[(OwnCodes(), None)])
    layout = HistogramLayout(problem.channels, widths, len(SIZES))
    found = in_order(problem, SmallNodes(rows, layout, features, small.tree, small.sums))
    allowed = np.zeros(small.features.shape, np.bool_)
    np.put_along_axis(allowed, features, True, axis=1)
    assert_same(found, in_order(problem, small, allowed))
    assert not np.array_equal(found.feature, all_features.feature)
