"""What every process of a parallel query does: it packs the parts of the table that it claims, keeps their rows, and
answers the leader's requests by them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from madtree.host import TemporaryPlace
from madtree.learn.data import Array, Block, codec
from madtree.learn.ensemble import Forest
from madtree.learn.histogram import BlocksAtHand, Request, RowsRequest, Steps, T, driven, request_of
from madtree.learn.problem import NullNumberError, Problem, packer_of
from madtree.storage.all_rows import AllRows
from madtree.storage.blocks import ROOM_SHARE, BlockStore
from madtree.storage.room import room_of
from madtree.storage.workers.board import Board
from madtree.storage.workers.claims import Claims, Part
from madtree.storage.workers.waves import FOREST, SHARE, WAVE

_POLL = 0.0002  # seconds between two looks,
_IDLE_POLL = 0.005  # of a worker that has nothing to count
_PATIENCE = 0.01  # seconds to wait before the server is given the chance to look for cancels


class Member:
    """One process's share of the work."""

    def __init__(self, board: Board, values: Mapping[str, Any]) -> None:
        """`values`: of the plan, as `provider` makes it."""
        self.board = board
        # Of each part its number, rows, rows that were not usable, those of an unknown class.
        self.packed: list[tuple[int, int, int, int]] = []
        self._packer = packer_of(values)
        self._queries: list[list[str]] = values["queries"]
        self._ranges: list[tuple[int, str, str]] = values["ranges"]
        self._place = place = TemporaryPlace(*values["temporary_place"])
        self._claims = Claims(board, len(self._ranges))
        self._sharing = bool(values["sharing"])  # whether everybody is to have all rows at hand
        board.keep_to(place)
        self._problem, self._grouped = Problem.from_values(values), bool(values["has_tree"])
        self._position_bytes: int = values["position_bytes"]
        of_blocks = values["block_rows"], values["memory_bytes"], self._position_bytes
        self.store = BlockStore(self._problem, *of_blocks, place)
        self._all_rows: AllRows | None = None
        self._forest: Forest | None = None
        self._life: Steps[None] | None = None

    @property
    def n_parts(self) -> int:
        """Of the whole table."""
        return len(self._ranges)

    def claim(self) -> Part | None:
        """The next part to pack; raises MadtreeError where the last one has not been kept."""
        number = self._claims.next()
        if number is None:
            return None
        relation, low, high = self._ranges[number]
        query, careful = self._queries[relation]
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
        self.store.add(part, block)
        self.packed.append((part, block.codes.n_rows, n_skipped, n_unknown))

    def step(self) -> bool:
        """Go on for a short while; True when there is nothing left to do."""
        if self._life is None:
            self._life = self.life()
        try:
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

    def life(self) -> Steps[None]:
        """What comes after packing, of a worker: it reports, and answers requests until all is over."""
        self.store.finish()
        self.board.put_answer(np.array(self.packed, np.int64).tobytes())
        while True:
            found = yield from waited_for(self._look, _POLL if self.packed else _IDLE_POLL)
            if found is None:
                return
            values = codec.load(found)
            what = values["what"]
            if what == SHARE:
                self._share(values["n_rows"], values["first"][self.board.seat])
            elif what == FOREST:
                self._forest = Forest.from_values(values)
            elif what == WAVE:
                if values["seat"] == self.board.seat:
                    yield from self._grow(values["number"])
            elif self.packed:  # who has no rows is not waited for
                request = request_of(values)
                answer = yield from self.store.answer(request)
                self.board.put_answer(answer_bytes(request, answer))

    def _share(self, n_rows: int, first: int) -> None:
        """Put this worker's rows into the file of all rows, the first of them at row `first`."""
        self._all_rows = AllRows(self._problem, n_rows, grouped=self._grouped)
        if self.packed:
            self.store.write_to(self._all_rows, self.board.rows, first)
            self.board.put_answer(b"")

    def _grow(self, number: int) -> Steps[None]:
        """Grow a wave of the forest, and hand it over."""
        assert self._forest is not None
        wave = yield from driven(self._forest.grow(number), self.at_hand)
        data = wave.dump()
        yield from waited_for(lambda: (None,) if self.board.may_answer else None)
        self.board.put_answer(data)

    @cached_property
    def at_hand(self) -> BlocksAtHand:
        """All rows of all processes, once everybody has shared them."""
        assert self._all_rows is not None
        room = room_of(self._place, self._problem.parameters.memory_bytes // ROOM_SHARE)
        return self._all_rows.at_hand(self.board.rows, self._position_bytes, room)

    def _look(self) -> tuple[bytes | None] | None:
        """The next request, (None,) if it is over, None if neither is known yet."""
        request = self.board.request(self.n_read)
        if request is not None:
            self.n_read += 1
            return (request,)
        return (None,) if self.board.is_over else None

    n_read = 1  # requests; the first one is the plan


def waited_for(look: Callable[[], tuple[T] | None], poll: float = _POLL) -> Steps[T]:
    """What `look` finds, in a tuple of one, looking again and again."""
    while True:
        end = time.monotonic() + _PATIENCE
        while (found := look()) is None and time.monotonic() < end:
            time.sleep(poll)
        if found is not None:
            return found[0]
        yield


def answer_bytes(request: Request, answer: Any) -> bytes:
    """An answer on its way to the leader, who knows what was asked."""
    if answer is None:
        return b""
    if isinstance(request, RowsRequest):
        return codec.dump(answer.to_values(request.widths, request.features[0]))
    array: Array = answer
    return array.tobytes()
