"""What each feature contributes to what trees say of rows, together with what is expected of any row.

All sums are of whole numbers, so they are the same in whatever order, and however rows are taken together. Two ways
lead to the terms: where there are many rows, those of all patterns of conditions are put into a table for each leaf,
in which rows look theirs up; where there are few, or more patterns than rows, each row has its own. Against a
background the two ways differ in the last bits, so there the number of conditions alone says which one is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, Steps, heads, narrowest
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
from madtree.learn.walk import RouteByNodes, inner_by_level
from madtree.records import dataclass

GRID = 2**61  # what all trees say together stays below
_MOST_BITS = 12  # conditions of a leaf that has a table, which so stays in the cache
_MOST_TERMS = 2**18  # of a leaf's table, of all its values
_FEWEST_ROWS = 256  # for which trees are gone through node by node
_PART = 64  # leaves whose tables are made together
_MOST_KEPT = 64 * 2**20  # bytes of tables and ways, from block to block
_ROWS, _TERMS = 8_192, 2**18  # that are at hand at once, where each row has its own

# The lines (n_lines,) to which a leaf adds, of its conditions and then of pairs of these where they are asked for; and
# its terms (n_values, n_lines, 2 ** k).
LeafTable = tuple[Ints, Ints]


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

    def weights_of_patterns(self, share: Floats, met: Bools | None) -> Steps[Floats]:
        """(n_leaves, n_lines, 2 ** k) of leaves with the shares of their conditions (n_leaves, k).

        Args:
            met: (n_leaves, k, n) which of them the rows of the background fulfil; None without one.
        """
        if met is not None:
            return (yield from weights_against_patterns(met, with_pairs=self.with_pairs))
        found = weights_of_patterns(share)
        yield
        return np.concatenate((found, pair_weights_of_patterns(share)), axis=1) if self.with_pairs else found

    def weights_of_rows(self, share: Floats, met: Bools | None, own: Bools) -> Steps[Floats]:
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
        found, at = [], np.array(nodes)
        while len(at):
            is_leaf = self.trees.is_leaf.take(at)
            found.append(at[is_leaf])
            left = self.trees.child.take(at[~is_leaf])
            at = np.concatenate((left, left + 1))
        leaves = np.concatenate(found)  # now those of a tree are put together, level by level
        return leaves.take(np.argsort(narrowest(self.trees.tree.take(leaves)), kind="stable"))

    def terms(self, weights: Floats, leaves: Ints, value: int) -> Ints:
        """(n_leaves, k, n) whole numbers of weights of that shape, for one of the leaves' values."""
        terms: Ints = np.rint(weights * self.values[leaves, value][:, None, None]).astype(np.int64)
        return terms

    @cached_property
    def most_bits(self) -> int:
        """Conditions that a leaf with a table may have."""
        n_values = self.values.shape[1]
        most = _MOST_TERMS // (4 if self.with_pairs else 1)  # while a table of pairs is made, there are more as large
        fits = [n_values * n_terms(k, with_pairs=self.with_pairs) << k <= most for k in range(_MOST_BITS + 1)]
        return max(k for k, it_fits in enumerate(fits) if it_fits)

    def tables(self, node: int, most_bits: int) -> Steps[Mapping[int, LeafTable]]:
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
            lines = self.lines(paths.feature[of_conditions].reshape(-1, k))
            terms = np.empty((len(leaves), self.values.shape[1], lines.shape[1], 1 << k), np.int64)
            for value in range(self.values.shape[1]):
                yield
                terms[:, value] = self.terms(weights, leaves, value)
            found |= zip(leaves.tolist(), zip(lines, terms, strict=True), strict=True)
            n_bytes += terms.nbytes
        if self._has_room(n_bytes):
            self._tables[key] = found
        return found

    def paths(self, leaves: Ints) -> Steps[LeafPaths]:
        """The ways to these leaves, one of which at least is no root."""
        key = leaves.tobytes()
        found = self._paths.get(key) or LeafPaths.of(self.trees, (yield from self._ways()), leaves)
        if key not in self._paths and self._has_room(found.n_bytes + len(key)):
            self._paths[key] = found
        return found

    def _ways(self) -> Steps[Ways]:
        if not self._kept_ways:
            self._kept_ways.append((yield from Ways.of(self.trees)))
        return self._kept_ways[0]

    def _has_room(self, n_bytes: int) -> bool:
        """Whether so many bytes more may be kept; then they count."""
        if self._kept_bytes[0] + n_bytes > _MOST_KEPT:
            return False
        self._kept_bytes[0] += n_bytes
        return True

    @cached_property
    def _tables(self) -> dict[tuple[int, int], Mapping[int, LeafTable]]:
        return {}

    @cached_property
    def _paths(self) -> dict[bytes, LeafPaths]:
        return {}

    @cached_property
    def _kept_ways(self) -> list[Ways]:
        return []

    @cached_property
    def _kept_bytes(self) -> list[int]:
        return [0]


