"""Ids that do not tell rows apart are told of, at the price of a few milliseconds."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from training import train

ROWS = "SELECT g AS row, {id} AS id, g * 7919 % 97 AS x, g * 7919 % 97 > 40 AS y FROM generate_series(1, {n}) AS g"


@pytest.fixture
def told(db: psycopg.Connection) -> Iterator[list[str]]:
    """The notices about ids so far."""
    notices: list[str] = []

    def keep(found: psycopg.errors.Diagnostic) -> None:
        if "tell rows" in (found.message_primary or ""):
            notices.append(found.message_primary or "")

    db.add_notice_handler(keep)
    yield notices
    db.remove_notice_handler(keep)


def make(db: psycopg.Connection, id: str, n: int = 344, table: str = "t") -> None:
    db.execute(f"CREATE TABLE {table} AS {ROWS.format(id=id, n=n)}")


def test_training_and_predicting_tell_of_them(db: psycopg.Connection, told: list[str]) -> None:
    make(db, "g % 100")
    train(db, "t", "m", "y", "x")
    expected = (
        "id does not tell rows of t apart: 344 rows have 100 distinct values; each row has a prediction of its own, "
        "so that to join predictions to rows by it makes more rows than there are"
    )
    assert told == [f"id_col_name: {expected}"]
    told.clear()
    db.execute("SELECT madtree.tree_predict('m', 't', 'out')")
    assert told == [f"new_data_table: {expected}"]
    # What it is about.
    ((n,),) = db.execute("SELECT count(*) FROM t JOIN out USING (id)").fetchall()
    assert n > 344


@pytest.mark.parametrize(
    "id", ["g", "g::text", "md5(g::text)::uuid", "timestamp '2020-01-01' + g * interval '1 s'", "NULL::int"]
)
def test_ids_that_do_are_not_told_of(db: psycopg.Connection, told: list[str], id: str) -> None:
    make(db, id)
    train(db, "t", "m", "y", "x")
    db.execute("SELECT madtree.tree_predict('m', 't', 'out')")
    assert told == []


@pytest.mark.parametrize(("id", "n"), [("nullif(g % 2, 0) * g", 172), ("NULL::int", 344), ("nullif(g, 7)::text", 1)])
def test_rows_without_an_id_are_told_of(db: psycopg.Connection, id: str, n: int) -> None:
    make(db, id)
    said: list[str] = []
    db.add_notice_handler(lambda found: said.append(found.message_primary or ""))
    train(db, "t", "m", "y", "x")
    db.execute("SELECT madtree.tree_predict('m', 't', 'out')")
    where, joined = f"id is NULL in {n} of 344 rows of t", "predictions of them cannot be joined to rows"
    assert [each for each in said if " is NULL in " in each] == [
        f"id_col_name: {where}: folds and samples have such rows all together, and {joined}",
        f"new_data_table: {where}: {joined}",
    ]  # fmt: skip


def test_a_repeated_row_far_away_in_a_large_table_is_found(db: psycopg.Connection, told: list[str]) -> None:
    """Two copies of a table, one behind the other: the first rows have each id once."""
    make(db, "g % 60000", 120_000)
    db.execute("ANALYZE t")
    train(db, "t", "m", "y", "x", max_depth=2)
    (said,) = told
    assert "rows of a sample have" in said


def test_a_unique_index_is_believed_and_nothing_is_read(db: psycopg.Connection, told: list[str]) -> None:
    make(db, "g")
    db.execute("ALTER TABLE t ADD PRIMARY KEY (id); ANALYZE t")
    train(db, "t", "m", "y", "x")
    assert told == []
    db.execute("ALTER TABLE t DROP CONSTRAINT t_pkey; UPDATE t SET id = 7 WHERE id < 9")
    db.execute("CREATE UNIQUE INDEX ON t (id, row); CREATE UNIQUE INDEX ON t (id) WHERE id > 9; "
               "CREATE UNIQUE INDEX ON t ((id + row))")  # fmt: skip
    train(db, "t", "m", "y", "x", replace=True)
    assert len(told) == 1


def test_rows_of_a_view_are_told_of_when_they_are_predicted(db: psycopg.Connection, told: list[str]) -> None:
    make(db, "g % 100")
    db.execute("CREATE VIEW v AS SELECT * FROM t")
    train(db, "v", "m", "y", "x")
    db.execute("SELECT madtree.tree_predict('m', 'v', 'out')")
    assert [said[:43] for said in told] == ['new_data_table: "id" does not tell rows of v'[:43]]


def test_types_of_others_are_not_compared(db: psycopg.Connection, told: list[str]) -> None:
    db.execute("CREATE DOMAIN mine AS int")
    make(db, "(g % 100)::mine")
    train(db, "t", "m", "y", "x")
    assert told == []


def test_who_may_not_read_the_id_trains_all_the_same(
    db: psycopg.Connection, user_db: psycopg.Connection, schema: str
) -> None:
    make(db, "g % 100")
    db.execute(f"GRANT ALL ON SCHEMA {schema} TO PUBLIC; GRANT SELECT (x, y) ON t TO PUBLIC")
    assert "344 rows" in train(user_db, "t", "m", "y", "x")


def test_whatever_is_said_of_a_tables_size_is_borne(db: psycopg.Connection) -> None:
    """From PostgreSQL 18 on its owner may say anything."""
    make(db, "g")
    db.execute("UPDATE pg_class SET reltuples = 3e38 WHERE oid = 't'::regclass")
    train(db, "t", "m", "y", "x")
    assert db.execute("SELECT madtree.tree_predict('m', 't', 'out')").fetchone()
