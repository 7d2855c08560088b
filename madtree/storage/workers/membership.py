"""Who may take part in a training: its leader, and the parallel workers that PostgreSQL has started for the leader."""

from __future__ import annotations

import os
import re
from pathlib import Path

from madtree.errors import MadtreeError

# How PostgreSQL calls a parallel worker, behind the cluster's name, if it has one. It is the whole title: those of
# sessions go on with user, database, host and what they do, so no name that a user could choose makes one look like it.
_WORKER = re.compile(r"postgres: (?:.*: )?parallel worker for PID ([0-9]+) *")


def require_membership(leader: int) -> None:
    """Raises MadtreeError unless this process is that leader, or a parallel worker of its query.

    The process's title tells, as the server has set it. A worker cannot ask the server: Python may run no statement
    there, and what SQL hands over may be a lie.
    """
    if leader not in (os.getpid(), _leader_by_title()):
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
