"""Memory of a backend while it works, read from /proc."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from pathlib import Path

from measure.inside import Train
from measure.session import connect
from measure.table import Table

INTERVAL = 0.002  # seconds between two looks
MEGABYTE = 2**20
BUDGET = 64 * MEGABYTE  # madtree's default memory_mb
OVERHEAD = 64 * MEGABYTE  # Python, numpy and the backend itself
_BLOCK_BYTES = 32 * MEGABYTE  # of a block's raw numbers, at most
_BLOCK_ROWS = 65_536
_OWN = re.compile(r"^RssAnon:\s+(\d+) kB$", re.MULTILINE)
_HIGHEST = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True)
class Peak:
    """Bytes at a backend's peak.

    Attributes:
        own: anonymous memory, without the shared buffers that it touched.
        resident: all of it (VmHWM).
    """

    own: int
    resident: int


def _read(pid: int, what: re.Pattern[str]) -> int | None:
    """Bytes; None where the process is not on this machine or not to be read."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return None
    match = what.search(status)
    return int(match[1]) * 1024 if match and status.startswith("Name:\tpostgres") else None


def peak_of(dsn: str, training: Train) -> Peak | None:
    """Of the backend that trains, in a new session: its workers' memory does not count."""
    with connect(dsn) as db:
        pid = db.info.backend_pid
        first = _read(pid, _OWN)
        if first is None:
            return None
        stop = threading.Event()
        seen = [first]

        def watch() -> None:
            while not stop.wait(INTERVAL):
                seen.append(_read(pid, _OWN) or 0)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            db.execute(training.statement)
        finally:
            stop.set()
            watcher.join()
        return Peak(max(seen), _read(pid, _HIGHEST) or 0)


def allowed(table: Table, budget: int = BUDGET) -> int:
    """64 MB + the memory budget + one block's raw numbers: features and label as float8."""
    columns = table.total_bins // table.n_rows + 1
    return OVERHEAD + budget + min(8 * _BLOCK_ROWS * columns, _BLOCK_BYTES)
