"""What each feature contributes to what trees say of rows, together with what is expected of any row.

All sums are of whole numbers, so they are the same in whatever order, and however rows are taken together. Two ways
lead to the terms: where there are many rows, those of all patterns of conditions are put into a table for each leaf,
in which rows look theirs up; where there are few, or more patterns than rows, each row has its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from madtree.learn.data import Array, Floats, Ints, Steps
from madtree.learn.shap.covered_trees import CoveredTrees, LeafPaths
from madtree.learn.shap.weights import weights_of_patterns, weights_of_rows
from madtree.learn.walk import RouteByNodes, inner_by_level
from madtree.records import dataclass

GRID = 2**61  # what all trees say together stays below
_MOST_BITS = 12  # conditions of a leaf that has a table, which so stays in the cache
_MOST_TERMS = 2**18  # of a leaf's table, of all its values
_FEWEST_ROWS = 256  # for which trees are gone through node by node
_PART = 64  # leaves whose tables are made together
_MOST_KEPT = 64 * 2**20  # bytes of tables and ways, from block to block
_ROWS, _TERMS = 8_192, 2**18  # that are at hand at once, where each row has its own

LeafTable = tuple[Ints, Ints]  # the features (k,) of a leaf's conditions, and its terms (n_values, k, 2 ** k)


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
    """

    trees: CoveredTrees
    values: Floats
    first_output: Ints
    n_outputs: int
    n_features: int

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
        return np.concatenate(found)

    def terms(self, weights: Floats, leaves: Ints, value: int) -> Ints:
        """(n_leaves, k, n) whole numbers of weights of that shape, for one of the leaves' values."""
        terms: Ints = np.rint(weights * self.values[leaves, value][:, None, None]).astype(np.int64)
        return terms

    @cached_property
    def most_bits(self) -> int:
        """Conditions that a leaf with a table may have."""
        n_values = self.values.shape[1]
        return max(k for k in range(_MOST_BITS + 1) if not k or n_values * k << k <= _MOST_TERMS)

    def tables(self, node: int, most_bits: int) -> Steps[Mapping[int, LeafTable]]:
        """Of the leaves below a node that have at most so many conditions, and one at least; by their positions."""
        key = node, most_bits
        if (kept := self._tables.get(key)) is not None:
            return kept
        found: dict[int, LeafTable] = {}
        n_bytes = 0
        paths = LeafPaths.of(self.trees, self.leaves_below([node]))
        for k, of_leaves, of_conditions in paths.runs():
            if k > most_bits:
                break
            leaves = paths.leaf[of_leaves]
            weights = weights_of_patterns(paths.share[of_conditions].reshape(-1, k))
            terms = np.empty((len(leaves), self.values.shape[1], k, 1 << k), np.int64)
            for value in range(self.values.shape[1]):
                yield
                terms[:, value] = self.terms(weights, leaves, value)
            features = paths.feature[of_conditions].reshape(-1, k)
            found |= zip(leaves.tolist(), zip(features, terms, strict=True), strict=True)
            n_bytes += terms.nbytes
        if self._has_room(n_bytes):
            self._tables[key] = found
        return found

    def paths(self, leaves: Ints) -> LeafPaths:
        """The ways to these leaves, one of which at least is no root."""
        key = leaves.tobytes()
        found = self._paths.get(key) or LeafPaths.of(self.trees, leaves)
        if key not in self._paths and self._has_room(found.n_bytes + len(key)):
            self._paths[key] = found
        return found

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
    def _kept_bytes(self) -> list[int]:
        return [0]


def contributions(explained: Explained, trees: range, route: RouteByNodes, n_rows: int) -> Steps[Ints]:
    """(n_outputs, n_features, n_rows) in units of the grid.

    Args:
        trees: which of the trees the rows are explained by.
        route: of the rows.
    """
    found = np.zeros((explained.n_outputs * explained.n_features, n_rows), np.int64)
    bits = min(n_rows.bit_length() - 1, explained.most_bits) if n_rows >= _FEWEST_ROWS else 0
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
    return found.reshape(explained.n_outputs, explained.n_features, n_rows)


def _by_tables(explained: Explained, root: int, bits: int, route: RouteByNodes, found: Ints) -> Steps[list[int]]:
    """Add what the leaves of a tree say that have at most so many conditions; the nodes below which the others are.

    Args:
        found: (n_outputs * n_features, n_rows)
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
            features, terms = tables[node]
            for value, of_value in enumerate(terms):
                lines = (first + value) * explained.n_features + features
                for line, of_condition in zip(lines.tolist(), of_value, strict=True):
                    found[line] += of_condition.take(place, out=term, mode="clip")  # no place is beyond an end
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
        most = max(1, _TERMS // (len(rows) * _MOST_BITS))
        for first in range(0, len(leaves), most):
            paths = explained.paths(leaves[first : first + most])
            yield from _add(explained, paths, own, found[:, rows[0] : rows[-1] + 1])


def _add(explained: Explained, paths: LeafPaths, route: RouteByNodes, found: Ints) -> Steps[None]:
    """Add what some leaves say of some rows; `found` as above, of these rows."""
    nodes, place = np.unique(paths.node, return_inverse=True)
    right = yield from route.sides(nodes)
    follows = right.take(place.ravel(), axis=0) == paths.goes_right[:, None]
    met = np.logical_and.reduceat(follows, paths.first_split, axis=0)
    for k, of_leaves, of_conditions in paths.runs():
        yield
        leaves, shape = paths.leaf[of_leaves], (-1, k, found.shape[1])
        weights = weights_of_rows(paths.share[of_conditions].reshape(-1, k), met[of_conditions].reshape(shape))
        output = explained.first_output.take(explained.trees.tree.take(leaves)).repeat(k)
        line = output * explained.n_features + paths.feature[of_conditions]
        order = np.argsort(line, kind="stable")
        lines, first = np.unique(line.take(order), return_index=True)
        for value in range(explained.values.shape[1]):
            terms = explained.terms(weights, leaves, value).reshape(-1, found.shape[1])
            found[lines + value * explained.n_features] += np.add.reduceat(terms.take(order, axis=0), first, axis=0)
