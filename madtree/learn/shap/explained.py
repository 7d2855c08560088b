"""Trees that are to be explained: tables of their leaves, and the ways to these, kept from block to block."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from madtree.learn.data import Bools, Coroutine, Floats, Ints, heads, narrowest
from madtree.learn.shap.background import Background, weights_against_patterns, weights_against_rows
from madtree.learn.shap.covered_trees import CoveredTrees
from madtree.learn.shap.ways import LeafPaths, Ways, of_leaf
from madtree.learn.shap.weights import (
    n_terms,
    pair_weights_of_patterns,
    pair_weights_of_rows,
    weights_of_patterns,
    weights_of_rows,
)
from madtree.learn.walk import inner_by_level
from madtree.records import dataclass

GRID = 2**61  # what all trees say together stays below
MOST_BITS = 12  # conditions of a leaf that has a table, which so stays in the cache
_MOST_TERMS = 2**18  # of a leaf's table, of all its values

# The lines (n_lines,) to which a leaf adds, of its conditions and then of pairs of these where they are asked for; and
# its terms (n_values, n_lines, 2 ** k).
LeafTable = tuple[Ints, Ints]
# In which order the lines that leaves with as many conditions add to lie together (n,), where each line begins there
# (n_lines,), and which they are.
Order = tuple[Ints, Ints, Ints]
_MOST_BYTES = 96 * 2**20  # kept from block to block; of 400,000 leaves nearly all that one row takes
T = TypeVar("T")


class Room:
    """How many bytes are kept, in whatever place."""

    n_bytes = 0


class KeptValues(Generic[T]):
    """Values by their keys, which share room with others."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._values: dict[Hashable, T] = {}

    def get(self, key: Hashable) -> T | None:
        """The value of that key, or None."""
        return self._values.get(key)

    def keep(self, key: Hashable, value: T, n_bytes: int) -> T:
        """Keep a value of about so many bytes, its key among them, if there is room; returns the value."""
        if self._room.n_bytes + n_bytes <= _MOST_BYTES:
            self._room.n_bytes += n_bytes
            self._values[key] = value
        return value


