"""A training's rows over several connections: in one snapshot, as the same user, the same model."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import psycopg
import pytest
from training import Tables, read_model, train_by_client
from waiting import wait_until, wait_until_blocked

import madtree
from madtree.host import Sharing
from madtree.host.more_sessions import WORTH_BYTES
from madtree.host.psycopg import PsycopgHost
from madtree.request import Tuning

BY_PASSES = Tuning(block_rows=1_500, read_rows=700, surely_large=100)  # what a client does where rows are many
N_ROWS = 4_000
MAKE = f"""
    CREATE TABLE t AS SELECT i AS id, i % 3 AS g, (i % 1013 * 7919 % 1013 > 500) <> (i % 7 = 0) AS y,
        nullif(i * 31 % 977, 5) / 977.0::float8 AS a, nullif(i * 17 % 211, 7) AS b,
        nullif('category ' || i * 13 % 19, 'category 3') AS c, date '2024-01-01' + i * 7 % 90 AS day
    FROM generate_series(1, {N_ROWS}) i;
    ANALYZE t
"""
OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'madtree test readers' AND pid <> pg_backend_pid()
"""


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("SET application_name = 'madtree test readers'")  # which the others take from this session


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """How the rows of the trainings since the last call were read."""
    caplog.set_level(logging.DEBUG, logger="madtree")

    def lines() -> list[str]:
        found = [record.message for record in caplog.records if record.message.startswith("madtree: rows are read")]
        caplog.clear()
        return found

    return lines


def trained(db: psycopg.Connection, connections: int | None, table: str = "t", **more: Any) -> Tables:
    """The tables of the model of a training."""
    arguments = {"list_of_features": "a, b, c", "max_depth": 5, "replace": True, **more}
    train_by_client(
        PsycopgHost(db, connections=connections),
        BY_PASSES,
        training_table_name=table,
        output_table_name="m",
        id_col_name="id",
        dependent_variable="y",
        **arguments,
    )
    return {part: rows for part, rows in read_model(db, "m").items() if part != "_summary"}


def others(db: psycopg.Connection) -> int:
    """Sessions beside this one that were opened to read."""
    row = db.execute(OTHERS).fetchone()
    assert row is not None
    return int(row[0])


Said = Callable[[], list[str]]
OVER_TWO = ["madtree: rows are read over 2 other connections"]
PARTS = """
    CREATE TABLE parts (LIKE t) PARTITION BY LIST (g);
    CREATE TABLE parts_0 PARTITION OF parts FOR VALUES IN (0);
    CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1, 2);
    INSERT INTO parts SELECT * FROM t; ANALYZE parts
"""


def test_the_model_is_the_same(db: psycopg.Connection, said: Said) -> None:
    """Of tables and their partitions, and by settings that the session has made."""
    db.execute(PARTS)
    db.execute("SET DateStyle = 'German'")
    for table, features in (("t", "a, b, c"), ("parts", "b, day::text")):
        one = trained(db, 1, table, list_of_features=features)
        assert said() == []
        assert trained(db, 2, table, list_of_features=features) == one
        assert said() == OVER_TWO
    assert any("01.01.2024" in str(row) for row in one[""]), "days are written as the session has it"
    wait_until(lambda: not others(db), "another session never ended")


def test_what_is_set_for_sessions_that_begin_now_is_not_taken(db: psycopg.Connection, dsn: str, said: Said) -> None:
    """A database's owner could have the names of an expression mean functions of theirs there."""
    sets = f"ALTER ROLE CURRENT_USER IN DATABASE {db.info.dbname} SET DateStyle = 'German'"
    one = trained(db, 1, list_of_features="b, day::text")
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute(sets)
        try:
            assert trained(db, 2, list_of_features="b, day::text") == one
        finally:
            other.execute(sets.replace(" SET DateStyle = 'German'", " RESET DateStyle"))
    assert said() == OVER_TWO


def test_others_take_the_role(db: psycopg.Connection, ordinary_user: tuple[str, str], schema: str, said: Said) -> None:
    """A feature that tells who reads."""
    user = ordinary_user[0]
    db.execute(f"GRANT ALL ON SCHEMA {schema} TO {user}; GRANT SELECT ON t TO {user}")
    db.execute(f"SET ROLE {user}")
    try:
        found = trained(db, 2, list_of_features="a, (current_user::text || b % 2)")
    finally:
        db.execute("RESET ROLE")
    assert said() == OVER_TWO
    assert f"{user}0" in str(found[""])
    assert "postgres" not in str(found[""]) or user == "postgres"


def test_few_rows_are_read_over_one_unless_more_are_asked_for(db: psycopg.Connection, said: Said) -> None:
    trained(db, None)
    assert said() == ["madtree: rows are read over this connection: more would save no time"]


@pytest.mark.parametrize(
    ("n_bytes", "workers", "n"), [(WORTH_BYTES, 2, 3), (WORTH_BYTES, 0, 0), (WORTH_BYTES - 1, 2, 0)]
)
def test_many_rows_are_read_over_as_many_as_a_query_has_processes(
    db: psycopg.Connection, said: Said, n_bytes: int, workers: int, n: int
) -> None:
    db.execute(f"SET max_parallel_workers_per_gather = {workers}")
    host = PsycopgHost(db, connections=None)
    with db.transaction():
        host.training_begins()
        sharing = Sharing("SELECT", n_bytes, lambda: "")
        with closing(host.data_ahead([("SELECT 1 AS one", (), ())], sharing)) as found:
            assert list(found) == [[{"one": 1}]]
    over = f"{n} other connections" if n else "this connection: more would save no time"
    assert said() == [f"madtree: rows are read over {over}"]


