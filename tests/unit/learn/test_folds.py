"""Folds by the hash of who a row is: even, and the same however rows lie."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.data import Array, Ints
from madtree.learn.problem import FoldHashes, identities


def folds(identity: Array, tree: Ints | None, n_trees: int, n_folds: int, seed: int = 1, near: bool = False) -> Array:
    counts = np.bincount(np.zeros(len(identity), int) if tree is None else tree, minlength=n_trees)
    hashes = FoldHashes(counts if near else np.zeros_like(counts), n_folds, seed)
    ends = hashes.ends(hashes.counted(identity, tree))
    assert ends is not None
    return hashes.folds(identity, tree, ends, seed)


@pytest.mark.parametrize("n_folds", [2, 3, 10, 255])
@pytest.mark.parametrize("n_rows", [1, 2, 9, 100, 1_001, 60_000])
def test_folds_are_of_one_size(n_rows: int, n_folds: int) -> None:
    for seed in (1, -1, 2**63 - 1):
        found = folds(identities(np.arange(float(n_rows))), None, 1, n_folds, seed)
        sizes = np.bincount(found, minlength=n_folds)
        assert len(sizes) == n_folds
        assert sizes.max() - sizes.min() <= 1


def test_each_trees_rows_are_cut_for_themselves() -> None:
    tree = np.repeat(np.arange(4), [50, 0, 7, 943])
    identity = identities(np.random.default_rng(1).permutation(1_000.0 + np.arange(1_000)))
    found = folds(identity, tree, 4, 5)
    for t in (0, 2, 3):
        assert np.array_equal(found[tree == t], folds(identity[tree == t], None, 1, 5))


@pytest.mark.parametrize("n_trees", [1, 3])
def test_most_hashes_need_not_be_told(n_trees: int) -> None:
    rng = np.random.default_rng(2)
    identity, tree = identities(np.arange(200_000.0)), rng.integers(0, n_trees, 200_000)
    assert np.array_equal(folds(identity, tree, n_trees, 5, near=True), folds(identity, tree, n_trees, 5))
    hashes = FoldHashes(np.bincount(tree), 5, 1)
    assert len(hashes.counted(identity, tree)) < 20_000 * n_trees


def test_it_does_not_matter_how_rows_lie() -> None:
    rng = np.random.default_rng(3)
    identity, tree = identities(np.arange(5_000.0)), rng.integers(0, 3, 5_000)
    expected = folds(identity, tree, 3, 7)
    order = rng.permutation(5_000)
    assert np.array_equal(folds(identity[order], tree[order], 3, 7), expected[order])
    hashes = FoldHashes(np.bincount(tree), 7, 1)
    pieces = [hashes.counted(identity[rows], tree[rows]) for rows in np.array_split(order, 9)]
    assert np.array_equal(hashes.ends(np.concatenate(pieces)), hashes.ends(hashes.counted(identity, tree)))


def test_rows_of_the_same_identity_are_in_one_fold() -> None:
    rng = np.random.default_rng(4)
    identity = identities(rng.integers(0, 40, 100_000).astype(float))
    found = folds(identity, None, 1, 4)
    assert all(len(np.unique(found[identity == one])) == 1 for one in np.unique(identity))
    assert np.bincount(found, minlength=4).min() > 20_000
    # Where they are so few, the ends are not where those of as many rows would be.
    hashes = FoldHashes(np.array([100_000]), 4, 1)
    assert hashes.ends(hashes.counted(identity, None)) is None


def test_another_seed_gives_other_folds() -> None:
    identity = identities(np.arange(1_000.0))
    differ = folds(identity, None, 1, 2, seed=1) != folds(identity, None, 1, 2, seed=2)
    assert differ.sum() == pytest.approx(500, abs=90)
