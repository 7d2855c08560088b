"""The leaves that rows end in by codes, held against walking down node by node."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from madtree.learn.data import USUAL_BLOCK_ROWS
from madtree.learn.walk import CodeMatrix, Descent

N_FEATURES = 5


def grown(rng: np.random.Generator, dtype: type, sizes: list[int], *, chain: bool = False) -> tuple[Descent, list[int]]:
    """Random trees of so many inner nodes each, and their roots; a chain has an inner child at most at each node."""
    child: list[int] = []
    roots = []
    for n_inner in sizes:
        roots.append(len(child))
        open_ = [len(child)]
        child.append(-1)
        for _ in range(n_inner):
            node = open_.pop(-1 if chain else int(rng.integers(len(open_))))
            child[node] = len(child)
            open_ += [len(child), len(child) + 1]
            child += [-1, -1]
    own = np.arange(len(child))
    leaf = np.array(child) < 0
    largest = np.iinfo(dtype).max
    descent = Descent(
        feature=np.where(leaf, 0, rng.integers(0, N_FEATURES, len(child))),
        cut=np.where(leaf, largest, rng.integers(0, min(largest, 1000), len(child))).astype(dtype),
        child=np.where(leaf, own, child),
        missing_right=~leaf & (rng.random(len(child)) < 0.5),
        n_features=N_FEATURES,
        deepest=max(sizes),
        together=np.array(roots),
    )
    return descent, roots


def one_by_one(descent: Descent, roots: np.ndarray, codes: np.ndarray) -> list[int]:
    found = []
    for row, root in enumerate(roots.tolist()):
        node = root
        while descent.child[node] != node:
            code = int(codes[descent.feature[node], row])
            right = bool(descent.missing_right[node]) if code == 0 else code > descent.cut[node]
            node = int(descent.child[node]) + right
        found.append(node)
    return found


@pytest.mark.one_in(4)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("n_rows", [0, 1, 9, 511, 512, 2001])
@pytest.mark.parametrize("missing", [False, True])
def test_rows_end_where_they_would_step_by_step(dtype: type, n_rows: int, missing: bool) -> None:
    rng = np.random.default_rng(n_rows)
    codes = rng.integers(1, min(np.iinfo(dtype).max, 1000) + 1, (N_FEATURES, n_rows)).astype(dtype)
    codes[:, : n_rows // 4] = np.iinfo(dtype).max
    if missing:
        codes[rng.random(codes.shape) < 0.2] = 0
    matrix = CodeMatrix(codes)
    for sizes, chain in (([0], False), ([1, 0, 3], False), ([200, 63, 500], False), ([40, 7], True)):
        descent, roots = grown(rng, dtype, sizes, chain=chain)
        for root in roots:
            assert descent.leaves(root, matrix).tolist() == one_by_one(descent, np.full(n_rows, root), codes)
        mixed = rng.choice(roots, n_rows)
        assert descent.leaves(mixed, matrix).tolist() == one_by_one(descent, mixed, codes)


def test_a_matrix_may_be_full_and_have_more_cuts_than_it_keeps() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(1, 1001, (N_FEATURES, USUAL_BLOCK_ROWS)).astype(np.uint16)
    matrix = CodeMatrix(codes)
    some = rng.integers(0, USUAL_BLOCK_ROWS, 40)
    descent, roots = grown(rng, np.uint16, [90] * 60)
    for root in roots:
        found = descent.leaves(root, matrix).take(some)
        assert found.tolist() == one_by_one(descent, np.full(40, root), codes[:, some])


@pytest.mark.parametrize("n_rows", [5, 2001])
def test_a_table_may_stand_between_a_code_and_its_cut(n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    codes = rng.integers(0, 40, (N_FEATURES, n_rows)).astype(np.uint8)
    plain, roots = grown(rng, np.uint8, [200, 30])
    inner = plain.child != np.arange(len(plain.child))
    by_table = np.flatnonzero(inner & (rng.random(len(inner)) < 0.5))
    rights = rng.integers(0, 2, (len(by_table), 256))
    table = np.zeros(len(inner), np.int64)
    table[by_table] = 256 * (1 + np.arange(len(by_table)))
    cut, missing_right = plain.cut.copy(), plain.missing_right.copy()
    cut[by_table], missing_right[by_table] = 0, False
    tables = np.concatenate((np.arange(256), rights.ravel())).astype(np.uint8)
    descent = replace(plain, cut=cut, missing_right=missing_right, tables=tables, table=table)
    matrix = CodeMatrix(codes)
    for root in roots:
        found = descent.leaves(root, matrix)
        for row in range(n_rows):
            node = root
            while inner[node]:
                code = int(codes[plain.feature[node], row])
                if table[node]:
                    right = bool(tables[table[node] + code])
                else:
                    right = bool(missing_right[node]) if code == 0 else code > cut[node]
                node = int(plain.child[node]) + right
            assert found[row] == node


@pytest.mark.parametrize("n_rows", [1, 64, 300, 65_472, USUAL_BLOCK_ROWS])
def test_few_rows_of_many_columns_take_little_memory(n_rows: int) -> None:
    """And no column starts a power of two behind another one, whatever is left of a table."""
    matrix = CodeMatrix(np.ones((40, n_rows), np.uint8))
    assert matrix.flat.nbytes < 40 * (2 * n_rows + 200)
    assert matrix.stride & (matrix.stride - 1)
