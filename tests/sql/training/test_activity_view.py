"""The view `madtree.activity`: what it says of trainings under way, to whom, and what it makes of made-up names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from waiting import PATIENCE, wait_until, wait_until_blocked

import madtree
from madtree.host import shown
from madtree.host.psycopg import PsycopgHost

Connect = Callable[[], psycopg.Connection]
NAME = "SELECT application_name FROM pg_stat_activity WHERE pid = %s"
OF_PID = """
    SELECT function, engine, source_table, n_rows, stage, step, n_done, n_total, remaining, n_workers
    FROM madtree.activity WHERE pid = %s
"""
WAITS = """
    CREATE FUNCTION waits(x float8) RETURNS float8 LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock_shared(4711);
        RETURN x;
    END $$
"""
TRAIN = "SELECT madtree.tree_train('t', 'm', 'id', 'y', 'waits(x)')"
# Each would be one digit too long for its type, or is no number, or has something behind it.
NO_NAMES = (
    "madtree tree level 1234567890 - - -",
    "madtree tree level 1/1234567890 - - -",
    "madtree tree tree 1/2 1234567890s - -",
    "madtree tree tree 1/2 1s 1234567890123456789 -",
    "madtree tree tree 1/2 1s 1 12345678901",
    "madtree tree dance - - - -",
    "madtree tree level one - - -",
    "madtree tree level 1 - - - ",
    "madtree tree level 1 - - -; DROP",
    "{\"'\\",
    "madtree",
)
ODD_NAMES = ("madtree tree level 999999999/0 999999999s 999999999999999999 9999999999", "madtree tree level - - - 0")


@pytest.fixture
def table(db: psycopg.Connection, schema: str) -> str:
    db.execute("CREATE TABLE t AS SELECT i AS id, i::float8 AS x, i % 3 = 0 AS y FROM generate_series(1, 90000) AS i")
    db.execute(WAITS)
    return f"{schema}.t"


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as executor:
        yield executor


@contextmanager
def waiting(
    watcher: psycopg.Connection, trainer: psycopg.Connection, pool: ThreadPoolExecutor
) -> Iterator[Future[psycopg.Cursor]]:
    """A training that waits for the block to end."""
    watcher.execute("SELECT pg_advisory_lock(4711)")
    training = pool.submit(trainer.execute, TRAIN)
    try:
        wait_until_blocked(watcher, trainer.info.backend_pid)
        yield training
    finally:
        watcher.execute("SELECT pg_advisory_unlock(4711)")


def test_a_training_is_a_row_and_the_session_has_its_name_again(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor, table: str
) -> None:
    trainer = connect()
    trainer.execute("SET application_name = 'mine'")
    pid = trainer.info.backend_pid
    with waiting(db, trainer, pool) as training:
        row = db.execute(OF_PID, [pid]).fetchone()
        assert row is not None
        assert row[:3] == ("tree_train", "extension", table)
        assert row[4] == "sample"
        looks = "SELECT role = current_user AND database = current_database() AND elapsed > '0', query"
        assert db.execute(f"{looks} FROM madtree.activity WHERE pid = %s", [pid]).fetchone() == (True, TRAIN)
    training.result(PATIENCE)
    assert db.execute(OF_PID, [pid]).fetchone() is None
    assert db.execute(NAME, [pid]).fetchone() == ("mine",)
    assert trainer.execute("SHOW application_name").fetchone() == ("mine",)


def test_after_a_cancel_the_session_has_its_name_again(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor, table: str
) -> None:
    trainer = connect()
    trainer.execute("SET application_name = 'mine'")
    pid = trainer.info.backend_pid
    with waiting(db, trainer, pool) as training:
        cancel = "SELECT pg_cancel_backend(pid) FROM madtree.activity WHERE pid = %s"
        assert db.execute(cancel, [pid]).fetchone() == (True,)
        with pytest.raises(psycopg.errors.QueryCanceled):
            training.result(PATIENCE)
    assert db.execute(NAME, [pid]).fetchone() == ("mine",)


def test_workers_and_what_remains_show_while_a_parallel_query_runs(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor, table: str
) -> None:
    trainer = connect()
    call = (
        "SELECT madtree.forest_train('t', 'f', 'id', 'y', 'x', num_trees => 60, strategy => 'workers', "
        "parallel_workers => 1, replace => true)"
    )
    training = pool.submit(trainer.execute, call)

    def growing() -> tuple[object, ...] | None:
        nonlocal training
        if training.done():  # on a busy machine, before a worker came
            training.result()
            training = pool.submit(trainer.execute, call)
        row = db.execute(OF_PID, [trainer.info.backend_pid]).fetchone()
        return row if row and row[5] == "tree" and row[9] else None

    row = wait_until(growing, "no tree was ever counted beside a worker")
    assert row is not None
    assert row[:6] == ("forest_train", "extension", table, 90000, "passes", "tree")
    assert (row[7], row[9]) == (60, 1)
    assert row[8] is not None
    training.result(PATIENCE)


def test_others_see_it_only_if_they_may(
    db: psycopg.Connection,
    user_db: psycopg.Connection,
    connect: Connect,
    pool: ThreadPoolExecutor,
    ordinary_user: tuple[str, str],
    table: str,
) -> None:
    """The row is theirs to see to whom pg_stat_activity shows the session in full."""
    trainer = connect()
    count = f"SELECT count(*) FROM madtree.activity WHERE pid = {trainer.info.backend_pid}"
    with waiting(db, trainer, pool) as training:
        assert user_db.execute(count).fetchone() == (0,)
        db.execute(f"GRANT pg_read_all_stats TO {ordinary_user[0]}")
        try:
            assert user_db.execute(count).fetchone() == (1,)
        finally:
            db.execute(f"REVOKE pg_read_all_stats FROM {ordinary_user[0]}")
    training.result(PATIENCE)


def test_everybody_may_see_the_stage_and_no_name(
    db: psycopg.Connection, user_db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor, table: str
) -> None:
    """PostgreSQL shows application_name to every role of the cluster."""
    trainer = connect()
    oid = db.execute("SELECT 't'::regclass::oid").fetchone()
    with waiting(db, trainer, pool) as training:
        (said,) = user_db.execute(NAME, [trainer.info.backend_pid]).fetchone() or ("",)
        assert said.startswith("madtree tree sample - - ")
        assert said.split()[-1] == str(oid[0] if oid else None)
    training.result(PATIENCE)


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_made_up_name_is_no_row(db: psycopg.Connection, connect: Connect, name: str) -> None:
    other = connect()
    with other.transaction():
        other.execute("SELECT pg_current_xact_id()")
        other.execute("SELECT set_config('application_name', %s, true)", [name])
        assert db.execute(OF_PID, [other.info.backend_pid]).fetchall() == []


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_made_up_name_that_looks_right_makes_no_error(db: psycopg.Connection, connect: Connect, name: str) -> None:
    other = connect()
    with other.transaction():
        other.execute("SELECT pg_current_xact_id()")
        other.execute("SELECT set_config('application_name', %s, true)", [name])
        db.execute("SELECT * FROM madtree.activity").fetchall()


def test_the_view_does_not_ask_the_search_path(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor, schema: str, table: str
) -> None:
    """Operators that fit better would be called."""
    watcher = connect()
    watcher.execute("CREATE FUNCTION trap(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT 1 / 0 = 1'")
    watcher.execute("CREATE OPERATOR = (LEFTARG = text, RIGHTARG = text, FUNCTION = trap)")
    watcher.execute(f"SET search_path = {schema}, pg_catalog")
    trained = connect()
    with waiting(db, trained, pool) as training:
        found = watcher.execute("SELECT pid FROM madtree.activity").fetchall()
        assert (trained.info.backend_pid,) in found  # perhaps beside those of other tests
    training.result(PATIENCE)


def test_a_client_shows_itself_in_its_transaction(
    db: psycopg.Connection, connect: Connect, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "_SECONDS", 0.0)
    client = connect()
    client.execute("SET application_name = 'mine'")
    pid, host = client.info.backend_pid, PsycopgHost(client)
    with client.transaction():
        with host.shown() as show:
            client.execute("SELECT pg_current_xact_id()")
            show("madtree-client tree pack 30/40 1s 90000 -")
            row = db.execute(OF_PID, [pid]).fetchone()
            assert row is not None
            assert row[:8] == ("tree_train", "client", None, 90000, "pack", "page range", 30, 40)
            assert str(row[8]) == "0:00:01"
        assert db.execute(NAME, [pid]).fetchone() == ("mine",)
        madtree.connect(client, engine="client").tree_train(table, "m", "id", "y", ["x"])
        assert client.execute("SHOW application_name").fetchone() == ("mine",)


def test_a_client_that_is_refused_leaves_no_name(
    dsn: str, db: psycopg.Connection, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "_SECONDS", 0.0)
    with psycopg.connect(make_conninfo(dsn, application_name="mine"), autocommit=True) as connection:
        client = madtree.connect(connection, engine="client")
        with pytest.raises(madtree.MadtreeError):
            client.tree_train(table, "m", "id", "y", ["x"], weights="'-1'::float8")
        assert db.execute(NAME, [connection.info.backend_pid]).fetchone() == ("mine",)
