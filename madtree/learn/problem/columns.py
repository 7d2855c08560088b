"""Blocks outside memory: the columns that a block is kept as, in a table or a file, and a block made of them again."""

from __future__ import annotations

import numpy as np

from madtree.learn.data.block import Block, CodeLayout
from madtree.learn.data.types import Array
from madtree.learn.problem.problem import Problem

Bytes = bytes | memoryview


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
