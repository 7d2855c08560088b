"""Folds of cross-validation: a tree's rows in the order of a hash of who they are, cut into parts of equal size.

A row's place in that order depends on its identity and the seed alone. So its fold is the same wherever it lies, and
whoever reads it; rows of the same identity are in one fold. A fold ends at the hash of a rank: fold k has the rows from
the hash of rank n k / n_folds on. To find it, hashes far from where the ends are to be expected are only counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, Values, flat_nonzero, keyed, mixed
from madtree.records import dataclass
from madtree.trees import MOST_FOLDS

_HASHES = 2.0**32
_MOST_ROWS = 2**48
_FOLD = 3  # purpose of a hash, beside those of samples
_WIDTH = 3.0  # by 1 / sqrt(rows): six standard deviations of the share of hashes below the median


@dataclass(frozen=True)
class FoldHashes:
    """How many rows of each tree have which hash.

    Attributes:
        n_rows: (n_trees,) about how many rows each tree has. By that, folds almost surely end close to where those of
            evenly spread hashes would. Hashes far from there are counted as one, the middle of a fold. Where this is
            0, each hash is told.
        n_folds: at least 2.
        seed: of 64 bits.
    """

    n_rows: Ints
    n_folds: int
    seed: int

    def counted(self, identity: Array, tree: Ints | None) -> Ints:
        """(n, 3) tree, hash and rows of that hash, some hashes perhaps more than once.

        Args:
            identity: (n_rows,) uint32 of some of the rows, as in `Block`.
            tree: (n_rows,) of these, or None where there is one.
        """
        hashes, tree = _hashes(identity, self.seed), _trees(identity, tree)
        fold, is_near = self._places(hashes, tree)
        near, others = flat_nonzero(is_near), flat_nonzero(~is_near)
        counts = np.bincount(tree[others] * self.n_folds + fold[others])
        place = flat_nonzero(counts)
        of_tree, of_fold = np.divmod(place, self.n_folds)
        far = np.stack((of_tree, self._middles[of_fold], counts[place]), axis=1)
        return np.concatenate((np.stack((tree[near], hashes[near], np.ones_like(near)), axis=1), far))

    def ends(self, counted: Ints) -> Ints | None:
        """(n_trees, n_folds - 1) the least hash of each fold but the first, from what `counted` gave of all blocks; 0
        for trees without rows. None where it is not among the hashes that are told: `n_rows` is to be 0 then.
        """
        n_trees = len(self.n_rows)
        order = np.lexsort((counted[:, 1], counted[:, 0]))
        tree, hashes, rows = counted[order].T
        total = np.zeros(n_trees, np.int64)
        np.add.at(total, tree, rows)
        first = np.cumsum(total) - total
        rank = first[:, None] + total[:, None] * np.arange(1, self.n_folds) // self.n_folds
        at = np.searchsorted(np.cumsum(rows), rank, "right")
        has_rows = np.repeat(total[:, None] > 0, self.n_folds - 1, axis=1)
        ends: Ints = np.where(has_rows, hashes.take(np.where(has_rows, at, 0)) if len(hashes) else 0, 0)
        owner = np.repeat(np.arange(n_trees), self.n_folds - 1)
        _, is_near = self._places(ends.reshape(-1), owner)
        return ends if is_near[has_rows.reshape(-1)].all() else None

    @staticmethod
    def folds(identity: Array, tree: Ints | None, ends: Ints, seed: int) -> Array:
        """(n_rows,) uint8 the fold, from 0, of each row; `ends`: as the method `ends` gives them for that seed."""
        hashes, tree = _hashes(identity, seed), _trees(identity, tree)
        found = np.searchsorted(_key(np.arange(len(ends))[:, None], ends).reshape(-1), _key(tree, hashes), "right")
        return np.asarray(found - tree * ends.shape[1], np.uint8)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> FoldHashes:
        """From its attributes by name; raises MadtreeError where these are none of one."""
        given = Values(values)
        n_folds, seed = given.integer("n_folds", 2, MOST_FOLDS), given.integer("seed", -(2**63), 2**63 - 1)
        return cls(given.ints("n_rows", (None,), 0, _MOST_ROWS), n_folds, seed)

    def _places(self, hashes: Ints, tree: Ints) -> tuple[Ints, Bools]:
        """(n,) the folds that hashes would be in were they spread evenly, and whether they are near an end."""
        share = hashes / _HASHES * self.n_folds
        nearest = np.clip(np.rint(share), 1, self.n_folds - 1)
        return share.astype(np.int64), np.abs(share - nearest) <= self._widths[tree]

    @property
    def _widths(self) -> Floats:
        """(n_trees,) how far from an end hashes are told, in folds."""
        with np.errstate(divide="ignore"):
            widths: Floats = np.where(self.n_rows > 0, self.n_folds * _WIDTH / np.sqrt(self.n_rows), np.inf)
        return widths

    @property
    def _middles(self) -> Ints:
        """(n_folds,) what stands for the hashes that are not told."""
        return ((np.arange(self.n_folds) + 0.5) / self.n_folds * _HASHES).astype(np.int64)


def _hashes(identity: Array, seed: int) -> Ints:
    """(n_rows,) by which each row finds its place among those of its tree."""
    hashes: Ints = mixed(identity ^ keyed(_FOLD, seed, np.zeros(1, np.int64))[0]).astype(np.int64)
    return hashes


def _trees(identity: Array, tree: Ints | None) -> Ints:
    return np.zeros(len(identity), np.int64) if tree is None else tree.astype(np.int64)


def _key(tree: Ints, hashes: Ints) -> Ints:
    """What ascends by tree, and within a tree by hash."""
    return np.asarray((tree << 32) + hashes)
