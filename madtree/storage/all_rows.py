"""All rows of a training in one file, column by column, that several processes fill and then map as one block."""

from __future__ import annotations

import numpy as np

from madtree.host import TemporaryFile
from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.columns import COLUMNS, ColumnReader
from madtree.learn.data import USUAL_BLOCK_ROWS, Allocator, Array, Block
from madtree.learn.problem import Problem

_ALIGNMENT = 8  # bytes, of the widest numbers


class AllRows:
    """The file's layout: columns one after the other (`learn.columns.columns`), each of them plane by plane (a
    feature's codes, a limb), each plane with all rows.
    """

    def __init__(self, problem: Problem, n_rows: int, *, grouped: bool) -> None:
        """`grouped`: whether rows tell their trees."""
        self._n_rows = n_rows
        self._reader = ColumnReader(problem)
        self._spans: list[tuple[int, int] | None] = []
        self.n_bytes = 0
        for row_bytes in self._reader.row_bytes(tree=grouped, identity=True):
            if not row_bytes:
                self._spans.append(None)
                continue
            stop = self.n_bytes + n_rows * row_bytes
            self._spans.append((self.n_bytes, stop))
            self.n_bytes = stop + -stop % _ALIGNMENT

    def write(self, file: TemporaryFile, first: int, block: Block) -> None:
        """Write the rows of a block, the first of them as the file's row `first`. Raises MadtreeError on a full disk,
        unless room has been made in the file.
        """
        columns: list[list[Array | None]] = [
            [block.codes.narrow, block.codes.wide.astype("<u2", copy=False)],
            [np.atleast_2d(block.target)],
            [block.weight],
            [None if block.tree is None else block.tree.astype("<i4", copy=False)],
            [None],
            [None if block.identity is None else block.identity.astype("<u4", copy=False)],
        ]
        for span, parts in zip(self._spans, columns, strict=True):
            at = 0 if span is None else span[0]
            for plane in (plane for part in parts if part is not None for plane in np.atleast_2d(part)):
                file.write(plane.tobytes(), at + first * plane.itemsize)
                at += self._n_rows * plane.itemsize

    def mapped(self, file: TemporaryFile) -> Block:
        """All rows, which take none of this process's own memory; once all have been written."""
        whole = file.mapped(self.n_bytes)
        codes, target, *rest = (None if span is None else whole[slice(*span)] for span in self._spans)
        assert len(COLUMNS) == len(self._spans)
        return self._reader.block(self._n_rows, codes or b"", target or b"", *rest)

    def at_hand(self, file: TemporaryFile, position_bytes: int, allocator: Allocator) -> BlocksAtHand:
        """A provider that answers by all rows, as they are mapped; `allocator`: as `BlocksAtHand` takes it."""
        whole = self.mapped(file)
        return BlocksAtHand(list(whole.pieces(USUAL_BLOCK_ROWS)), position_bytes, whole, allocator)
