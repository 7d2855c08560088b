"""Rows of small nodes laid out as tables: a column for each feature and node, with the node's rows in order of their
codes. So what is done with all nodes alike goes along the memory, however few rows a node has.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise

import numpy as np

from madtree.learn.criteria import criterion_of, gains, rough_type
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero
from madtree.learn.histogram import summed
from madtree.learn.problem import Problem
from madtree.learn.split.best_splits import BestSplits
from madtree.learn.split.margins import TIE, least_gain, rounding
from madtree.learn.split.occupied_bins import first_of_best
from madtree.learn.split.shortlist import rough_gains_apply
from madtree.records import dataclass

MOST_ROWS = 65_535  # of a node, by the bits of a key that tell its rows apart

# A key of 32 bits: in the higher half the code less 1, in the lower one the row's entry in its `RowContents`.
_HALF = np.uint32(16)
_LOWER = np.uint32(0xFFFF)
_NOWHERE = np.uint32(0xFFFF0000)  # of rows whose value is missing, and where a node has no more rows; entry 0
SHORT_LINE = 128  # columns up to which numpy is quicker on columns than a loop is on lines


@dataclass(frozen=True)
class RowContents:
    """What rows count for, as a list to look it up by a number of 16 bits.

    Attributes:
        entry: (n_rows,) uint16 each row's entry in the list; from 1 on, since entry 0 counts for nothing.
        by_row: whether each row has an entry of its own. Then `entry` is its place in its node, and the node's first
            row is to be added to it.
        by_class: whether entry k is no more than a row of class k - 1.
        channels: of each channel the entries' values (n_entries,). Row counts are float32, which is exact: those of a
            node of `MOST_ROWS` rows are below 2**24.
    """

    entry: Array
    by_row: bool
    by_class: bool
    channels: list[Floats]

    @classmethod
    def of(
        cls,
        problem: Problem,
        row_class: Array,
        times: Floats | None,
        limbs: Sequence[Array],
        first: Ints,
        sizes: Ints,
    ) -> RowContents:
        """Of the rows of some nodes, that stand side by side.

        Args:
            times, limbs: as in `RowsOfNodes`.
            first, sizes: (n_nodes,) the first row of each node, and how many.
        """
        n_counts, most_times = problem.channels.n_counts, 1 if times is None else int(times.max(initial=1))
        by_row, by_class = len(limbs) > 0 or n_counts * most_times > MOST_ROWS, times is None
        entry: Ints
        if by_row:
            entry = np.arange(1, len(row_class) + 1) - np.repeat(first, sizes)
        else:
            # Many rows are alike: of the same class, and drawn as often.
            entry = np.multiply(row_class, most_times, dtype=np.int64)
            entry += 1 if times is None else times.astype(np.int64)
            row_class, times_less_1 = (part.ravel() for part in np.indices((n_counts, most_times)))
            times = np.add(times_less_1, 1.0)
        none = np.zeros(1)
        values = [np.concatenate((none, values)) for values in summed(problem.channels, row_class, times, limbs)]
        channels = [values.astype(np.float32) for values in values[:n_counts]] + values[n_counts:]
        return cls(entry.astype(np.uint16), by_row, by_class and not by_row, channels)

    def keys(self, code: Array) -> Array:
        """(n_rows + 1,) uint32 keys of the rows, whose codes are `code` (n_rows,), and one that is nowhere."""
        keys = np.empty(len(code) + 1, np.uint32)
        np.subtract(code, 1, out=keys[:-1], dtype=np.uint32)  # the missing code, 0, becomes the last one
        keys[:-1] <<= _HALF
        keys[:-1] |= self.entry
        keys[-1] = _NOWHERE
        np.minimum(keys, _NOWHERE, out=keys)
        return keys

    def counted(self, keys: Array, first: Ints) -> list[Floats]:
        """Of each channel (height, n_columns) what the rows with these keys count for; `first` (n_nodes,) row of each
        node, whose columns come feature by feature.
        """
        if self.by_class:  # to compare takes a quarter of the time of a look-up
            own = keys & _LOWER
            return [np.equal(own, np.uint32(k)).astype(np.float32) for k in range(1, len(self.channels) + 1)]
        entry: Ints = np.bitwise_and(keys, _LOWER, dtype=np.int64)
        if self.by_row:
            of_nodes = entry.reshape(-1, len(first))
            of_nodes += np.where(of_nodes, first, 0)
        return [values.take(entry, mode="clip") for values in self.channels]


def in_order(keys: list[Array], first: Ints, sizes: Ints, height: int) -> Array:
    """Keys (height, n_features * n_nodes) uint32 of the rows of some nodes in order.

    Args:
        keys: (n_rows + 1,) of each feature those of all rows.
        first, sizes: (n_nodes,) the first row of each node, and how many.
        height: rows of the largest node, at least.
    """
    place = np.arange(height)
    at = np.where(place < sizes[:, None], first[:, None] + place, len(keys[0]) - 1)
    found = np.empty((len(keys), len(first), height), np.uint32)
    for own, key in zip(found, keys, strict=True):
        key.take(at, out=own, mode="clip")
    found.sort(axis=2)
    return np.ascontiguousarray(found.reshape(-1, height).T)


def _added_up(values: Floats) -> Floats:
    """Running sums down the columns of a table (height, n_columns), in place.

    numpy goes down one column after the other, which takes several times as long as line by line.
    """
    if values.shape[1] <= SHORT_LINE:
        return np.cumsum(values, axis=0, out=values)
    for above, line in pairwise(values):
        np.add(above, line, out=line)
    return values


@dataclass(frozen=True)
class RowTable:
    """Rows in order, a column for each feature and node: feature by feature, node by node.

    Attributes:
        tree: (n_nodes,).
        keys: (height, n_columns).
        sums: of each channel (height, n_columns) down to each row; those of missing values left out.
    """

    problem: Problem
    tree: Ints
    keys: Array
    sums: list[Floats]

    @classmethod
    def of(cls, problem: Problem, tree: Ints, contents: RowContents, keys: Array, first: Ints) -> RowTable:
        """The table of some nodes whose rows stand side by side.

        Args:
            tree, first: (n_nodes,) tree and first row of each node.
            keys: as `in_order` puts those that `contents` makes.
        """
        return cls(problem, tree, keys, [_added_up(values) for values in contents.counted(keys, first)])

    def improve(self, found: BestSplits, slots: Ints, features: Ints, allowed: Bools) -> None:
        """Enter into `found` what beats it.

        Args:
            slots: (n_nodes,) of the nodes.
            features, allowed: (n_features, n_nodes) which feature each column is of, and whether it may split the node.
        """
        best_of_columns, cut = self._best(allowed)
        gain = best_of_columns.reshape(features.shape)
        if self.problem.parameters.feature_costs:
            gain /= self.problem.feature_costs[features]
        best, chosen = found.gain.take(slots), np.full(len(slots), -1)
        for number, of_feature in enumerate(gain):
            better = of_feature > best * (1 + TIE)
            best[better], chosen[better] = of_feature[better], number
        node = flat_nonzero(chosen >= 0)
        mine, place = slots[node], chosen[node]
        column = place * len(slots) + node
        row = cut[column]
        found.gain[mine], found.feature[mine] = best[node], features[place, node]
        for codes, at in ((found.left, row), (found.right, row + 1)):
            codes[mine] = (self.keys.ravel().take(at * self.keys.shape[1] + column) >> _HALF) + 1
        found.left_sums[:, mine], found.known_sums[:, mine] = self._down_to(row, column), self._down_to(-1, column)

    def _down_to(self, row: Ints | int, column: Ints) -> Floats:
        """(n_channels, m) the sums of some columns (m,) down to some rows (m,), -1 for all."""
        at = (row % len(self.keys)) * self.keys.shape[1] + column
        found = np.empty((len(self.sums), len(at)))
        for own, sums in zip(found, self.sums, strict=True):
            own[:] = sums.ravel().take(at)
        return found

    def _best(self, allowed: Bools) -> tuple[Floats, Ints]:
        """Of each column (n_columns,) the best gain, and the row behind which the split lies, the first of several; the
        gain is 0 where there is none, or a column of the same node has a better one.
        """
        problem = self.problem
        column, row = np.divmod(flat_nonzero(self._candidates(allowed).T), len(self.keys))
        left = self._down_to(row, column)
        right = self._down_to(-1, column) - left
        of_candidates = gains(problem, criterion_of(problem), left, right, self.tree.take(column % len(self.tree)))
        best, first = first_of_best(of_candidates, column, self.keys.shape[1], TIE)
        return best, row.take(first, mode="clip") if len(row) else first

    def _candidates(self, allowed: Bools) -> Bools:
        """(height, n_columns) behind which rows the best split of each node may lie."""
        problem, n_nodes = self.problem, len(self.tree)
        n_counts, least = problem.channels.n_counts, max(problem.parameters.min_bucket, 1)
        counts = self.sums[:n_counts]
        total: Floats = reduce(np.add, [of_class[-1] for of_class in counts])  # `np.sum` copies a list first
        rough_row_gains = criterion_of(problem).rough_row_gains if rough_gains_apply(problem) else None
        apart = np.ones(self.keys.shape, np.bool_)
        np.greater(self.keys[1:] ^ self.keys[:-1], _LOWER, out=apart[:-1])
        if not allowed.all():
            apart &= allowed.ravel()
        if rough_row_gains is None or least > 1:
            rows_left = reduce(np.add, counts)
            apart &= rows_left <= total - least
            if least > 1:
                apart &= rows_left >= least
        if rough_row_gains is None:
            return apart
        kind = rough_type(int(total.max()), n_counts)
        # 0 where nothing is left for the right.
        rough = rough_row_gains([of_class.astype(kind, copy=False) for of_class in counts])
        rough *= apart
        best_of_node = rough.max(axis=0).reshape(-1, n_nodes).max(axis=0)
        weight = total.reshape(-1, n_nodes).max(axis=0).astype(np.float64)
        # Where the rough gain is 0 both sides look alike, and the gain is noise.
        least_of_node = least_gain(best_of_node, weight, rounding(n_counts))
        least_of_node = np.maximum(least_of_node, np.finfo(kind).tiny).astype(kind)
        return np.asarray((rough.reshape(-1, n_nodes) >= least_of_node).reshape(rough.shape))