@dataclass(frozen=True)
class Explained:
    """Trees, and what their leaves say.

    Attributes:
        trees: these.
        values: (n_nodes, n_values) of a leaf what it says beyond what is expected of its tree, in units of a grid:
            the largest of each tree add up to `GRID` at most.
        first_output: (n_trees,) which output the first of a tree's values counts for; the others follow. -1 of trees
            that are not asked.
        n_outputs: of all trees.
        n_features: of a row.
        background: rows that stand for what is not known; None where that is the shares of cover.
        with_pairs: whether there are terms of each two features, too, behind those of the features.
    """

    trees: CoveredTrees
    values: Floats
    first_output: Ints
    n_outputs: int
    n_features: int
    background: Background | None = None
    with_pairs: bool = False

    @property
    def n_terms(self) -> int:
        """Of a row and an output."""
        return n_terms(self.n_features, with_pairs=self.with_pairs)

    def lines(self, features: Ints) -> Ints:
        """(n_leaves, n_lines) of the conditions of leaves, whose features are (n_leaves, k): numbers of terms."""
        if not self.with_pairs:
            return features
        first, second = np.triu_indices(features.shape[1], 1)
        low = np.minimum(features[:, first], features[:, second])
        high = np.maximum(features[:, first], features[:, second])
        before = low * (2 * self.n_features - low - 1) // 2  # pairs whose first feature is a former one
        return np.concatenate((features, self.n_features + before + high - low - 1), axis=1)

    def weights_of_patterns(self, share: Floats, met: Bools | None) -> Coroutine[Floats]:
        """(n_leaves, n_lines, 2 ** k) of leaves with the shares of their conditions (n_leaves, k).

        Args:
            met: (n_leaves, k, n) which of them the rows of the background fulfil; None without one.
        """
        if met is not None:
            return (yield from weights_against_patterns(met, with_pairs=self.with_pairs))
        found = weights_of_patterns(share)
        yield
        return np.concatenate((found, pair_weights_of_patterns(share)), axis=1) if self.with_pairs else found

    def weights_of_rows(self, share: Floats, met: Bools | None, own: Bools) -> Coroutine[Floats]:
        """As `weights_of_patterns`, (n_leaves, n_lines, n_rows) of rows that fulfil `own` (n_leaves, k, n_rows)."""
        if met is not None:
            return (yield from weights_against_rows(met, own, with_pairs=self.with_pairs))
        found = weights_of_rows(share, own)
        return np.concatenate((found, pair_weights_of_rows(share, own)), axis=1) if self.with_pairs else found

    @cached_property
    def n_leaves(self) -> Ints:
        """(n_nodes,) leaves below each node; 1 of a leaf."""
        count = np.ones(len(self.trees.child), np.int64)
        for nodes in reversed(inner_by_level(self.trees.child, self.trees.roots)):
            left = self.trees.child.take(nodes)
            count[nodes] = count.take(left) + count.take(left + 1)
        return count

    def leaves_below(self, nodes: list[int]) -> Ints:
        """(n,) leaves."""
        if (kept := self._leaves.get(key := tuple(nodes))) is not None:
            return kept
        found, at = [], np.array(nodes)
        while len(at):
            is_leaf = self.trees.is_leaf.take(at)
            found.append(at[is_leaf])
            left = self.trees.child.take(at[~is_leaf])
            at = np.concatenate((left, left + 1))
        leaves = np.concatenate(found)  # now those of a tree are put together, level by level
        kept = leaves.take(np.argsort(narrowest(self.trees.tree.take(leaves)), kind="stable"))
        return self._leaves.keep(key, kept, kept.nbytes + 8 * len(nodes))

    def terms(self, weights: Floats, leaves: Ints, value: int) -> Ints:
        """(n_leaves, k, n) whole numbers of weights of that shape, for one of the leaves' values."""
        terms: Ints = np.rint(weights * self.values[leaves, value][:, None, None]).astype(np.int64)
        return terms

    @cached_property
    def most_bits(self) -> int:
        """Conditions that a leaf with a table may have."""
        n_values = self.values.shape[1]
        most = _MOST_TERMS // (4 if self.with_pairs else 1)  # while a table of pairs is made, there are more as large
        fits = [n_values * n_terms(k, with_pairs=self.with_pairs) << k <= most for k in range(MOST_BITS + 1)]
        return max(k for k, it_fits in enumerate(fits) if it_fits)

    def tables(self, node: int, most_bits: int) -> Coroutine[Mapping[int, LeafTable]]:
        """Of the leaves below a node that have at most so many conditions, and one at least; by their positions."""
        key = node, most_bits
        if (kept := self._tables.get(key)) is not None:
            return kept
        found: dict[int, LeafTable] = {}
        n_bytes = 0
        paths = LeafPaths.of(self.trees, (yield from self._ways()), self.leaves_below([node]))
        met = (yield from self.background.met(self.trees, paths)) if self.background else None
        for k, of_leaves, of_conditions in paths.runs():
            if k > most_bits:
                break
            leaves, others = paths.leaf[of_leaves], None if met is None else of_leaf(met[of_conditions], k)
            weights = yield from self.weights_of_patterns(paths.share[of_conditions].reshape(-1, k), others)
            lines = self.lines(paths.feature[of_conditions].astype(np.int64).reshape(-1, k))
            terms = np.empty((len(leaves), self.values.shape[1], lines.shape[1], 1 << k), np.int64)
            for value in range(self.values.shape[1]):
                yield
                terms[:, value] = self.terms(weights, leaves, value)
            found |= zip(leaves.tolist(), zip(lines, terms, strict=True), strict=True)
            n_bytes += terms.nbytes
        return self._tables.keep(key, found, n_bytes)

    def paths(self, leaves: Ints) -> Coroutine[tuple[LeafPaths, Mapping[int, Order]]]:
        """The ways to these leaves, one of which at least is no root; and the orders of their conditions, by how many
        a leaf has.
        """
        key = leaves.tobytes()
        if (kept := self._paths.get(key)) is None:
            paths = LeafPaths.of(self.trees, (yield from self._ways()), leaves)
            orders = {run[0]: self._order(paths, *run) for run in paths.runs()}
            own = sum(each.nbytes for order in orders.values() for each in order)
            kept = self._paths.keep(key, (paths, orders), paths.n_bytes + own + leaves.nbytes)
        return kept

    def _order(self, paths: LeafPaths, k: int, of_leaves: slice, of_conditions: slice) -> Order:
        """Of the leaves with k conditions."""
        output = self.first_output.take(self.trees.tree.take(paths.leaf[of_leaves]))[:, None] * self.n_terms
        line = (output + self.lines(paths.feature[of_conditions].astype(np.int64).reshape(-1, k))).ravel()
        # Of short integers numpy sorts by digits.
        order = np.argsort(narrowest(line), kind="stable").astype(np.int32)
        line = line.take(order)
        first = heads(line)
        return order, first, line.take(first)

    def _ways(self) -> Coroutine[Ways]:
        if (kept := self._known_ways.get(())) is None:
            kept = self._known_ways.keep((), (yield from Ways.of(self.trees)), 0)  # without which nothing goes on
        return kept

    @cached_property
    def _room(self) -> Room:
        return Room()

    @cached_property
    def _tables(self) -> KeptValues[Mapping[int, LeafTable]]:
        return KeptValues(self._room)

    @cached_property
    def _leaves(self) -> KeptValues[Ints]:
        return KeptValues(self._room)

    @cached_property
    def _paths(self) -> KeptValues[tuple[LeafPaths, Mapping[int, Order]]]:
        return KeptValues(self._room)

    @cached_property
    def _known_ways(self) -> KeptValues[Ways]:
        return KeptValues(self._room)
