"""Who may take part in a parallel query of resident workers, what each process does there, and how the SQL functions
reach it. Those are a training's leader, and the workers that PostgreSQL has started for the leader.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from madtree.errors import MadtreeError
from madtree.learn.data import codec
from madtree.storage.workers.board import Board, Part, leader_of

# How PostgreSQL calls a parallel worker, behind the cluster's name, if it has one. It is the whole title: those of
# sessions go on with user, database, host and what they do, so no name that a user could choose makes one look like it.
_WORKER = re.compile(r"postgres: (?:.*: )?parallel worker for PID ([0-9]+) *")


def require_membership(leader: int) -> None:
    """Raises MadtreeError unless this process is that leader, or a parallel worker of its query.

    The process's title tells, as the server has set it. A worker cannot ask the server: Python may run no statement
    there, and what SQL hands over may be a lie. A worker is one for as long as its process lives, so what its title has
    told once is kept.
    """
    process = os.getpid()
    if leader in (process, _leaders.get(process)):
        return
    _leaders[process] = _leader_by_title()
    if leader != _leaders[process]:
        raise MadtreeError(
            f"this process is not a parallel worker of process {leader}, and cannot take part in its training",
            sqlstate="42501",
        )


def leader_of_title(title: str) -> int | None:
    """The process that a parallel worker of this title works for; None where it is the title of another process."""
    match = _WORKER.fullmatch(title)
    return int(match[1]) if match else None


def _leader_by_title() -> int | None:
    try:
        title = Path("/proc/self/cmdline").read_bytes()
    except OSError:
        return None
    return leader_of_title(title.rstrip(b"\0").decode("utf-8", "replace"))


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


_leaders: dict[int, int | None] = {}  # by process
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
