"""Small groups by the processes of a parallel query: each takes the next block of them that nobody has begun, grows its
trees, and keeps them in a file until all are grown.

The leader takes part from the first block on. The trees of a block take some megabytes: as rows of the query they would
wait in small queues until the leader looks after them, who has trees of its own to grow.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from madtree.host import Span, SpillFile, TemporaryPlace
from madtree.learn.data import Coroutine, Values, advanced
from madtree.learn.requests import Progress, StepReport
from madtree.records import dataclass
from madtree.storage.whole_trees import grow_block
from madtree.storage.workers.board import Board, Claims, Part
from madtree.storage.workers.messages import place_of, place_values

_MOST_BLOCKS = 2**31
_NOWHERE = "(0,0)"  # a tid: a block's query needs none
_HEAD = struct.Struct("<qq")  # before the trees of a block: its number, and their bytes


@dataclass(frozen=True)
class GrowBlocks:
    """The plan: grow the trees of blocks of small groups.

    Attributes:
        grow_plan: a dumped `GrowPlan`.
        query: of the images of a block, but for the block's number, from 0, with which it ends.
        place: of temporary files.
    """

    grow_plan: bytes
    query: str
    n_blocks: int
    place: TemporaryPlace
    what: ClassVar[str] = "grow blocks"

    def to_values(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "grow_plan": np.frombuffer(self.grow_plan, np.uint8),
            "query": self.query,
            "n_blocks": self.n_blocks,
            "place": place_values(self.place),
        }

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> GrowBlocks:
        """What `to_values` tells of; raises MadtreeError where it is none."""
        given = Values(values)
        grow_plan = given.ints("grow_plan", (None,), 0, 255, np.uint8).tobytes()
        n_blocks = given.integer("n_blocks", 0, _MOST_BLOCKS)
        return cls(grow_plan, given.text("query"), n_blocks, place_of(given))


class Grower:
    """One process's share of the blocks."""

    def __init__(self, board: Board, plan: GrowBlocks) -> None:
        self.board, self._plan = board, plan
        self._claims = Claims(board, plan.n_blocks)
        self._under_way: tuple[int, Coroutine[bytes | None]] | None = None
        board.keep_to(plan.place)

    def claim(self) -> Part | None:
        """The next block to grow; raises MadtreeError where the last one has not been grown."""
        number = self._claims.next()
        if number is None:
            return None
        query = f"{self._plan.query} {number}"
        return number, query, query, _NOWHERE, _NOWHERE

    def keep(self, part: int, images: bytes | None) -> bool:
        """Begin to grow the block that was claimed; raises MadtreeError if it is another one."""
        self._claims.require(part)
        if images is None:  # none of the block's rows
            self._claims.done()
        else:
            self._under_way = part, grow_block(self._plan.grow_plan, images)
        return True

    def grow(self) -> bool:
        """Go on with the block for a short while; True when its trees are kept."""
        if self._under_way is None:
            return True
        number, work = self._under_way
        done = advanced(work)
        if done is None:
            return False
        self._under_way = None
        self._put(number, done[0] or b"")
        self._claims.done()
        return True

    def step(self) -> bool:
        """Nothing is left to do after the last block."""
        return True

    def end(self) -> None:
        """Let go of a block that is not done."""
        if self._under_way is not None:
            self._under_way[1].close()
            self._under_way = None

    def _put(self, number: int, trees: bytes) -> None:
        self.board.add_answer(_HEAD.pack(number, len(trees)) + trees)


class LeadingGrower(Grower):
    """The leader, who grows blocks as all do, and collects everybody's trees in the end."""

    def __init__(self, board: Board, plan: GrowBlocks, report: Callable[[Progress], None]) -> None:
        """`report`: how many blocks are done, by whomever."""
        super().__init__(board, plan)
        self._file = SpillFile(plan.place, "trees of small groups")
        self._spans: dict[int, Span] = {}
        self._report = report

    def trees(self) -> dict[int, bytes | memoryview]:
        """Of each block its trees, as the bytes of a `TrainedTrees`; none where it has no usable row."""
        found: dict[int, bytes | memoryview] = {number: self._file.read(span) for number, span in self._spans.items()}
        for seat in range(self.board.n_seated):
            answers, at = self.board.added(seat), 0
            while at < len(answers):
                number, size = _HEAD.unpack_from(answers, at)
                found[number] = answers[at + _HEAD.size : at + _HEAD.size + size]
                at += _HEAD.size + size
        return found

    def _put(self, number: int, trees: bytes) -> None:
        self._spans[number] = self._file.write(trees)
        n_done = len(self._spans) + sum(map(self.board.n_added, range(self.board.n_seated)))
        self._report(Progress(step=StepReport("block", n_done, self._plan.n_blocks)))
