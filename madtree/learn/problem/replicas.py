"""Replicas of a tree: the same packed rows, each with a multiplicity 0, 1, 2, ... of its own in every replica.

A problem with G groups and R replicas has G R trees: tree r G + g is group g's replica r. Replica 0 is the main tree
and takes every row once. With cross-validation replica r + 1 leaves the rows of fold r out, and is tested on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from madtree.learn.data import Array, Block, Ints, Values, flat_nonzero, keyed, mixed, require
from madtree.records import dataclass
from madtree.trees import MOST_FOLDS

_KEPT = 8  # purpose of a hash


def rows_of_trees(tree: Ints) -> Iterator[tuple[int, Ints]]:
    """Each tree that is among `tree` (n_rows,), and the indices of its rows, ascending."""
    order = np.argsort(tree, kind="stable")
    ordered = tree[order]
    starts = flat_nonzero(np.diff(ordered, prepend=ordered[:1] - 1)).tolist()
    for start, stop in zip(starts, [*starts[1:], len(order)], strict=False):
        yield int(ordered[start]), order[start:stop]


def kept_rows(identity: Array, share: float, seed: int) -> Array:
    """(n_rows,) uint8 1 of a share of the rows, by a hash of their identities (n_rows,) uint32."""
    return (mixed(identity ^ keyed(_KEPT, seed, np.zeros(1, np.int64))[0]) < share * 2.0**32).view(np.uint8)


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
        return flat_nonzero(block.fold == replica - 1)

    def to_value(self) -> Any:
        return self.n_folds


@dataclass(frozen=True)
class LeftOut(Replicas):
    """For each fold a tree that is grown without it and tested on it.

    Attributes:
        n_folds: of the rows.
        has_main: whether a tree of the rows of all folds comes first.
        kept: share of the rows that trees are grown and tested on, by a hash of their identities; above 0.
        seed: of that hash.
    """

    n_folds: int
    has_main: bool = False
    kept: float = 1.0
    seed: int = 0

    @property
    def n(self) -> int:
        return self.has_main + self.n_folds

    def fold_of(self, replica: int) -> int:
        """The fold that a replica is grown without; -1 for none."""
        return replica - self.has_main

    def multiplicity(self, block: Block, replica: int) -> Array | None:
        fold, kept = self.fold_of(replica), self._kept(block)
        if fold < 0 or block.fold is None:
            return kept
        counted: Array = (block.fold != fold).view(np.uint8)
        return counted if kept is None else counted & kept

    def held_out(self, block: Block, replica: int) -> Ints:
        fold, kept = self.fold_of(replica), self._kept(block)
        if fold < 0 or block.fold is None:
            return np.zeros(0, np.int64)
        tested = block.fold == fold
        return flat_nonzero(tested if kept is None else tested & kept.view(np.bool_))

    def to_value(self) -> Any:
        return {"kind": "left_out", **asdict(self)}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> LeftOut:
        """What `to_value` gave; raises MadtreeError where it is none."""
        given = Values(values)
        kept = given.number("kept", 0.0, 1.0)
        require(kept > 0, "kept", "above 0")
        return cls(
            given.integer("n_folds", 1, MOST_FOLDS),
            given.boolean("has_main"),
            kept,
            given.integer("seed", -(2**63), 2**63 - 1),
        )

    def _kept(self, block: Block) -> Array | None:
        """(n_rows,) uint8 1 of the rows that are not left aside; None where none are."""
        if self.kept == 1:
            return None
        assert block.identity is not None
        return kept_rows(block.identity, self.kept, self.seed)


def roots(block: Block, replica: int, n_groups: int) -> Ints:
    """(n_rows,) int32 the root that each row starts from in a replica; a root's index is its tree's."""
    if block.tree is None:
        return np.full(block.codes.n_rows, replica * n_groups, np.int32)
    started: Ints = block.tree.astype(np.int32) + np.int32(replica * n_groups)
    return started