def contributions(explained: Explained, trees: range, route: RouteByNodes, n_rows: int) -> Steps[Ints]:
    """(n_outputs, n_terms, n_rows) in units of the grid. With pairs a feature's term is what it contributes without
    any other, and that of a pair what both do together beyond that.

    Args:
        trees: which of the trees the rows are explained by.
        route: of the rows.
    """
    found = np.zeros((explained.n_outputs * explained.n_terms, n_rows), np.int64)
    bits = min(n_rows.bit_length() - 1, explained.most_bits) if n_rows >= _FEWEST_ROWS else 0
    if explained.background:
        bits = explained.most_bits
    others = []
    for tree in trees:
        root = int(explained.trees.roots[tree])
        if explained.first_output[tree] < 0 or explained.trees.is_leaf[root]:
            continue
        if bits:
            others += yield from _by_tables(explained, root, bits, route, found)
        else:
            others.append(root)
    if others:
        yield from _row_by_row(explained, others, route, n_rows, found)
    of_outputs = found.reshape(explained.n_outputs, explained.n_terms, n_rows)
    return _alone_and_together(of_outputs, explained.n_features) if explained.with_pairs else of_outputs


def _alone_and_together(found: Ints, n_features: int) -> Ints:
    """The terms, where those of features have what is theirs of pairs, and those of pairs the half, as both have it."""
    halves = found[:, n_features:]
    for own, first, second in zip(
        halves.transpose(1, 0, 2), *(each.tolist() for each in np.triu_indices(n_features, 1)), strict=True
    ):
        found[:, first] -= own
        found[:, second] -= own
    halves *= 2
    return found


def _by_tables(explained: Explained, root: int, bits: int, route: RouteByNodes, found: Ints) -> Steps[list[int]]:
    """Add what the leaves of a tree say that have at most so many conditions; the nodes below which the others are.

    Args:
        found: (n_outputs * n_terms, n_rows)
    """
    trees, n_rows = explained.trees, found.shape[1]
    term, place = np.empty(n_rows, np.int64), np.empty(n_rows, np.intp)
    first = int(explained.first_output[trees.tree[root]])
    others: list[int] = []
    tables: Mapping[int, LeafTable] = {}
    # A node, the pattern that rows have above it, the bits of its features, and whether its leaves' tables are at hand.
    waiting: list[tuple[int, Array, dict[int, int], bool]] = [(root, np.zeros(n_rows, np.uint16), {}, False)]
    while waiting:
        node, pattern, bit_of, has_tables = waiting.pop()
        if not has_tables and explained.n_leaves[node] <= _PART:
            tables, has_tables = (yield from explained.tables(node, bits)), True
        if trees.is_leaf[node]:
            place[:] = pattern
            lines, terms = tables[node]
            for value, of_value in enumerate(terms):
                of_output = (first + value) * explained.n_terms + lines
                for line, of_line in zip(of_output.tolist(), of_value, strict=True):
                    found[line] += of_line.take(place, out=term, mode="clip")  # no place is beyond an end
            continue
        feature, left = int(trees.feature[node]), int(trees.child[node])
        bit = bit_of.get(feature, len(bit_of))
        if bit >= bits:
            others.append(node)
            continue
        (right,) = yield from route.sides(np.array([node]))
        for child, patterns in zip((left, left + 1), _of_children(pattern, right, bit, bit_of), strict=True):
            waiting.append((child, patterns, {**bit_of, feature: bit}, has_tables))
    return others


def _of_children(pattern: Array, right: Array, bit: int, bit_of: Mapping[int, int]) -> Iterator[Array]:
    """(n_rows,) patterns below both children of a node, of rows that it sends right (n_rows,) or left."""
    for goes in (~right, right):
        if bit == len(bit_of):
            yield pattern | (goes.astype(np.uint16) << np.uint16(bit))
        else:
            yield pattern & ~((~goes).astype(np.uint16) << np.uint16(bit))


def _row_by_row(explained: Explained, nodes: list[int], route: RouteByNodes, n_rows: int, found: Ints) -> Steps[None]:
    """Add what all leaves below some nodes say; `found` as above."""
    leaves = explained.leaves_below(nodes)
    for first_row in range(0, n_rows, _ROWS):
        rows = np.arange(first_row, min(first_row + _ROWS, n_rows))
        own = route if len(rows) == n_rows else route.of(rows)
        at_once = len(rows) + (explained.background.most_rows if explained.background else 0)
        most = max(1, _TERMS // (at_once * n_terms(_MOST_BITS, with_pairs=explained.with_pairs)))
        for first in range(0, len(leaves), most):
            paths = yield from explained.paths(leaves[first : first + most])
            yield from _add(explained, paths, own, found[:, rows[0] : rows[-1] + 1])


def _add(explained: Explained, paths: LeafPaths, route: RouteByNodes, found: Ints) -> Steps[None]:
    """Add what some leaves say of some rows; `found` as above, of these rows."""
    met = yield from paths.met(route)
    others = (yield from explained.background.met(explained.trees, paths)) if explained.background else None
    for k, of_leaves, of_conditions in paths.runs():
        yield
        leaves = paths.leaf[of_leaves]
        known = None if others is None else of_leaf(others[of_conditions], k)
        weights = yield from explained.weights_of_rows(
            paths.share[of_conditions].reshape(-1, k), known, of_leaf(met[of_conditions], k)
        )
        output = explained.first_output.take(explained.trees.tree.take(leaves))[:, None] * explained.n_terms
        line = (output + explained.lines(paths.feature[of_conditions].reshape(-1, k))).ravel()
        order = np.argsort(narrowest(line), kind="stable")  # of short integers numpy sorts by digits
        line = line.take(order)
        first = heads(line)
        lines = line.take(first)
        for value in range(explained.values.shape[1]):
            terms = explained.terms(weights, leaves, value).reshape(-1, found.shape[1])
            found[lines + value * explained.n_terms] += np.add.reduceat(terms.take(order, axis=0), first, axis=0)
