"""Sessions that tests use one after the other.

The first call of madtree in a session loads Python, numpy and madtree, which takes ten times as long as most calls. So
a session that a test is done with is reset, and the next test has it. What a session's process has loaded is all that
is left of the test before. A test that is about a new session connects by itself, and one that changes modules in its
session closes it.

Plans are kept, too, though DISCARD ALL would forget them: to plan again what each of madtree's functions asks the
catalogue takes a third of many a call. PostgreSQL itself makes those anew whose tables, roles or paths have changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.pq import ExecStatus, PGconn, TransactionStatus

# What DISCARD ALL does, but for DISCARD PLANS.
RESET = (
    "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_catalog.pg_advisory_unlock_all(); "
    "DISCARD SEQUENCES; DISCARD TEMP; DEALLOCATE ALL"
)


class KeptSessions:
    """Sessions by connection string; at most as many as were in use at the same time."""

    def __init__(self) -> None:
        self._idle: defaultdict[str, list[PGconn]] = defaultdict(list)
        self._dead = PGconn.connect_start(b"")
        self._dead.finish()

    @contextmanager
    def session(self, dsn: str) -> Iterator[psycopg.Connection]:
        """A connection as ``psycopg.connect`` makes it, in autocommit mode and without prepared statements.

        A test may close it, and leave it in any state.
        """
        connection = self._take(dsn)
        try:
            yield connection
        finally:
            ours, connection.pgconn = connection.pgconn, self._dead  # for its holder it is closed now
            if as_new(ours):
                self._idle[dsn].append(ours)
            else:
                ours.finish()

    def close(self) -> None:
        """End all that are not in use."""
        for idle in self._idle.values():
            while idle:
                idle.pop().finish()

    def _take(self, dsn: str) -> psycopg.Connection:
        # The latest one first: it is the likeliest to have everything loaded.
        while idle := self._idle[dsn]:
            kept = idle.pop()
            if kept.exec_(b"").status == ExecStatus.EMPTY_QUERY:  # the server may have ended it in the meantime
                connection = psycopg.Connection(kept)
                connection.prepare_threshold = None
                connection.autocommit = True
                return connection
            kept.finish()
        return psycopg.connect(dsn, autocommit=True, prepare_threshold=None)


def as_new(session: PGconn) -> bool:
    """Reset a session: settings, role, temporary tables, locks; False where that is impossible."""
    if session.transaction_status in (TransactionStatus.ACTIVE, TransactionStatus.UNKNOWN):
        return False
    steps = [RESET.encode()]
    if session.transaction_status != TransactionStatus.IDLE:
        steps.insert(0, b"ROLLBACK")
    return all(session.exec_(step).status == ExecStatus.COMMAND_OK for step in steps)
