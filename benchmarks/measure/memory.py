"""Memory of a backend while it works, read from /proc: what is its own, without the shared buffers that it touches."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import psycopg

from measure.data import Table
from measure.inside import train

INTERVAL = 0.002  # seconds between two looks
MEGABYTE = 2**20
BLOCK_ROWS = 65_536
OWN = re.compile(r"^RssAnon:\s+(\d+) kB$", re.MULTILINE)


def own_memory(pid: int) -> int | None:
    """Bytes of anonymous memory that are resident; None where the process is not on this machine or not to be read."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return None
    match = OWN.search(status)
    return int(match[1]) * 1024 if match and status.startswith("Name:\tpostgres") else None


def peak_while_training(dsn: str, table: Table) -> int | None:
    """Bytes at the peak of one `tree_train` in one process, in a new session."""
    with psycopg.connect(dsn, autocommit=True) as db:
        pid = db.info.backend_pid
        peak = own_memory(pid)
        if peak is None:
            return None
        stop = threading.Event()
        seen = [peak]

        def watch() -> None:
            while not stop.wait(INTERVAL):
                seen.append(own_memory(pid) or 0)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            train(db, table).run()
        finally:
            stop.set()
            watcher.join()
        return max(seen)


def allowed(table: Table, budget: int) -> int:
    """64 MB + the memory budget + one block's raw arrays: features and label as float8."""
    return 64 * MEGABYTE + budget + BLOCK_ROWS * (table.n_columns + 1) * 8
