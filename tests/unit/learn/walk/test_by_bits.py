"""The leaves that rows end in by bits, held against walking down node by node."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass

import numpy as np
import pytest

from madtree.learn.data import LEFT, RIGHT, Floats, Ints, finished
from madtree.learn.walk.by_bits import BitTrees
from madtree.learn.walk.categories import CategoryCodes

IS_CATEGORY = [False, True, False, True]
KEYS = 12  # categories of each feature that has some
HAS_NULL = [False, False, False, True]


@dataclass
class Trees:
    """Random trees, as arrays and as what each node's categories are sent to."""

    roots: Ints
    child: Ints
    missing_right: np.ndarray
    feature: Ints
    threshold: Floats
    sent: dict[int, dict[int, int]]  # by node: the side of each category that it names

    def codes(self) -> CategoryCodes:
        width = KEYS + 1
        named = sorted((node * width + code, side) for node, sides in self.sent.items() for code, side in sides.items())
        keys = {1: np.arange(KEYS), 3: np.arange(KEYS)}
        entries, sides = (np.array(part) for part in zip(*named, strict=True)) if named else (np.zeros(0),) * 2
        return CategoryCodes(keys, HAS_NULL, {}, width, entries.astype(np.int64), sides.astype(np.uint8))

    def bits(self) -> BitTrees | None:
        known = self.roots, self.child, self.missing_right, self.feature, self.threshold
        return finished(BitTrees.of(*known, IS_CATEGORY, self.codes()))

    def leaf(self, root: int, row: Floats) -> int:
        node = root
        while self.child[node] != node:
            value = row[self.feature[node]]
            if IS_CATEGORY[self.feature[node]]:
                side = self.sent[node].get(int(value)) if value == value else None
                right = bool(self.missing_right[node]) if side is None else side == RIGHT
            else:
                right = bool(value > self.threshold[node]) if value == value else bool(self.missing_right[node])
            node = int(self.child[node]) + right
        return node


def grown(rng: np.random.Generator, sizes: list[int]) -> Trees:
    """Trees of so many leaves each."""
    child: list[int] = []
    roots = []
    for n_leaves in sizes:
        roots.append(len(child))
        open_ = [len(child)]
        child.append(-1)
        for _ in range(n_leaves - 1):
            child[open_.pop(int(rng.integers(len(open_))))] = len(child)
            open_ += [len(child), len(child) + 1]
            child += [-1, -1]
    n = len(child)
    leaf = np.array(child) < 0
    feature = np.where(leaf, 0, rng.integers(0, len(IS_CATEGORY), n))
    threshold = np.where(leaf, np.inf, rng.integers(0, 30, n) / 4)
    threshold[np.array(IS_CATEGORY)[feature]] = np.nan
    sent = {}
    for node in np.flatnonzero(~leaf & np.array(IS_CATEGORY)[feature]).tolist():
        named = rng.choice(KEYS + 1, rng.integers(1, KEYS), replace=False)
        sent[node] = {code: int(rng.choice([LEFT, RIGHT])) for code in named.tolist()}
    own = np.where(leaf, np.arange(n), child)
    return Trees(np.array(roots), own, ~leaf & (rng.random(n) < 0.5), feature, threshold, sent)


def rows(rng: np.random.Generator, n_rows: int) -> Floats:
    values = rng.integers(-4, 40, (len(IS_CATEGORY), n_rows)) / 4
    for feature in np.flatnonzero(IS_CATEGORY).tolist():
        values[feature] = rng.integers(0, KEYS + HAS_NULL[feature], n_rows)
    values[rng.random(values.shape) < 0.1] = np.nan
    return values


@pytest.mark.parametrize("most", [2, 8, 9, 16, 17, 32, 33, 64])
@pytest.mark.parametrize("n_rows", [0, 1, 700])
def test_rows_end_where_they_would_step_by_step(most: int, n_rows: int) -> None:
    rng = np.random.default_rng(most)
    trees, values = grown(rng, [most, 1, *rng.integers(1, most + 1, 9).tolist()]), rows(rng, n_rows)
    bits = trees.bits()
    assert bits is not None
    route = bits.route(values)
    for root in trees.roots.tolist():
        assert finished(route.leaves(root)).tolist() == [trees.leaf(root, row) for row in values.T]


def test_leaves_are_found_in_any_order_of_the_trees_and_for_some_of_the_rows() -> None:
    rng = np.random.default_rng(1)
    trees, values = grown(rng, [20] * 40), rows(rng, 40_000)
    bits = trees.bits()
    assert bits is not None
    some = rng.integers(0, 40_000, 300)
    every, few = bits.route(values), bits.route(values).of(some)
    for root in rng.permutation(trees.roots).tolist():
        found = [trees.leaf(root, row) for row in values[:, some].T]
        assert finished(every.leaves(root)).take(some).tolist() == finished(few.leaves(root)).tolist() == found


def test_more_leaves_than_bits_are_walked_down() -> None:
    assert grown(np.random.default_rng(2), [65, 3]).bits() is None


def test_places_of_leaves_that_would_fill_the_memory_are_not_made() -> None:
    """One tree of 64 leaves, and so many of one leaf that hold a place for each of 64."""
    n_trees = 2**17
    trees = grown(np.random.default_rng(4), [64, *[1] * n_trees])
    tracemalloc.start()
    assert trees.bits() is None
    assert tracemalloc.get_traced_memory()[1] < 40 * 2**20
    tracemalloc.stop()


def test_cancels_are_let_in_while_tables_are_made() -> None:
    """In pieces of some thousand categories: of a table of all trees, one look after the other was 0.5 s away."""
    trees = grown(np.random.default_rng(5), [64] * 100)
    n_splits = int((trees.child != np.arange(len(trees.child))).sum())
    known = trees.roots, trees.child, trees.missing_right, trees.feature, trees.threshold
    assert len([*BitTrees.of(*known, IS_CATEGORY, trees.codes())]) >= len(IS_CATEGORY) + n_splits // 1_024


def test_tables_that_would_fill_the_memory_are_not_made() -> None:
    trees = grown(np.random.default_rng(3), [64] * 60)
    trees.threshold = np.where(np.isfinite(trees.threshold), np.arange(len(trees.threshold)), trees.threshold)
    assert trees.bits() is not None
    many = grown(np.random.default_rng(3), [64] * 600)
    many.threshold = np.where(np.isfinite(many.threshold), np.arange(len(many.threshold)), many.threshold)
    assert many.bits() is None
