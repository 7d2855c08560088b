"""How a frontier is worked off: batches within a budget, rows joined or block by block, sweeps or counts."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.counting.count_request import batches
from madtree.learn.problem.tuning import SearchTuning
from madtree.trees.parameters import Parameters
from tests.unit.learn.binned import ManyBlocks, assert_identical, at_hand, cut, problem_of, sample_rows, train, train_by


@pytest.mark.parametrize("limit", [1, 100, 1_000, 10_000, 10**6])
@pytest.mark.parametrize("n_nodes", [1, 2, 17])
def test_batches_cover_each_node_and_feature_once_within_the_limit(limit: int, n_nodes: int) -> None:
    widths = np.array([10, 3, 40, 2, 11])
    covered = np.zeros((n_nodes, len(widths)), int)
    for slots, first, last in batches(n_nodes, widths, 4, limit):
        covered[slots, first:last] += 1
        n_bytes = (slots.stop - slots.start) * int(widths[first:last].sum()) * 4
        assert n_bytes <= limit or (slots.stop - slots.start == 1 and last - first == 1)
    assert (covered == 1).all()


def test_nodes_stay_together_where_one_feature_of_them_all_fits() -> None:
    """Nodes that come in turns have the rows looked through once more each."""
    widths = np.full(1_000, 100)
    assert all(slots == slice(0, 50) for slots, _, _ in batches(50, widths, 8, 50 * 100 * 8 * 30))


def test_no_nodes_make_no_batch() -> None:
    assert batches(0, np.array([5]), 8, 100) == []


@pytest.mark.one_in(2)
@pytest.mark.in_turn
@pytest.mark.parametrize("n_classes", [0, 2, 5, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_in_hand_give_what_counting_alone_gives(n_classes: int, weighted: bool) -> None:
    """Small blocks make the rows of all blocks be counted together, small chunks split a feature's slots."""
    tuning = SearchTuning(chunk_values=500, rows_together=300)
    parameters = Parameters("gini" if n_classes else "mse", 8, min_split=4, min_bucket=2, n_bins=30)
    rows = sample_rows(2_500, n_classes, weighted=weighted)
    problem, block = problem_of(rows, n_classes, parameters, tuning=tuning)
    order = np.random.default_rng(1).permutation(block.codes.n_rows)
    counted = ManyBlocks(cut(block, order, 6))
    in_hand = at_hand(cut(block, order, 60))
    expected = train_by(problem, counted)
    assert len(expected.tree) > 50
    assert_identical(expected, train_by(problem, in_hand))
    assert_identical(expected, train(problem, block))
