"""Bins: which stretch of a feature's values each code stands for, and the code of each value.

Code 0 is a missing value; codes 1 to D are the bins in ascending order. A bin is known by the smallest and the largest
value that was seen in it, so that a split between two bins lies midway between the values on its two sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from madtree.learn.binning.ranks import Ranks
from madtree.learn.data import Array, Floats, Ints, flat_nonzero
from madtree.records import dataclass

MISSING = 0
_CELLS = 8192  # of `quantile_bins`
_STRETCH = 16_384  # values that are worked on together there, for the cache's sake


def midpoint(low: Array, high: Array) -> Floats:
    """The point midway between `low` < `high`; `low` itself where rounding or an infinity leaves no room between."""
    low = np.asarray(low, np.float64)
    high = np.asarray(high, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        middle = (low + high) / 2
        middle = np.where(np.isfinite(middle), middle, low / 2 + high / 2)
        return np.where((middle >= low) & (middle < high), middle, low)


def bin_ends(values: Floats, counts: Ints, n_bins: int) -> Ints:
    """Where quantile bins end, over distinct values in ascending order.

    Infinity has a bin of its own, however few rows have it: it may stand for NULL, and is like no other value.

    Args:
        values, counts: (n_values,) the distinct values, and rows of each.
        n_bins: bins wanted, at least 2.

    Returns:
        (n_ends,) index of each bin's last value, ascending, up to n_values - 1; `n_bins` at most, and infinity's.
        The j-th bin ends with the first value at which j / n_bins of the rows are reached.
    """
    cumulative: Ints = np.cumsum(counts)
    targets = cumulative[-1] * np.arange(1, n_bins) / n_bins
    ends = np.searchsorted(cumulative, targets)
    last = len(counts) - 1
    finite = [last - 1] if last > 0 and values[last] == np.inf else []
    return np.asarray(np.unique(np.concatenate((ends, finite, [last]))), np.int64)


@dataclass(frozen=True)
class Bins:
    """The bins of one feature in one tree: `lower` and `upper` (D,) float64, the smallest and largest value of each."""

    lower: Floats
    upper: Floats

    @classmethod
    def from_values(cls, values: Floats, counts: Ints, limit: int, n_bins: int) -> Bins:
        """One bin a value for at most `limit` distinct `values` (ascending), else `n_bins` quantile bins."""
        if len(values) <= limit:
            return cls(values, values)
        ends = bin_ends(values, counts, n_bins)
        starts = np.concatenate(([0], ends[:-1] + 1))
        return cls(values[starts], values[ends])

    @property
    def edges(self) -> Floats:
        """(D - 1,) cut points: code <= c is the same as value <= edges[c - 1]."""
        return midpoint(self.upper[:-1], self.lower[1:])


def quantile_bins(values: Floats, limit: int, n_bins: int) -> Bins | None:
    """The bins of many values without sorting them all: the same as by `distinct_values` and `Bins.from_values`.

    The values are shared out among equal cells between the smallest and the largest; only those in which a bin
    ends, and those that come next, are sorted.

    Args:
        values: (n,) NaN where missing.
        limit: distinct values up to which each has a bin of its own.

    Returns:
        None where the values lie too unevenly, or may be no more than `limit` distinct ones.
    """
    missing = np.isnan(values)
    known = values[~missing] if missing.any() else values
    if len(known) == 0:
        return None
    low, high = float(known.min()) + 0.0, float(known.max()) + 0.0  # -0.0 and 0.0 are one value
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scale = _CELLS / (np.float64(high) - low)
    if not np.isfinite(scale) or scale == 0.0 or not np.isfinite((high - low) * scale):
        return None
    cell = np.empty(len(known), np.int64)
    for first in range(0, len(known), _STRETCH):
        position = known[first : first + _STRETCH] - low
        position *= scale
        cell[first : first + _STRETCH] = position
    per_cell = np.bincount(cell, minlength=_CELLS + 1)
    occupied = flat_nonzero(per_cell)
    if len(occupied) <= limit:
        return None
    cumulative = np.cumsum(per_cell)
    # The first value at which j / n_bins of the rows are reached, as in `bin_ends`.
    rank = np.ceil(len(known) * np.arange(1, n_bins) / n_bins).astype(np.int64)
    ending = np.searchsorted(cumulative, rank)
    following = np.minimum(np.searchsorted(occupied, ending) + 1, len(occupied) - 1)
    wanted = np.zeros(len(per_cell), np.bool_)
    wanted[ending] = wanted[occupied[following]] = True
    if int(per_cell[wanted].sum()) * 2 > len(known):
        return None
    chosen = np.sort(known[wanted.take(cell)] + 0.0)
    before = np.cumsum(np.where(wanted, per_cell, 0)) - per_cell
    upper = np.unique(chosen[before[ending] + rank - (cumulative - per_cell)[ending] - 1])
    if upper[-1] == high:
        upper = upper[:-1]
    lower = chosen[np.searchsorted(chosen, upper, side="right")]
    return Bins(np.append(low, lower), np.append(upper, high))


class BinTable:
    """The bins of every feature in every tree.

    Attributes:
        sizes: (n_trees, n_features) int32, bins without the one for missing values.
        offsets: (n_trees, n_features) int64, where a feature's bins start in `lower` and `upper`.
        lower, upper: (total,) float64.
    """

    def __init__(self, sizes: Ints, lower: Floats, upper: Floats, offsets: Ints | None = None) -> None:
        """Without `offsets` the bins come tree by tree and feature by feature."""
        self.sizes = sizes
        flat = sizes.reshape(-1).astype(np.int64)
        self.offsets = (np.cumsum(flat) - flat).reshape(sizes.shape) if offsets is None else offsets
        self.lower = lower
        self.upper = upper

    @classmethod
    def from_bins(cls, bins: Sequence[Sequence[Bins]]) -> BinTable:
        """From bins[tree][feature]."""
        sizes = np.array([[len(b.lower) for b in row] for row in bins], np.int32).reshape(len(bins), -1)
        parts = [b for row in bins for b in row]
        empty = np.zeros(0)
        lower = np.concatenate([b.lower for b in parts]) if parts else empty
        upper = np.concatenate([b.upper for b in parts]) if parts else empty
        return cls(sizes, lower, upper)

    def with_replicas(self, n_replicas: int) -> BinTable:
        """The table with each tree `n_replicas` times, all replicas with the same bins."""
        sizes, offsets = np.tile(self.sizes, (n_replicas, 1)), np.tile(self.offsets, (n_replicas, 1))
        return BinTable(sizes, self.lower, self.upper, offsets)

    @cached_property
    def widths(self) -> Ints:
        """(n_features,) int64: codes a feature needs, the one for missing values included, over all trees."""
        widths: Ints = self.sizes.max(axis=0).astype(np.int64) + 1
        return widths

    def threshold(self, tree: Ints, feature: Ints, left: Ints, right: Ints) -> Floats:
        """Thresholds (m,) between the bins with codes `left` < `right`; those between are empty in the node. Infinity
        where `right` is past the last code.
        """
        start, is_past = self.offsets[tree, feature] - 1, right > self.sizes[tree, feature]
        found = midpoint(self.upper[start + left], self.lower.take(start + right, mode="clip"))
        return np.where(is_past, np.inf, found)

    def cut(self, tree: Ints, feature: Ints, left: Ints, right: Ints) -> Ints:
        """(m,) the last code that goes left of the thresholds between the bins `left` and `right`.

        The bins in between are empty in the node, but not for rows that it was not grown on.
        """
        cut: Ints = left.copy()
        gaps = flat_nonzero(right > left + 1)
        if len(gaps) == 0:
            return cut
        tree, feature, left, right = tree[gaps], feature[gaps], left[gaps], right[gaps]
        threshold = self.threshold(tree, feature, left, right)
        first = self.offsets[tree, feature] + left
        # A bisection of all gaps at once: `low` is the first bin between the two that may lie above the threshold.
        low, high = first.copy(), first + (right - left - 1)
        while len(open_ := flat_nonzero(low < high)):
            middle = (low[open_] + high[open_]) // 2
            below = self.upper[middle] <= threshold[open_]
            low[open_] = np.where(below, middle + 1, low[open_])
            high[open_] = np.where(below, high[open_], middle)
        cut[gaps] += (low - first).astype(cut.dtype)
        return cut


def merge_bins(ranked: Ranks, tree: Ints | None, limit: Ints, n_bins: int) -> tuple[Array, Ints, Ints, Ints]:
    """Put the values of trees with more than `limit` (n_trees,) of them into `n_bins` quantile bins.

    Args:
        tree: (n,) of each value; None where there is one.

    Returns:
        codes: (n,) ranks, or the bins of those trees.
        sizes: (n_trees,) bins of each tree.
        starts, ends: (total,) index of each bin's first and last distinct value, tree by tree.
    """
    ranks, distinct, counts, sizes = ranked
    offsets = np.cumsum(sizes) - sizes
    crowded = flat_nonzero(sizes > limit)
    if len(crowded) == 0:
        every = np.arange(len(counts))
        return ranks, sizes, every, every
    code_of_rank = np.arange(1, len(counts) + 1) - np.repeat(offsets, sizes)
    last = np.ones(len(counts), np.bool_)
    new_sizes = sizes.copy()
    for t in crowded:
        span = slice(int(offsets[t]), int(offsets[t] + sizes[t]))
        ends = bin_ends(distinct[span], counts[span], n_bins)
        last[span] = False
        last[span.start + ends] = True
        code_of_rank[span] = np.searchsorted(ends, np.arange(int(sizes[t]))) + 1
        new_sizes[t] = len(ends)
    ends = flat_nonzero(last)
    starts = np.concatenate(([0], ends[:-1] + 1))
    base = offsets[0] if tree is None else offsets[tree]
    codes = np.where(ranks > 0, code_of_rank[np.maximum(base + ranks - 1, 0)], MISSING)
    return codes, new_sizes, starts, ends


def distinct_values(values: Floats) -> tuple[Floats, Ints]:
    """Distinct values, ascending, and the rows of each; NaN aside."""
    ordered = np.sort(values[~np.isnan(values)] + 0.0)
    if len(ordered) == 0:
        return ordered, np.zeros(0, np.int64)
    starts = flat_nonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    return ordered[starts], np.diff(np.append(starts, len(ordered)))
