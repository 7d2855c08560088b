"""The best split of every node, from the nodes' statistics.

All features of a chunk are searched at once. The cells that hold rows, in the order feature, slot, code, form
*segments*, one for each feature and slot; a candidate split lies behind every cell of a segment but the last, and the
sums on its left are a running sum along the segment. The cells of an unordered feature are put in the order of their
proportion or mean first (Breiman et al. 1984, section 4.2.2), after which they are treated alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from madtree.core import impurity
from madtree.core.binning import MISSING
from madtree.core.levels import EXHAUSTIVE_LEVELS, principal_scores, subsets
from madtree.core.problem import Problem
from madtree.core.statistics import StatisticsLayout
from madtree.core.types import Array, Bools, Floats, Ints

TIE = 1e-10  # gains that differ by less, relatively, are equal (semantics, section 3)
_CHUNK_ENTRIES = 2_000_000  # array elements of a chunk of features, to bound temporary memory


@dataclass
class Splits:
    """The best split found so far of each of `n` slots.

    Attributes:
        gain: (n,) 0 where there is none.
        feature: (n,) int32 index, -1 where there is none.
        left, right: (n,) int32 codes next to the cut, of an ordered feature.
        left_codes, right_codes: levels on either side by slot, of an unordered feature.
        left_sums, known_sums: (n_planes, n) statistics of the rows that go left, and of all rows whose value is known.
    """

    gain: Floats
    feature: Ints
    left: Ints
    right: Ints
    left_codes: dict[int, Ints]
    right_codes: dict[int, Ints]
    left_sums: Floats
    known_sums: Floats

    @classmethod
    def none(cls, n: int, n_planes: int) -> Splits:
        feature, left, right = (np.full(n, -1, np.int32) for _ in range(3))
        return cls(np.zeros(n), feature, left, right, {}, {}, np.zeros((n_planes, n)), np.zeros((n_planes, n)))


def search(problem: Problem, state: Array, layout: StatisticsLayout, tree: Ints, found: Splits) -> None:
    """Improve `found` by the splits of the layout's features.

    A split replaces an earlier feature's only where its gain is larger by more than the tolerance, so the earlier
    feature wins a tie however the features were cut into chunks.

    Args:
        state: (n_planes, n_cells) statistics.
        tree: (n_slots,) the tree of each slot.
    """
    for first, last in _chunks(layout, len(state)):
        offsets = layout.offsets
        begin, end = int(offsets[first]), int(offsets[last])
        part = StatisticsLayout(layout.planes, layout.widths[first:last], layout.n_slots, layout.first + first)
        _Chunk(problem, state[:, begin:end], part, tree).improve(found)


def _chunks(layout: StatisticsLayout, n_planes: int) -> Iterator[tuple[int, int]]:
    first, total = 0, 0
    for i, width in enumerate(layout.widths.tolist()):
        cells = width * layout.n_slots * n_planes
        if i > first and total + cells > _CHUNK_ENTRIES:
            yield first, i
            first, total = i, 0
        total += cells
    yield first, len(layout.widths)


class _Chunk:
    """The entries (cells that hold rows) of some features, and the candidates among them."""

    def __init__(self, problem: Problem, state: Array, layout: StatisticsLayout, tree: Ints) -> None:
        self.problem = problem
        self.layout = layout
        self.n_slots = layout.n_slots
        counts = state[0] if problem.n_classes <= 1 else state[: problem.planes.groups].sum(axis=0)
        cell = np.flatnonzero(counts)
        offsets = layout.offsets
        feature = np.repeat(np.arange(len(layout.widths)), np.diff(np.searchsorted(cell, offsets)))
        local = cell - offsets[feature]
        slot = local // layout.widths[feature]
        code = local - slot * layout.widths[feature]
        known = np.flatnonzero(code != MISSING)
        if len(known) < len(cell):
            cell, feature, slot, code = cell[known], feature[known], slot[known], code[known]
        self.code = code
        self.segment_key = feature * self.n_slots + slot
        self.sums = np.asarray(state[:, cell], np.float64)
        self.tree = tree
        # Segments: where each starts, its feature (within the chunk) and slot.
        change = np.flatnonzero(np.diff(self.segment_key)) + 1
        self.start = np.concatenate(([0], change)) if len(cell) else np.zeros(0, np.int64)
        self.stop = np.concatenate((change, [len(cell)])) if len(cell) else np.zeros(0, np.int64)
        self.segment_feature = feature[self.start]
        self.segment_slot = slot[self.start]
        self.segment_unordered = problem.unordered[self.segment_feature + layout.first]

    def improve(self, found: Splits) -> None:
        if len(self.start) == 0:
            return
        exhaustive = self._order_levels()
        gain, at = self._prefix_splits(exhaustive)
        masks = self._subset_splits(exhaustive, gain)
        self._choose(found, gain, at, masks)

    def _order_levels(self) -> Ints:
        """Put the entries of unordered features in the order of their scores; return the segments to try
        exhaustively.
        """
        segments = np.flatnonzero(self.segment_unordered)
        if len(segments) == 0:
            return segments
        problem, sizes = self.problem, self.stop - self.start
        if problem.n_classes >= 3:
            exhaustive = segments[sizes[segments] <= EXHAUSTIVE_LEVELS]
            for s in segments[sizes[segments] > EXHAUSTIVE_LEVELS]:
                span = slice(int(self.start[s]), int(self.stop[s]))
                owner = np.full(span.stop - span.start, self.tree[self.segment_slot[s]])
                scores = principal_scores(problem.class_weights(self.sums[:, span], owner))
                self._permute(np.arange(span.start, span.stop), np.argsort(scores, kind="stable"))
            return exhaustive
        spans = zip(self.start[segments], self.stop[segments], strict=True)
        entries = np.concatenate([np.arange(start, stop) for start, stop in spans])
        owner = self.tree[self.segment_key[entries] % self.n_slots]
        sums = self.sums[:, entries]
        if problem.n_classes:
            weights = problem.class_weights(sums, owner)
            # By the first class, so that the side with less of it is the left one.
            score = weights[0] / weights.sum(axis=0)
        else:
            score = problem.means(sums, owner)
        self._permute(entries, np.lexsort((self.code[entries], score, self.segment_key[entries])))
        return segments[:0]

    def _permute(self, entries: Ints, order: Ints) -> None:
        self.code[entries] = self.code[entries[order]]
        self.sums[:, entries] = self.sums[:, entries[order]]

    def _prefix_splits(self, skip: Ints) -> tuple[Floats, Ints]:
        """Best gain (n_segments,) over splits behind an entry, and the entry (n_segments,); 0 and -1 where none."""
        problem = self.problem
        n_segments = len(self.start)
        gain, best = np.zeros(n_segments), np.full(n_segments, -1, np.int64)
        segment = np.repeat(np.arange(n_segments), self.stop - self.start)
        # The sum runs on over all segments, beyond what float64 adds exactly; int64 does, and differences stay right
        # even where it overflows.
        sums = self.sums.astype(np.int64)
        running = np.cumsum(sums, axis=1)
        before = running[:, self.start] - sums[:, self.start]
        total = running[:, self.stop - 1] - before
        groups = problem.planes.groups
        rows = running[0] if groups == 1 else running[:groups].sum(axis=0)
        rows_before = before[:groups].sum(axis=0)
        rows_left = rows - rows_before[segment]
        rows_right = total[:groups].sum(axis=0)[segment] - rows_left
        enough = max(problem.parameters.min_bucket, 1)
        valid = (rows_left >= enough) & (rows_right >= enough)
        if len(skip):
            valid &= ~np.isin(segment, skip)
        at = np.flatnonzero(valid)
        if len(at) == 0:
            return gain, best
        segment = segment[at]
        left = running[:, at] - before[:, segment]
        right = total[:, segment] - left
        gains = self._gain(left.astype(np.float64), right.astype(np.float64), self.tree[self.segment_slot[segment]])
        heads = np.flatnonzero(np.diff(segment, prepend=-1))
        which = segment[heads]
        gain[which] = np.maximum.reduceat(gains, heads)
        hits = np.flatnonzero(gains >= gain[segment] * (1 - TIE))
        firsts = hits[np.flatnonzero(np.diff(segment[hits], prepend=-1))]
        best[segment[firsts]] = at[firsts]
        return gain, best

    def _subset_splits(self, segments: Ints, gain: Floats) -> dict[int, Bools]:
        """Try all subsets of the levels of `segments`; enter the best gains and return the levels that go left."""
        masks: dict[int, Bools] = {}
        problem = self.problem
        groups = problem.planes.groups
        enough = max(problem.parameters.min_bucket, 1)
        for s in segments.tolist():
            sums = self.sums[:, self.start[s] : self.stop[s]]
            if sums.shape[1] < 2:
                continue
            choice = subsets(sums.shape[1])
            left = sums @ choice.T.astype(np.float64)
            right = sums.sum(axis=1, keepdims=True) - left
            valid = np.flatnonzero((left[:groups].sum(axis=0) >= enough) & (right[:groups].sum(axis=0) >= enough))
            if len(valid) == 0:
                continue
            owner = np.full(len(valid), self.tree[self.segment_slot[s]])
            gains = self._gain(left[:, valid], right[:, valid], owner)
            gain[s] = gains.max()
            masks[s] = choice[valid[np.flatnonzero(gains >= gain[s] * (1 - TIE))[0]]]
        return masks

    def _gain(self, left: Floats, right: Floats, tree: Ints) -> Floats:
        """(m,) gains of splits with the sums `left` and `right` (n_planes, m)."""
        problem = self.problem
        if problem.n_classes:
            criterion = problem.parameters.criterion
            left_weights, right_weights = problem.class_weights(left, tree), problem.class_weights(right, tree)
            gain = impurity.CLASSIFICATION_GAINS[criterion](left_weights, right_weights)
            noise = impurity.ROUNDING[criterion] * (left_weights.sum(axis=0) + right_weights.sum(axis=0))
            return np.where(gain > noise, gain, 0.0)
        left_weight, right_weight = problem.weights(left, tree), problem.weights(right, tree)
        left_mean, right_mean = problem.means(left, tree), problem.means(right, tree)
        if problem.weight_grid is not None:
            # Weight times value is rounded row by row, so means of equal values may differ in their last bits.
            close = np.abs(left_mean - right_mean) <= 1e-13 * np.maximum(np.abs(left_mean), np.abs(right_mean))
            right_mean = np.where(close, left_mean, right_mean)
        return impurity.variance_gain(left_weight, left_mean, right_weight, right_mean)

    def _choose(self, found: Splits, gain: Floats, at: Ints, masks: dict[int, Bools]) -> None:
        """Enter into `found` what beats it, feature by feature."""
        best = np.full(self.n_slots, -1, np.int64)
        feature_starts = np.searchsorted(self.segment_feature, np.arange(len(self.layout.widths) + 1))
        for f in range(len(self.layout.widths)):
            span = np.arange(feature_starts[f], feature_starts[f + 1])
            slots = self.segment_slot[span]
            better = gain[span] > found.gain[slots] * (1 + TIE)
            found.gain[slots[better]] = gain[span[better]]
            best[slots[better]] = span[better]
        slots = np.flatnonzero(best >= 0)
        if len(slots) == 0:
            return
        segments = best[slots]
        found.feature[slots] = self.segment_feature[segments] + self.layout.first
        unordered = self.segment_unordered[segments]
        plain = ~unordered
        cut = at[segments[plain]]
        found.left[slots[plain]] = self.code[cut]
        found.right[slots[plain]] = self.code[cut + 1]
        for slot, s in zip(slots[unordered].tolist(), segments[unordered].tolist(), strict=True):
            codes = self.code[self.start[s] : self.stop[s]]
            goes_left = masks[s] if s in masks else np.arange(self.start[s], self.stop[s]) <= at[s]
            found.left_codes[slot], found.right_codes[slot] = np.sort(codes[goes_left]), np.sort(codes[~goes_left])
        self._sums(found, slots, segments, at, masks)

    def _sums(self, found: Splits, slots: Ints, segments: Ints, at: Ints, masks: dict[int, Bools]) -> None:
        """Statistics of the chosen splits' left sides and of all their known rows."""
        start, stop = self.start[segments], self.stop[segments]
        length = stop - start
        entry = np.repeat(start - np.concatenate(([0], np.cumsum(length)[:-1])), length) + np.arange(int(length.sum()))
        goes_left = entry <= np.repeat(at[segments], length)
        heads = np.cumsum(length) - length
        for i, s in enumerate(segments.tolist()):
            if s in masks:
                goes_left[heads[i] : heads[i] + length[i]] = masks[s]
        sums = self.sums[:, entry]
        found.known_sums[:, slots] = np.add.reduceat(sums, heads, axis=1)
        found.left_sums[:, slots] = np.add.reduceat(np.where(goes_left, sums, 0.0), heads, axis=1)
