"""Trainings side by side, trainings that are stopped half-way, and workers: none of it shows in a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import psycopg
import pytest
from trees import read_model

N_ROWS = 150_000
GATE = 6_021_023  # the advisory lock that a training waits for

DATA = f"""
    CREATE TABLE data AS SELECT
        i AS id, i % 3 AS grp, sin(i) AS x1, cos(i * 1.7) AS x2, i * 7919 % 1009 AS n, 'level ' || i * 31 % 17 AS level,
        (sin(i) + cos(i * 1.7) > 0.3) <> (i % 11 = 0) AS label, sin(i) * 2 + i % 11 AS target
    FROM generate_series(1, {N_ROWS}) i
"""
TRAIN = "SELECT madtree.tree_train('data', %s, 'id', 'label', 'x1, x2, n, level', max_depth => 6)"


@pytest.fixture(autouse=True)
def _data(db: psycopg.Connection) -> None:
    db.execute(DATA)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as executor:
        yield executor


def wait_until_blocked(db: psycopg.Connection, pid: int) -> None:
    """Return once the session `pid` waits for another one's lock."""
    for _ in range(600):
        if db.execute("SELECT pg_blocking_pids(%s) <> '{}'", [pid]).fetchone() == (True,):
            return
        time.sleep(0.05)
    pytest.fail(f"session {pid} never waited for a lock")


def relations(db: psycopg.Connection) -> set[str]:
    """Every relation of this database, in whatever schema, with its persistence."""
    query = "SELECT format('%s.%s (%s)', relnamespace::regnamespace, relname, relpersistence) FROM pg_class"
    return {name for (name,) in db.execute(query)}


def test_different_outputs_do_not_wait_for_each_other(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection]
) -> None:
    """The first training's transaction is still open while the second runs from beginning to end."""
    with db.transaction():
        db.execute(TRAIN, ["one"])
        other = connect()
        other.execute("SET lock_timeout = '10s'")
        other.execute(TRAIN, ["two"])
    assert read_model(db, "one") == read_model(other, "two")


def test_trainings_at_the_same_time_give_what_each_gives_alone(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], pool: ThreadPoolExecutor
) -> None:
    db.execute(TRAIN, ["alone"])
    futures = [pool.submit(connect().execute, TRAIN, [f"model{number}"]) for number in range(4)]
    for future in futures:
        future.result()

    alone = read_model(db, "alone")
    for number in range(4):
        assert read_model(db, f"model{number}") == alone


@pytest.mark.parametrize("first_commits", [True, False])
def test_of_two_with_the_same_output_one_wins(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], pool: ThreadPoolExecutor, first_commits: bool
) -> None:
    """The second waits for the first to finish; then it fails, or trains where the first was rolled back."""
    first, second = connect(), connect()
    first.execute("BEGIN")
    first.execute(TRAIN, ["model"])
    waiting: Future[psycopg.Cursor] = pool.submit(second.execute, TRAIN, ["model"])
    wait_until_blocked(db, second.info.backend_pid)
    first.execute("COMMIT" if first_commits else "ROLLBACK")

    if first_commits:
        with pytest.raises(
            (psycopg.errors.UniqueViolation, psycopg.errors.DuplicateTable, psycopg.errors.RaiseException)
        ):
            waiting.result()
    else:
        waiting.result()
    db.execute(TRAIN, ["reference"])
    assert read_model(db, "model") == read_model(db, "reference")


def test_a_cancelled_training_leaves_nothing_behind(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], pool: ThreadPoolExecutor
) -> None:
    """The source is a view whose rows stop flowing half-way, until the session is cancelled from outside."""
    db.execute(f"""
        CREATE FUNCTION flows(id int) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
            IF id = {N_ROWS // 2} THEN PERFORM pg_advisory_xact_lock_shared({GATE}); END IF;
            RETURN true;
        END $$;
        CREATE VIEW stuck AS SELECT * FROM data WHERE flows(id)
    """)
    before = relations(db)
    db.execute("SELECT pg_advisory_lock(%s)", [GATE])
    session = connect()
    training = pool.submit(session.execute, TRAIN.replace("'data'", "'stuck'"), ["model"])
    wait_until_blocked(db, session.info.backend_pid)
    assert relations(db) == before
    session.cancel_safe()

    with pytest.raises(psycopg.errors.QueryCanceled):
        training.result()
    assert relations(session) == before
    db.execute("SELECT pg_advisory_unlock(%s)", [GATE])
    session.execute(TRAIN.replace("'data'", "'stuck'"), ["model"])
    db.execute(TRAIN, ["reference"])
    assert read_model(db, "model") == read_model(db, "reference")


def test_a_training_that_runs_out_of_time_leaves_nothing_behind(db: psycopg.Connection) -> None:
    """Stopped after shares of the time that it takes: sampling, packing and the level loop are all cut through."""
    db.execute(TRAIN, ["reference"])
    begin = time.perf_counter()
    db.execute(TRAIN.replace("max_depth", "replace => true, max_depth"), ["reference"])
    seconds = time.perf_counter() - begin
    before = relations(db)

    stopped = 0
    for share in (0.1, 0.25, 0.4, 0.55, 0.7, 0.85):
        db.execute(f"SET statement_timeout = {max(1, int(seconds * share * 1000))}")
        try:
            db.execute(TRAIN, ["model"])
        except psycopg.errors.QueryCanceled:
            stopped += 1
        db.execute("RESET statement_timeout")
        if stopped and db.execute("SELECT to_regclass('model') IS NULL").fetchone() == (True,):
            assert relations(db) == before
        else:  # a machine that has become faster finishes what was to be stopped
            db.execute("SELECT madtree.tree_drop('model')")
    assert stopped >= 2

    db.execute(TRAIN, ["model"])
    assert read_model(db, "model") == read_model(db, "reference")


def test_replacing_a_model_is_all_or_nothing(db: psycopg.Connection) -> None:
    """A training that fails leaves the model that it was to replace as it was."""
    db.execute(TRAIN, ["model"])
    before = read_model(db, "model")
    db.execute("SET statement_timeout = '50ms'")
    with pytest.raises(psycopg.errors.QueryCanceled):
        db.execute(TRAIN.replace("max_depth", "replace => true, n_bins => 0, max_depth"), ["model"])
    db.execute("RESET statement_timeout")

    assert read_model(db, "model") == before


@pytest.mark.parametrize(
    ("dependent", "options"),
    [
        ("label", ""),
        ("target", ", split_criterion => 'mse'"),
        ("label", ", split_criterion => 'entropy', n_bins => 0"),
        ("label", ", grouping_cols => 'grp'"),
        ("label", ", weights => '1 + id % 3'"),
    ],
    ids=["gini", "mse", "entropy, exact", "grouped", "weighted"],
)
def test_workers_do_not_change_a_bit(db: psycopg.Connection, dependent: str, options: str) -> None:
    for workers in (0, 2):
        db.execute(
            f"SELECT madtree.tree_train('data', 'workers{workers}', 'id', '{dependent}', 'x1, x2, n, level',"
            f" max_depth => 6, parallel_workers => {workers} {options})"
        )
    assert read_model(db, "workers2") == read_model(db, "workers0")
