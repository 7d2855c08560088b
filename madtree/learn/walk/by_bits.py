"""Finished trees of few leaves by bits: each code of a feature says which leaves of a tree it leaves possible, a bit
each, from left to right. What all features of a row leave possible has the row's leaf as its lowest bit (QuickScorer:
Lucchese et al. 2015).

A split takes away the leaves on its left from the codes that it sends right. So one look-up for a feature answers all
that a tree asks of it, by thresholds and by categories alike, and side by side what several trees ask.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.binning import EdgeEncoder
from madtree.learn.data import CACHED_ROWS, RIGHT, Array, Bools, Coroutine, Floats, Ints, flat_nonzero, pieces_of
from madtree.learn.walk.categories import CategoryCodes
from madtree.learn.walk.flat_trees import inner_by_level
from madtree.records import dataclass

MOST_LEAVES = 64
FEW_ROWS = 2_048  # of which a walk takes less time than making the tables
_MOST_BYTES = 32 * 2**20  # of all tables, and of the places of leaves
_SPLITS = 256  # by categories, that are entered between one look for cancels and the next
_MOST_EDGES = 2**16 - 2
_PLACE = np.dtype(np.int64)  # of a leaf
_ENTRY = 16  # bytes of one look-up, which numpy copies as fast as memory goes
_SPAN_BYTES = 4 * 2**20  # of the leaves that are found at once


@dataclass(frozen=True)
class _Batch:
    """Trees that are looked up side by side.

    Attributes:
        tables: of each feature that they ask, its position, and by code (n_codes,) which leaves are left of each tree.
    """

    tables: list[tuple[int, Array]]


@dataclass(frozen=True)
class BitTrees:
    """Trees of a few leaves, ready for rows.

    Attributes:
        encoders: of each feature; None where rows bring codes of categories.
        batches: of as many trees each.
        dtype: of the bits of a tree.
        leaves: (n_trees, most leaves) position of each leaf among the nodes, from left to right.
        number: of the tree with each root.
    """

    encoders: list[EdgeEncoder | None]
    batches: list[_Batch]
    dtype: np.dtype
    leaves: Ints
    number: dict[int, int]

    @classmethod
    def of(
        cls,
        roots: Ints,
        child: Ints,
        missing_right: Bools,
        feature: Ints,
        threshold: Floats,
        is_category: Sequence[bool],
        categories: CategoryCodes,
    ) -> Coroutine[BitTrees | None]:
        """Of trees without surrogates, of one group; None where they have too many leaves, or thresholds.

        Args:
            roots: (n_trees,) of the trees, at the first of their nodes.
            child: (n_nodes,) the left child, the right one is behind it; a leaf's own position.
            missing_right, feature, threshold: (n_nodes,) of the nodes.
            is_category: (n_features,)
        """
        below, first = _leaves_below(child, roots)
        most = int(below.take(roots).max(initial=1))
        if most > MOST_LEAVES:
            return None
        dtype = np.dtype(f"u{next(size for size in (1, 2, 4, 8) if most <= 8 * size)}")
        inner = flat_nonzero(child != np.arange(len(child)))
        tree = np.searchsorted(roots, np.arange(len(child)), side="right") - 1
        left = below.take(child.take(inner)).astype(np.uint64)
        gone = ((np.uint64(2) << (left - np.uint64(1))) - np.uint64(1)) << first.take(inner).astype(np.uint64)
        splits = _Splits(inner, tree.take(inner), ~gone.astype(dtype), missing_right.take(inner))
        together = _ENTRY // dtype.itemsize
        n_trees = -(-len(roots) // together) * together
        n_bytes = n_trees * most * _PLACE.itemsize
        if n_bytes > _MOST_BYTES:
            return None
        yield
        batches = [_Batch([]) for _ in range(n_trees // together)]
        encoders: list[EdgeEncoder | None] = []
        for f, of_categories in enumerate(is_category):
            own = splits.only(feature.take(inner) == f)
            edges = np.unique(threshold.take(own.node)) if not of_categories else np.zeros(0)
            n_codes = 2 + (len(categories.keys[f]) if of_categories else len(edges))
            n_bytes += n_codes * n_trees * dtype.itemsize
            if n_bytes > _MOST_BYTES or len(edges) > _MOST_EDGES:
                return None
            table = np.full((n_codes, n_trees), np.iinfo(dtype).max, dtype)
            if of_categories:
                yield from own.enter_categories(table, categories)
                encoders.append(None)
            else:
                own.enter_thresholds(table, np.searchsorted(edges, threshold.take(own.node)) + 1)
                encoders.append(EdgeEncoder(edges, np.uint16, quantiles=False))
            yield
            for number, batch in enumerate(batches):
                part = np.ascontiguousarray(table[:, number * together : (number + 1) * together])
                if (part != np.iinfo(dtype).max).any():
                    batch.tables.append((f, part.view(np.complex128)[:, 0]))
        leaf = flat_nonzero(child == np.arange(len(child)))
        leaves = np.zeros((n_trees, most), _PLACE)
        leaves[tree.take(leaf), first.take(leaf)] = leaf
        return cls(encoders, batches, dtype, leaves, {root: number for number, root in enumerate(roots.tolist())})

    def route(self, values: Floats) -> RowsByBits:
        """The ways of rows (n_features, n_rows): numbers, and codes of categories; NaN where missing or unknown."""
        codes = np.empty(values.shape, np.intp)
        for own, encoder, found in zip(values, self.encoders, codes, strict=True):
            if encoder is None:
                np.copyto(found, np.nan_to_num(own + 1, nan=0.0), casting="unsafe")
            else:
                found[:] = encoder.codes(own)
        return RowsByBits(self, codes)


@dataclass(frozen=True)
class _Splits:
    """Of some splits (n,): the node, its tree's number, the bits of the leaves that are left to rows that go right, and
    whether those without a value do.
    """

    node: Ints
    tree: Ints
    bits: Array
    missing_right: Bools

    def only(self, wanted: Bools) -> _Splits:
        return _Splits(self.node[wanted], self.tree[wanted], self.bits[wanted], self.missing_right[wanted])

    def enter_thresholds(self, table: Array, cut: Ints) -> None:
        """Enter into (n_codes, n_trees) what is left of codes that lie above the cuts (n,)."""
        np.bitwise_and.at(table, (cut + 1, self.tree), self.bits)
        np.bitwise_and.accumulate(table[1:], axis=0, out=table[1:])
        np.bitwise_and.at(table[0], self.tree[self.missing_right], self.bits[self.missing_right])

    def enter_categories(self, table: Array, categories: CategoryCodes) -> Coroutine[None]:
        """Enter into (n_codes, n_trees) what is left of the categories that are sent right."""
        width = categories.width
        firsts, stops = (np.searchsorted(categories.entries, (self.node + more) * width).tolist() for more in (0, 1))
        splits = zip(
            self.node.tolist(), self.tree.tolist(), self.bits, self.missing_right.tolist(), firsts, stops, strict=True
        )
        for number, (node, tree, bits, missing, first, stop) in enumerate(splits):
            if number % _SPLITS == 0:
                yield
            goes_right = np.full(len(table), missing)
            named = categories.entries[first:stop] - node * width
            goes_right[1 + named] = categories.sides[first:stop] == RIGHT
            table[goes_right, tree] &= bits


class RowsByBits:
    """The ways of some rows, by their codes."""

    def __init__(self, trees: BitTrees, codes: Array) -> None:
        """`codes`: (n_features, n_rows) of the type that numpy looks up by."""
        self._trees, self._codes = trees, codes
        n_rows = codes.shape[1]
        self._together = _ENTRY // trees.dtype.itemsize
        self._batches = max(1, _SPAN_BYTES // (self._together * max(n_rows, 1)))
        self._first = self._stop = 0  # trees whose leaves are found
        self._found: Array = np.empty((0, 0), np.uint8)

    def of(self, rows: Ints) -> RowsByBits:
        """As `Route`."""
        return RowsByBits(self._trees, self._codes.take(rows, axis=1))

    def leaves(self, root: int | Ints) -> Coroutine[Ints]:
        """As `Route`, from one root."""
        assert not isinstance(root, np.ndarray)
        number = self._trees.number[root]
        if not self._first <= number < self._stop:
            yield from self._find(number // self._together)
        leaf: Ints = self._trees.leaves[number].take(self._found[number - self._first])
        return leaf

    def _find(self, begin: int) -> Coroutine[None]:
        """Find the leaves of the trees of some batches, from that one on."""
        batches = self._trees.batches[begin : begin + self._batches]
        together, n_rows = self._together, self._codes.shape[1]
        self._first, self._stop = begin * together, (begin + len(batches)) * together
        if self._found.shape != (len(batches) * together, n_rows):
            self._found = np.empty((len(batches) * together, n_rows), np.uint8)
        for piece in pieces_of(n_rows, CACHED_ROWS):
            yield
            codes = self._codes[:, piece]
            left, more = (np.empty(codes.shape[1], np.complex128) for _ in range(2))
            bits = left.view(np.uint64)
            for number, batch in enumerate(batches):
                bits[:] = np.iinfo(np.uint64).max
                for feature, table in batch.tables:
                    table.take(codes[feature], out=more, mode="clip")
                    bits &= more.view(np.uint64)
                lowest = _lowest(left.view(self._trees.dtype)).reshape(-1, together)
                self._found[number * together : (number + 1) * together, piece] = lowest.T


def _lowest(bits: Array) -> Array:
    """(n,) the number of the lowest bit of each that is set; all have one."""
    bits &= np.negative(bits)
    if bits.dtype.itemsize < 8:
        found: Array = (bits.astype(np.float32).view(np.uint32) >> np.uint32(23)) - np.uint32(127)
    else:
        found = (bits.astype(np.float64).view(np.uint64) >> np.uint64(52)) - np.uint64(1023)
    return found


def _leaves_below(child: Ints, roots: Ints) -> tuple[Ints, Ints]:
    """(n_nodes,) how many leaves are below each node, itself if it is one, and how many of its tree lie left of
    them.
    """
    below, first = np.ones(len(child), np.int64), np.zeros(len(child), np.int64)
    levels = inner_by_level(child, roots)
    for nodes in reversed(levels):
        left = child.take(nodes)
        below[nodes] = below.take(left) + below.take(left + 1)
    for nodes in levels:
        left = child.take(nodes)
        first[left] = first.take(nodes)
        first[left + 1] = first.take(nodes) + below.take(left)
    return below, first
