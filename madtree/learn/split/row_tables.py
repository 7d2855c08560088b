"""Rows of small nodes laid out as tables: a column for each feature and node, with the node's rows in order of their
codes. So what is done with all nodes alike goes along the memory, however few rows a node has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints
from madtree.learn.problem import Problem
from madtree.learn.split.criterion import criterion_of, gains
from madtree.learn.split.margins import TIE, rough_type, rounding, threshold
from madtree.learn.split.node_rows import summed
from madtree.learn.split.occupied_bins import first_of_best
from madtree.learn.split.search import BestSplits
from madtree.learn.split.shortlist import rough_gains_apply

# A key of 32 bits: in the higher half the code less 1, in the lower one the row's place in its node.
_HALF = np.uint32(16)
_NOWHERE = np.uint32(0xFFFF0000)  # of rows whose value is missing, and where a node has no more rows
_COUNT_BITS = 32
_LOW_AND_HIGH = (0, 1) if np.little_endian else (1, 0)  # halves of an int64


def keys_of(code: Array) -> Array:
    """(n_rows,) uint32 the higher halves of keys, of codes (n_rows,)."""
    # The missing code, 0, becomes the last one.
    lowered = code.astype(np.uint16)
    lowered -= np.uint16(1)
    keys: Array = np.left_shift(lowered, _HALF, dtype=np.uint32)
    return keys


def packed(problem: Problem, row_class: Array, times: Floats | None, limbs: Sequence[Array]) -> list[Ints]:
    """What is summed of rows, (n_rows,) int64 each: the row counts of every two classes, 32 bits each, as one number;
    then the other channels.

    Args:
        times, limbs: as in `RowsOfNodes`.
    """
    values = [channel.astype(np.int64) for channel in summed(problem.channels, row_class, times, limbs)]
    n_counts = problem.channels.n_counts
    counts, others = values[:n_counts], values[n_counts:]
    for low, high in zip(counts[::2], counts[1::2], strict=False):
        low += high << _COUNT_BITS
    return counts[::2] + others


def _unpacked(words: Sequence[Ints], n_counts: int) -> list[Ints]:
    """Of each channel the sums, from sums of what was packed: views."""
    n_packed = (n_counts + 1) // 2
    halves = [word.view(np.int32)[..., half::2] for word in words[:n_packed] for half in _LOW_AND_HIGH]
    return halves[:n_counts] + list(words[n_packed:])


def _in_order(keys: list[Array], first: Ints, sizes: Ints, height: int) -> tuple[Array, Ints]:
    """Keys (height, n_features * n_nodes) uint32 of the rows of some nodes in order, and which row each is.

    `keys`: (n_rows,) of each feature, without places.
    """
    place = np.arange(height)
    at = np.minimum(first[:, None] + place, len(keys[0]) - 1)
    room = np.where(place < sizes[:, None], place, place | int(_NOWHERE)).astype(np.uint32)
    found = np.empty((len(keys), len(first), height), np.uint32)
    for own, key in zip(found, keys, strict=True):
        key.take(at, out=own, mode="clip")
        own |= room
    found.sort(axis=2)
    in_order = np.ascontiguousarray(found.reshape(-1, height).T)
    return in_order, (in_order & ~_NOWHERE) + np.tile(first, len(keys))


@dataclass(frozen=True)
class RowTable:
    """Rows in order, a column for each feature and node: feature by feature, node by node.

    Attributes:
        tree: (n_columns,).
        keys: (height, n_columns).
        words: the sums (height, n_columns) int64 down to each row, of what was packed; those of missing values left
            out.
    """

    problem: Problem
    tree: Ints
    keys: Array
    words: list[Ints]

    @classmethod
    def of(
        cls, problem: Problem, tree: Ints, keys: list[Array], words: list[Ints], first: Ints, sizes: Ints, height: int
    ) -> RowTable:
        """The table of some nodes whose rows stand side by side.

        Args:
            tree: (n_nodes,).
            keys: of each feature those of all rows (n_rows,), as `keys_of` makes them.
            words: (n_rows,) each, as `packed` makes them.
            first, sizes: (n_nodes,) the first row of each node, and how many.
            height: rows of the largest node, at least.
        """
        in_order, at = _in_order(keys, first, sizes, height)
        known, running = in_order < _NOWHERE, []
        for word in words:
            values = word.take(at, mode="clip")
            values *= known
            running.append(np.cumsum(values, axis=0, out=values))
        return cls(problem, np.tile(tree, len(keys)), in_order, running)

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
        node = np.flatnonzero(chosen >= 0)
        mine, place = slots[node], chosen[node]
        column = place * len(slots) + node
        row = cut[column]
        found.gain[mine], found.feature[mine] = best[node], features[place, node]
        for codes, at in ((found.left, row), (found.right, row + 1)):
            codes[mine] = (self.keys.ravel().take(at * len(self.tree) + column) >> _HALF) + 1
        found.left_sums[:, mine], found.known_sums[:, mine] = self._down_to(row, column), self._down_to(-1, column)

    def _down_to(self, row: Ints | int, column: Ints) -> Ints:
        """(n_channels, m) the sums of some columns (m,) down to some rows (m,), -1 for all."""
        at = (row % len(self.keys)) * len(self.tree) + column
        taken = [word.ravel().take(at) for word in self.words]
        return np.stack(_unpacked(taken, self.problem.channels.n_counts))

    def _best(self, allowed: Bools) -> tuple[Floats, Ints]:
        """Of each column (n_columns,) the best gain, and the row behind which the split lies, the first of several; the
        gain is 0 where there is none, or a column of the same node has a better one.
        """
        problem, height = self.problem, len(self.keys)
        at = np.flatnonzero(self._candidates(allowed).T)
        column = at // height
        row = at - column * height
        left = self._down_to(row, column)
        right = self._down_to(-1, column) - left
        of_candidates = gains(
            problem, criterion_of(problem), left.astype(np.float64), right.astype(np.float64), self.tree.take(column)
        )
        best, first = first_of_best(of_candidates, column, len(self.tree), TIE)
        return best, row.take(first, mode="clip") if len(row) else first

    def _candidates(self, allowed: Bools) -> Bools:
        """(height, n_columns) behind which rows the best split of each node may lie."""
        problem, n_nodes = self.problem, allowed.shape[1]
        n_counts, least = problem.channels.n_counts, max(problem.parameters.min_bucket, 1)
        counts = _unpacked(self.words, n_counts)[:n_counts]
        total = np.sum([of_class[-1] for of_class in counts], axis=0)
        rough_gain = criterion_of(problem).rough_gain if rough_gains_apply(problem) else None
        apart = np.ones(self.keys.shape, np.bool_)
        np.greater(self.keys[1:] ^ self.keys[:-1], ~_NOWHERE, out=apart[:-1])
        if not allowed.all():
            apart &= allowed.ravel()
        if rough_gain is None or least > 1:
            rows_left = counts[0] if n_counts == 1 else np.sum(counts, axis=0)
            apart &= rows_left <= total - least
            if least > 1:
                apart &= rows_left >= least
        if rough_gain is None:
            return apart
        kind = rough_type(int(total.max()), n_counts)
        rough = rough_gain([of_class.astype(kind) for of_class in counts])  # 0 where nothing is left for the right
        rough *= apart
        best_of_node = rough.max(axis=0).reshape(-1, n_nodes).max(axis=0)
        weight = total.reshape(-1, n_nodes).max(axis=0)
        # Where the rough gain is 0 both sides look alike, and the gain is noise.
        least_gain = threshold(best_of_node, weight, rounding(n_counts))
        least_gain = np.maximum(least_gain, np.finfo(kind).tiny).astype(kind)
        return np.asarray(rough >= np.tile(least_gain, len(self.tree) // n_nodes))
