"""A table of many rows in the database without the extension, functions that stop at one of them, and what must not be
left then.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import psycopg
import pytest
from fix_server import Server
from plain_database import left_over
from waiting import wait_until

# Rows that are more than a block, so that page ranges are read; and functions that stop at one of them.
N_ROWS = 70_000
LATE = N_ROWS - 5_000
MAKE = f"""
    CREATE TABLE shop.many AS SELECT i AS id, i * 37 % 90 AS age, i % 3 = 0 AS bought
        FROM generate_series(1, {N_ROWS}) i;
    CREATE FUNCTION shop.end_at(id int, stop int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE SECURITY DEFINER AS
        'BEGIN IF id = stop THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN id; END;';
    CREATE FUNCTION shop.sleep_at(id int, stop int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS
        'BEGIN IF id = stop THEN PERFORM pg_sleep(600); END IF; RETURN id; END';
    GRANT SELECT ON shop.many TO PUBLIC;
    ANALYZE shop.many
"""
MADE = ["shop.end_at(integer,integer)", "shop.many", "shop.sleep_at(integer,integer)"]
DROP = "DROP TABLE shop.many; DROP FUNCTION shop.end_at, shop.sleep_at"
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND {}"
AT_WORK = SESSIONS.format("xact_start IS NOT NULL AND backend_type = 'client backend'")
ASLEEP = SESSIONS.format("wait_event = 'PgSleep'")


@pytest.fixture
def admin(plain: str, server: Server) -> Iterator[psycopg.Connection]:
    """A superuser's session in the database without the extension."""
    name = psycopg.conninfo.conninfo_to_dict(plain)["dbname"]
    with psycopg.connect(server.dsn_of(dbname=str(name)), autocommit=True) as session:
        session.execute(MAKE)
        yield session
        session.execute(DROP)


def count(admin: psycopg.Connection, query: str) -> int:
    row = admin.execute(query).fetchone()
    assert row is not None
    return int(row[0])


def assert_nothing_is_left(admin: psycopg.Connection, plain: str, n_sessions: int = 0) -> None:
    """No thread that reads, no model, and no session but so many, with none of them in a transaction."""
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("madtree-")]
    wait_until(lambda: count(admin, SESSIONS.format("backend_type = 'client backend'")) == n_sessions, "still there")
    assert count(admin, AT_WORK) == 0
    assert left_over(plain) == MADE
