"""Waiting for what other sessions and programs do: for a condition, and never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import psycopg
import pytest

T = TypeVar("T")

# Of a machine that is busy with other things; nobody waits so long unless something is wrong.
PATIENCE = 120.0


def wait_until(condition: Callable[[], T], failure: str, seconds: float = PATIENCE) -> T:
    """The first true value of `condition`; after so many seconds the test fails with the sentence `failure`."""
    deadline, pause = time.monotonic() + seconds, 0.001
    while not (found := condition()):
        if time.monotonic() > deadline:
            pytest.fail(f"{failure} (within {seconds:.0f} s)")
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    return found


def wait_until_blocked(db: psycopg.Connection, pid: int) -> None:
    """Return once the session `pid` waits for another one's lock."""
    wait_until(
        lambda: db.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [pid]).fetchone() == (True,),
        f"session {pid} never waited for a lock",
    )
