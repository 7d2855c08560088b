"""The best splits of some nodes, as far as they are found; of a node those by other features, in order; and who picks
the split of a segment that is a candidate.
"""

from __future__ import annotations

from dataclasses import field
from typing import Protocol

import numpy as np

from madtree.learn.data import UNKNOWN, Bools, Floats, Ints, flat_nonzero
from madtree.learn.split.margins import TIE
from madtree.learn.split.occupied_bins import OccupiedBins
from madtree.records import dataclass


@dataclass(frozen=True)
class RankedSplit:
    """The best split of a node by one feature.

    Attributes:
        gain: divided by the feature's cost.
        left, right: codes next to the cut, of an ordered feature; else -1.
        left_codes, right_codes: categories on either side, of an unordered feature; else None.
    """

    gain: float
    feature: int
    left: int
    right: int
    left_codes: Ints | None
    right_codes: Ints | None


def rank_of(ranked: list[RankedSplit], gain: float) -> int:
    """The place of a further feature's split among those that were ranked so far: behind those that it ties with."""
    return next((place for place, split in enumerate(ranked) if gain > split.gain * (1 + TIE)), len(ranked))


@dataclass
class BestSplits:
    """The best split found so far of each of `n` slots.

    Attributes:
        gain: (n,) 0 where there is none; divided by the feature's cost.
        feature: (n,) int32 index, -1 where there is none.
        left, right: (n,) int32 codes next to the cut, of an ordered feature.
        left_codes, right_codes: categories on either side by slot, of an unordered feature.
        left_sums, known_sums: (n_channels, n) sums of the rows that go left, and of all rows whose value is known.
        missing_side: (n,) int8 LEFT or RIGHT, where the split gains more with the rows whose value is missing on that
            side; UNKNOWN where that is not asked, or does not matter.
        ranked: by slot, the splits by different features, the best one first; where competitors are wanted.
    """

    gain: Floats
    feature: Ints
    left: Ints
    right: Ints
    left_codes: dict[int, Ints]
    right_codes: dict[int, Ints]
    left_sums: Floats
    known_sums: Floats
    missing_side: Ints
    ranked: dict[int, list[RankedSplit]] = field(default_factory=dict)

    @classmethod
    def none(cls, n: int, n_channels: int) -> BestSplits:
        feature, left, right = np.full((3, n), -1, np.int32)
        sums, known = np.zeros((2, n_channels, n))
        return cls(np.zeros(n), feature, left, right, {}, {}, sums, known, np.full(n, UNKNOWN, np.int8))

    def of_slots(self, slots: Ints) -> BestSplits:
        """Those of some slots (m,), as their own; without the categories, which the search only adds to."""
        feature, left, right = (codes.take(slots) for codes in (self.feature, self.left, self.right))
        sums = (self.left_sums.take(slots, axis=1), self.known_sums.take(slots, axis=1))
        ranked = {place: list(self.ranked[slot]) for place, slot in enumerate(slots.tolist()) if slot in self.ranked}
        side = self.missing_side.take(slots)
        return BestSplits(self.gain.take(slots), feature, left, right, {}, {}, *sums, side, ranked)

    def beaten_by(self, slot: Ints, gain: Floats) -> tuple[Ints, Ints]:
        """Slots (m,) whose splits are beaten by those of some segments, and by which of these (m,); the segments are in
        the order of features, and of each the `slot` (n,) and the `gain` (n,) are given.
        """
        better = flat_nonzero(gain > self.gain.take(slot) * (1 + TIE))
        best: dict[int, tuple[float, int]] = {}  # by slot: the gain, times the tolerance, and the segment
        each = (values.take(better).tolist() for values in (slot, gain))
        for one, own, segment in zip(*each, better.tolist(), strict=True):
            if one not in best or own > best[one][0]:
                best[one] = own * (1 + TIE), segment
        slots = np.array(sorted(best), np.int64)
        return slots, np.array([best[place][1] for place in slots.tolist()], np.int64)

    def enter(self, slots: Ints, part: BestSplits) -> None:
        """Put the splits of some slots (m,) in place."""
        for name in ("gain", "feature", "left", "right", "missing_side"):
            getattr(self, name)[slots] = getattr(part, name)
        for name in ("left_sums", "known_sums"):
            getattr(self, name)[:, slots] = getattr(part, name)
        for name in ("left_codes", "right_codes", "ranked"):
            getattr(self, name).update({int(slots[slot]): value for slot, value in getattr(part, name).items()})


@dataclass(frozen=True)
class PickedSplits:
    """One candidate split of each segment.

    Attributes:
        at: (n_segments,) the bin behind which it lies.
        cut: (n_segments,) the last code that goes left, of an ordered feature: the node may have no row with it.
    """

    at: Ints
    cut: Ints


class PicksSplits(Protocol):
    """Who says which split of each segment is a candidate, where only one is to be."""

    def picked(self, occupied: OccupiedBins, unordered: Bools) -> PickedSplits:
        """Puts the bins of segments that are `unordered` (n_segments,) in an order of its own."""
        ...
