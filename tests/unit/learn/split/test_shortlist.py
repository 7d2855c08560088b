"""Segments that are passed over: none of those that make the best splits."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from madtree.learn.binning.bins import Bins, BinTable
from madtree.learn.criteria.gini import GINI, gini_gain
from madtree.learn.data.types import Array
from madtree.learn.histogram.histogram import HistogramLayout, Histograms
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.tuning import SearchTuning
from madtree.learn.split.best_splits import BestSplits
from madtree.learn.split.margins import SINGLE
from madtree.learn.split.occupied_bins import occupied_bins
from madtree.learn.split.search import search
from madtree.learn.split.shortlist import LikelyBins, likely_bins, look
from madtree.trees.parameters import Parameters


def _problem(widths: np.ndarray, unordered: np.ndarray, n_classes: int, criterion: str = "gini") -> Problem:
    bins = [Bins(np.arange(width - 1.0), np.arange(width - 1.0)) for width in widths.tolist()]
    parameters = Parameters(criterion, 5, min_split=4, min_bucket=3, n_bins=30)
    problem = Problem(parameters, BinTable.from_bins([bins]), unordered, 1, np.array([10_000]), n_classes)
    return replace(problem, tuning=SearchTuning(shortlist_cells=0))


def _splits(problem: Problem, state: Array, n_slots: int, *, dense: bool) -> BestSplits:
    """By batches of three features, as a frontier's statistics come."""
    widths = problem.bins.widths
    found = BestSplits.none(n_slots, problem.channels.count)
    histograms = Histograms(HistogramLayout(problem.channels, widths, n_slots), state)
    for first in range(0, len(widths), 3):
        part = histograms.features(first, min(first + 3, len(widths)))
        some = occupied_bins(part, problem.tuning.chunk_values) if dense else likely_bins(problem, part, found.gain)
        search(problem, some, np.zeros(n_slots, np.int64), found)
    return found


