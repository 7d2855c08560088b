"""Finished trees by values: the way of rows of numbers and categories, with surrogates and the majority for what is
missing (semantics, section 4).

Every row steps down its tree at once, a level at a time.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from madtree.learn.data import (
    RIGHT,
    UNKNOWN,
    Array,
    Bools,
    Coroutine,
    Floats,
    Ints,
    Values,
    flat_nonzero,
    narrowest,
    require,
)
from madtree.learn.walk.categories import CategoryCodes
from madtree.learn.walk.flat_trees import FlatTrees
from madtree.records import dataclass

_MANY_ROWS = 64  # for which a node is quicker asked of all of them at once


@dataclass(frozen=True)
class ValueTrees:
    """Trees whose splits compare values, ready for rows.

    Attributes:
        child: (n_nodes,) the left child, the right one is behind it; a leaf's own position.
        missing_right: (n_nodes,) whether rows go right of which no split can tell; False of a leaf.
        feature: (n_splits,) position, 0 of a leaf.
        threshold: (n_splits,) infinite in a leaf, so that it leads to itself.
        low_goes_left: (n_splits,)
        surrogates: (n_nodes + 1,) those of node i are the splits surrogates[i] to surrogates[i + 1] - 1.
        is_category: (n_features,)
        categories: their codes, which rows have in the place of values.
    """

    child: Ints
    missing_right: Bools
    feature: Ints
    threshold: Floats
    low_goes_left: Bools
    surrogates: Ints
    is_category: Bools
    categories: CategoryCodes

    @staticmethod
    def values_of(trees: FlatTrees) -> dict[str, Any]:
        """What is said of the splits, for `codec.dump`."""
        splits, n_nodes = trees.splits, len(trees.child)
        return {
            "threshold": np.where(splits.feature < 0, np.inf, splits.threshold).astype(np.float64),
            "low_goes_left": splits.low_goes_left.astype(np.bool_),
            "surrogates": narrowest(n_nodes + np.searchsorted(splits.node[n_nodes:], np.arange(n_nodes + 1))),
        }

    @classmethod
    def from_values(
        cls,
        given: Values,
        child: Ints,
        missing_right: Bools,
        feature: Ints,
        is_category: list[bool],
        codes: CategoryCodes,
    ) -> ValueTrees:
        """What `values_of` says, of arrays (n_nodes,) and (n_splits,) that are checked already.

        Raises:
            MadtreeError: a leaf sends rows on, or a node has surrogates that are not there.
        """
        n_nodes, n_splits = len(child), len(feature)
        leaf = child == np.arange(n_nodes)
        threshold = given.floats("threshold", (n_splits,), finite=False)
        stays = n_splits >= n_nodes and (threshold[:n_nodes][leaf] == np.inf).all()
        require(stays, "threshold", "infinite in a leaf")
        surrogates = given.ints("surrogates", (n_nodes + 1,), n_nodes, n_splits)
        per_node = np.diff(surrogates)
        fits = not n_nodes or 0 <= int(per_node.min()) <= int(per_node.max()) <= len(is_category)
        require(fits, "surrogates", "ascending, no more of a node than there are features")
        low_goes_left = given.bools("low_goes_left", (n_splits,))
        unordered = np.array(is_category, np.bool_)
        return cls(child, missing_right, feature, threshold, low_goes_left, surrogates, unordered, codes)

    def route(self, values: Floats) -> RowsByValues:
        """The ways of rows (n_features, n_rows): numbers, and codes of categories; NaN where missing or unknown."""
        return RowsByValues(self, values)

    @property
    def by_thresholds_alone(self) -> bool:
        """Whether no node asks for categories or has surrogates."""
        return not self.is_category.any() and len(self.feature) == len(self.child)


@dataclass(frozen=True)
class RowsByValues:
    """The ways of rows whose values (n_features, n_rows) these are."""

    trees: ValueTrees
    values: Floats

    def of(self, rows: Ints) -> RowsByValues:
        """As `Route`."""
        return RowsByValues(self.trees, self.values.take(rows, axis=1))

    def leaves(self, root: int | Ints) -> Coroutine[Ints]:
        """As `Route`."""
        at: Ints = np.full(self.values.shape[1], root)
        return (yield from self._by_thresholds(at) if self.trees.by_thresholds_alone else self._by_splits(at))

    def _by_thresholds(self, at: Ints) -> Coroutine[Ints]:
        """(n_rows,) leaves, from the roots `at`, where there are neither categories nor surrogates.

        Rows in a leaf stay there by themselves. They are sorted out where they become many, not at every step.
        """
        trees = self.trees
        n_features, n_rows = self.values.shape
        if n_features == 0:
            return at
        flat = self.values.ravel()
        start = trees.feature * n_rows  # of the column that each node asks
        child, threshold = trees.child, trees.threshold
        missing_right = trees.missing_right if np.isnan(self.values).any() else None
        ended, rows = at, np.arange(n_rows)
        depth, everyone = 0, True
        while True:
            yield
            value = flat.take(start.take(at) + rows)
            right = value > threshold.take(at)
            if missing_right is not None:
                missing = flat_nonzero(np.isnan(value))
                right[missing] = missing_right.take(at.take(missing))
            at = child.take(at)
            at += right
            depth += 1
            if depth % 2:
                continue
            inner = flat_nonzero(child.take(at) != at)
            if len(inner) > len(at) * 3 // 4:
                continue
            if everyone:
                ended, everyone = at, False
            else:
                ended[rows] = at
            if len(inner) == 0:
                return ended
            rows, at = rows.take(inner), at.take(inner)

    def _by_splits(self, node: Ints) -> Coroutine[Ints]:
        """(n_rows,) leaves, from the roots `node`, which are written to."""
        child = self.trees.child
        rows, at = np.arange(len(node)), node
        while True:
            yield
            inner = child[at] != at
            rows, at = rows[inner], at[inner]
            if len(rows) == 0:
                return node
            at = child[at] + (yield from self.goes_right(at, rows))
            node[rows] = at

    def sides(self, nodes: Ints) -> Coroutine[Bools]:
        """As `Route`."""
        n_rows = self.values.shape[1]
        if n_rows < _MANY_ROWS:
            right = yield from self.goes_right(nodes.repeat(n_rows), np.tile(np.arange(n_rows), len(nodes)))
            return right.reshape(len(nodes), n_rows)
        found = np.empty((len(nodes), n_rows), np.bool_)
        for number, node in enumerate(nodes.tolist()):
            yield
            side = self._side_of_all(node)
            unknown = flat_nonzero(side == UNKNOWN)
            if len(unknown):
                side[unknown] = yield from self._side_by_surrogates(np.full(len(unknown), node), unknown)
            found[number] = side
        return found

    def _side_of_all(self, split: int) -> Array:
        """(n_rows,) as `_side`, of one split and all rows."""
        trees = self.trees
        feature = int(trees.feature[split])
        if trees.is_category[feature]:
            codes = np.arange(trees.categories.width)
            sides = trees.categories.sides_of(np.full(len(codes), split), codes)
            return np.append(sides, np.uint8(UNKNOWN)).take(self._codes(feature))
        side: Array = (self.values[feature] > trees.threshold[split]).astype(np.uint8)
        side[self._missing(feature)] = UNKNOWN
        return side

    def _codes(self, feature: int) -> Ints:
        """(n_rows,) of categories; the width, which is no code, where these are missing or unknown."""
        if feature not in self._whole:
            value = self.values[feature]
            self._whole[feature] = np.where(np.isnan(value), self.trees.categories.width, value).astype(np.int64)
        return self._whole[feature]

    def _missing(self, feature: int) -> Ints:
        """The rows in which numbers are missing."""
        if feature not in self._whole:
            self._whole[feature] = flat_nonzero(np.isnan(self.values[feature]))
        return self._whole[feature]

    @cached_property
    def _whole(self) -> dict[int, Ints]:
        """What the last two methods have found, by feature."""
        return {}

    def goes_right(self, node: Ints, rows: Ints) -> Coroutine[Bools]:
        """(m,) whether rows (m,) would leave inner nodes (m,) to the right, whether they come there or not."""
        side = self._side(node, rows)
        unknown = flat_nonzero(side == UNKNOWN)
        if len(unknown):
            side[unknown] = yield from self._side_by_surrogates(node[unknown], rows[unknown])
        right: Bools = side == RIGHT
        return right

    def _side(self, split: Ints, rows: Ints) -> Array:
        """(m,) uint8 where splits (m,) send rows (m,), as if low values went left: LEFT, RIGHT or UNKNOWN."""
        trees = self.trees
        feature = trees.feature[split]
        value = self.values[feature, rows]
        side: Array = (value > trees.threshold[split]).astype(np.uint8)
        missing = np.isnan(value)
        side[missing] = UNKNOWN
        by_category = flat_nonzero(trees.is_category[feature] & ~missing)
        if len(by_category):
            side[by_category] = trees.categories.sides_of(split[by_category], value[by_category].astype(np.int64))
        return side

    def _side_by_surrogates(self, node: Ints, rows: Ints) -> Coroutine[Array]:
        """(m,) uint8, LEFT or RIGHT: where rows go of which their nodes' own splits cannot tell."""
        trees = self.trees
        side: Array = trees.missing_right[node].astype(np.uint8)
        split, stop = trees.surrogates[node], trees.surrogates[node + 1]
        waiting = flat_nonzero(split < stop)
        while len(waiting):  # the others go with the majority
            yield
            reached = split[waiting]
            answer = self._side(reached, rows[waiting])
            known = answer != UNKNOWN
            side[waiting[known]] = answer[known] ^ ~trees.low_goes_left[reached[known]]
            split[waiting] += 1
            waiting = waiting[~known & (split[waiting] < stop[waiting])]
        return side
