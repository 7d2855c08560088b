"""A model that some score by while others replace or drop it: everybody waits for their turn, nobody deadlocks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

TRAIN = "SELECT tree_train('data', 'm', 'id', 'y', 'x', replace => true, surrogate_params => 'max_surrogates=1')"


@pytest.fixture
def pair(db: psycopg.Connection, dsn: str, schema: str) -> Iterator[tuple[psycopg.Connection, psycopg.Connection]]:
    """Two sessions, and the model `m` of the table `data`."""
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i * 7919 % 100 AS x, i * 7919 % 100 > 40 AS y "
        "FROM generate_series(1, 500) i"
    )
    db.execute(TRAIN)
    with psycopg.connect(dsn) as one, psycopg.connect(dsn) as other:
        for session in (one, other):
            session.execute(f"SET search_path = {schema}, public, madtree")
            session.commit()
        yield one, other


def wait_until_blocked(db: psycopg.Connection, pid: int) -> None:
    for _ in range(200):
        if db.execute("SELECT pg_blocking_pids(%s) <> '{}'", [pid]).fetchone() == (True,):
            return
        time.sleep(0.05)
    pytest.fail(f"session {pid} never waited for a lock")


@pytest.mark.parametrize("change", [TRAIN, "SELECT tree_drop('m')"])
def test_a_reader_who_has_begun_can_finish(
    db: psycopg.Connection, pair: tuple[psycopg.Connection, psycopg.Connection], change: str
) -> None:
    reader, writer = pair
    reader.execute("SELECT * FROM m_summary")  # where all of madtree's readers begin
    with ThreadPoolExecutor(1) as pool:
        changed = pool.submit(writer.execute, change)
        wait_until_blocked(db, writer.info.backend_pid)
        for part in ("m", "m_nodes", "m_surrogates"):
            reader.execute(f"SELECT * FROM {part}")
        reader.execute("SELECT tree_display('m'), tree_sql('m')")
        reader.commit()
        assert changed.result(timeout=30).fetchone()
    writer.commit()


def test_scoring_waits_for_the_model_that_replaces(
    db: psycopg.Connection, pair: tuple[psycopg.Connection, psycopg.Connection]
) -> None:
    reader, writer = pair
    writer.execute(TRAIN.replace("'x'", "'id, x'"))
    with ThreadPoolExecutor(1) as pool:
        scored = pool.submit(reader.execute, "SELECT tree_predict('m', 'data', 'scored')")
        wait_until_blocked(db, reader.info.backend_pid)
        writer.commit()
        scored.result(timeout=30)
    reader.commit()
    assert db.execute("SELECT count(*) FROM scored").fetchone() == (500,)
