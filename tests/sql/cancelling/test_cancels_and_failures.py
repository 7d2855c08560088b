"""Trainings that are cancelled or fail, at each of their stages: nothing is left of them, and what was there stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from training import left_behind, read_model, train
from waiting import PATIENCE, wait_until_blocked

N_ROWS = 70_000  # more than a block
GATE = 6_021_023  # the advisory lock that a training waits for
WHAT = ("label", "x, n, level, passes(id)")
DATA = f"""
    CREATE TABLE data AS SELECT
        i AS id, sin(i) AS x, i * 7919 % 1009 AS n, 'level ' || i * 31 % 17 AS level,
        (sin(i) + cos(i * 1.7) > 0.3) <> (i % 11 = 0) AS label
    FROM generate_series(1, {N_ROWS}) i;
    CREATE VIEW viewed AS SELECT * FROM data;
"""
# A training asks `passes` in each row, and `tables_made` after each table that it makes. What the setting test.stop
# names is where they wait for the gate, or fail.
STOPS = f"""
    CREATE FUNCTION stop(here text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        IF current_setting('test.stop', true) = 'wait ' || here THEN
            PERFORM pg_advisory_xact_lock_shared({GATE});
        ELSIF current_setting('test.stop', true) = 'fail ' || here THEN
            RAISE EXCEPTION 'failed %', here USING ERRCODE = 'XX999';
        END IF;
    END $$;
    CREATE FUNCTION passes(id int) RETURNS int LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
        IF id IN (1, {N_ROWS // 2}, {N_ROWS}) THEN PERFORM stop('in row ' || id); END IF;
        RETURN id % 3;
    END $$;
    CREATE FUNCTION tables_made() RETURNS event_trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
        IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity LIKE '%.model_summary') THEN
            PERFORM stop('where tables are made');
        END IF;
    END $$;
    CREATE EVENT TRIGGER madtree_test_tables_made ON ddl_command_end
        WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION tables_made();
"""
PLACES = ["in row 1", f"in row {N_ROWS // 2}", f"in row {N_ROWS}", "where tables are made"]


@pytest.fixture(autouse=True)
def _data(db: psycopg.Connection) -> Iterator[None]:
    db.execute(DATA)
    db.execute(STOPS)
    yield
    db.execute("DROP EVENT TRIGGER madtree_test_tables_made")


@pytest.mark.in_turn
@pytest.mark.parametrize("source", ["data", "viewed"])
@pytest.mark.parametrize("place", PLACES)
def test_a_training_that_is_cancelled_leaves_nothing_behind(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], source: str, place: str
) -> None:
    session = connect()
    before = left_behind(db, session.info.backend_pid)
    db.execute("SELECT pg_advisory_lock(%s)", [GATE])
    session.execute("SELECT set_config('test.stop', %s, false)", [f"wait {place}"])
    with ThreadPoolExecutor() as pool:
        training = pool.submit(train, session, source, "model", *WHAT)
        wait_until_blocked(db, session.info.backend_pid)
        session.cancel_safe()
        with pytest.raises(psycopg.errors.QueryCanceled, match="due to user request"):
            training.result(PATIENCE)
    db.execute("SELECT pg_advisory_unlock(%s)", [GATE])

    assert left_behind(session) == before
    train(session, source, "model", *WHAT)
    train(db, "data", "reference", *WHAT)
    assert read_model(session, "model") == read_model(db, "reference")


@pytest.mark.parametrize("workers", [0, 2])
def test_a_training_that_is_cancelled_between_levels_leaves_nothing_behind(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], workers: int
) -> None:
    """Cancelled when it tells of its third level of many, each of which takes longer than a cancel."""
    session = connect()
    levels: list[str] = []

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        message = notice.message_primary or ""
        if message.startswith("level "):
            levels.append(message)
        if message.startswith("level 2:"):
            db.execute("SELECT pg_cancel_backend(%s)", [session.info.backend_pid])

    session.add_notice_handler(hear)
    deep = {"max_depth": 25, "min_split": 2, "n_bins": 1000, "pruning_params": "n_folds=20", "verbose": True}
    before = left_behind(db, session.info.backend_pid)
    with pytest.raises(psycopg.errors.QueryCanceled, match="due to user request"):
        train(session, "data", "model", "label", "x, n", parallel_workers=workers, **deep)
    assert 3 <= len(levels) < 15
    assert left_behind(session) == before


@pytest.mark.parametrize("place", PLACES)
def test_a_training_that_fails_leaves_the_model_that_it_was_to_replace(db: psycopg.Connection, place: str) -> None:
    """At the last of these places the old model is dropped already, within the transaction."""
    train(db, "data", "model", "label", "x, n")
    model, before = read_model(db, "model"), left_behind(db)
    db.execute("SELECT set_config('test.stop', %s, false)", [f"fail {place}"])
    with pytest.raises(psycopg.Error, match=f"failed {place}") as caught:
        train(db, "data", "model", *WHAT, replace=True)
    assert caught.value.sqlstate == "XX999"
    assert read_model(db, "model") == model
    assert left_behind(db) == before
