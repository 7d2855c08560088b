"""Functions from what a model says to probabilities, as calibration fits them."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import exp, nextafter

from madtree.records import dataclass

_LARGEST = 1.7976931348623157e308
_MOST_EXPONENT = 700.0


@dataclass(frozen=True)
class IsotonicFunction:
    """A function that never falls: straight lines between points, and level before the first and behind the last.

    Attributes:
        scores: of the points, ascending.
        probabilities: at these, none below the one before.
    """

    scores: Sequence[float]
    probabilities: Sequence[float]

    @cached_property
    def slopes(self) -> tuple[float, ...]:
        """By how much it rises from each point on, 0 from the last one on: so much, that no rounding takes it above
        the next point's probability.
        """
        points = [*zip(self.scores, self.probabilities, strict=True)]
        return (*(_slope(*low, *high) for low, high in pairwise(points)), 0.0)

    def probability(self, score: float) -> float:
        place = max(bisect_right(self.scores, score) - 1, 0)
        slope = self.slopes[place] if score > self.scores[place] else 0.0
        return self.probabilities[place] + (score - self.scores[place]) * slope if slope else self.probabilities[place]

    @cached_property
    def even_score(self) -> float:
        """The largest score whose probability is at most a half; the least float64 where no score's is."""
        low, high = _place(-_LARGEST), _place(_LARGEST)
        if self.probability(_LARGEST) <= 0.5:
            return _LARGEST
        if self.probability(-_LARGEST) > 0.5:
            return -_LARGEST
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.probability(_float(middle)) <= 0.5 else (low, middle)
        return _float(low)


def _slope(x: float, y: float, next_x: float, next_y: float) -> float:
    slope = (next_y - y) / (next_x - x)
    last = nextafter(next_x, x) - x
    while slope > 0 and y + last * slope > next_y:
        slope = nextafter(slope, 0.0)
    return slope


def _place(number: float) -> int:
    """Its place among all float64, in order."""
    bits = int(struct.unpack("<q", struct.pack("<d", number))[0])
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def _float(place: int) -> float:
    bits = place if place >= 0 else -place | 2**63
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


@dataclass(frozen=True)
class SigmoidFunction:
    """The probability 1 / (1 + exp(-(factor * score + offset)))."""

    factor: float
    offset: float

    def probability(self, score: float) -> float:
        exponent = -(self.factor * score + self.offset)
        return 1.0 / (1.0 + exp(min(max(exponent, -_MOST_EXPONENT), _MOST_EXPONENT)))


CalibrationMap = IsotonicFunction | SigmoidFunction


@dataclass(frozen=True)
class FittedMaps:
    """What makes a model's scores probabilities.

    Attributes:
        by_group: of each group that has rows of both kinds its own, by its number: of two classes of the last one; of
            more a map for each class.
        pooled: those of all rows together, for the others.
        n_rows: that were used.
    """

    by_group: Mapping[int, Sequence[CalibrationMap]]
    pooled: Sequence[CalibrationMap]
    n_rows: int

    def of_group(self, number: int) -> Sequence[CalibrationMap]:
        return self.by_group.get(number, self.pooled)

    def shares(self, number: int, shares: Sequence[float]) -> list[float]:
        """The classes' probabilities from those that a group's model says; of more than two classes each map's part of
        all, and equal ones where no map says anything.
        """
        maps = self.of_group(number)
        if len(maps) == 1:
            last = maps[0].probability(shares[-1])
            return [1.0 - last, last]
        calibrated = [each.probability(share) for each, share in zip(maps, shares, strict=True)]
        total = sum(calibrated)
        return [each / total for each in calibrated] if total > 0 else [1.0 / len(calibrated)] * len(calibrated)
