"""The columns of a block: as bytes, in a table or a file, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.data import MOST_BLOCK_ROWS, Array, Block, CodeLayout, require
from madtree.learn.problem import Problem

Bytes = bytes | memoryview
_MOST_BLOCK_TREES = 65_536

COLUMNS = ("codes", "target", "weight", "tree", "fold", "identity")  # of a block that has just been packed
SCORES = "scores"  # the column that comes later


def block_columns(block: Block) -> list[bytes | None]:
    """As in `COLUMNS`; None for what the block does not have."""
    return [
        block.codes.tobytes(),
        block.target.tobytes(),
        None if block.weight is None else block.weight.tobytes(),
        None if block.tree is None else block.tree.astype("<i4").tobytes(),
        None if block.fold is None else block.fold.tobytes(),
        None if block.identity is None else block.identity.astype("<u4", copy=False).tobytes(),
    ]


class ColumnReader:
    """Makes blocks of a problem from their columns, without copying them."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._widths = problem.bins.widths
        self._codes = CodeLayout.for_widths(self._widths)
        channels = problem.channels
        self._class_type = np.dtype(np.uint8 if channels.n_classes <= 256 else "<u2")
        self._target_limbs, self._weight_limbs = channels.outcome_limbs, channels.weight_limbs

    def row_bytes(self, *, tree: bool = False, fold: bool = False, identity: bool = False) -> list[int]:
        """Bytes of a row in each of `COLUMNS`, 0 in those that are not there; of the optional ones these are."""
        target = 8 * self._target_limbs or self._class_type.itemsize
        return [self._codes.row_bytes, target, 8 * self._weight_limbs, 4 * tree, 1 * fold, 4 * identity]

    def block(self, n_rows: int, codes: Bytes, target: Bytes, *rest: Bytes | None) -> Block:
        """`rest`: weight, tree, fold, identity, and perhaps the scores.

        Raises:
            MadtreeError: a column is not as long as the rows are many.
        """
        weight, tree, fold, identity, *later = rest
        require(n_rows >= 0, "n_rows", "at least 0")
        row_bytes_of = self.row_bytes(tree=True, fold=True, identity=True)
        for name, column, row_bytes in zip(
            COLUMNS, (codes, target, weight, tree, fold, identity), row_bytes_of, strict=True
        ):
            if column is not None:
                require(len(column) == n_rows * row_bytes, name, f"of {row_bytes} bytes a row")
        require((weight is None) == (self._weight_limbs == 0), "weight", "there where rows have weights")
        if self._target_limbs:
            targets: Array = np.frombuffer(target, "<f8").reshape(self._target_limbs, n_rows)
        else:
            targets = np.frombuffer(target, self._class_type)
        return Block(
            self._codes.read(codes, n_rows),
            targets,
            None if weight is None else np.frombuffer(weight, "<f8").reshape(self._weight_limbs, n_rows),
            None if tree is None else np.frombuffer(tree, "<i4"),
            None if fold is None else np.frombuffer(fold, np.uint8),
            None if identity is None else np.frombuffer(identity, "<u4"),
            *(None if scores is None else _lines(scores, n_rows) for scores in later),
        )

    def checked_block(self, n_rows: int, columns: Sequence[Bytes | None]) -> Block:
        """The block of columns (`COLUMNS`, and perhaps the scores) that anybody may have made up.

        Raises:
            MadtreeError: besides, where a code, a class or a tree is none of the problem's.
        """
        require(n_rows <= MOST_BLOCK_ROWS, "n_rows", f"at most {MOST_BLOCK_ROWS}")
        codes, target, *rest = columns
        block = self.block(n_rows, codes or b"", target or b"", *rest)
        if n_rows == 0:
            return block
        largest = np.empty(len(self._widths), np.int64)
        largest[~self._codes.wide] = block.codes.narrow.max(axis=1)
        largest[self._codes.wide] = block.codes.wide.max(axis=1)
        require((largest < self._widths).all(), "codes", "those of the features' bins")
        if not self._target_limbs:
            require(int(block.target.max()) < self._problem.n_classes, "target", "numbers of the classes")
        if block.tree is not None:
            fits = int(block.tree.min()) >= 0 and int(block.tree.max()) < self._problem.n_groups
            require(fits, "tree", "numbers of the trees")
            few = self._problem.n_groups <= _MOST_BLOCK_TREES or len(np.unique(block.tree)) <= _MOST_BLOCK_TREES
            require(few, "tree", f"{_MOST_BLOCK_TREES} different ones at most")
        return block


def _lines(scores: Bytes, n_rows: int) -> Array:
    fits = len(scores) % (8 * n_rows) == 0 if n_rows else len(scores) == 0
    require(fits, SCORES, "numbers of each row")
    return np.frombuffer(scores, "<f8").reshape(len(scores) // (8 * n_rows) if n_rows else 0, n_rows)
