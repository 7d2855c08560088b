"""Folds of cross-validation: a seeded permutation of a tree's rows, cut into consecutive parts of equal size. And
replicas of a tree: the same packed rows, each with a multiplicity 0, 1, 2, ... of its own in every replica.

A problem with G groups and R replicas has G R trees: tree r G + g is group g's replica r. Replica 0 is the main tree
    and takes every row once. With cross-validation replica r + 1 leaves the rows of fold r out, and is tested on
    them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from madtree.learn.data import Array, Block, Ints, require

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


@dataclass(frozen=True)
class Replicas:
    """How often each row counts in each replica; this one is a single tree that takes every row once.

    A subclass says otherwise. Multiplicities must depend on the rows alone, not on how they lie in blocks.
    """

    @property
    def n(self) -> int:
        """Trees of each group."""
        return 1

    @property
    def first_member(self) -> int:
        """Number of replica 0 among all trees of an ensemble."""
        return 0

    @property
    def validate(self) -> bool:
        """Whether all replicas but the main tree are there to choose how far it is pruned."""
        return False

    def multiplicity(self, block: Block, replica: int) -> Array | None:
        """(n_rows,) unsigned integers: how often each of a block's rows counts; None where all count once."""
        return None

    def held_out(self, block: Block, replica: int) -> Ints:
        """Indices of the rows that a replica is tested on; those of multiplicity 0 need not be among them."""
        return np.zeros(0, np.int64)

    def upper_bound(self, rows: Ints) -> Ints:
        """(n_trees,) what the multiplicities of each tree's `rows` (n_trees,) add up to at most, in any replica."""
        return rows

    def to_value(self) -> Any:
        """Which replicas these are: a number of folds, the values of a bootstrap, or None for a single tree."""
        return None


@dataclass(frozen=True)
class Folds(Replicas):
    """The main tree, and for each fold a tree that is grown without it (cross-validation)."""

    n_folds: int

    @property
    def n(self) -> int:
        return 1 + self.n_folds

    @property
    def validate(self) -> bool:
        return True

    def multiplicity(self, block: Block, replica: int) -> Array | None:
        if replica == 0 or block.fold is None:
            return None
        counted: Array = (block.fold != replica - 1).view(np.uint8)
        return counted

    def held_out(self, block: Block, replica: int) -> Ints:
        if replica == 0 or block.fold is None:
            return np.zeros(0, np.int64)
        return np.flatnonzero(block.fold == replica - 1)

    def to_value(self) -> Any:
        return self.n_folds


def roots(block: Block, replica: int, n_groups: int) -> Ints:
    """(n_rows,) int32 the root that each row starts from in a replica; a root's index is its tree's."""
    if block.tree is None:
        return np.full(block.codes.n_rows, replica * n_groups, np.int32)
    started: Ints = block.tree.astype(np.int32) + np.int32(replica * n_groups)
    return started
