"""The bins of some nodes' histograms that hold rows, ready to be searched.

Bins come in the order feature, slot, code. A *segment* is what one feature and one slot have of them. Bins of the
missing code are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from madtree.learn.binning import MISSING
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero, heads
from madtree.learn.histogram import HistogramLayout, Histograms
from madtree.records import dataclass


@dataclass
class OccupiedBins:
    """Attributes:
    code: (n_bins,) int64; the last one of bins that are looked at as one.
    sums: (n_channels, n_bins) float64.
    segment: (n_bins,) int64 the segment of each bin.
    start, stop: (n_segments,) from which bin to which each segment goes.
    feature: (n_segments,) index of the feature, counted from 0 in the whole problem.
    slot: (n_segments,).
    first_code: (n_bins,) the first code of bins that are looked at as one; None where no bins are.
    """

    code: Ints
    sums: Floats
    segment: Ints
    start: Ints
    stop: Ints
    feature: Ints
    slot: Ints
    first_code: Ints | None = None

    @classmethod
    def of_histograms(cls, histograms: Histograms) -> OccupiedBins:
        """From all of their bins."""
        layout, state = histograms.layout, histograms.state
        n_counts = layout.channels.n_counts
        counts = state[0] if n_counts == 1 else state[:n_counts].sum(axis=0)
        place = flat_nonzero(counts)
        offsets = layout.offsets
        feature = np.repeat(np.arange(len(layout.widths)), np.diff(np.searchsorted(place, offsets)))
        local = place - offsets[feature]
        slot = local // layout.widths[feature]
        code = local - slot * layout.widths[feature]
        known = flat_nonzero(code != MISSING)
        if len(known) < len(place):
            place, feature, slot, code = place[known], feature[known], slot[known], code[known]
        return cls.of_bins(layout, feature, slot, code, state.take(place, axis=1).astype(np.float64, copy=False))

    @classmethod
    def of_bins(cls, layout: HistogramLayout, feature: Ints, slot: Ints, code: Ints, sums: Floats) -> OccupiedBins:
        """From the bins that hold rows, by feature (counted within the layout), slot and code (n_bins,), in that
        order, and their sums (n_channels, n_bins).
        """
        first = np.ones(len(code), np.bool_)
        first[1:] = (feature[1:] != feature[:-1]) | (slot[1:] != slot[:-1])
        start = flat_nonzero(first)
        return cls(
            code,
            sums,
            np.cumsum(first) - 1,
            start,
            np.append(start[1:], len(code)) if len(code) else start,
            feature.take(start) + layout.first,
            slot.take(start),
        )

    @property
    def n_segments(self) -> int:
        return len(self.start)

    def totals(self) -> Floats:
        """(n_channels, n_segments) sums over each segment."""
        if self.n_segments == 0:
            return np.zeros((len(self.sums), 0))
        return np.asarray(np.add.reduceat(self.sums, self.start, axis=1))

    def running(self) -> tuple[Array, Array]:
        """Sums (n_channels, n_bins) int64 from the start of a bin's segment up to it, and the segments' totals.

        A sum that ran on over all segments would leave what float64 adds exactly; int64 does not, and differences stay
        right even where it overflows.
        """
        sums = self.sums.astype(np.int64)
        running = np.cumsum(sums, axis=1)
        before = running.take(self.start, axis=1) - sums.take(self.start, axis=1)
        total: Array = running.take(self.stop - 1, axis=1) - before
        running -= before.take(self.segment, axis=1)
        return running, total

    def permute(self, bins: Ints, order: Ints) -> None:
        """Put some bins into another order; each must stay within its segment."""
        self.code[bins] = self.code[bins[order]]
        self.sums[:, bins] = self.sums[:, bins[order]]


def first_of_best(values: Floats, segment: Ints, n_segments: int, tolerance: float) -> tuple[Floats, Ints]:
    """The largest of the non-negative `values` in each segment, and the first of them that comes up to it.

    Args:
        values: (m,); `segment` (m,) ascending.
        tolerance: relative; values that differ by less are equal.

    Returns:
        largest: (n_segments,) 0 where a segment has no value.
        first: (n_segments,) position in `values`, -1 where there is none.
    """
    largest, first = np.zeros(n_segments), np.full(n_segments, -1, np.int64)
    if len(values) == 0:
        return largest, first
    starts = heads(segment)
    largest[segment[starts]] = np.maximum.reduceat(values, starts)
    hits = flat_nonzero(values >= largest[segment] * (1 - tolerance))
    firsts = hits[heads(segment[hits])]
    first[segment[firsts]] = firsts
    return largest, first


def chunks(layout: HistogramLayout, n_channels: int, chunk_values: int) -> Iterator[tuple[int, int]]:
    """Features (from, to) to be looked at together, counted within the layout: with at most `chunk_values` bins times
    channels, or one feature.
    """
    first, total = 0, 0
    for i, width in enumerate(layout.widths.tolist()):
        values = width * layout.n_slots * n_channels
        if i > first and total + values > chunk_values:
            yield first, i
            first, total = i, 0
        total += values
    yield first, len(layout.widths)


def split_by_chunks(histograms: Histograms, chunk_values: int) -> Iterator[Histograms]:
    """Histograms in `chunks` of features that bound temporary memory, in order."""
    for first, last in chunks(histograms.layout, len(histograms.state), chunk_values):
        yield histograms.features(first, last)


def allowed_segments(allowed: Bools, layout: HistogramLayout) -> Bools:
    """(n_features, n_slots) of the layout's features, of a mask (n_slots, n_features) over all features."""
    return np.asarray(allowed[:, layout.first : layout.first + len(layout.widths)].T)


