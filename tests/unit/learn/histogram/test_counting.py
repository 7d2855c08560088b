"""Counting: merging is associative, sums are exact, and siblings are the parent less each other."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.counting.transition import merge
from madtree.learn.histogram.histogram import HistogramLayout, Histograms, add_rows
from madtree.learn.histogram.rows_of_nodes import RowsInPlay
from madtree.trees.parameters import Parameters
from tests.unit.learn.binned import cut, problem_of, sample_rows


@pytest.mark.parametrize(("n_classes", "weighted"), [(2, False), (3, True), (0, False), (0, True)])
def test_merging_is_associative_and_commutative(n_classes: int, weighted: bool) -> None:
    parameters = Parameters("gini" if n_classes else "mse")
    problem, block = problem_of(sample_rows(2_000, n_classes, weighted=weighted), n_classes, parameters)
    layout = HistogramLayout(problem.channels, problem.bins.widths, 3)
    rng = np.random.default_rng(0)
    states = []
    for part in cut(block, rng.permutation(block.codes.n_rows), 5):
        state = layout.zeros(np.dtype("<f8"))
        some = RowsInPlay(part, rng.integers(-1, 3, part.codes.n_rows).astype(np.int32))
        add_rows(Histograms(layout, state), some, 0.7)
        states.append(state)
    a, b, c, d, e = states
    one = merge(merge(merge(merge(a, b), c), d), e)
    other = merge(merge(e, merge(d, b)), merge(c, a))
    assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("gathered_below", [0.0, 0.7, 2.0])
def test_only_rows_in_play_are_counted(share: float, gathered_below: float) -> None:
    """Few rows in play are copied out, many are counted along with the others: the counts are the same."""
    problem, block = problem_of(sample_rows(1_000, 2), 2, Parameters())
    layout = HistogramLayout(problem.channels, problem.bins.widths, 2)
    rng = np.random.default_rng(0)
    n = block.codes.n_rows
    slots = np.where(rng.random(n) < share, rng.integers(0, 2, n), -1).astype(np.int32)
    state = layout.zeros(np.dtype("<i4"))
    add_rows(Histograms(layout, state), RowsInPlay(block, slots), gathered_below)
    expected = np.zeros_like(state)
    for f, (offset, width) in enumerate(zip(layout.offsets, layout.widths, strict=False)):
        for slot, code, target in zip(slots, block.codes.column(f), block.target, strict=True):
            if slot >= 0:
                expected[target, offset + slot * width + code] += 1
    assert np.array_equal(state, expected)


def test_a_sum_beyond_the_exact_range_is_refused() -> None:
    with pytest.raises(OverflowError, match="changed while it was being read"):
        merge(np.array([2.0**53]), np.array([2.0]))
