"""Gains behind every bin at once: the best splits of boosted trees are those that the search finds one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from madtree.learn.binning.bins import Bins, BinTable
from madtree.learn.data import Grid
from madtree.learn.data.types import Array
from madtree.learn.histogram.histogram import HistogramLayout, Histograms
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.rounding import Rounding
from madtree.learn.split.best_splits import BestSplits
from madtree.learn.split.every_bin import bin_gains_apply, search_every_bin
from madtree.learn.split.occupied_bins import occupied_bins
from madtree.learn.split.search import search
from madtree.trees.parameters import Parameters

WIDTHS = np.array([9, 9, 9, 2, 1, 30, 30, 9, 9, 9, 4, 9, 9])
N_SLOTS, N_TREES = 11, 3
TREE = np.arange(N_SLOTS) % N_TREES


def _problem(unordered: np.ndarray, **parameters: float) -> Problem:
    bins = [[Bins(np.arange(width - 1.0), np.arange(width - 1.0)) for width in WIDTHS.tolist()]] * N_TREES
    return Problem(
        Parameters("newton", 5, min_split=4, min_bucket=3, n_bins=30, **parameters),  # type: ignore[arg-type]
        BinTable.from_bins(bins),
        unordered,
        N_TREES,
        np.full(N_TREES, 10_000),
        0,
        weight_grid=Grid(np.array([[-9], [-8], [-10]], np.int32)),
        target_grid=Grid(np.array([[-7], [-12], [-3]], np.int32)),
        centre=np.zeros(N_TREES),
        largest_target=np.ones(N_TREES),
        largest_weight=np.ones(N_TREES),
    )


def _state(problem: Problem, shape: str) -> Array:
    """Rows, hessians and gradients of each bin, of rows that are made up; those of a slot stand side by side."""
    rng = np.random.default_rng(11)
    n_rows = 20 if shape == "sparse" else 600
    slot = np.repeat(np.arange(N_SLOTS), n_rows)
    gradient, hessian = rng.integers(-500, 500, len(slot)), rng.integers(1, 200, len(slot))
    if shape == "alike":
        gradient, hessian = np.full((2, len(slot)), [[-70], [100]])
    elif shape == "little hessian":
        hessian[:] = 0
    codes = []
    for i, width in enumerate(WIDTHS.tolist()):
        least = 0 if shape == "missing" and i % 2 else 1
        codes.append(rng.integers(min(least, width - 1), width, len(slot)))
    nine = np.flatnonzero(WIDTHS == 9).tolist()
    if shape in ("replicas", "near ties"):
        for feature in nine[1:]:
            codes[feature] = codes[nine[0]].copy()
            if shape == "near ties":  # a few rows moved, so that gains differ by little
                some = rng.integers(0, len(slot), 3)
                codes[feature][some] = np.maximum(codes[feature][some] - 1, 1)
    layout = HistogramLayout(problem.channels, WIDTHS, N_SLOTS)
    state = np.zeros((3, layout.total_bins))
    for i, (width, code) in enumerate(zip(WIDTHS.tolist(), codes, strict=True)):
        for view, values in zip(
            Histograms(layout, state).feature(i), (np.ones(len(slot)), hessian, gradient), strict=True
        ):
            view[:] = np.bincount(slot * width + code, values, N_SLOTS * width).reshape(N_SLOTS, width)
    return state


def _splits(problem: Problem, state: Array, allowed: Array | None, *, at_once: bool) -> BestSplits:
    """By batches of three features."""
    found = BestSplits.none(N_SLOTS, problem.channels.count)
    histograms = Histograms(HistogramLayout(problem.channels, WIDTHS, N_SLOTS), state)
    sums = histograms.totals()
    for first in range(0, len(WIDTHS), 3):
        part = histograms.features(first, min(first + 3, len(WIDTHS)))
        if at_once:
            list(search_every_bin(problem, part, TREE, found, sums, None, allowed))
        else:
            occupied = occupied_bins(part, problem.tuning.chunk_values, allowed)
            search(problem, occupied, TREE, found, sums=sums)
    return found


@pytest.mark.parametrize("parameters", [{}, {"l2": 3.0}, {"min_gain": 40.0}], ids=["plain", "l2", "least gain"])
@pytest.mark.parametrize(
    "shape",
    [
        *("random", "sparse", "replicas", "near ties", "alike", "little hessian", "missing", "categories"),
        *("some allowed", "few bits", "few bits of many rows"),
    ],
)
def test_splits_are_those_of_the_search(shape: str, parameters: dict[str, float]) -> None:
    unordered = np.zeros(len(WIDTHS), np.bool_)
    if shape == "categories":
        unordered[[0, 5, 6, 10]] = True
    problem = _problem(unordered, **parameters)
    state = _state(problem, shape)
    if shape.startswith("few bits"):
        assert problem.target_grid is not None
        assert problem.weight_grid is not None
        problem = replace(problem, rounding=Rounding(1, 0, problem.target_grid, problem.weight_grid, True))
    if shape == "few bits of many rows":
        state *= 2**20  # more than an int32 holds
    some = np.random.default_rng(7).random((N_SLOTS, len(WIDTHS))) < 0.3
    allowed = some if shape == "some allowed" else None
    found, expected = (_splits(problem, state, allowed, at_once=at_once) for at_once in (True, False))
    for name in ("gain", "feature", "left", "right", "left_sums", "known_sums", "missing_side"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    for name in ("left_codes", "right_codes"):
        own, other = ({k: v.tolist() for k, v in getattr(each, name).items()} for each in (found, expected))
        assert own == other
    assert (expected.gain > 0).any() == (shape not in ("alike", "little hessian"))


def test_bounded_leaves_are_searched_one_by_one() -> None:
    problem = _problem(np.zeros(len(WIDTHS), np.bool_))
    bounded = replace(problem, parameters=replace(problem.parameters, monotone=(1.0,) * len(WIDTHS)))
    assert [bin_gains_apply(each) for each in (problem, bounded)] == [True, False]