def in_order(whole: Bools, others: Bools) -> Iterator[tuple[int, int, bool]]:
    """Features (from, to), in order, and whether they have segments that are `whole` (n_features, n_slots): one by one
    where they have `others`, too.
    """
    some: Bools = np.logical_or.reduce(whole, axis=1)
    bounds = [0, *(flat_nonzero(some[1:] != some[:-1]) + 1).tolist(), len(some)]
    for first, last in pairwise(bounds):
        step = 1 if some[first] and others[first:last].any() else last - first
        for start in range(first, last, step):
            yield start, start + step, bool(some[first])


def pieces(histograms: Histograms, looked_at: Bools, n_bins: int) -> Iterator[tuple[Ints, Array]]:
    """Segments that are `looked_at` (n_features, n_slots), of some `n_bins` bins at a time: their numbers (m,), and
    (n_channels, m, width) what is counted of them.
    """
    layout, n_channels = histograms.layout, len(histograms.state)
    for first, last in layout.runs:
        width = int(layout.widths[first])
        if width < 2:
            continue
        segments = histograms.view(first, last).reshape(n_channels, -1, width)
        some = flat_nonzero(looked_at[first:last])
        size = max(1, 2 * n_bins // (width * max(n_channels, 2)))
        for i in range(0, len(some), size):
            mine = some[i : i + size]
            all_of_them = len(some) == segments.shape[1]
            counts = segments[:, i : i + size] if all_of_them else segments.take(mine, axis=1)
            yield mine + first * layout.n_slots, counts


def occupied_bins(histograms: Histograms, chunk_values: int, allowed: Bools | None = None) -> Iterator[OccupiedBins]:
    """The bins that hold rows, in chunks of features, in order; of a feature
    with many bins some slots at a time.

    Args:
        chunk_values: bins times channels of a chunk, at most; but a chunk has one feature of one slot at least.
        allowed: (n_slots, n_features) whether a node may be split by a feature, of all features; None for yes.
    """
    if allowed is not None:
        yield from bins_of_segments(histograms, chunk_values, allowed_segments(allowed, histograms.layout))
        return
    for part in split_by_chunks(histograms, chunk_values):
        if part.state.size <= chunk_values or len(part.layout.widths) > 1:
            yield OccupiedBins.of_histograms(part)
            continue
        of_slots, n_channels = part.feature(0), len(part.state)
        size = max(1, chunk_values // (n_channels * of_slots.shape[2]))
        for first in range(0, part.layout.n_slots, size):
            some = of_slots[:, first : first + size]
            layout = replace(part.layout, n_slots=some.shape[1])
            occupied = OccupiedBins.of_histograms(Histograms(layout, some.reshape(n_channels, -1)))
            occupied.slot += first
            yield occupied


def bins_of_segments(histograms: Histograms, chunk_values: int, chosen: Bools) -> Iterator[OccupiedBins]:
    """The bins of the segments that are `chosen` (n_features, n_slots), some at a time: with at most `chunk_values`
    bins times channels, or one segment.
    """
    if chosen.all():
        yield from occupied_bins(histograms, chunk_values)
        return
    layout = histograms.layout
    feature, slot = np.nonzero(chosen)
    widths = layout.widths[feature]
    start = layout.offsets[feature] + slot * widths
    size = max(1, chunk_values // (len(histograms.state) * int(layout.widths.max())))
    for i in range(0, len(feature), size):
        span = slice(i, i + size)
        yield _of_starts(histograms, feature[span], slot[span], start[span], widths[span])


def _of_starts(histograms: Histograms, feature: Ints, slot: Ints, start: Ints, widths: Ints) -> OccupiedBins:
    """The bins with rows of segments that begin at the bins `start` (m,)."""
    # All codes but the first, the missing one.
    length = widths - 1
    segment = np.repeat(np.arange(len(start)), length)
    code = np.arange(int(length.sum())) - (np.cumsum(length) - length)[segment] + 1
    sums = histograms.state.take(start[segment] + code, axis=1)
    known = flat_nonzero(sums.any(axis=0))
    segment = segment[known]
    found = sums.take(known, axis=1).astype(np.float64, copy=False)
    return OccupiedBins.of_bins(histograms.layout, feature[segment], slot[segment], code[known], found)
