"""What each feature contributes to what trees say of rows, together with what is expected of any row.

All sums are of whole numbers, so they are the same in whatever order, and however rows are taken together. Two ways
lead to the terms: where there are many rows, those of all patterns of conditions are put into a table for each leaf,
in which rows look theirs up; where there are few, or more patterns than rows, each row has its own. Against a
background the two ways differ in the last bits, so there the number of conditions alone says which one is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from madtree.learn.data import Array, Coroutine, Ints
from madtree.learn.shap.explained import MOST_BITS, Explained, LeafTable, Order
from madtree.learn.shap.ways import LeafPaths, of_leaf
from madtree.learn.shap.weights import n_terms
from madtree.learn.walk import RouteByNodes

_FEWEST_ROWS = 256  # for which trees are gone through node by node
_PART = 64  # leaves whose tables are made together
_ROWS, _TERMS = 8_192, 2**18  # that are at hand at once, where each row has its own


def contributions(explained: Explained, trees: range, route: RouteByNodes, n_rows: int) -> Coroutine[Ints]:
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


def _by_tables(explained: Explained, root: int, bits: int, route: RouteByNodes, found: Ints) -> Coroutine[list[int]]:
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


def _row_by_row(
    explained: Explained, nodes: list[int], route: RouteByNodes, n_rows: int, found: Ints
) -> Coroutine[None]:
    """Add what all leaves below some nodes say; `found` as of `_by_tables`."""
    leaves = explained.leaves_below(nodes)
    for first_row in range(0, n_rows, _ROWS):
        rows = np.arange(first_row, min(first_row + _ROWS, n_rows))
        own = route if len(rows) == n_rows else route.of(rows)
        at_once = len(rows) + (explained.background.most_rows if explained.background else 0)
        most = max(1, _TERMS // (at_once * n_terms(MOST_BITS, with_pairs=explained.with_pairs)))
        for first in range(0, len(leaves), most):
            paths, orders = yield from explained.paths(leaves[first : first + most])
            yield from _add(explained, paths, orders, own, found[:, rows[0] : rows[-1] + 1])


def _add(
    explained: Explained, paths: LeafPaths, orders: Mapping[int, Order], route: RouteByNodes, found: Ints
) -> Coroutine[None]:
    """Add what some leaves say of some rows; `paths` and `orders`: of `Explained.paths`, `found`: of `_by_tables`."""
    met = yield from paths.met(route)
    others = (yield from explained.background.met(explained.trees, paths)) if explained.background else None
    for k, of_leaves, of_conditions in paths.runs():
        yield
        leaves = paths.leaf[of_leaves]
        known = None if others is None else of_leaf(others[of_conditions], k)
        weights = yield from explained.weights_of_rows(
            paths.share[of_conditions].reshape(-1, k), known, of_leaf(met[of_conditions], k)
        )
        order, first, lines = orders[k]
        for value in range(explained.values.shape[1]):
            terms = explained.terms(weights, leaves, value).reshape(-1, found.shape[1])
            found[lines + value * explained.n_terms] += np.add.reduceat(terms.take(order, axis=0), first, axis=0)
