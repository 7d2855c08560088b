"""What each process does in a parallel query of resident workers, and how the SQL functions reach it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from madtree.errors import MadtreeError
from madtree.learn.data import codec
from madtree.storage.workers.board import Board, Part, leader_of
from madtree.storage.workers.membership import require_membership


class Participant(Protocol):
    """What a process does in a parallel query, step by step."""

    def claim(self) -> Part | None:
        """The next part to read; raises MadtreeError where the last one has not been kept."""
        ...

    def keep(self, part: int, images: bytes | None) -> bool:
        """Take the rows of the part that was claimed; False where a number is NULL instead of NaN.

        Raises:
            MadtreeError: it is another part, or was kept already.
        """
        ...

    def grow(self) -> bool:
        """Go on with what was taken for a short while; True when the next part may be claimed."""
        ...

    def step(self) -> bool:
        """Once no part is left: go on for a short while; True when there is nothing left to do."""
        ...

    def end(self) -> None:
        """Let go of work that was stopped half way: without this, files stay until Python looks for objects that
        refer to each other.
        """
        ...


_participants: dict[str, Participant] = {}
_served: set[str] = set()


def lead(key: str, participant: Participant) -> None:
    """Let this process take part as that."""
    _participants[key] = participant


def leave(key: str) -> None:
    participant = _participants.pop(key, None)
    if participant is not None:
        participant.end()
    _served.discard(key)


def join(key: str) -> bool:
    """Take part, once: False in a process that has done so before, or where all is over.

    Raises:
        MadtreeError: this process is neither the training's leader nor one of its workers.
    """
    require_membership(leader_of(key))
    if key in _served:
        return False
    if key not in _participants:
        board = Board.join(key)
        if board is None:
            return False
        plan = board.request(0)
        assert plan is not None
        _participants[key] = _worker(board, codec.load(plan))
    _served.add(key)
    return True


def claim(key: str) -> Part | None:
    return _participant(key).claim()


def keep(key: str, part: int, images: bytes | None) -> bool:
    return _participant(key).keep(part, images)


def grow(key: str) -> bool:
    """As `Participant.grow`; the caller lets the server look for cancels after each."""
    return _participant(key).grow()


def step(key: str) -> bool:
    """As `Participant.step`; the caller lets the server look for cancels after each."""
    return _participant(key).step()


def _worker(board: Board, values: Mapping[str, Any]) -> Participant:
    """What a plan of these values asks of a worker; what other plans need is not loaded."""
    if values.get("what") == "grow blocks":
        from madtree.storage.workers.growers import GrowBlocks, Grower

        return Grower(board, GrowBlocks.from_values(values))
    from madtree.storage.workers.messages import KeepRows
    from madtree.storage.workers.resident import Resident

    return Resident(board, KeepRows.from_values(values))


def _participant(key: str) -> Participant:
    """What this process does; raises MadtreeError where it takes no part."""
    require_membership(leader_of(key))
    if key not in _participants:
        raise MadtreeError("this process has not joined that training", sqlstate="55000")
    return _participants[key]
