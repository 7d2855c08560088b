"""A model that some score by while others replace or drop it: everybody waits for their turn, nobody deadlocks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from training import train
from waiting import PATIENCE, wait_until_blocked

TRAIN = "SELECT tree_train('data', 'm', 'id', 'y', 'x', replace => true, surrogate_params => 'max_surrogates=1')"


@pytest.fixture
def pair(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection]
) -> tuple[psycopg.Connection, psycopg.Connection]:
    """Two sessions, not in autocommit mode, and the model `m` of the table `data`."""
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i * 7919 % 100 AS x, i * 7919 % 100 > 40 AS y "
        "FROM generate_series(1, 500) i"
    )
    db.execute(TRAIN)
    one, other = connect(), connect()
    one.autocommit = other.autocommit = False
    return one, other


@pytest.mark.parametrize("change", [TRAIN, "SELECT tree_drop('m')"], ids=["replace", "drop"])
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
        (line,) = changed.result(PATIENCE).fetchone()
    assert line.startswith("tree_drop: dropped " if "drop" in change else "m: ")
    writer.commit()
    left = db.execute("SELECT to_regclass('m') IS NOT NULL").fetchone()
    assert left == ("drop" not in change,)


def test_scoring_waits_for_the_model_that_replaces(
    db: psycopg.Connection, pair: tuple[psycopg.Connection, psycopg.Connection]
) -> None:
    """The new model knows 700 as an id that is late; the old one had not looked at the id."""
    reader, writer = pair
    db.execute("CREATE TABLE new AS SELECT 700 AS id, 1 AS x")
    train(writer, "data", "m", "id > 400", "id + 0", replace=True)
    with ThreadPoolExecutor(1) as pool:
        scored = pool.submit(reader.execute, "SELECT tree_predict('m', 'new', 'scored', 'prob')")
        wait_until_blocked(db, reader.info.backend_pid)
        writer.commit()
        scored.result(PATIENCE)
    reader.commit()
    assert db.execute("SELECT * FROM scored").fetchone() == (700, 0.0, 1.0)
