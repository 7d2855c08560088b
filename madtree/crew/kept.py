"""The blocks that one process of a crew keeps: in a file without a name, which goes when the process does.

They are read where the system maps them, so that they take none of the process's own memory.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile

import numpy as np

from madtree.blocks.count import CountPlan
from madtree.blocks.pack import block_columns
from madtree.core.block import Block
from madtree.core.types import Array, Ints
from madtree.crew.exchange import TEMPORARY

_ALIGNMENT = 8  # bytes, of the widest numbers in a block
_ROWS = 65_536  # of a block, at least, but for the last one

_TREE, _FOLD = -2, -1  # places among a block's columns

Span = tuple[int, int]


@dataclass
class _Kept:
    """A block: where its columns are in the file, and the parts of the table that its rows are of.

    Attributes:
        columns: first and last byte of each column of `block_columns`; None for those that the block does not have.
        parts: number of each part, and its rows in this block, one after the other.
    """

    n_rows: int
    columns: list[Span | None]
    parts: list[tuple[int, int]]


class KeptBlocks:
    """Filled part by part, then read again and again."""

    def __init__(self) -> None:
        self._file = TemporaryFile(dir=TEMPORARY)  # noqa: SIM115 - it lives as long as the blocks
        self._waiting: list[tuple[int, Block]] = []
        self._kept: list[_Kept] = []
        self._bytes = memoryview(b"")

    def add(self, part: int, block: Block) -> None:
        """Keep the rows of a part of the table; small parts are joined."""
        self._waiting.append((part, block))
        if sum(block.codes.n_rows for _, block in self._waiting) >= _ROWS:
            self._join()

    def finish(self) -> None:
        """Make what was added readable."""
        if self._waiting:
            self._join()
        self._map()

    def parts(self) -> Iterator[tuple[int, Ints]]:
        """Of each part its number and the trees (n_rows,) of its rows."""
        for kept in self._kept:
            tree = kept.columns[_TREE]
            trees = np.zeros(kept.n_rows, np.int32) if tree is None else np.frombuffer(self._read(tree), "<i4")
            first = 0
            for part, n_rows in kept.parts:
                yield part, trees[first : first + n_rows]
                first += n_rows

    def set_folds(self, folds: Sequence[Array]) -> None:
        """Give each part's rows (n_rows,) their folds, uint8; `folds` in the order of `parts`."""
        at = 0
        for kept in self._kept:
            mine = folds[at : at + len(kept.parts)]
            at += len(mine)
            kept.columns[_FOLD] = self._write(np.concatenate(mine).tobytes())
        self._map()

    def blocks(self, plan: CountPlan) -> Iterator[tuple[int, Block]]:
        """All blocks that have rows, each with a number of its own; `plan` knows how they are laid out."""
        for number, kept in enumerate(self._kept):
            if kept.n_rows:
                codes, target, *rest = (None if span is None else self._read(span) for span in kept.columns)
                assert codes is not None
                assert target is not None
                yield number, plan.block(kept.n_rows, codes, target, *rest)

    def _join(self) -> None:
        block = Block.join([block for _, block in self._waiting])
        columns = [None if column is None else self._write(column) for column in block_columns(block)]
        parts = [(part, block.codes.n_rows) for part, block in self._waiting]
        self._kept.append(_Kept(block.codes.n_rows, columns, parts))
        self._waiting = []

    def _write(self, data: bytes) -> Span:
        start = self._file.tell()
        self._file.write(data + bytes(-len(data) % _ALIGNMENT))
        return start, start + len(data)

    def _map(self) -> None:
        self._file.flush()
        if self._file.tell():  # an empty file cannot be mapped
            self._bytes = memoryview(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ))

    def _read(self, span: Span) -> memoryview:
        return self._bytes[slice(*span)]
