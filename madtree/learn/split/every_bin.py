"""The best splits by gains behind every bin, for criteria that find all of these at once (`Criterion.bin_gains`).

Where rows without a value go to the side that gains more, only segments without such rows are looked at this way; and
none of unordered features. Bins without rows gain what the bin before them does, so the first of the best ones has
rows: the choice is that of `search`, to the bit, which takes several times as long to list the candidates.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from madtree.learn.binning import MISSING
from madtree.learn.criteria import criterion_of
from madtree.learn.data import UNKNOWN, Bools, Floats, Ints, flat_nonzero
from madtree.learn.histogram import HistogramLayout, Histograms
from madtree.learn.problem import Problem
from madtree.learn.split.best_splits import BestSplits
from madtree.learn.split.margins import TIE
from madtree.learn.split.occupied_bins import allowed_segments, bins_of_segments, in_order, pieces
from madtree.learn.split.search import search
from madtree.records import dataclass


def bin_gains_apply(problem: Problem) -> bool:
    """Whether gains behind all bins are found at once, and only the best split of a node is wanted."""
    return problem.parameters.wants_best_alone and criterion_of(problem).bin_gains is not None


def search_every_bin(
    problem: Problem,
    histograms: Histograms,
    tree: Ints,
    found: BestSplits,
    sums: Floats,
    bounds: Floats | None = None,
    allowed: Bools | None = None,
) -> Iterator[None]:
    """Improve `found` by the splits of all features of histograms, in order; pauses now and then.

    Args:
        tree, sums, bounds: as those of `search`.
        allowed: (n_slots, n_features) whether a node may be split by a feature, of all features; None for yes.
    """
    layout, chunk_values = histograms.layout, problem.tuning.chunk_values
    unordered = problem.unordered[layout.first : layout.first + len(layout.widths), None]
    others = unordered | _have_missing(histograms)
    plain = ~others
    if allowed is not None:
        chosen = allowed_segments(allowed, layout)
        plain, others = plain & chosen, others & chosen
    best = BestOfSegments.of(problem, histograms, plain, tree)
    for first, last, has_others in in_order(others, plain):
        best.enter(found, first, last)
        if has_others:
            part = bins_of_segments(histograms.features(first, last), chunk_values, others[first:last])
            for some in part:
                search(problem, [some], tree, found, sums=sums, bounds=bounds)
                yield
        yield


def _have_missing(histograms: Histograms) -> Bools:
    """(n_features, n_slots) segments with rows whose value is missing."""
    layout = histograms.layout
    counts = [histograms.view(*run)[: layout.channels.n_counts, :, :, MISSING] for run in layout.runs]
    return np.asarray(np.concatenate(counts, axis=1).any(axis=0))


@dataclass(frozen=True)
class BestOfSegments:
    """The best split of each segment: by feature, counted within the layout, and slot.

    Attributes:
        gain: (n_segments,) 0 where there is none.
        codes: (2, n_segments) those next to the cut.
        sums: (2, n_channels, n_segments) of the rows on the left, and of all.
    """

    layout: HistogramLayout
    gain: Floats
    codes: Ints
    sums: Floats

    @classmethod
    def of(cls, problem: Problem, histograms: Histograms, looked_at: Bools, tree: Ints) -> BestOfSegments:
        """Of the segments that are `looked_at` (n_features, n_slots), which must be by ordered features; `tree`
        (n_slots,) of each slot.
        """
        layout, n_channels, n = histograms.layout, len(histograms.state), looked_at.size
        found = cls(layout, np.zeros(n), np.zeros((2, n), np.int64), np.zeros((2, n_channels, n)))
        bin_gains, least = criterion_of(problem).bin_gains, max(problem.parameters.min_bucket, 1)
        assert bin_gains is not None
        for segments, counts in pieces(histograms, looked_at, problem.tuning.rough_bins):
            # Integers are added up many times quicker than other numbers.
            upto: Ints = np.cumsum(counts.astype(np.int64, copy=False), axis=2)
            gains = bin_gains(problem, tree.take(segments % layout.n_slots), upto, least)
            starts = np.arange(0, gains.size, gains.shape[1])
            # A maximum along the lines of a matrix takes several times as long.
            best = np.maximum.reduceat(gains.ravel(), starts)
            place = (gains >= (best * (1 - TIE))[:, None]).argmax(axis=1)
            left = upto.reshape(n_channels, -1).take(starts + place, axis=1)
            following = (upto[0] > left[0][:, None]).argmax(axis=1)
            found.gain[segments] = best
            found.codes[0, segments], found.codes[1, segments] = place + 1, following + 1
            found.sums[0][:, segments], found.sums[1][:, segments] = left, upto[:, :, -1]
        return found

    def enter(self, found: BestSplits, first: int, last: int) -> None:
        """Improve `found` by those of the features `first` to `last - 1`."""
        n_slots = self.layout.n_slots
        gain = self.gain[first * n_slots : last * n_slots].reshape(last - first, n_slots)
        # What is further below the largest gain could matter by a longer chain of near ties only (see `margins`).
        near = flat_nonzero(gain >= np.maximum.reduce(gain, axis=0) * (1 - 2 * len(gain) * TIE))
        slots, at = found.beaten_by(near % n_slots, gain.ravel().take(near))
        if len(slots):
            segments = near.take(at) + first * n_slots
            found.gain[slots] = self.gain.take(segments)
            found.feature[slots] = self.layout.first + segments // n_slots
            found.left[slots], found.right[slots] = self.codes.take(segments, axis=1)
            found.left_sums[:, slots], found.known_sums[:, slots] = self.sums.take(segments, axis=2)
            found.missing_side[slots] = UNKNOWN
