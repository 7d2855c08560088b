"""Replicas of a tree: the same packed rows, each with a multiplicity 0, 1, 2, ... of its own in every replica.

A problem with G groups and R replicas has G R trees: tree r G + g is group g's replica r. Replica 0 is the main tree
and takes every row once. With cross-validation replica r + 1 leaves the rows of fold r out, and is tested on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from madtree.learn.data import Array, Block, Ints
from madtree.records import dataclass


def rows_of_trees(tree: Ints) -> Iterator[tuple[int, Ints]]:
    """Each tree that is among `tree` (n_rows,), and the indices of its rows, ascending."""
    order = np.argsort(tree, kind="stable")
    ordered = tree[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1)).tolist()
    for start, stop in zip(starts, [*starts[1:], len(order)], strict=False):
        yield int(ordered[start]), order[start:stop]


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
