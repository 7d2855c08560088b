"""Blocks in a file, which are read where the system maps them: they take none of a process's own memory.

The system keeps of them what it has room for; whoever has the file and knows what is where may look at them, too.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

import numpy as np

from madtree.learn.data.block import Block
from madtree.learn.data.types import Array, Ints
from madtree.learn.problem.columns import ColumnReader, block_columns

_ALIGNMENT = 8  # bytes, of the widest numbers in a block
_TREE, _FOLD = -2, -1  # places among a block's columns

Span = list[int]


@dataclass
class _Kept:
    """A block: where its columns are in the file, and the parts of the table that its rows are of.

    Attributes:
        columns: first byte of each column of `block_columns` and the one behind it; None for those that the block does
            not have.
        parts: number of each part, and its rows in this block, one after the other.
    """

    n_rows: int
    columns: list[Span | None]
    parts: list[list[int]]


class KeptBlocks:
    """Filled part by part, then read again and again."""

    def __init__(self, file: BinaryIO, block_rows: int = 0, index: Sequence[dict[str, Any]] = ()) -> None:
        """
        Args:
            block_rows: parts are joined to blocks of so many rows, at least, but for the last one.
            index: of what is in the file already, as `index` gave it to the process that wrote it.
        """
        self._file, self._block_rows = file, block_rows
        self._waiting: list[tuple[int, Block]] = []
        self._kept = [_Kept(**fields) for fields in index]
        self._bytes = memoryview(b"")

    def add(self, part: int, block: Block) -> None:
        """Keep the rows of a part of the table; small parts are joined."""
        self._waiting.append((part, block))
        if sum(block.codes.n_rows for _, block in self._waiting) >= self._block_rows:
            self._join()

    def finish(self) -> None:
        """Make what was added readable."""
        if self._waiting:
            self._join()
        self.map()

    def index(self) -> list[dict[str, Any]]:
        """Where everything is, as plain values."""
        return [asdict(kept) for kept in self._kept]

    def map(self) -> None:
        """See all that is in the file now."""
        self._file.flush()
        self._file.seek(0, 2)
        if self._file.tell():  # an empty file cannot be mapped
            self._bytes = memoryview(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ))

    def parts(self) -> Iterator[tuple[int, Ints]]:
        """Of each part its number and the trees (n_rows,) of its rows."""
        for kept in self._kept:
            tree = kept.columns[_TREE]
            trees = np.zeros(kept.n_rows, np.int32) if tree is None else np.frombuffer(self._read(tree), "<i4")
            first = 0
            for part, n_rows in kept.parts:
                yield part, trees[first : first + n_rows]
                first += n_rows

    def set_folds(self, folds: Sequence[Array]) -> Ints:
        """Give each part's rows (n_rows,) their folds, uint8; `folds` in the order of `parts`.

        Returns:
            (n_blocks, 2) where the folds are, for `see_folds` of whoever else looks at the file.
        """
        at, spans = 0, []
        for kept in self._kept:
            mine = folds[at : at + len(kept.parts)]
            at += len(mine)
            spans.append(self._write(np.concatenate(mine).tobytes()))
        self.map()
        self.see_folds(spans)
        return np.array(spans, np.int64).reshape(-1, 2)

    def see_folds(self, spans: Sequence[Span]) -> None:
        """Find the folds where the process that wrote them says they are."""
        for kept, span in zip(self._kept, spans, strict=True):
            kept.columns[_FOLD] = span

    def blocks(self, reader: ColumnReader) -> Iterator[tuple[int, Block]]:
        """All blocks that have rows, each with a number of its own."""
        for number, kept in enumerate(self._kept):
            if kept.n_rows:
                codes, target, *rest = (None if span is None else self._read(span) for span in kept.columns)
                assert codes is not None
                assert target is not None
                yield number, reader.block(kept.n_rows, codes, target, *rest)

    def _join(self) -> None:
        block = Block.join([block for _, block in self._waiting])
        columns = [None if column is None else self._write(column) for column in block_columns(block)]
        parts = [[part, block.codes.n_rows] for part, block in self._waiting]
        self._kept.append(_Kept(block.codes.n_rows, columns, parts))
        self._waiting = []

    def _write(self, data: bytes) -> Span:
        start = self._file.tell()
        self._file.write(data + bytes(-len(data) % _ALIGNMENT))
        return [start, start + len(data)]

    def _read(self, span: Span) -> memoryview:
        return self._bytes[slice(*span)]