def _assert_same(found: BestSplits, expected: BestSplits) -> None:
    for name in ("gain", "feature", "left", "right", "left_sums", "known_sums"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    for name in ("left_codes", "right_codes"):
        assert {k: v.tolist() for k, v in getattr(found, name).items()} == {
            k: v.tolist() for k, v in getattr(expected, name).items()
        }


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("shape", ["random", "sparse", "replicas", "near ties", "pure", "categories among them"])
@pytest.mark.parametrize("chunk", [200, 300_000])
def test_splits_are_those_of_all_segments(n_classes: int, shape: str, chunk: int) -> None:
    tuning = SearchTuning(chunk_values=chunk, rough_bins=max(chunk, 1_000), shortlist_cells=0)
    rng = np.random.default_rng(7)
    widths = np.array([9, 9, 9, 2, 1, 30, 30, 9, 9, 9, 4, 9, 9])
    unordered = np.zeros(len(widths), np.bool_)
    if shape == "categories among them":
        unordered[[0, 5, 6, 10]] = True
    problem, n_slots = replace(_problem(widths, unordered, n_classes), tuning=tuning), 11
    layout = HistogramLayout(problem.channels, widths, n_slots)
    state = rng.integers(0, 2 if shape == "sparse" else 40, (n_classes, layout.total_bins)).astype(np.int32)
    if shape == "pure":
        state[1:] = 0
    offsets = layout.offsets
    if shape in ("replicas", "near ties"):
        nine = np.flatnonzero(widths == 9)
        for f in nine[1:]:
            state[:, offsets[f] : offsets[f + 1]] = state[:, offsets[nine[0]] : offsets[nine[0] + 1]]
    if shape == "near ties":  # one row in thousands moved: gains differ, by less than what is passed over
        state *= 500
        for f in nine[1:]:
            state[0, offsets[f] + rng.integers(0, 9 * n_slots, 3)] += 1
    _assert_same(
        _splits(problem, state, n_slots, dense=False),
        _splits(problem, state, n_slots, dense=True),
    )


@pytest.mark.parametrize(("most", "error"), [(50, SINGLE), (5_000, 1e-12)])
def test_rough_gains_are_ginis(most: int, error: float) -> None:
    problem = _problem(np.array([6, 6]), np.zeros(2, np.bool_), 3)
    layout = HistogramLayout(problem.channels, problem.bins.widths, 2)
    state = np.random.default_rng(2).integers(1, most, (3, layout.total_bins))
    assert GINI.rough_bin_gains
    cells = state.reshape(3, 4, 6)[..., 1:]
    (line, code, next_code, upto), best, totals = look(problem, GINI.rough_bin_gains, cells)
    left = cells.astype(np.float64).cumsum(axis=-1)[..., :-1]
    right = cells.sum(axis=-1, keepdims=True) - left
    gains = gini_gain(left.reshape(3, -1), right.reshape(3, -1)).reshape(4, -1)
    assert np.allclose(best, gains.max(axis=-1), rtol=error, atol=0)
    assert np.array_equal(totals, cells.sum(axis=-1))
    assert line.tolist() == [0, 1, 2, 3]
    assert np.array_equal(code, gains.argmax(axis=-1) + 1)
    assert np.array_equal(next_code, code + 1)
    assert np.array_equal(upto, left[:, line, code - 1])


@pytest.mark.parametrize("cells", [719, 720, 721])
def test_of_small_histograms_all_bins_are_searched(cells: int) -> None:
    problem = _problem(np.full(40, 9), np.zeros(40, np.bool_), 2)
    problem = replace(problem, tuning=SearchTuning(shortlist_cells=cells))
    layout = HistogramLayout(problem.channels, problem.bins.widths, 1)
    state = np.random.default_rng(5).integers(100, 110, (2, layout.total_bins)).astype(np.int32)
    state[0, 9 * 20 : 9 * 20 + 4] += 500
    (some,) = likely_bins(problem, Histograms(layout, state), np.zeros(1))
    assert some.n_segments == (1 if cells <= state.size else 40)


def test_segments_far_below_the_best_are_passed_over() -> None:
    problem = _problem(np.full(40, 9), np.zeros(40, np.bool_), 2)
    layout = HistogramLayout(problem.channels, problem.bins.widths, 1)
    state = np.random.default_rng(5).integers(100, 110, (2, layout.total_bins)).astype(np.int32)
    state[0, 9 * 20 : 9 * 20 + 4] += 500
    assert [e.feature.tolist() for e in likely_bins(problem, Histograms(layout, state), np.zeros(1))] == [[20]]
    assert list(likely_bins(problem, Histograms(layout, state), np.full(1, 1e6))) == []


def test_bins_far_below_the_best_are_looked_at_as_one() -> None:
    problem = _problem(np.full(3, 90), np.zeros(3, np.bool_), 2)
    layout = HistogramLayout(problem.channels, problem.bins.widths, 1)
    state = np.random.default_rng(5).integers(100, 110, (2, layout.total_bins)).astype(np.int32)
    state[0, 90:140] += 500
    state[:, 140:144] = 0
    (some,) = likely_bins(problem, Histograms(layout, state), np.zeros(1))
    assert some.first_code is not None
    assert (some.code.tolist(), some.first_code.tolist()) == ([49, 89], [1, 54])
    assert np.array_equal(some.sums[:, 0], state[:, 91:140].sum(axis=1))
    assert np.array_equal(some.totals()[:, 0], state[:, 91:180].sum(axis=1))


def test_little_is_kept_of_segments_that_others_outdo(monkeypatch: pytest.MonkeyPatch) -> None:
    n_features, n_slots = 2_000, 8
    problem = _problem(np.full(n_features, 3), np.zeros(n_features, np.bool_), 2)
    problem = replace(problem, tuning=SearchTuning(rough_bins=900))
    layout = HistogramLayout(problem.channels, problem.bins.widths, n_slots)
    state = np.random.default_rng(5).integers(0, 500, (2, layout.total_bins)).astype(np.int32)
    sizes: list[int] = []
    joined = LikelyBins._joined

    def counted(layout: HistogramLayout, n_channels: int, parts: Sequence[LikelyBins]) -> LikelyBins:
        found = joined(layout, n_channels, parts)
        sizes.append(len(found.segment))
        return found

    monkeypatch.setattr(LikelyBins, "_joined", staticmethod(counted))
    assert GINI.rough_bin_gains
    every = np.ones((n_features, n_slots), np.bool_)
    found = LikelyBins.of(problem, GINI.rough_bin_gains, Histograms(layout, state), np.zeros(n_slots), every)
    assert len(found.segment) == n_slots
    assert max(sizes) < 2_000  # of 16,000 segments


@pytest.mark.parametrize("criterion", ["entropy", "misclassification"])
def test_other_criteria_look_at_all_segments(criterion: str) -> None:
    problem = _problem(np.full(40, 9), np.zeros(40, np.bool_), 2, criterion)
    layout = HistogramLayout(problem.channels, problem.bins.widths, 1)
    state = np.random.default_rng(5).integers(1, 110, (2, layout.total_bins)).astype(np.int32)
    assert sum(e.n_segments for e in likely_bins(problem, Histograms(layout, state), np.full(1, 1e6))) == 40


def test_the_gains_of_one_large_feature_take_little_memory() -> None:
    """Beside its bins' sums, these as whole numbers and added up; all candidates at once took ten times as much."""
    problem = _problem(np.array([2_001]), np.zeros(1, np.bool_), 200, "entropy")
    layout = HistogramLayout(problem.channels, problem.bins.widths, 1)
    state = np.random.default_rng(3).integers(0, 3, (200, layout.total_bins)).astype(np.int32)
    (occupied,) = occupied_bins(Histograms(layout, state), problem.tuning.chunk_values)
    found = BestSplits.none(1, 200)
    tracemalloc.start()
    try:
        search(problem, [occupied], np.zeros(1, np.int64), found)
        assert tracemalloc.get_traced_memory()[1] < 6 * occupied.sums.nbytes
    finally:
        tracemalloc.stop()
    assert found.gain[0] > 0
