"""The bins behind which the best splits may lie: all others are passed over after a rough look.

Of many features most have no split that comes near the node's best one, and of a feature's bins hardly any but one. A
criterion may have a form of its gain (`Criterion.rough_bin_gains`) for all bins at once that takes a fraction of the
time and differs from the gain by rounding only. What comes near the best by this is searched as everything is
elsewhere, so the splits are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from madtree.learn.counting import by_rows
from madtree.learn.criteria import RoughBinGains, criterion_of
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero, heads
from madtree.learn.histogram import HistogramLayout, Histograms
from madtree.learn.problem import Problem
from madtree.learn.split.margins import least_gain, may_drop, rounding
from madtree.learn.split.occupied_bins import (
    OccupiedBins,
    allowed_segments,
    bins_of_segments,
    in_order,
    occupied_bins,
    pieces,
)
from madtree.records import dataclass


def likely_bins(
    problem: Problem,
    histograms: Histograms,
    gain: Floats,
    allowed: Bools | None = None,
    whole: Bools | None = None,
) -> Iterator[OccupiedBins]:
    """The occupied bins of histograms, but with bins looked at as one where the best split of their slot cannot lie
    between them, and without segments that cannot have it.

    Args:
        gain: (n_slots,) of the best split among earlier features.
        allowed: (n_slots, n_features) whether a node may be split by a feature, of all features; None for yes.
        whole: (n_features, n_slots) segments all bins of which are wanted; None for those of unordered features.
    """
    tuning = problem.tuning
    layout, chunk_values = histograms.layout, tuning.chunk_values
    rough_bin_gains = criterion_of(problem).rough_bin_gains if rough_gains_apply(problem) else None
    if rough_bin_gains is None or histograms.state.size < tuning.shortlist_cells:
        yield from occupied_bins(histograms, chunk_values, allowed)
        return
    shape = len(layout.widths), layout.n_slots
    if whole is None:
        whole = np.broadcast_to(problem.unordered[layout.first : layout.first + shape[0], None], shape)
    if whole.all():
        yield from occupied_bins(histograms, chunk_values, allowed)
        return
    chosen: Bools = np.ones(shape, np.bool_) if allowed is None else allowed_segments(allowed, layout)
    likely = LikelyBins.of(problem, rough_bin_gains, histograms, gain, chosen & ~whole)
    in_whole: Bools = np.logical_and(chosen, whole)
    for start, stop, has_whole in in_order(in_whole, ~whole):
        yield from likely.occupied(start, stop, chunk_values)
        if has_whole:
            yield from bins_of_segments(histograms.features(start, stop), chunk_values, in_whole[start:stop])


def rough_gains_apply(problem: Problem) -> bool:
    """Whether there are row counts only, and products of two are exact."""
    only_counts = problem.n_classes > 0 and problem.channels.count == problem.channels.n_counts
    return problem.most_rows**2 < 2**53 and only_counts and may_drop(problem)


@dataclass(frozen=True)
class LikelyBins:
    """The bins behind which the best split of their slot may lie, by feature, slot and code.

    Attributes:
        layout: of the histograms.
        segment: (n,) of each bin: its feature, counted within the layout, times the slots, and its slot.
        best: (n,) the segment's largest rough gain.
        code, next_code: (n,) of the bin, and of the next one that has rows.
        upto, total: (n_channels, n) sums of the segment's bins up to it, and of all.
    """

    layout: HistogramLayout
    segment: Ints
    best: Floats
    code: Ints
    next_code: Ints
    upto: Ints
    total: Ints

    @classmethod
    def of(
        cls,
        problem: Problem,
        rough_bin_gains: RoughBinGains,
        histograms: Histograms,
        gain: Floats,
        looked_at: Bools,
    ) -> LikelyBins:
        """Of the segments that are `looked_at` (n_features, n_slots), which must be by ordered features; `gain` as
        of `likely_bins`.
        """
        layout, n_channels = histograms.layout, len(histograms.state)
        best, parts, n_bins, most = gain.copy(), [], 0, problem.tuning.rough_bins
        for segments, counts in pieces(histograms, looked_at, problem.tuning.rough_bins):
            slot = segments % layout.n_slots
            (line, code, following, upto), gains, totals = look(problem, rough_bin_gains, counts[:, :, 1:])
            if segments[-1] - segments[0] < layout.n_slots:  # of one segment each, and `at` takes many times as long
                best[slot] = np.maximum(best[slot], gains)
            else:
                np.maximum.at(best, slot, gains)
            of_segments = segments.take(line), gains.take(line)
            parts.append(cls(layout, *of_segments, code, following, upto, totals.take(line, axis=1)))
            n_bins += len(line)
            if n_bins > most:  # of many features hardly any stay
                parts = [cls._joined(layout, n_channels, parts)._near(problem, best)]
                n_bins = len(parts[0].segment)
                most = max(most, 2 * n_bins)
        return cls._joined(layout, n_channels, parts)._near(problem, best)

    @classmethod
    def _joined(cls, layout: HistogramLayout, n_channels: int, parts: Sequence[LikelyBins]) -> LikelyBins:
        none, no_sums = np.zeros(0, np.int64), np.zeros((n_channels, 0), np.int64)
        parts = [cls(layout, none, np.zeros(0), none, none, no_sums, no_sums), *parts]
        return cls(layout, *(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in _OF_BINS))

    def _near(self, problem: Problem, best: Floats) -> LikelyBins:
        """Those in segments that come near the best gain (n_slots,) that is known of their slot."""
        slot = self.segment % self.layout.n_slots
        least = _least(problem, best)
        # Where the rough gain is 0 both sides of any split look alike, and the gain is noise (`Criterion.rounding`).
        kept = flat_nonzero((self.best >= least.take(slot)) & (self.best > 0))
        return LikelyBins(self.layout, *(getattr(self, name).take(kept, axis=-1) for name in _OF_BINS))

    def occupied(self, first: int, last: int, chunk_values: int) -> Iterator[OccupiedBins]:
        """Those of some features, and all bins between two of them as one: at most `chunk_values` bins times channels
        at a time, or one segment.
        """
        n_slots = self.layout.n_slots
        own = slice(*np.searchsorted(self.segment, (first * n_slots, last * n_slots)).tolist())
        starts = heads(self.segment[own])
        n_bins = np.diff(starts, append=own.stop - own.start)  # likely ones of each segment
        for some in by_rows(n_bins + 1, chunk_values // len(self.upto)):
            begin = own.start + int(starts[some.start])
            yield self._together(slice(begin, begin + int(n_bins[some].sum())), n_bins[some])

    def _together(self, own: slice, n_bins: Ints) -> OccupiedBins:
        """The bins `own`, so many of each segment (m,), and one more at the end of each."""
        stop = np.cumsum(n_bins + 1)
        start = stop - n_bins - 1
        number = np.arange(len(stop))
        at = np.arange(own.stop - own.start) + np.repeat(number, n_bins)  # where the likely bins go
        heads_of_own = start - number
        feature, slot = np.divmod(self.segment[own][heads_of_own], self.layout.n_slots)
        upto = np.empty((len(self.upto), int(stop[-1])))
        upto[:, at] = self.upto[:, own]
        upto[:, stop - 1] = self.total[:, own].take(heads_of_own, axis=1)
        sums = np.diff(upto, axis=1, prepend=0.0)
        sums[:, start] = upto[:, start]
        code, first_code = np.empty((2, upto.shape[1]), np.int64)
        code[at], code[stop - 1] = self.code[own], self.layout.widths[feature] - 1
        first_code[start], first_code[at + 1] = 1, self.next_code[own]
        of_bins = np.repeat(number, n_bins + 1)
        return OccupiedBins(code, sums, of_bins, start, stop, feature + self.layout.first, slot, first_code)


_OF_BINS = ("segment", "best", "code", "next_code", "upto", "total")


def look(
    problem: Problem, rough_bin_gains: RoughBinGains, counts: Array
) -> tuple[tuple[Ints, Ints, Ints, Ints], Floats, Ints]:
    """The rough gains of segments with row counts (n_channels, m, D), without those of the missing code.

    Returns:
        found: the bins with rows behind which the gain comes near the best of their segment: (n,) the segment's
            number, (n,) code, (n,) code of the next bin with rows, and (n_channels, n) sums up to it.
        best: (m,) of each segment, 0 where no split is possible.
        totals: (n_channels, m) of each segment.
    """
    # Integers are added up many times quicker than other numbers.
    upto: Ints = np.cumsum(counts.astype(np.int32, copy=False), axis=2, dtype=np.int32)
    rows = upto[0]
    for of_class in upto[1:]:
        rows = rows + of_class
    n_codes = rows.shape[1]
    gains, factor = rough_bin_gains(rows, upto, max(problem.parameters.min_bucket, 1))
    # A maximum along the lines of a matrix takes several times as long.
    best = np.maximum.reduceat(gains.ravel(), np.arange(0, gains.size, n_codes)) * factor
    least = _least(problem, best) / factor
    least = np.maximum(least, np.finfo(gains.dtype).tiny).astype(gains.dtype)
    cell = flat_nonzero(gains >= least[:, None])
    up_to_here, before = rows.ravel().take(cell), rows.ravel().take(cell - 1, mode="wrap")
    has_rows = (cell % n_codes == 0) | (up_to_here > before)
    if not has_rows.all():
        cell, up_to_here = cell[has_rows], up_to_here[has_rows]
    line, place = np.divmod(cell, n_codes)
    following = (rows.take(line, axis=0) > up_to_here[:, None]).argmax(axis=1)
    return (line, place + 1, following + 1, upto.reshape(len(upto), -1).take(cell, axis=1)), best, upto[:, :, -1]


def _least(problem: Problem, best: Floats) -> Floats:
    """(m,) how large rough gains must be to come near the best ones (m,). No node has more rows than the problem."""
    return least_gain(best, np.full(len(best), problem.most_rows), rounding(problem.channels.n_classes))
