"""How many of a block's rows have which values of the features, and end in which leaf of a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from madtree.learn.data import Coroutine, Floats, Ints, Values, ascends, require
from madtree.learn.walk import Walk
from madtree.records import dataclass
from madtree.trees import MOST_FEATURES

# What is counted of each feature before its ranges or categories.
MISSING, BELOW, ABOVE, N_FIRST = 0, 1, 2, 3
UNSEEN = BELOW  # of categories, which are neither below nor above
_MOST_SLOTS = 10_000_000
MOST_RANGES = 64  # of a number
_N_RANGES = 10  # that are made of one


@dataclass(frozen=True)
class CountedFeatures:
    """What is counted of each feature: rows without a value, below the least and above the largest one, and of each
    range, those with values up to its point; of the last one all others. Or rows of each category, and of unknown ones.

    Attributes:
        is_category: of each feature; `null_last`: whether infinity stands for NULL.
        low, high: (n_features,) the least and the largest value; NaN of categories.
        ends: (n_features,) where each one's points end.
        points: ascending; of categories their keys.
    """

    is_category: Sequence[bool]
    null_last: Sequence[bool]
    low: Floats
    high: Floats
    ends: Ints
    points: Floats

    @classmethod
    def of(cls, features: Sequence[tuple[bool, bool, float, float, Floats]]) -> CountedFeatures:
        """`features`: of each `is_category`, `null_last`, `low`, `high`, and its points."""
        is_category, null_last, low, high, points = zip(*features, strict=True)
        ends = np.cumsum([*map(len, points)], dtype=np.int64)
        return cls(list(is_category), list(null_last), np.array(low), np.array(high), ends, np.concatenate(points))

    def to_values(self) -> dict[str, Any]:
        return {
            "counted": list(self.is_category),
            "null_last": list(self.null_last),
            "count_low": np.where(self.is_category, 0.0, self.low),
            "count_high": np.where(self.is_category, 0.0, self.high),
            "count_ends": self.ends,
            "count_points": self.points,
        }

    @classmethod
    def from_values(cls, given: Values) -> CountedFeatures:
        """Raises MadtreeError where they are none."""
        is_category = given.booleans("counted", None)
        shape = (len(is_category),)
        require(len(is_category) <= MOST_FEATURES, "counted", f"{MOST_FEATURES} features at most")
        ends = given.ints("count_ends", shape, 0, _MOST_SLOTS)
        require(len(ends) > 0 and bool((np.diff(ends) >= 0).all()), "count_ends", "where the points of each end")
        points = given.floats("count_points", (int(ends[-1]),), finite=False)
        for first, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
            require(ascends(points[first:end]), "count_points", "ascending")
        sizes = np.diff(ends, prepend=0)[~np.array(is_category, np.bool_)]
        require(int(sizes.max(initial=0)) < MOST_RANGES, "count_ends", f"those of {MOST_RANGES} ranges at most")
        low, high = (given.floats(f"count_{name}", shape, finite=False) for name in ("low", "high"))
        return cls(is_category, given.booleans("null_last", len(is_category)), low, high, ends, points)

    @property
    def slots(self) -> list[slice]:
        """Where the counts of each feature are."""
        found, first, before = [], 0, 0
        for is_category, end in zip(self.is_category, self.ends.tolist(), strict=True):
            size = N_FIRST + end - before + (not is_category)
            found.append(slice(first, first + size))
            first, before = first + size, end
        return found

    def points_of(self, number: int) -> Floats:
        return self.points[int(self.ends[number - 1]) if number else 0 : int(self.ends[number])]

    def count(self, values: Floats) -> tuple[Ints, Floats, Floats]:
        """(n_slots,) of rows (n_features, n_rows); and (n_features,) the least and the largest value, infinite where
        there is none, and of categories.
        """
        slots = self.slots
        found, low, high = np.zeros(slots[-1].stop, np.int64), np.full(len(slots), np.inf), np.full(len(slots), -np.inf)
        for number, (own, at) in enumerate(zip(values, slots, strict=True)):
            counts, points = found[at], self.points_of(number)
            if self.is_category[number]:
                place = np.searchsorted(points, own)
                is_seen = points.take(place, mode="clip") == own if len(points) else np.zeros(len(own), np.bool_)
                place = place[is_seen]
                counts[MISSING] = np.count_nonzero(np.isnan(own))
                counts[UNSEEN] = len(own) - len(place) - counts[MISSING]
                counts[N_FIRST:] = np.bincount(place, minlength=len(counts) - N_FIRST)
                continue
            if self.null_last[number]:
                own = np.where(np.isinf(own), np.nan, own)
            # NaN passes no comparison, and one with each point takes a tenth of the time of a search.
            up_to = [np.count_nonzero(own <= point) for point in points.tolist()]
            counts[MISSING] = np.count_nonzero(np.isnan(own))
            counts[N_FIRST:] = np.diff([0, *up_to, len(own) - counts[MISSING]])
            low[number], high[number] = np.fmin.reduce(own, initial=np.inf), np.fmax.reduce(own, initial=-np.inf)
            if low[number] < self.low[number]:
                counts[BELOW] = np.count_nonzero(own < self.low[number])
            if high[number] > self.high[number]:
                counts[ABOVE] = np.count_nonzero(own > self.high[number])
        return found, low, high


def ends_of_ranges(values: Floats) -> Floats:
    """The largest value of each range but the last, of about equally many rows."""
    if not len(values):
        return np.zeros(0)
    at = np.arange(1, _N_RANGES) / _N_RANGES
    ends = np.unique(np.quantile(values, at, method="inverted_cdf") + 0.0)
    inner: Floats = ends[ends < values.max()]
    return inner


def checked_counts(given: Values) -> dict[str, Any]:
    """The part of a plan that asks for counts, and the trees whose leaves are counted, if any are.

    Raises:
        MadtreeError: it is none.
    """
    features = CountedFeatures.from_values(given)
    n_features = len(features.is_category)
    plan: dict[str, Any] = {"counted": features, "grouped": given.boolean("grouped"), "walk": None}
    if given.boolean("of_leaves"):
        walk = Walk.from_values(given, 1)
        require(plan["grouped"] or len(walk.groups) <= 1, "trees", "one where rows do not name theirs")
        used = given.ints("used", (len(walk.is_category),), 0, n_features - 1)
        plan |= {"walk": walk, "used": used}
    return plan


@dataclass(frozen=True)
class ValueCounts:
    """What is counted of some rows.

    Attributes:
        n_rows: how many they are.
        slots: (n_slots,) as `CountedFeatures.slots` has them.
        low, high: (n_features,) the least and the largest value; infinite where there is none, and of categories.
        leaves: (n_nodes,) those that end in each node; empty where that is not asked for.
    """

    n_rows: int
    slots: Ints
    low: Floats
    high: Floats
    leaves: Ints

    @classmethod
    def none(cls, features: CountedFeatures, n_nodes: int) -> ValueCounts:
        """Of no rows."""
        n_features = len(features.is_category)
        slots, leaves = np.zeros(features.slots[-1].stop, np.int64), np.zeros(n_nodes, np.int64)
        return cls(0, slots, np.full(n_features, np.inf), np.full(n_features, -np.inf), leaves)

    def and_of(self, other: ValueCounts) -> ValueCounts:
        """Of both's rows."""
        return ValueCounts(
            self.n_rows + other.n_rows,
            self.slots + other.slots,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.leaves + other.leaves,
        )

    def to_bytes(self) -> bytes:
        parts = np.array([self.n_rows]), self.slots, self.low.view(np.int64), self.high.view(np.int64), self.leaves
        return np.concatenate(parts).astype(np.int64).tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, features: CountedFeatures) -> ValueCounts:
        numbers, n_features = np.frombuffer(data, np.int64), len(features.is_category)
        ends = np.cumsum([1, features.slots[-1].stop, n_features, n_features])
        n_rows, slots, low, high, leaves = np.split(numbers, ends)
        return cls(int(n_rows[0]), slots, low.view(np.float64), high.view(np.float64), leaves)


def counted_rows(plan: Mapping[str, Any], numbers: Floats) -> Coroutine[ValueCounts]:
    """Those of some rows (n_numbers, n_rows)."""
    walk: Walk | None = plan["walk"]
    values, n_rows = numbers[int(plan["grouped"]) :], numbers.shape[1]
    features: CountedFeatures = plan["counted"]
    slots, low, high = features.count(values)
    if walk is not None:
        leaves = np.zeros(0, np.int64)
        if len(walk.roots):
            place, known = walk.places(numbers[0] if plan["grouped"] else None, n_rows)
            route = yield from walk.route(values[plan["used"]], place)
            leaves = yield from route.leaves(int(walk.roots[0]) if len(walk.roots) == 1 else walk.roots.take(place))
            leaves = leaves if known is None else leaves[known]
        return ValueCounts(n_rows, slots, low, high, np.bincount(leaves, minlength=len(walk.child)))
    return ValueCounts(n_rows, slots, low, high, np.zeros(0, np.int64))
