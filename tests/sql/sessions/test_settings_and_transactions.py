"""madtree amid what else goes on in a session: its settings, transactions, exception blocks, temporary tables."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from training import left_behind, read_model, train

WHAT = ("y", "x, day, span, at, word")


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    """A table with text that is awkward to quote, dates and numbers, and the model `usual` trained on it."""
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i * 7919 % 1000 / 7.0::float8 AS x, date '2020-01-01' + i AS day, "
        "make_interval(hours => i * 31 % 500) AS span, "
        "timestamptz '2021-05-01 00:00+00' + make_interval(hours => i) AS at, "
        r"(ARRAY[E'a\\b', E'it''s', E'\\', '\"', E'two\nlines', '{x,y}', '', 'NULL', '%s $1'])[1 + i % 9] AS word, "
        "(i % 9 < 4) <> (i * 7919 % 1000 < 200) AS y FROM generate_series(1, 600) AS i"
    )
    train(db, "data", "usual", *WHAT)
    return db


@pytest.mark.parametrize(
    "settings",
    [
        "standard_conforming_strings = off",
        "datestyle = 'German, DMY'; SET intervalstyle = sql_standard; SET timezone = 'Asia/Kathmandu'",
        "extra_float_digits = -5; SET bytea_output = escape",
        "work_mem = '64kB'; SET enable_tidscan = off; SET enable_seqscan = off",
        "default_transaction_isolation = serializable",
        "quote_all_identifiers = on",
    ],
)
def test_settings_change_no_tree_and_no_prediction(
    data: psycopg.Connection, notices: list[str], connect: Callable[[], psycopg.Connection], settings: str
) -> None:
    data.execute("SELECT tree_predict('usual', 'data', 'usual_scored')")
    data.execute(f"SET {settings}")
    train(data, "data", "set", *WHAT)
    data.execute("SELECT tree_predict('set', 'data', 'set_scored')")

    reader = connect()  # in which numbers are printed to the last bit
    assert read_model(reader, "set") == read_model(reader, "usual")
    assert reader.execute("SELECT count(*) FROM (TABLE set_scored EXCEPT TABLE usual_scored) AS x").fetchone() == (0,)
    assert notices == []


def test_an_empty_search_path_suffices(data: psycopg.Connection, schema: str) -> None:
    data.execute("SET search_path = ''")
    train(data, f"{schema}.data", f"{schema}.m", *WHAT)
    data.execute(f"SELECT madtree.tree_predict('{schema}.m', '{schema}.data', '{schema}.scored')")

    assert read_model(data, "m", schema) == read_model(data, "usual", schema)


def test_a_savepoint_takes_a_training_back(data: psycopg.Connection) -> None:
    with data.transaction():
        before, workers = left_behind(data), data.execute("SHOW max_parallel_workers_per_gather").fetchone()
        with data.transaction(force_rollback=True):
            train(data, "data", "fresh", *WHAT)
        assert left_behind(data) == before
        with pytest.raises(psycopg.errors.UndefinedColumn, match="grouping_cols: column nowhere"), data.transaction():
            train(data, "data", "fresh", *WHAT, grouping_cols="nowhere")
        train(data, "data", "fresh", *WHAT)
        assert data.execute("SHOW max_parallel_workers_per_gather").fetchone() == workers
    assert read_model(data, "fresh") == read_model(data, "usual")


def test_an_exception_block_takes_a_training_back(data: psycopg.Connection) -> None:
    before = left_behind(data)
    data.execute(
        """DO $$ BEGIN
            BEGIN
                PERFORM tree_train('data', 'fresh', 'id', 'y', 'x');
                PERFORM 1 / 0;
            EXCEPTION WHEN division_by_zero THEN NULL;
            END;
            BEGIN
                PERFORM tree_train('data', 'fresh', 'id', 'y', 'nowhere');
            EXCEPTION WHEN undefined_column THEN NULL;
            END;
        END $$"""
    )
    assert left_behind(data) == before


@pytest.mark.parametrize(
    "call", ["tree_train('data', 'fresh', 'id', 'y', 'x')", "tree_predict('usual', 'data', 'fresh')"]
)
def test_a_read_only_transaction_is_refused_by_postgresql(data: psycopg.Connection, call: str) -> None:
    before = left_behind(data)
    data.execute("SET default_transaction_read_only = on")
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction, match="in a read-only transaction"):
        data.execute(f"SELECT {call}")
    assert left_behind(data) == before


def test_a_model_can_be_drawn_in_a_read_only_transaction(data: psycopg.Connection) -> None:
    with data.transaction():
        data.execute("SET TRANSACTION READ ONLY")
        (drawn, expression) = data.execute("SELECT tree_display('usual'), tree_sql('usual')").fetchone()
    assert drawn.startswith('digraph "Classification tree for data" {')
    assert expression.startswith("CASE ")


def test_temporary_data_and_a_temporary_model(data: psycopg.Connection) -> None:
    data.execute("CREATE TEMPORARY TABLE hidden AS TABLE data")
    train(data, "hidden", "pg_temp.m", "y", "x, day, span, at, word", parallel_workers=2)
    data.execute("SELECT tree_predict('pg_temp.m', 'hidden', 'pg_temp.scored')")

    usual = read_model(data, "usual")
    assert read_model(data, "m", "pg_temp") == usual
    persistence = "SELECT DISTINCT relpersistence::text FROM pg_class WHERE oid = ANY (%s::regclass[])"
    names = ["pg_temp.m", "pg_temp.m_nodes", "pg_temp.m_summary", "pg_temp.scored"]
    assert data.execute(persistence, [names]).fetchall() == [("t",)]


def test_a_table_with_a_past_trains_like_a_clean_copy(data: psycopg.Connection) -> None:
    """Columns dropped, added with a default, generated; rows deleted, updated."""
    data.execute("ALTER TABLE data DROP COLUMN span, ADD COLUMN late float8 DEFAULT 2.5")
    data.execute("ALTER TABLE data ADD COLUMN twice float8 GENERATED ALWAYS AS (x * 2) STORED")
    data.execute("UPDATE data SET late = 7 WHERE id % 3 = 0; DELETE FROM data WHERE id % 7 = 0")
    data.execute("CREATE TABLE copy AS SELECT * FROM data ORDER BY id")
    for table in ("data", "copy"):
        train(data, table, f"of_{table}", "y", "*")

    assert read_model(data, "of_data") == read_model(data, "of_copy")
    names = data.execute("SELECT independent_varnames FROM of_data_summary").fetchone()
    assert names == ("x,day,at,word,late,twice",)


def test_partitions_with_columns_in_another_order(data: psycopg.Connection) -> None:
    data.execute("CREATE TABLE parts (LIKE data) PARTITION BY RANGE (id)")
    data.execute(
        "CREATE TABLE first (y boolean, gone int, word text, at timestamptz, span interval, day date, "
        "x double precision, id int)"
    )
    data.execute("ALTER TABLE first DROP COLUMN gone")
    data.execute("ALTER TABLE parts ATTACH PARTITION first FOR VALUES FROM (0) TO (200)")
    data.execute("CREATE TABLE rest PARTITION OF parts DEFAULT PARTITION BY LIST (y)")
    data.execute("CREATE TABLE yes PARTITION OF rest FOR VALUES IN (true); CREATE TABLE no PARTITION OF rest DEFAULT")
    data.execute("INSERT INTO parts SELECT * FROM data")
    train(data, "parts", "m", "y", "x, day, span, at, word")

    assert read_model(data, "m") == read_model(data, "usual")
