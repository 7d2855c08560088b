"""Features with very many bins: coarse bins first, and the fine ones only where the best split may be.

Counting a node's rows by tens of thousands of bins costs far more than by a few hundred. So neighbouring bins are
counted together as one coarse bin, and an upper bound is found for the gains of the splits inside of it. The gain is a
convex function of the two classes' weights on the left (`Criterion.two_class_gain`). The weights on the left of such a
split lie in the box between those before and those behind the coarse bin, and in a box a convex function is largest at
a corner. Only coarse bins whose bound comes up to a gain that the node certainly reaches are looked into: their rows
are put in order (`node_rows`), and searched as always. For why that changes no choice, see `margins`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from madtree.learn.criteria import Criterion, criterion_of
from madtree.learn.data import WIDE_LIMIT, Bools, Floats, Ints, flat_nonzero, heads
from madtree.learn.histogram import HistogramLayout, Histograms, RowsOfNodes, shifted
from madtree.learn.problem import Problem
from madtree.learn.split.margins import least_gain, may_drop, rounding
from madtree.learn.split.node_rows import bins_of
from madtree.learn.split.occupied_bins import OccupiedBins, occupied_bins


def pays(problem: Problem, first: int, last: int) -> bool:
    """Whether there are two classes, a gain that is known to be convex, and many bins of the features `first` to
    `last - 1`, all of them ordered.
    """
    if problem.n_classes != 2 or criterion_of(problem).two_class_gain is None or not may_drop(problem):
        return False
    if problem.unordered[first:last].any():
        return False
    return int(problem.bins.widths[first:last].min()) >= problem.tuning.coarse_codes


def shifts(widths: Ints, coarse_width: int) -> Ints:
    """(n_features,) by how many bits the codes of features with so many of them are shifted, for no more than
    `coarse_width` coarse ones.
    """
    bits: Ints = np.ceil(np.log2(np.maximum(widths - 1, 1) / (coarse_width - 1))).astype(np.int64)
    return np.maximum(bits, 0)


def coarse_widths(widths: Ints, coarse_width: int) -> Ints:
    """(n_features,) coarse codes of features with so many codes, no more than `coarse_width`; the one for missing
    values is among either.
    """
    bits = shifts(widths, coarse_width)
    return ((widths - 1 + (1 << bits) - 1) >> bits) + 1


def refined(
    problem: Problem, histograms: Histograms, rows: RowsOfNodes, tree: Ints, gain: Floats, allowed: Bools | None = None
) -> Iterator[OccupiedBins]:
    """The occupied bins of some features, in order: fine ones where the best split of a node may be, or one that ties
    with it, and between them the sums of the others. Segments without such a split are left out.

    Args:
        histograms: coarse ones.
        rows: of the same nodes.
        tree: (n_slots,) of each node; `gain` (n_slots,) of its best split so far.
        allowed: (n_slots, n_features) whether a node may be split by a feature, of all features; None for yes.
    """
    chunk_values, width = problem.tuning.chunk_values, problem.tuning.coarse_width
    reached, weight = gain.copy(), np.zeros(len(tree))
    for occupied in occupied_bins(histograms, chunk_values, allowed):
        if occupied.n_segments:
            _Segments(problem, occupied, tree).reach(reached, weight)
    least = least_gain(reached, weight, rounding(problem.n_classes))
    bits, first = shifts(problem.bins.widths, width), rows.slot * np.int32(width)
    for occupied in occupied_bins(histograms, chunk_values, allowed):
        if occupied.n_segments == 0:
            continue
        fine = _Segments(problem, occupied, tree).bounds() >= least[occupied.slot][occupied.segment]
        starts = heads(occupied.feature)
        for span in np.split(np.arange(occupied.n_segments), starts[1:]):
            own = slice(int(occupied.start[span[0]]), int(occupied.stop[span[-1]]))
            feature = int(occupied.feature[span[0]])
            places = occupied.slot[occupied.segment[own]] * width + occupied.code[own]
            if fine[own].any():
                parts = (
                    _fine(rows, problem, feature, first, places[fine[own]], len(tree) * width),
                    _others(occupied, own, fine, int(bits[feature])),
                )
                yield _joined(problem, histograms.layout, feature, parts)


class _Segments:
    """Gains at the ends of coarse bins, and bounds inside of them."""

    def __init__(self, problem: Problem, occupied: OccupiedBins, tree: Ints) -> None:
        self._problem, self._occupied = problem, occupied
        self._tree = tree[occupied.slot]  # (n_segments,)
        n_counts = problem.channels.n_counts
        running, total = occupied.running()
        own = occupied.segment
        self._rows, self._all_rows = running[:n_counts].sum(axis=0), total[:n_counts].sum(axis=0)[own]
        self._left = problem.moments(running, self._tree[own])
        self._total = problem.moments(total, self._tree)
        self._whole = self._total[:, own]
        self._criterion = criterion_of(problem)
        self._at_end = _gain(self._criterion, self._left, self._whole)
        self._min_bucket = max(problem.parameters.min_bucket, 1)

    def reach(self, reached: Floats, weight: Floats) -> None:
        """Raise to the gains of splits between coarse bins, and to the weights; both (n_slots,)."""
        occupied, least = self._occupied, self._min_bucket
        is_split = (self._rows >= least) & (self._all_rows - self._rows >= least)
        best = np.maximum.reduceat(np.where(is_split, self._at_end, 0.0), occupied.start)
        np.maximum.at(reached, occupied.slot, best)
        np.maximum.at(weight, occupied.slot, self._total.sum(axis=0))

    def bounds(self) -> Floats:
        """(n_bins,) no split in or at an end of a coarse bin has a larger gain."""
        occupied, problem, least = self._occupied, self._problem, self._min_bucket
        inside = problem.moments(occupied.sums, self._tree[occupied.segment])
        # The corner before a bin is the end of the bin before it, or nothing.
        bound = np.concatenate(([0.0], self._at_end[:-1]))
        bound[occupied.start] = 0.0
        np.maximum(bound, self._at_end, out=bound)
        for k in range(len(inside)):
            corner = self._left.copy()
            corner[k] -= inside[k]
            np.maximum(bound, _gain(self._criterion, corner, self._whole), out=bound)
        before = self._rows - occupied.sums[: problem.channels.n_counts].sum(axis=0).astype(np.int64)
        bound[(self._rows < least) | (self._all_rows - before < least)] = -np.inf
        return bound


_Bins = tuple[Ints, Ints, Floats]  # slot and code (n_bins,), and sums (n_channels, n_bins)


def _fine(rows: RowsOfNodes, problem: Problem, feature: int, first: Ints, places: Ints, total_bins: int) -> _Bins:
    """The fine bins of the rows that are in some coarse bins.

    Args:
        first: (n_rows,) int32 place of code 0 in each row's slot.
        places: of the coarse bins, slot * coarse_width + code; there are `total_bins` of them.
    """
    wanted = np.zeros(total_bins, np.bool_)
    wanted[places] = True
    code = rows.codes(feature)
    bits = shifts(problem.bins.widths, problem.tuning.coarse_width)[feature]
    mine = flat_nonzero(wanted.take(first + shifted(code, int(bits))))
    return bins_of(rows, problem.channels, code[None], mine)[1:]


def _others(occupied: OccupiedBins, own: slice, fine: Bools, bits: int) -> _Bins:
    """The sums of coarse bins that are not fine, of segments that have fine ones too: neighbours together, with the
    code of the last of them.

    What is to the right of a fine split is fine: the bound of the bin that begins there is no less than its gain.
    """
    some = np.logical_or.reduceat(fine, occupied.start)
    at = np.arange(own.start, own.stop)
    at = at[~fine[own] & some[occupied.segment[own]]]
    if len(at) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((len(occupied.sums), 0))
    segment = occupied.segment[at]
    begins = np.ones(len(at), np.bool_)
    begins[1:] = (at[1:] != at[:-1] + 1) | (segment[1:] != segment[:-1])
    start = flat_nonzero(begins)
    last = np.append(start[1:], len(at)) - 1
    sums = np.add.reduceat(occupied.sums.take(at, axis=1), start, axis=1)
    return occupied.slot[segment[start]], occupied.code[at[last]] << bits, sums


def _joined(problem: Problem, layout: HistogramLayout, feature: int, parts: Sequence[_Bins]) -> OccupiedBins:
    slot, code = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    order = np.argsort(slot.astype(np.int64) * WIDE_LIMIT + code, kind="stable")
    sums = np.concatenate([part[2] for part in parts], axis=1).take(order, axis=1)
    places = np.full(len(order), feature - layout.first)
    return OccupiedBins.of_bins(layout, places, slot.take(order), code.take(order), sums)


def _gain(criterion: Criterion, left: Floats, whole: Floats) -> Floats:
    """(m,) gains of splits with the class weights `left` of `whole` (2, m); 0 where a side is empty."""
    assert criterion.two_class_gain is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = criterion.two_class_gain(left, np.maximum(whole - left, 0.0))
    return np.asarray(np.nan_to_num(gain, copy=False, nan=0.0, posinf=0.0))
