"""What every process of a parallel query does: it packs the parts of the table that it claims, keeps their rows, and
answers the leader's requests by them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import cached_property

import numpy as np

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.data import Block, Coroutine
from madtree.learn.packing import NullNumberError
from madtree.learn.requests import T, driven
from madtree.learn.waves import Ensemble
from madtree.storage.all_rows import AllRows
from madtree.storage.blocks import ALLOCATED_SHARE, BlockStore, allocator_of
from madtree.storage.workers.board import Board, Claims, Part
from madtree.storage.workers.messages import (
    ByOwnRows,
    GrowEnsemble,
    GrowWave,
    KeepRows,
    Message,
    MessageReader,
    ShareRows,
    TakeRows,
    answer_bytes,
)

_POLL = 0.00005  # seconds between two looks,
_IDLE_POLL = 0.005  # of a worker that has nothing to count
# The first seconds of a wait, without sleep between looks: mostly, what is waited for is there by then. A boosted round
# of 1,000,000 rows took 0.87 of the time that it took with sleep alone.
_AWAKE = 0.003
# Seconds that a step takes at least. With 0.002, calls from SQL took a tenth of a boosted round of 1,000,000 rows.
_STEP = 0.02
_PATIENCE = 0.01  # seconds to wait before the server is given the chance to look for cancels


class Resident:
    """One process's share of the work."""

    def __init__(self, board: Board, plan: KeepRows) -> None:
        self.board, self._plan = board, plan
        # Of each part its number, rows, rows that were not usable, those of an unknown class.
        self.packed: list[tuple[int, int, int, int]] = []
        self._packer = plan.packer
        self._claims = Claims(board, len(plan.ranges))
        board.keep_to(plan.place)
        self.store = BlockStore(plan.packer.problem, plan.limits, plan.place)
        self._all_rows: AllRows | None = None
        self._ensemble: Ensemble | None = None
        self._life: Coroutine[None] | None = None
        self._reader = MessageReader()
        self._has_rows = False

    @property
    def n_parts(self) -> int:
        """Of the whole table."""
        return len(self._plan.ranges)

    def claim(self) -> Part | None:
        """The next part to pack; raises MadtreeError where the last one has not been kept."""
        number = self._claims.next()
        if number is None:
            return None
        relation, low, high = self._plan.ranges[number]
        query, careful = self._plan.queries[relation]
        return number, query, careful, low, high

    def keep(self, part: int, images: bytes | None) -> bool:
        """Pack the rows of the part that was claimed; False where a number is NULL instead of NaN.

        Raises:
            MadtreeError: it is another part, or was kept already.
        """
        self._claims.require(part)
        try:
            block, n_skipped, n_unknown = self._packer.pack(images or b"")
        except NullNumberError:
            return False
        self.add(part, block, n_skipped, n_unknown)
        self._claims.done()
        return True

    def grow(self) -> bool:
        """Nothing is left to do for rows that are packed."""
        return True

    def add(self, part: int, block: Block, n_skipped: int, n_unknown: int) -> None:
        """Keep the rows of a part that have been packed, and note how many they are."""
        self.store.add(block)
        self.packed.append((part, block.codes.n_rows, n_skipped, n_unknown))

    def step(self) -> bool:
        """Go on for a short while; True when there is nothing left to do."""
        if self._life is None:
            self._life = self.life()
        until = time.monotonic() + _STEP
        try:
            while time.monotonic() < until:
                next(self._life)
        except StopIteration:
            return True
        return False

    def end(self) -> None:
        """Let go of what a life that was stopped half way keeps: without this, files stay until Python looks for
        objects that refer to each other.
        """
        if self._life is not None:
            self._life.close()
            self._life = None

    def life(self) -> Coroutine[None]:
        """What comes after packing, of a worker: it reports, and answers requests until all is over."""
        self.store.finish()
        self.board.put_answer(np.array(self.packed, np.int64).tobytes())
        self._has_rows = bool(self.packed)
        while True:
            found = yield from waited_for(self._look, idle=not self._has_rows)
            if found is None:
                return
            yield from self._do(self._reader.read(found))

    def _do(self, message: Message) -> Coroutine[None]:
        """What the leader asks for."""
        return _DONE_BY.get(type(message), Resident.answer_by_own_rows)(self, message)

    def answer_by_own_rows(self, message: ByOwnRows) -> Coroutine[None]:
        """Answer by this worker's rows; who has none is not waited for."""
        if self._has_rows:
            self.board.put_answer(answer_bytes(message, (yield from self.store.answer(message))))

    def share(self, message: ShareRows) -> Coroutine[None]:
        """Put this worker's rows into the file of all rows."""
        yield
        self._all_rows = self._all_rows_of(message.n_rows)
        if self._has_rows:
            self.store.write_to(self._all_rows, self.board.rows, message.first[self.board.seat])
            self.board.put_answer(b"")

    def take_rows(self, message: TakeRows) -> Coroutine[None]:
        """Keep rows that another process has packed, if this worker is meant."""
        yield
        if message.seat == self.board.seat:
            self.store.add(message.block(self._packer.problem))
            self.store.finish()
            self._has_rows = True

    def know(self, message: GrowEnsemble) -> Coroutine[None]:
        """Remember the ensemble whose waves will be asked for."""
        yield
        self._ensemble = message.ensemble

    def grow_wave(self, message: GrowWave) -> Coroutine[None]:
        """Grow a wave of the ensemble, and hand it over, if this worker is meant."""
        if message.seat != self.board.seat:
            return
        assert self._ensemble is not None
        wave = yield from driven(self._ensemble.grow(message.number), self.at_hand)
        data = wave.dump()
        yield from waited_for(lambda: (None,) if self.board.may_answer else None)
        self.board.put_answer(data)

    def _all_rows_of(self, n_rows: int) -> AllRows:
        return AllRows(self._plan.packer.problem, n_rows, grouped="tree" in self._plan.packer.row_format.has)

    @cached_property
    def at_hand(self) -> BlocksAtHand:
        """All rows of all processes, once everybody has shared them."""
        assert self._all_rows is not None
        allocator = allocator_of(self._plan.place, self._plan.packer.problem.parameters.memory_bytes // ALLOCATED_SHARE)
        return self._all_rows.at_hand(self.board.rows, self._plan.limits.position_bytes, allocator)

    def _look(self) -> tuple[bytes | None] | None:
        """The next request, (None,) if it is over, None if neither is known yet."""
        request = self.board.request(self.n_read)
        if request is not None:
            self.n_read += 1
            return (request,)
        return (None,) if self.board.is_over else None

    n_read = 1  # requests; the first one is the plan


def waited_for(look: Callable[[], tuple[T] | None], *, idle: bool = False) -> Coroutine[T]:
    """What `look` finds, in a tuple of one, looking again and again; `idle`: whether nothing is to be done then."""
    poll, awake_until = (_IDLE_POLL, 0.0) if idle else (_POLL, time.monotonic() + _AWAKE)
    while True:
        end = time.monotonic() + _PATIENCE
        while (found := look()) is None and (now := time.monotonic()) < end:
            if now < awake_until:
                os.sched_yield()
            else:
                time.sleep(poll)
        if found is not None:
            return found[0]
        yield


# What a worker does beside answering by its rows.
_DONE_BY: dict[type, Callable[..., Coroutine[None]]] = {
    ShareRows: Resident.share,
    TakeRows: Resident.take_rows,
    GrowEnsemble: Resident.know,
    GrowWave: Resident.grow_wave,
}
