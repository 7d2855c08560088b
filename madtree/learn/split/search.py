"""The best split of every node, from the occupied bins of the nodes' histograms.

All features of a chunk are searched at once. A candidate split lies behind every bin of a segment but the last (see
`occupied_bins`), and the sums on its left are a running sum along the segment. The bins of an unordered feature are
first put in the order of their proportion or mean (Breiman et al. 1984, section 4.2.2), and then searched in the same
way.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from madtree.learn.criteria import criterion_of, gains, has_guards
from madtree.learn.data import LEFT, RIGHT, UNKNOWN, Array, Bools, Floats, Ints, flat_nonzero, pieces_of
from madtree.learn.problem import Problem
from madtree.learn.split.best_splits import BestSplits, PicksSplits, RankedSplit, rank_of
from madtree.learn.split.category_order import (
    EXHAUSTIVE_CATEGORIES,
    guarded_splits,
    is_rare,
    principal_scores,
    subsets,
    with_rare_in_the_middle,
)
from madtree.learn.split.margins import TIE
from madtree.learn.split.occupied_bins import OccupiedBins, first_of_best


def search(
    problem: Problem,
    chunks: Iterable[OccupiedBins],
    tree: Ints,
    found: BestSplits,
    picks: PicksSplits | None = None,
    sums: Floats | None = None,
    bounds: Floats | None = None,
) -> None:
    """Improve `found` by the splits of some features, which come in order.

    A split replaces an earlier feature's only where its gain is larger by more than the tolerance, so the earlier
    feature wins a tie however the features were cut into chunks.

    Args:
        chunks: the occupied bins of the features; of those only by which a node may be split.
        tree: (n_slots,) the tree of each slot.
        picks: who picks a candidate of each segment; None for all of them.
        sums: (n_channels, n_slots) over all rows of each slot; needed where the criterion finds the side of those
            without a value.
        bounds: (2, n_slots) between which the values of leaves below each slot must lie; None for none.
    """
    for occupied in chunks:
        if occupied.n_segments:
            CandidateSplits(problem, occupied, tree, picks, sums, bounds).improve(found)


class CandidateSplits:
    """The candidate splits by some features: behind which occupied bin, or with which categories on the left."""

    def __init__(
        self,
        problem: Problem,
        occupied: OccupiedBins,
        tree: Ints,
        picks: PicksSplits | None = None,
        sums: Floats | None = None,
        bounds: Floats | None = None,
    ) -> None:
        """The arguments as those of `search`."""
        self.problem = problem
        self.criterion = criterion_of(problem)
        self.occupied = occupied
        self.tree = tree[occupied.slot]  # (n_segments,)
        self.unordered = problem.unordered[occupied.feature]
        self.min_bucket = max(problem.parameters.min_bucket, 1)
        self.sums: tuple[Array, Array] | None = None  # `OccupiedBins.running`, once categories are in order
        self.picked = picks.picked(occupied, self.unordered) if picks and occupied.n_segments else None
        self.missing_side = np.full(occupied.n_segments, UNKNOWN, np.int8)
        self.missing: Floats | None = None  # (n_channels, n_segments)
        if self.criterion.finds_missing_side:
            assert sums is not None
            missing = sums[:, occupied.slot] - occupied.totals()
            self.missing = missing if missing.any() else None
        own = None if bounds is None else bounds[:, occupied.slot]
        self.terms = self.criterion.leaf_terms(problem, occupied.feature, self.tree, own)  # of the segments

    @cached_property
    def has_guards(self) -> Bools | None:
        """(n_segments,) whether LightGBM's guards hold there; None where they hold nowhere."""
        if self.criterion.gain_by_terms is None or not self.unordered.any():
            return None
        return has_guards(self.problem, self.occupied.feature, self.tree)

    def improve(self, found: BestSplits) -> None:
        if self.picked is None:
            exhaustive = self._order_categories()
            candidates = ~np.isin(self.occupied.segment, exhaustive) if len(exhaustive) else self._guarded()
            gain, at = self._prefix_splits(candidates)
            masks = self._subset_splits(exhaustive, gain)
        else:
            candidates = np.zeros(len(self.occupied.code), np.bool_)
            candidates[self.picked.at] = True
            gain, at = self._prefix_splits(candidates)
            masks = {}
        if self.problem.parameters.feature_costs:
            gain /= self.problem.feature_costs[self.occupied.feature]
        self._choose(found, gain, at, masks)

    def _order_categories(self) -> Ints:
        """Put the bins of unordered features in the order of their scores; return the segments to try exhaustively."""
        occupied, problem = self.occupied, self.problem
        segments = flat_nonzero(self.unordered)
        if len(segments) == 0:
            return segments
        mine = flat_nonzero(self.unordered[occupied.segment])
        segment = occupied.segment[mine]
        score = self.criterion.category_scores(problem, occupied.sums[:, mine], self.tree[segment])
        if score is None:
            sizes = (occupied.stop - occupied.start)[segments]
            for s in segments[sizes > EXHAUSTIVE_CATEGORIES].tolist():
                span = np.arange(occupied.start[s], occupied.stop[s])
                owner = np.full(len(span), self.tree[s])
                scores = principal_scores(problem.moments(occupied.sums[:, span], owner))
                occupied.permute(span, np.argsort(scores, kind="stable"))
            return segments[sizes <= EXHAUSTIVE_CATEGORIES]
        code = occupied.code[mine]
        if self.has_guards is None:
            occupied.permute(mine, np.lexsort((code, score, segment)))
        else:
            rows = occupied.sums[: problem.channels.n_counts, mine].sum(axis=0)
            rare = is_rare(problem, rows) & self.has_guards.take(segment)
            occupied.permute(mine, with_rare_in_the_middle(code, score, segment, rare))
        return segments[:0]

    def _guarded(self) -> Bools | None:
        """(n_bins,) behind which bins splits may lie; None for any."""
        problem, occupied = self.problem, self.occupied
        if self.has_guards is None:
            return None
        mine = flat_nonzero(self.has_guards)
        counts = problem.channels.n_counts
        missing = np.zeros((1, occupied.n_segments)) if self.missing is None else self.missing[:counts]
        rows, without = (each.sum(axis=0).astype(np.int64) for each in (occupied.sums[:counts], missing))
        return guarded_splits(problem, rows, occupied.start[mine], occupied.stop[mine], without[mine])

    def _prefix_splits(self, candidates: Bools | None) -> tuple[Floats, Ints]:
        """Best gain (n_segments,) over splits behind a bin, and the bin (n_segments,); 0 and -1 where none.

        `candidates` (n_bins,): behind which bins; None for all.
        """
        occupied, n_counts = self.occupied, self.problem.channels.n_counts
        self.sums = running, total = occupied.running()
        rows_left = running[:n_counts].sum(axis=0)
        least: Ints | int = self.min_bucket
        least_right: Ints | int = least
        if self.missing is not None:  # which may be on either side, and alone on the right one
            missing = self.missing[:n_counts].sum(axis=0).astype(np.int64)
            least = np.maximum(least - missing, 1).take(occupied.segment)
            least_right = np.maximum(self.min_bucket - missing, missing == 0).take(occupied.segment)
        # The last split that leaves enough rows on the right.
        most_left = total[:n_counts].sum(axis=0).take(occupied.segment) - least_right
        valid = (rows_left >= least) & (rows_left <= most_left)
        if candidates is not None:
            valid &= candidates
        at = flat_nonzero(valid)
        segment = occupied.segment.take(at)
        of_candidates, side = np.zeros(len(at)), np.full(len(at), UNKNOWN, np.int8)
        # A single feature of a node may have more candidates than are worked on at once.
        for piece in pieces_of(len(at), max(1, self.problem.tuning.chunk_values // len(running))):
            left = running.take(at[piece], axis=1)
            right = total.take(segment[piece], axis=1) - left
            both = left.astype(np.float64), right.astype(np.float64)
            of_candidates[piece], side[piece] = self._gains(*both, segment[piece])
        gain, first = first_of_best(of_candidates, segment, occupied.n_segments, TIE)
        if len(side):
            self.missing_side = np.where(first >= 0, side[first], UNKNOWN).astype(np.int8)
        return gain, np.where(first >= 0, at[first] if len(at) else first, -1)

    def _gains(self, left: Floats, right: Floats, segment: Ints) -> tuple[Floats, Ints]:
        """(m,) gains of splits of some segments (m,) with the sums `left` and `right` (n_channels, m) of known rows,
        and the side of those without a value (m,), if that is found; 0 where a side has not enough rows.
        """
        problem, tree = self.problem, self.tree.take(segment)
        terms = None if self.terms is None else self.terms.of_places(segment)
        side = np.full(len(segment), UNKNOWN, np.int8)
        if self.missing is None:
            return gains(problem, self.criterion, left, right, tree, terms), side
        n_counts, missing = problem.channels.n_counts, self.missing.take(segment, axis=1)
        some = flat_nonzero(missing[:n_counts].sum(axis=0))
        with_missing = []
        for mine, both in ((slice(None), (left + missing, right)), (some, (left[:, some], (right + missing)[:, some]))):
            enough = np.minimum(*(side[:n_counts].sum(axis=0) for side in both)) >= self.min_bucket
            with np.errstate(divide="ignore", invalid="ignore"):  # of a side without rows
                own = gains(
                    problem, self.criterion, *both, tree[mine], None if terms is None else terms.of_places(mine)
                )
            with_missing.append(np.where(enough, own, 0.0))
        gain, on_right = with_missing
        on_left = gain[some]
        side[some[on_left > on_right * (1 + TIE)]] = LEFT
        side[some[on_right > on_left * (1 + TIE)]] = RIGHT
        gain[some] = np.maximum(on_left, on_right)
        return gain, side

    def _subset_splits(self, segments: Ints, gain: Floats) -> dict[int, Bools]:
        """Try all subsets of the categories of `segments`; enter the best gains, return the categories that go left."""
        masks: dict[int, Bools] = {}
        n_counts = self.problem.channels.n_counts
        for s in segments.tolist():
            sums = self.occupied.sums[:, self.occupied.start[s] : self.occupied.stop[s]]
            if sums.shape[1] < 2:
                continue
            choice = subsets(sums.shape[1])
            left = sums @ choice.T.astype(np.float64)
            right = sums.sum(axis=1, keepdims=True) - left
            fewest = np.minimum(left[:n_counts].sum(axis=0), right[:n_counts].sum(axis=0))
            if self.missing is not None:
                fewest += self.missing[:n_counts, s].sum()
            valid = flat_nonzero(fewest >= self.min_bucket)
            if len(valid) == 0:
                continue
            of_subsets, side = self._gains(left[:, valid], right[:, valid], np.full(len(valid), s))
            gain[s] = of_subsets.max()
            first = flat_nonzero(of_subsets >= gain[s] * (1 - TIE))[0]
            masks[s] = choice[valid[first]]
            self.missing_side[s] = side[first]
        return masks

    def _choose(self, found: BestSplits, gain: Floats, at: Ints, masks: dict[int, Bools]) -> None:
        """Enter into `found` what beats it, one feature of each slot after the other: slots ascend among the segments
        of a feature.
        """
        occupied = self.occupied
        if self.problem.parameters.max_competitors:
            self._rank(found, gain, at, masks)
        slots, segments = found.beaten_by(occupied.slot, gain)
        if not len(slots):
            return
        found.gain[slots] = gain.take(segments)
        found.feature[slots] = occupied.feature[segments]
        found.missing_side[slots] = self.missing_side[segments]
        plain = ~self.unordered[segments]
        found.left[slots[plain]], found.right[slots[plain]] = self._codes(segments[plain], at)
        for slot, s in zip(slots[~plain].tolist(), segments[~plain].tolist(), strict=True):
            found.left_codes[slot], found.right_codes[slot] = self._categories(s, at, masks)
        self._sums(found, slots, segments, at, masks)

    def _codes(self, segments: Ints, at: Ints) -> tuple[Ints, Ints]:
        """(m,) the codes next to the cut of ordered features' segments (m,); of a cut behind all bins, which parts rows
        without a value from all others, the one past the last code.
        """
        if self.picked is not None:
            return self.picked.cut[segments], self.picked.cut[segments] + 1
        occupied, last = self.occupied, at[segments]
        right = (occupied.code if occupied.first_code is None else occupied.first_code).take(last + 1, mode="clip")
        past = self.problem.bins.sizes[self.tree[segments], occupied.feature[segments]] + 1
        return occupied.code[last], np.where(last + 1 == occupied.stop[segments], past, right)

    def _categories(self, s: int, at: Ints, masks: dict[int, Bools]) -> tuple[Ints, Ints]:
        """The categories on either side of the best split of an unordered feature's segment."""
        span = slice(self.occupied.start[s], self.occupied.stop[s])
        goes_left = masks[s] if s in masks else np.arange(span.start, span.stop) <= at[s]
        codes = self.occupied.code[span]
        return np.sort(codes[goes_left]), np.sort(codes[~goes_left])

    def _rank(self, found: BestSplits, gain: Floats, at: Ints, masks: dict[int, Bools]) -> None:
        """Rank the best split of each segment of main trees among those of its node by other features."""
        occupied, most = self.occupied, 1 + self.problem.parameters.max_competitors
        for s in flat_nonzero((gain > 0) & (self.tree < self.problem.n_groups)).tolist():
            ranked = found.ranked.setdefault(int(occupied.slot[s]), [])
            place = rank_of(ranked, float(gain[s]))
            if place >= most:
                continue
            if self.unordered[s]:
                cut, sides = (-1, -1), self._categories(s, at, masks)
                split = RankedSplit(float(gain[s]), int(occupied.feature[s]), *cut, *sides)
            else:
                left, right = self._codes(np.array([s]), at)
                split = RankedSplit(float(gain[s]), int(occupied.feature[s]), int(left[0]), int(right[0]), None, None)
            ranked.insert(place, split)
            del ranked[most:]

    def _sums(self, found: BestSplits, slots: Ints, segments: Ints, at: Ints, masks: dict[int, Bools]) -> None:
        """Sums of the chosen splits' left sides and of all their known rows."""
        assert self.sums is not None
        running, total = self.sums
        found.known_sums[:, slots] = total.take(segments, axis=1)
        found.left_sums[:, slots] = running.take(at[segments], axis=1)
        for slot, s in zip(slots.tolist(), segments.tolist(), strict=True) if masks else ():
            if s in masks:
                own = self.occupied.sums[:, self.occupied.start[s] : self.occupied.stop[s]]
                found.left_sums[:, slot] = own[:, masks[s]].sum(axis=1)
