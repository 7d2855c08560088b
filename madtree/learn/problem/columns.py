"""The columns of a block: as bytes, in a table or a file, and back; and replacing one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.learn.data import Array, Block, CodeLayout, Ints
from madtree.learn.problem.folds import folds_of_rows
from madtree.learn.problem.problem import Problem

Bytes = bytes | memoryview


COLUMNS = ("codes", "target", "weight", "tree", "fold")


def block_columns(block: Block) -> list[bytes | None]:
    """Codes, target, weight, tree, fold; None for what the block does not have."""
    return [
        block.codes.tobytes(),
        block.target.tobytes(),
        None if block.weight is None else block.weight.tobytes(),
        None if block.tree is None else block.tree.astype("<i4").tobytes(),
        None if block.fold is None else block.fold.tobytes(),
    ]


class ColumnReader:
    """Makes blocks of a problem from their columns, without copying them."""

    def __init__(self, problem: Problem) -> None:
        self._codes = CodeLayout.for_widths(problem.bins.widths)
        self._n_classes = problem.n_classes
        self._target_limbs = None if problem.target_grid is None else problem.target_grid.limbs

    def block(self, n_rows: int, codes: Bytes, target: Bytes, *rest: Bytes | None) -> Block:
        """`rest`: weight, tree, fold."""
        weight, tree, fold = rest
        if self._target_limbs is None:
            targets: Array = np.frombuffer(target, np.uint8 if self._n_classes <= 256 else "<u2")
        else:
            targets = np.frombuffer(target, "<f8").reshape(self._target_limbs, n_rows)
        return Block(
            self._codes.read(codes, n_rows),
            targets,
            None if weight is None else np.frombuffer(weight, "<f8").reshape(-1, n_rows),
            None if tree is None else np.frombuffer(tree, "<i4"),
            None if fold is None else np.frombuffer(fold, np.uint8),
        )


# From a block's rows that are of one part of the table, that part's number, and values: (n_rows,) the new column.
ColumnFunction = Callable[[Block, slice, int, dict[str, Any]], Array]


def _random_folds(block: Block, rows: slice, part: int, values: dict[str, Any]) -> Array:
    """`values`: part (n_parts,) ascending; of each of them `first` (n_parts, n_trees), and n_rows, n_folds, seed, as in
    `folds_of_rows`.
    """
    tree: Ints = np.zeros(rows.stop - rows.start, np.int32) if block.tree is None else block.tree[rows]
    at = int(np.searchsorted(values["part"], part))
    return folds_of_rows(tree, values["first"][at], values["n_rows"], values["n_folds"], values["seed"])


COLUMN_FUNCTIONS: dict[str, ColumnFunction] = {"random_folds": _random_folds}


def with_column(
    block: Block, parts: list[tuple[int, int]], column: str, function: str, values: dict[str, Any]
) -> Block:
    """The block with a new column.

    Args:
        parts: number of each part of the table that rows are of, and how many, one after the other.
        column: "fold", "target" or "weight".
        function: name of one of `COLUMN_FUNCTIONS`.
    """
    made, first = [], 0
    for part, n_rows in parts:
        made.append(COLUMN_FUNCTIONS[function](block, slice(first, first + n_rows), part, values))
        first += n_rows
    changed: dict[str, Any] = {column: np.concatenate(made, axis=-1)}
    return replace(block, **changed)


def rows_by_tree(trees: list[tuple[int, Ints]], n_trees: int) -> Ints:
    """(n_parts, 1 + n_trees): each part's number and its rows of each tree; `trees`: number and tree of each row."""
    counts = [[part, *np.bincount(tree, minlength=n_trees)] for part, tree in trees]
    return np.array(counts, np.int64).reshape(-1, 1 + n_trees)
