"""The server's table of locks is full at every stage of a training: an error, and nothing is left."""

from __future__ import annotations

import psycopg
import pytest
from breakable import BreakableServer
from runs import RUNS, outcome

SETTINGS = {
    "max_locks_per_transaction": "10",
    "max_connections": "10",
    "max_worker_processes": "4",
    "max_wal_senders": "0",
}
N_FILLERS = 2000


@pytest.mark.parametrize("name", RUNS)
def test_locks_run_out(breakable: BreakableServer, name: str) -> None:
    with breakable.session() as session, breakable.session() as filler:
        expected = outcome(session, name)
        before = breakable.traces(session)
        n_failed = 0
        for spare in (0, 1, 2, 4, 8, 12, 16, 24, 32, 48):
            filler.execute("BEGIN")
            take_locks(filler, spare)
            try:
                session.execute("BEGIN")
                session.execute(RUNS[name])
            except psycopg.errors.OutOfMemory:
                n_failed += 1
            finally:
                session.execute("ROLLBACK")
                filler.execute("ROLLBACK")
            assert breakable.traces(session) == before
        assert n_failed
        assert outcome(session, name) == expected


def take_locks(session: psycopg.Connection, spare: int) -> None:
    """Take advisory locks until there is room for no more, and let the last `spare` go."""
    taken = 0
    try:
        for key in range(N_FILLERS):
            with session.transaction():
                session.execute("SELECT pg_advisory_xact_lock(77, %s)", [key])
            taken = key
    except psycopg.errors.OutOfMemory:
        pass
    assert 0 < taken < N_FILLERS - 1
    session.execute("ROLLBACK; BEGIN")
    session.execute("SELECT pg_advisory_xact_lock(77, key) FROM generate_series(0, %s) AS key", [taken - spare])
