"""Folds of cross-validation: a seeded permutation of a tree's rows, cut into consecutive parts of equal size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from madtree.learn.data import Array, Ints, require

_ROUNDS = 4


def random_folds(row: Ints, n_rows: int, n_folds: int, seed: int) -> Ints:
    """The fold, from 0, of some of a tree's rows.

    Args:
        row: (m,) their positions among the tree's rows, from 0.
        n_rows: rows of the tree; sizes of its folds differ by at most one.

    The permutation is a Feistel network on the positions, walked until it stays within them (Black and Rogaway,
    "Ciphers with arbitrary finite domains", 2002): any row's place is found alone, without the others in memory.
    """
    half = max(1, -(-max(n_rows - 1, 1).bit_length() // 2))
    keys = np.random.default_rng(seed % 2**64).integers(0, 2**63, _ROUNDS, dtype=np.uint64)
    place = _shuffled(np.asarray(row, np.uint64), half, keys)
    outside = np.flatnonzero(place >= n_rows)
    while len(outside):
        place[outside] = _shuffled(place[outside], half, keys)
        outside = outside[place[outside] >= n_rows]
    folds: Ints = (place.astype(np.int64) * n_folds // n_rows).astype(np.int32)
    return folds


def folds_of_rows(tree: Ints, first: Ints, n_rows: Ints, n_folds: int, seed: int) -> Array:
    """(m,) uint8 folds, from 0, of rows that stand one after the other.

    Args:
        tree: (m,) the tree of each row.
        first: (n_trees,) position of the first of them among its tree's rows.
        n_rows: (n_trees,) rows of each tree in all.
    """
    fold = np.zeros(len(tree), np.uint8)
    for t, mine in rows_of_trees(tree):
        # Of a place beyond the tree's rows the walk below might never come back.
        require(t < len(n_rows) and first[t] + len(mine) <= n_rows[t], "n_rows", "the rows of each tree in all")
        fold[mine] = random_folds(first[t] + np.arange(len(mine)), int(n_rows[t]), n_folds, seed)
    return fold


def rows_of_trees(tree: Ints) -> Iterator[tuple[int, Ints]]:
    """Each tree that is among `tree` (n_rows,), and the indices of its rows, ascending."""
    order = np.argsort(tree, kind="stable")
    ordered = tree[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1)).tolist()
    for start, stop in zip(starts, [*starts[1:], len(order)], strict=False):
        yield int(ordered[start]), order[start:stop]


def _shuffled(place: Array, half: int, keys: Array) -> Array:
    """One pass of the network over numbers of 2 * `half` bits."""
    mask = np.uint64(2**half - 1)
    shift = np.uint64(half)
    left, right = place >> shift, place & mask
    for key in keys:
        left, right = right, left ^ (_mixed(right + key) & mask)
    return np.asarray((left << shift) | right)


def _mixed(value: Array) -> Array:
    """The finalizer of splitmix64 (Steele, Lea, Flood, 2014); overflow is wanted."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(value ^ (value >> np.uint64(31)))
