"""The database sessions that a case works in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg

from measure.table import SCHEMA

TIMEOUT = "300s"  # of a statement: what takes longer has failed
_STAGE = re.compile(r"(\w+) ([0-9.]+) s")


@dataclass
class Session:
    """What is timed gets its connections from here.

    Attributes:
        db: whatever is not madtree runs in one process in it.
        free: with the server's own settings for parallel workers.
        stages: seconds of the stages of the last training.
    """

    dsn: str
    db: psycopg.Connection
    free: psycopg.Connection
    stages: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for connection in (self.db, self.free):
            connection.add_notice_handler(self._hear)

    def _hear(self, diagnostic: psycopg.errors.Diagnostic) -> None:
        if (message := diagnostic.message_primary or "").startswith("stages: "):
            self.stages = {name: float(seconds) for name, seconds in _STAGE.findall(message)}


def connect(dsn: str) -> psycopg.Connection:
    """A session without JIT that gives up on statements that take too long."""
    db = psycopg.connect(dsn, autocommit=True)
    db.execute("SET jit = off")
    db.execute(f"SET statement_timeout = '{TIMEOUT}'")
    return db


@contextmanager
def session(dsn: str) -> Iterator[Session]:
    """Sessions on a server, with a schema of their own that is dropped at the end."""
    with connect(dsn) as db, connect(dsn) as free:
        if db.execute("SELECT pg_try_advisory_lock(hashtext(%s))", [SCHEMA]).fetchone() != (True,):
            raise SystemExit("another benchmark is running on this server")
        db.execute("SET max_parallel_workers_per_gather = 0")
        db.execute("SET client_min_messages = warning")
        db.execute("CREATE EXTENSION IF NOT EXISTS madtree CASCADE")
        db.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")  # of a run that was killed
        db.execute("RESET client_min_messages")
        db.execute(f"CREATE SCHEMA {SCHEMA}")
        try:
            yield Session(dsn, db, free)
        finally:
            db.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
