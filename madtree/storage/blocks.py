"""The store of blocks of a process: in its memory as far as the budget goes, beyond that in a temporary file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from madtree.host import ScratchFile, Span, SpillFile, TemporaryFile, TemporaryPlace
from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.data import Allocator, Array, Block, Ints, Steps
from madtree.learn.problem import COLUMNS, ColumnReader, Problem, block_columns, rows_by_tree, with_column
from madtree.learn.requests import Provider, ReplaceRequest, Request, RowsByTreeRequest
from madtree.storage.all_rows import AllRows

ALLOCATED_SHARE = 2  # of the memory budget, what arrays of all rows of an ensemble may take together: 1 / this


@dataclass(frozen=True)
class _Kept:
    """A block, and the parts of the table that its rows are of.

    Attributes:
        block: in memory, or where its columns (learn.problem.columns) are in the file.
        parts: number of each part, and its rows in the block, one after the other.
    """

    n_rows: int
    block: Block | list[Span | None]
    parts: list[tuple[int, int]]


class BlockStore(Provider):
    """Filled part by part, then asked: it is the provider whose rows are in this process."""

    def __init__(
        self, problem: Problem, block_rows: int, memory_bytes: int, position_bytes: int, place: TemporaryPlace
    ) -> None:
        """
        Args:
            block_rows: parts are joined to blocks of so many rows, at least, but for the last one.
            memory_bytes: that blocks may take; those beyond that go to a file.
            position_bytes: that rows' positions may take.
        """
        self._reader = ColumnReader(problem)
        self._block_rows, self._place = block_rows, place
        self._memory_bytes, self._position_bytes = memory_bytes, position_bytes
        self._allocated_bytes = problem.parameters.memory_bytes // ALLOCATED_SHARE
        self._held_bytes = 0
        self._file: SpillFile | None = None
        self._waiting: list[tuple[int, Block]] = []
        self._kept: list[_Kept] = []
        self._at_hand: BlocksAtHand | None = None

    @property
    def spilled(self) -> bool:
        """Whether some blocks are in a file."""
        return self._file is not None

    def add(self, part: int, block: Block) -> None:
        """Keep the rows of a part of the table; small parts are joined.

        Raises:
            MadtreeError: temp_file_limit would be exceeded, or the disk is full.
        """
        self._waiting.append((part, block))
        if sum(block.codes.n_rows for _, block in self._waiting) >= self._block_rows:
            self.finish()

    def finish(self) -> None:
        """No more parts will come."""
        if self._waiting:
            parts = [(part, block.codes.n_rows) for part, block in self._waiting]
            block = Block.join([block for _, block in self._waiting])
            self._kept.append(_Kept(block.codes.n_rows, self._stored(block), parts))
            self._waiting = []

    def write_to(self, all_rows: AllRows, file: TemporaryFile, first: int) -> None:
        """Move the rows to the file of all rows, the first of them to row `first`; nothing can be asked after that."""
        for kept in self._kept:
            all_rows.write(file, first, self._block(kept))
            first += kept.n_rows
        self._kept, self._file = [], None

    def rows_by_tree(self, request: RowsByTreeRequest) -> Steps[Ints]:
        yield
        return rows_by_tree(list(self._trees()), request.n_trees)

    def others(self, request: Request) -> Steps[Any]:
        """By the blocks at hand."""
        if self._at_hand is None:
            blocks = [self._block(kept) for kept in self._kept if kept.n_rows]
            allocator = allocator_of(self._place, self._allocated_bytes)
            self._at_hand = BlocksAtHand(blocks, self._position_bytes, allocator=allocator)
        return self._at_hand.answer(request)

    def replace(self, request: ReplaceRequest) -> Steps[None]:
        for i, kept in enumerate(self._kept):
            yield
            block = with_column(self._block(kept), kept.parts, request.column, request.function, request.values)
            if isinstance(kept.block, Block):
                self._kept[i] = _Kept(kept.n_rows, block, kept.parts)
                continue
            place = COLUMNS.index(request.column)
            column = block_columns(block)[place]
            spans = list(kept.block)
            spans[place] = None if column is None else self._spill(column)
            self._kept[i] = _Kept(kept.n_rows, spans, kept.parts)
        self._at_hand = None

    def _trees(self) -> Iterator[tuple[int, Ints]]:
        """Of each part its number and the trees (n_rows,) of its rows."""
        for kept in self._kept:
            tree = self._block(kept).tree
            first = 0
            for part, n_rows in kept.parts:
                yield part, np.zeros(n_rows, np.int32) if tree is None else tree[first : first + n_rows]
                first += n_rows

    def _stored(self, block: Block) -> Block | list[Span | None]:
        """The block itself while memory is left, else where it lies in the file."""
        columns = block_columns(block)
        n_bytes = sum(len(column) for column in columns if column is not None)
        if self._held_bytes + n_bytes <= self._memory_bytes:
            self._held_bytes += n_bytes
            return block
        return [None if column is None else self._spill(column) for column in columns]

    def _spill(self, column: bytes) -> Span:
        if self._file is None:
            self._file = SpillFile(self._place, "packed rows")
        return self._file.write(column)

    def _block(self, kept: _Kept) -> Block:
        if isinstance(kept.block, Block):
            return kept.block
        assert self._file is not None
        codes, target, *rest = (None if span is None else self._file.read(span) for span in kept.block)
        assert codes is not None
        assert target is not None
        return self._reader.block(kept.n_rows, codes, target, *rest)


def allocator_of(place: TemporaryPlace, memory_bytes: int) -> Allocator:
    """Arrays that together take `memory_bytes` of memory at most; those beyond that are in mapped files.

    An array of more than half of these bytes is in a file, too. Rows are held twice while they are put in order: where
    only one copy fits, the memory is left to other arrays.

    A call raises MadtreeError where temp_file_limit would be exceeded, or the disk is full.
    """
    left = memory_bytes

    def allocate(n_bytes: int) -> Array:
        nonlocal left
        if n_bytes <= min(left, memory_bytes // 2):
            left -= n_bytes
            return np.empty(n_bytes, np.uint8)
        return np.frombuffer(ScratchFile(place, n_bytes, "copies of packed rows"), np.uint8)

    return allocate
