"""The store of blocks of a process: in its memory as far as the budget goes, beyond that in a temporary file."""

from __future__ import annotations

import mmap
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from madtree.host import ScratchFile, Span, SpillFile, TemporaryFile, TemporaryPlace
from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.counting import final, merge
from madtree.learn.data import Allocator, Array, Block, CodeLayout, Codes, Coroutine
from madtree.learn.problem import Problem
from madtree.learn.requests import NoAnswerError, Provider, RememberRequest, ReplaceRequest, Request, SampleRequest
from madtree.records import dataclass
from madtree.storage.all_rows import AllRows

_OWN = ("target", "weight", "tree", "fold", "identity", "scores")  # columns of a block beside its codes
_LARGE_PAGE = 2**21  # bytes
ALLOCATED_SHARE = 2  # of the memory budget, what arrays of all rows of an ensemble may take together: 1 / this


@dataclass(frozen=True)
class _Spilled:
    """Where a column lies in the file."""

    file: SpillFile
    span: Span
    kind: np.dtype[Any]
    shape: tuple[int, ...]

    @cached_property
    def column(self) -> Array:
        """The column itself, mapped: new values are written over it. With new arrays and system calls instead, a
        boosted model of 1,000,000 rows took 1.04 of the time, and 1.09 with rows drawn by gradient.
        """
        return np.frombuffer(self.file.read(self.span), self.kind).reshape(self.shape)


@dataclass(frozen=True)
class _Kept:
    """A block.

    Attributes:
        layout: of its codes.
        columns: by name, each in memory or in the file; those that the block does not have are left out.
    """

    n_rows: int
    layout: CodeLayout
    columns: dict[str, Array | _Spilled]


@dataclass(frozen=True)
class BlockLimits:
    """How much is kept in which way.

    Attributes:
        rows: of a block, at least, but for the last one: parts are joined.
        memory_bytes: that blocks may take; those beyond that go to a file.
        position_bytes: that rows' positions may take.
    """

    rows: int
    memory_bytes: int
    position_bytes: int


