"""madtree amid what else goes on in a session: its settings, transactions, exception blocks, temporary tables."""

from __future__ import annotations

import psycopg
import pytest

TREE = "SELECT node_id, feature, threshold, left_levels, prediction, class_weights FROM {}_nodes ORDER BY node_id"
LEFT = "SELECT count(*) FROM pg_class WHERE relname LIKE 'madtree\\_%' OR relname LIKE 'fresh%'"


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
    train(db, "usual")
    return db


def train(db: psycopg.Connection, model: str, more: str = "") -> None:
    db.execute(f"SELECT tree_train('data', '{model}', 'id', 'y', 'x, day, span, at, word' {more})")


@pytest.mark.parametrize(
    "settings",
    [
        "standard_conforming_strings = off",
        "datestyle = 'German, DMY'; SET intervalstyle = sql_standard; SET timezone = 'Asia/Kathmandu'",
        "extra_float_digits = -5; SET bytea_output = escape",
        "work_mem = '64kB'; SET enable_tidscan = off; SET enable_seqscan = off",
        "default_transaction_isolation = serializable",
    ],
)
def test_settings_change_no_tree_and_no_prediction(data: psycopg.Connection, settings: str) -> None:
    warnings: list[str] = []
    data.add_notice_handler(lambda notice: warnings.append(notice.message_primary or ""))
    data.execute("SELECT tree_predict('usual', 'data', 'usual_scored')")
    data.execute(f"SET {settings}")
    train(data, "set")
    data.execute("SELECT tree_predict('set', 'data', 'set_scored')")

    assert data.execute(TREE.format("set")).fetchall() == data.execute(TREE.format("usual")).fetchall()
    assert data.execute("SELECT count(*) FROM (TABLE set_scored EXCEPT TABLE usual_scored) AS x").fetchone() == (0,)
    assert warnings == []


def test_an_empty_search_path_suffices(data: psycopg.Connection, schema: str) -> None:
    usual = data.execute(TREE.format("usual")).fetchall()
    data.execute("SET search_path = ''")
    data.execute(f"SELECT madtree.tree_train('{schema}.data', '{schema}.m', 'id', 'y', 'x, day, span, at, word')")
    data.execute(f"SELECT madtree.tree_predict('{schema}.m', '{schema}.data', '{schema}.scored')")

    assert data.execute(TREE.format(f"{schema}.m")).fetchall() == usual


def test_a_savepoint_takes_a_training_back(data: psycopg.Connection) -> None:
    with data.transaction():
        workers = data.execute("SHOW max_parallel_workers_per_gather").fetchone()
        with data.transaction(force_rollback=True):
            train(data, "fresh")
        assert data.execute(LEFT).fetchone() == (0,)
        with pytest.raises(psycopg.Error, match="nowhere"), data.transaction():
            train(data, "fresh", ", grouping_cols => 'nowhere'")
        train(data, "fresh")
        assert data.execute("SHOW max_parallel_workers_per_gather").fetchone() == workers
    assert data.execute(TREE.format("fresh")).fetchall() == data.execute(TREE.format("usual")).fetchall()


def test_an_exception_block_takes_a_training_back(data: psycopg.Connection) -> None:
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
    assert data.execute(LEFT).fetchone() == (0,)


@pytest.mark.parametrize(
    "call", ["tree_train('data', 'fresh', 'id', 'y', 'x')", "tree_predict('usual', 'data', 'fresh')"]
)
def test_a_read_only_transaction_is_refused_by_postgresql(data: psycopg.Connection, call: str) -> None:
    data.execute("SET default_transaction_read_only = on")
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        data.execute(f"SELECT {call}")
    assert data.execute(LEFT).fetchone() == (0,)


def test_a_model_can_be_drawn_in_a_read_only_transaction(data: psycopg.Connection) -> None:
    with data.transaction():
        data.execute("SET TRANSACTION READ ONLY")
        assert data.execute("SELECT tree_display('usual'), tree_sql('usual')").fetchone()


def test_temporary_data_and_a_temporary_model(data: psycopg.Connection) -> None:
    data.execute("CREATE TEMPORARY TABLE hidden AS TABLE data")
    data.execute("SELECT tree_train('hidden', 'pg_temp.m', 'id', 'y', 'x, day, span, at, word', parallel_workers => 2)")
    data.execute("SELECT tree_predict('pg_temp.m', 'hidden', 'pg_temp.scored')")

    assert data.execute(TREE.format("pg_temp.m")).fetchall() == data.execute(TREE.format("usual")).fetchall()
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
        data.execute(f"SELECT tree_train('{table}', 'of_{table}', 'id', 'y', '*')")

    assert data.execute(TREE.format("of_data")).fetchall() == data.execute(TREE.format("of_copy")).fetchall()
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
    data.execute("SELECT tree_train('parts', 'm', 'id', 'y', 'x, day, span, at, word')")

    assert data.execute(TREE.format("m")).fetchall() == data.execute(TREE.format("usual")).fetchall()