@pytest.mark.usefixtures("admin")
def test_on_a_connection_of_your_own_none_is_opened_unasked(plain: str, said: Said) -> None:
    arguments = "shop.many", "mine.m", "id", "bought", "age"
    with madtree.connect(plain, engine="client") as client:
        client.tree_train(*arguments)
        assert said() == ["madtree: rows are read over this connection: more would save no time"]
    with psycopg.connect(plain, autocommit=True) as connection:
        client = madtree.connect(connection, engine="client")
        client.tree_train(*arguments, replace=True)
        assert said() == []
        madtree.connect(connection, engine="client", connections=2).tree_train(*arguments, replace=True)
        assert said() == OVER_TWO
        client.tree_drop("mine.m")


@contextmanager
def written(db: psycopg.Connection) -> Iterator[str]:
    with db.transaction():
        db.execute("UPDATE t SET y = NOT y WHERE id < 500")
        yield "t"


@contextmanager
def repeatable(db: psycopg.Connection) -> Iterator[str]:
    with db.transaction():
        db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield "t"


@contextmanager
def having(db: psycopg.Connection, statement: str, table: str) -> Iterator[str]:
    db.execute(statement)
    yield table


@contextmanager
def guarded(db: psycopg.Connection, user: str, schema: str) -> Iterator[str]:
    db.execute(
        f"GRANT ALL ON SCHEMA {schema} TO {user}; GRANT SELECT ON t TO {user};"
        f"ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY later ON t USING (id > 100); SET ROLE {user}"
    )
    yield "t"
    db.execute("RESET ROLE")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("way", "why"),
    [
        (written, "has written before"),
        (repeatable, "is REPEATABLE READ"),
        (lambda db: having(db, "CREATE TEMP TABLE mine AS SELECT * FROM t; ANALYZE mine", "mine"), "a temporary table"),
        (lambda db: having(db, "CREATE VIEW seen AS SELECT * FROM t", "seen"), "made by this transaction"),
    ],
    ids=["written", "repeatable read", "temporary", "view"],
)
def test_what_others_would_not_see_is_read_over_one(
    db: psycopg.Connection, said: Said, way: Callable[[psycopg.Connection], Any], why: str
) -> None:
    with way(db) as table:
        found = trained(db, 3, table)
        assert trained(db, 1, table) == found
    (line,) = said()
    assert "read over this connection" in line
    assert why in line


def test_groups_are_read_over_one(db: psycopg.Connection, said: Said) -> None:
    trained(db, 3, grouping_cols="id % 2")
    assert set(said()) == {"madtree: rows are read over this connection: these rows were made by this transaction"}


def test_settings_that_no_list_shows_are_asked_of_one(
    db: psycopg.Connection, said: Said, ordinary_user: tuple[str, str], schema: str
) -> None:
    """In an expression, in a function that it calls, and in a policy."""
    db.execute(
        "CREATE FUNCTION in_euros(x float8) RETURNS float8 LANGUAGE sql STABLE PARALLEL SAFE AS "
        "'SELECT x * current_setting(''shop.rate'')::float8'; SET shop.rate = '2'"
    )
    trained(db, 2, list_of_features=f"{schema}.in_euros(a), b")
    assert said() == ["madtree: rows are read over this connection: an expression asks for a setting of this session"]
    db.execute("RESET shop.rate; DROP TABLE m, m_nodes, m_statistics, m_summary")
    with guarded(db, ordinary_user[0], schema):
        trained(db, 2)
    (line,) = said()
    assert "row-level security" in line


def test_nobody_waits_for_ever(db: psycopg.Connection, dsn: str, said: Said, schema: str) -> None:
    """Others would stand behind it, it behind this session, and this one would wait for them."""
    with psycopg.connect(dsn) as owner, ThreadPoolExecutor(1) as pool:
        with db.transaction():
            db.execute("LOCK TABLE t IN ACCESS SHARE MODE")
            waiting = pool.submit(owner.execute, f"LOCK TABLE {schema}.t IN ACCESS EXCLUSIVE MODE")
            wait_until_blocked(db, owner.info.backend_pid)
            trained(db, 2)
            (line,) = said()
            assert "others cannot be opened: canceling statement due to lock timeout" in line
            assert not waiting.done()
        waiting.result()


def test_all_read_in_one_snapshot(db: psycopg.Connection, dsn: str, schema: str) -> None:
    host = PsycopgHost(db, connections=2)
    query = f"SELECT count(*) AS n, sum(b) AS total FROM {schema}.t WHERE id % 6 = $1"
    sharing = Sharing(f"EXPLAIN SELECT FROM {schema}.t", 0, lambda: "")
    expected = db.execute("SELECT count(*), sum(b) FROM t").fetchone()
    with db.transaction(), psycopg.connect(dsn, autocommit=True) as other:
        host.training_begins()
        requests = ((query, ["pg_catalog.int8"], [part]) for part in range(6))
        with closing(host.data_ahead(requests, sharing)) as found:
            rows = next(found)
            other.execute(f"UPDATE {schema}.t SET b = b + 1")
            rows += [row for each in found for row in each]
    assert (sum(row["n"] for row in rows), sum(row["total"] for row in rows)) == expected


def test_a_number_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="connections must be at least 1, not 0"):
        madtree.connect("", connections=0)
