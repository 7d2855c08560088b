"""Processes killed while settings are tried, or a model explains, calibrates or learns of other rows: the server
recovers, nothing is left, and the next call answers the same.
"""

from __future__ import annotations

import os
import signal
import threading
import time

import psycopg
import pytest
from breakable import BreakableServer
from runs import RUNS
from test_killed_processes import SMALL_FILES, check, state, workers
from waiting import wait_until

NAMES = (
    "boosted", "boosted by workers", "ordered categories", "settings", "settings by workers", "settings of boosting",
    "predict by a boosted model", "contributions", "contributions of a forest", "partial dependence",
    "permutation importance", "calibrate", "calibrate a forest", "refresh", "refresh a boosted model", "statistics",
)  # fmt: skip
WITH_WORKERS = ("boosted by workers", "settings by workers")
WITH_ROWS = ("predict by a boosted model", "contributions", "contributions of a forest")
SHARES, LEAST = (0.2, 0.6), 0.01  # of the time that a call takes, when it is hit
ENDED = ("57P01", None)  # of who is told to end; a session that is gone has no SQLSTATE


class Striker:
    """Hits a process while its session is at a call."""

    def __init__(self, breakable: BreakableServer, pid: int, how: signal.Signals, *, after: float, whom: str) -> None:
        self._breakable, self._pid, self._how, self._whom = breakable, pid, how, whom
        self._timer = threading.Timer(after, self._strike)
        self.victims: list[int] = []
        self._over = threading.Event()

    def _strike(self) -> None:
        while not self._over.is_set() and not self.victims:
            self.victims = [self._pid] if self._whom == "leader" else workers(self._breakable)[:1]
            for victim in self.victims:
                os.kill(victim, self._how)

    def __enter__(self) -> Striker:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._timer.cancel()
        self._timer.join()


def error_of(session: psycopg.Connection, run: str) -> psycopg.Error | None:
    try:
        session.execute(run)  # type: ignore[arg-type]
    except psycopg.Error as error:
        return error
    return None


def struck(breakable: BreakableServer, name: str, how: signal.Signals, *, after: float, whom: str) -> bool:
    """Whether a process was hit before the call had ended; then nothing of it runs any more."""
    with breakable.session() as session:
        pid = session.info.backend_pid
        with Striker(breakable, pid, how, after=after, whom=whom) as striker:
            error = error_of(session, RUNS[name])
        if error is None:
            return False
    assert error.sqlstate in ENDED, error
    # Until the postmaster has seen it; only then does it restart the others.
    breakable.wait_for_end(striker.victims)
    breakable.wait_for_recovery()
    wait_until(lambda: pid not in breakable.children() and not workers(breakable), "a process stays")
    return True


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["terminated", "killed"])
@pytest.mark.parametrize("whom", ["leader", "worker"])
def test_a_process_of_a_call(breakable: BreakableServer, name: str, how: signal.Signals, whom: str) -> None:
    if whom == "worker" and name not in WITH_WORKERS:
        pytest.skip("only resident workers are sure to be there")
    before, expected = state(breakable, name)
    orphans = breakable.orphans()
    with breakable.session() as session, session.transaction(force_rollback=True):
        begin = time.monotonic()
        session.execute(RUNS[name])
        seconds = time.monotonic() - begin
    with breakable.session() as session:
        # An UNLOGGED table that was rolled back must not be met by the crash (docs/limits.md).
        session.execute("CHECKPOINT")
    for share in SHARES:
        while not struck(breakable, name, how, after=seconds * share, whom=whom):  # it was quicker this time
            undo(breakable, name)
            share /= 2
            assert share > LEAST, "no process can be hit"
        check(breakable, before, expected, name)
    # A crash leaves files of what was not committed, as PostgreSQL does: small ones, unless each row was written.
    left = {name: size for name, size in breakable.orphans().items() if name not in orphans}
    assert sum(left.values()) < SMALL_FILES or name in WITH_ROWS, left


def undo(breakable: BreakableServer, name: str) -> None:
    """Remove what the call has made."""
    with breakable.session() as session:
        made = "SELECT relname FROM pg_class WHERE relname ~ '^out(_|$)' AND relnamespace = 'public'::regnamespace "
        for kind, letter in (("VIEW", "v"), ("TABLE", "r")):
            for (table,) in session.execute(f"{made} AND relkind = '{letter}'").fetchall():  # type: ignore[arg-type]
                session.execute(f"DROP {kind} {table}")  # type: ignore[arg-type]
