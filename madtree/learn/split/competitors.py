"""The best split by each of the best features of a node: its own, and those that it has won against."""

from __future__ import annotations

from dataclasses import dataclass

from madtree.learn.data import Ints
from madtree.learn.split.margins import TIE


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
