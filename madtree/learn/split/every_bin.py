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
from madtree.learn.data import UNKNOWN, Array, Bools, Floats, Ints, flat_nonzero
from madtree.learn.histogram import Histograms
from madtree.learn.problem import Problem, Rounding
from madtree.learn.split.best_splits import BestSplits
from madtree.learn.split.margins import TIE
from madtree.learn.split.occupied_bins import allowed_segments, bins_of_segments, in_order, pieces
from madtree.learn.split.search import search
from madtree.records import dataclass

# Fewer rows have sums that an int32 holds, where gradients and hessians have few bits.
_FEW_ROWS = 2 ** (31 - Rounding.HESSIAN_BITS)


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
    missing = [histograms.view(*run)[0, :, :, MISSING] for run in layout.runs]
    others = problem.unordered[layout.first : layout.first + len(layout.widths), None] | (np.concatenate(missing) > 0)
    plain = ~others
    if allowed is not None:
        chosen = allowed_segments(allowed, layout)
        plain, others = plain & chosen, others & chosen
    some = pieces(histograms, plain, problem.tuning.rough_bins)
    parts = (BestOfSegments.of(problem, *piece, tree, sums) for piece in some)
    best = next(parts, None)
    for first, last, has_others in in_order(others, plain):
        while best is not None and best.first < last:
            best.enter(found, first, last, layout.first, sums)
            yield
            if best.first + len(best.gain) > last:  # the next features are entered when it is their turn
                break
            best = next(parts, None)
        if has_others:
            for bins in bins_of_segments(histograms.features(first, last), chunk_values, others[first:last]):
                search(problem, [bins], tree, found, sums=sums, bounds=bounds)
                yield


@dataclass(frozen=True)
class BestOfSegments:
    """The best split of each of some segments.

    Attributes:
        first: their first feature, counted within the layout.
        gain: (n_features, n_slots) from that feature on; 0 where there is none.
        segments: (m,) ascending, by feature, counted within the layout, and slot.
        upto: (n_channels, m, width) sums up to each bin.
        left: (m,) the code on the left of the cut.
    """

    first: int
    gain: Floats
    segments: Ints
    upto: Ints
    left: Ints

    @classmethod
    def of(cls, problem: Problem, segments: Ints, counts: Array, tree: Ints, sums: Floats) -> BestOfSegments:
        """Of segments by ordered features with the `counts` (n_channels, m, width), none of which are of the missing
        code; of each slot the `tree` (n_slots,) and the `sums` (n_channels, n_slots) of all rows.

        Integers are added up many times quicker than floats. To turn floats into integers of 32 bits, and these into
        floats again, takes a third of the time that it takes with 64 bits.
        """
        bin_gains, least = criterion_of(problem).bin_gains, max(problem.parameters.min_bucket, 1)
        assert bin_gains is not None
        dtype, n_slots = np.int32 if problem.is_packed and sums[0].max() < _FEW_ROWS else np.int64, len(tree)
        upto: Ints = counts.astype(dtype, copy=False).cumsum(axis=2, dtype=dtype)
        gains = bin_gains(problem, tree.take(segments % n_slots), upto, least)
        # A maximum along the lines of a matrix takes several times as long.
        best = np.maximum.reduceat(gains.ravel(), np.arange(0, gains.size, gains.shape[1]))
        first, last = int(segments[0]) // n_slots, int(segments[-1]) // n_slots
        gain = np.zeros((last - first + 1, n_slots))
        gain.put(segments - first * n_slots, best)
        return cls(first, gain, segments, upto, (gains >= (best * (1 - TIE))[:, None]).argmax(axis=1))

    def enter(self, found: BestSplits, first: int, last: int, index: int, sums: Floats) -> None:
        """Improve `found` by those of the features `first` to `last - 1`; `index` of the layout's first feature in the
        whole problem, and `sums` (n_channels, n_slots) of all rows of each slot.
        """
        first, n_slots = max(first, self.first), self.gain.shape[1]
        gain = self.gain[first - self.first : last - self.first]
        # What is further below the largest gain could matter by a longer chain of near ties only (see `margins`).
        near = flat_nonzero(gain >= np.maximum.reduce(gain, axis=0) * (1 - 2 * len(gain) * TIE))
        slots, at = found.beaten_by(near % n_slots, gain.take(near))
        if len(slots):
            near = near.take(at)
            mine = self.segments.searchsorted(near + first * n_slots)
            left, (n_channels, _, width) = self.left.take(mine), self.upto.shape
            upto = self.upto.reshape(n_channels, -1).take(mine * width + left, axis=1)
            found.gain[slots] = gain.take(near)
            found.feature[slots] = index + first + near // n_slots
            found.left[slots] = left
            found.right[slots] = (self.upto[0].take(mine, axis=0) > upto[0][:, None]).argmax(axis=1)
            found.left_sums[:, slots], found.known_sums[:, slots] = upto, sums.take(slots, axis=1)
            found.missing_side[slots] = UNKNOWN