class BlockStore(Provider):
    """Filled part by part, then asked: it is the provider whose rows are in this process."""

    def __init__(self, problem: Problem, limits: BlockLimits, place: TemporaryPlace) -> None:
        self._limits, self._place = limits, place
        self._allocated_bytes = problem.parameters.memory_bytes // ALLOCATED_SHARE
        self._held_bytes = 0
        self._file: SpillFile | None = None
        self._waiting: list[Block] = []
        self._kept: list[_Kept] = []
        self._at_hand: BlocksAtHand | None = None
        self._is_moved = False
        self._all_kept: list[_Kept] = []  # where a part of the rows takes their place
        self._remembered: list[dict[str, Array | _Spilled]] = []
        self._spare: list[dict[str, _Spilled]] = []  # places in the file of columns that were given up

    def add(self, block: Block) -> None:
        """Keep the rows of a part of the table; small parts are joined.

        Raises:
            MadtreeError: temp_file_limit would be exceeded, or the disk is full.
        """
        self._waiting.append(block)
        if sum(waiting.codes.n_rows for waiting in self._waiting) >= self._limits.rows:
            self.finish()

    def finish(self) -> None:
        """No more parts will come."""
        if self._waiting:
            block = Block.join(self._waiting)
            self._kept.append(_Kept(block.codes.n_rows, block.codes.layout, self._stored(block)))
            self._waiting = []

    def write_to(self, all_rows: AllRows, file: TemporaryFile, first: int) -> None:
        """Move the rows to the file of all rows, the first of them to row `first`; nothing can be asked after that."""
        for kept in self._kept:
            all_rows.write(file, first, self._block(kept))
            first += kept.n_rows
        self._kept, self._file, self._is_moved = [], None, True

    def give(self, most: int) -> Block:
        """Give rows away, the last ones, `most` of them at most; before anything is asked."""
        kept = self._kept.pop()
        block, n_left = self._block(kept), kept.n_rows - most
        self._held_bytes -= _held(kept)
        if n_left <= 0:
            return block
        rest = block.take(np.arange(n_left))
        self._kept.append(_Kept(n_left, kept.layout, self._stored(rest)))
        return block.rows(slice(n_left, None))

    def answer(self, request: Request) -> Coroutine[Any]:
        """Raises NoAnswerError where the rows have been moved away."""
        if self._is_moved:
            raise NoAnswerError(f"rows that all processes share have no answer to a {type(request).__name__} here")
        return super().answer(request)

    def others(self, request: Request) -> Coroutine[Any]:
        """By the blocks at hand."""
        return self._blocks_at_hand().answer(request)

    def _blocks_at_hand(self) -> BlocksAtHand:
        if self._at_hand is None:
            allocator = allocator_of(self._place, self._allocated_bytes)
            self._at_hand = BlocksAtHand(self._blocks(), self._limits.position_bytes, allocator=allocator)
        return self._at_hand

    def _blocks(self) -> list[Block]:
        return [self._block(self._kept[number]) for number in self._filled]

    @property
    def _filled(self) -> list[int]:
        """The places of those that have rows; of none, that of one."""
        return [number for number, kept in enumerate(self._kept) if kept.n_rows] or [*range(len(self._kept))][:1]

    def replace(self, request: ReplaceRequest) -> Coroutine[Array]:
        """Columns stay where they are, in memory or in the file, while they keep their size."""
        at_hand = self._blocks_at_hand()  # which knows where rows are in the trees that have just grown
        said, blocks = request.zeros(), at_hand.blocks
        for place, number in enumerate(self._filled):
            yield
            replaced, more = at_hand.replaced(request, place)
            said = merge(said, more)
            for name in request.columns:
                column = getattr(replaced, name)
                if column is not getattr(blocks[place], name):  # else it has been written over
                    self._kept[number].columns[name] = self._put(self._replaced(number, name), column)
        # Codes stay the same objects, and so does what is known of them.
        at_hand.renew([replace(new, codes=old.codes) for new, old in zip(self._blocks(), blocks, strict=True)])
        return final(said)

    def remember(self, request: RememberRequest) -> Coroutine[None]:
        """What is remembered stays where it is, and new columns do not take its place."""
        yield
        if not request.back:
            self._remembered = [dict(kept.columns) for kept in self._kept]
            self._spare = [{} for _ in self._kept]
            for block in self._blocks():
                block.lock()
            return
        for kept, before, spare in zip(self._kept, self._remembered, self._spare, strict=True):
            for name, column in kept.columns.items():
                if column is before.get(name):
                    continue
                if isinstance(column, _Spilled):
                    spare[name] = column
                else:
                    self._held_bytes -= column.nbytes
            kept.columns.clear()
            kept.columns.update(before)
        self._blocks_at_hand().renew(self._blocks())

    def sample(self, request: SampleRequest) -> Coroutine[None]:
        """All rows stay where they are while a part of them is copied."""
        self._at_hand, self._remembered = None, []
        if request.share == 1:
            if self._all_kept:
                self._held_bytes -= sum(map(_held, self._kept))
                self._kept, self._all_kept = self._all_kept, []
            return
        self._all_kept, self._kept = self._kept, []
        for kept in self._all_kept:
            yield
            part = request.of(self._block(kept))
            self._kept.append(_Kept(part.codes.n_rows, part.codes.layout, self._stored(part)))

    def _replaced(self, place: int, name: str) -> Array | _Spilled | None:
        """The column whose place a new one may take."""
        column = self._kept[place].columns.get(name)
        if self._remembered and column is self._remembered[place].get(name):
            return self._spare[place].pop(name, None)
        return column

    def _put(self, before: Array | _Spilled | None, column: Array) -> Array | _Spilled:
        """Keep a column in the place of another one, or of none."""
        if isinstance(before, _Spilled) and (before.kind, before.shape) == (column.dtype, column.shape):
            before.column.flags.writeable = True  # it may have been remembered, and is no more
            before.column[...] = column
            return before
        held = 0 if before is None or isinstance(before, _Spilled) else before.nbytes
        if self._held_bytes - held + column.nbytes > self._limits.memory_bytes:
            self._held_bytes -= held
            return self._spill(column)
        self._held_bytes += column.nbytes - held
        return column

    def _stored(self, block: Block) -> dict[str, Array | _Spilled]:
        """The block's columns: in memory while some is left, else in the file."""
        codes, tree = block.codes, block.tree
        named = {"narrow": codes.narrow, "wide": codes.wide, **{name: getattr(block, name) for name in _OWN}}
        named["tree"] = None if tree is None else tree.astype(np.int32, copy=False)
        columns = {name: column for name, column in named.items() if column is not None}
        n_bytes = sum(column.nbytes for column in columns.values())
        if self._held_bytes + n_bytes <= self._limits.memory_bytes:
            self._held_bytes += n_bytes
            return dict(columns)
        return {name: self._spill(column) for name, column in columns.items()}

    def _spill(self, column: Array) -> _Spilled:
        if self._file is None:
            self._file = SpillFile(self._place, "packed rows")
        return _Spilled(self._file, self._file.write(column.tobytes()), column.dtype, column.shape)

    def _block(self, kept: _Kept) -> Block:
        columns = {name: each.column if isinstance(each, _Spilled) else each for name, each in kept.columns.items()}
        codes = Codes(kept.layout, columns.pop("narrow"), columns.pop("wide"))
        return Block(codes, **columns)


def _held(kept: _Kept) -> int:
    """Bytes of memory that a block takes."""
    return sum(column.nbytes for column in kept.columns.values() if not isinstance(column, _Spilled))


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
            return _in_large_pages(n_bytes)
        return np.frombuffer(ScratchFile(place, n_bytes, "copies of packed rows"), np.uint8)

    return allocate


def _in_large_pages(n_bytes: int) -> Array:
    """Memory, in large pages as far as these are half full: picking values of 8 bytes out of it takes two thirds of the
    time, as numpy's own memory is in small pages wherever it has been in use before.
    """
    n_large = (n_bytes + _LARGE_PAGE // 2) // _LARGE_PAGE * _LARGE_PAGE
    if n_large and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # no room, which numpy says, or a kernel without them
            mapped = mmap.mmap(-1, n_bytes + 2 * _LARGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            memory = np.frombuffer(mapped, np.uint8)
            first = -memory.ctypes.data % _LARGE_PAGE
            mapped.madvise(mmap.MADV_HUGEPAGE, first, n_large)
            return memory[first : first + n_bytes]
    return np.empty(n_bytes, np.uint8)
