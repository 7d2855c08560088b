"""The view of models: what is in it, what is not, and that nobody's tables can break it."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row
from training import train
from waiting import PATIENCE, wait_until_blocked

# 63 bytes, and 62 that begin alike: their companion tables' names are cut.
LONG = ("ä" * 31 + "x", "ä" * 31)
NAMES = ["plain", "Mixed Case", 'quo"te', "semi;colon", "x_summary", "x_nodes", *LONG]


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i * 7919 % 100 AS x, i % 3 AS g, i * 7919 % 100 > 40 AS y "
        "FROM generate_series(1, 500) i"
    )
    return db


def train_model(db: psycopg.Connection, name: str, **options: Any) -> None:
    """A model of any name, of the table `data`."""
    train(db, "data", sql.Identifier(name).as_string(db), "y", "x", **options)


def listed(db: psycopg.Connection, schema: str) -> set[str]:
    return {name for (name,) in db.execute("SELECT name FROM madtree.models WHERE schema = %s", [schema]).fetchall()}


def test_it_tells_of_a_model_what_its_tables_do(data: psycopg.Connection, schema: str) -> None:
    train_model(data, "m", grouping_cols="g", max_depth=4, seed=7)
    (row,) = data.cursor(row_factory=dict_row).execute("SELECT * FROM models WHERE name = 'm'").fetchall()
    told = data.execute("SELECT count(*), max(tree_depth), sum(n_leaves)::int FROM m").fetchone()
    assert (row["n_trees"], row["depth"], row["n_leaves"]) == told
    assert (row["model"], row["schema"], row["kind"]) == (f"{schema}.m", schema, "classification")
    assert (row["source_table"], row["dependent"], row["n_rows"]) == ("data", "y", 500)
    assert row["owner"] == data.execute("SELECT current_user").fetchone()[0]
    assert {key: row["parameters"][key] for key in ("max_depth", "seed", "grouping_cols", "split_criterion")} == {
        "max_depth": 4,
        "seed": 7,
        "grouping_cols": "g",
        "split_criterion": "gini",
    }
    assert row["version"] == data.execute("SELECT extversion FROM pg_extension WHERE extname = 'madtree'").fetchone()[0]
    assert 0 <= row["age"].total_seconds() < 300
    train_model(data, "r", replace=True)
    train(data, "data", "r", "x::float8", "g", replace=True)
    assert data.execute("SELECT kind FROM models WHERE name = 'r'").fetchall() == [("regression",)]


def test_a_list_that_fits_a_screen(data: psycopg.Connection, schema: str, dsn: str) -> None:
    train_model(data, "m", grouping_cols="g")
    outcome = "x * 100 > 4000 AND y AND x < 90"
    data.execute("SELECT madtree.forest_train('data', 'wood', 'id', %s, 'x', num_trees => 2)", [outcome])
    mine = f"WHERE model LIKE '{schema}.%'"
    rows = data.execute(f"SELECT * FROM madtree.model_list {mine} ORDER BY model").fetchall()
    wide = "model, kind, dependent, n_rows, n_leaves, date_trunc('second', age)"
    (full, forest) = data.execute(f"SELECT {wide} FROM madtree.models {mine} ORDER BY model").fetchall()
    assert [row[:5] for row in rows] == [full[:5], (*forest[:2], "x * 100 > 4000 AN...", *forest[3:5])]
    assert all(0 <= row[5].total_seconds() < 300 for row in rows)
    data.execute("UPDATE m_summary SET trained_at = now() - interval '40 days 5 hours'")
    query = f"SELECT * FROM madtree.model_list {mine} ORDER BY model"
    table = subprocess.run(["psql", "-X", dsn, "-c", query], capture_output=True, text=True, check=True).stdout
    assert "| 40 days" in table
    assert max(map(len, table.splitlines())) - len(f"{schema}.wood") <= 85  # beside the names


def test_it_tells_of_a_forest_that_it_is_one(data: psycopg.Connection) -> None:
    data.execute("SELECT forest_train('data', 'f', 'id', 'y', 'x', num_trees => 3, grouping_cols => 'g')")
    data.execute("SELECT forest_train('data', 'n', 'id', 'x::float8', 'g', num_trees => 2, importance => false)")
    found = data.cursor(row_factory=dict_row).execute("SELECT * FROM models WHERE name IN ('f', 'n') ORDER BY name")
    of_classes, of_numbers = found.fetchall()
    assert (of_classes["kind"], of_classes["n_trees"], of_classes["n_rows"]) == ("classification forest", 9, 500)
    assert (of_numbers["kind"], of_numbers["n_trees"], of_numbers["n_rows"]) == ("regression forest", 2, 500)
    parameters = of_classes["parameters"]
    assert (parameters["num_trees"], parameters["num_random_features"], parameters["sampling"]) == (3, 1, "poisson")


def test_its_names_are_arguments_of_every_function(data: psycopg.Connection, schema: str) -> None:
    for name in NAMES:
        train_model(data, name)
    assert listed(data, schema) == set(NAMES)
    data.execute("SET search_path = ''")
    for (model,) in data.execute("SELECT model FROM madtree.models WHERE schema = %s", [schema]).fetchall():
        assert data.execute("SELECT madtree.tree_display(%s)", [model]).fetchone()
        data.execute("SELECT madtree.tree_drop(%s)", [model])
    assert data.execute("SELECT count(*) FROM madtree.models WHERE schema = %s", [schema]).fetchone() == (0,)


def test_a_renamed_model_has_its_new_name(data: psycopg.Connection, schema: str) -> None:
    train_model(data, "old")
    for suffix in ("", "_nodes", "_summary"):
        data.execute(f"ALTER TABLE old{suffix} RENAME TO new{suffix}")
    assert listed(data, schema) == {"new"}


def test_tables_that_only_look_like_a_model_are_left_out(data: psycopg.Connection, schema: str) -> None:
    train_model(data, "m")
    data.execute("CREATE TABLE a_nodes (id int); CREATE TABLE a_summary (id int); CREATE TABLE a (id int)")
    data.execute(
        "CREATE VIEW b_summary AS TABLE m_summary; CREATE VIEW b AS TABLE m; CREATE VIEW b_nodes AS TABLE m_nodes"
    )
    for part in ("", "_nodes", "_summary"):  # the right names of columns, but not their types
        data.execute(f"CREATE TABLE c{part} AS SELECT * FROM m{part}")
        data.execute(f"CREATE TABLE d{part} (LIKE m{part})")  # no row at all
        data.execute(f"CREATE TABLE e{part} AS SELECT * FROM m{part}")
    data.execute("ALTER TABLE c_summary ALTER is_classification TYPE text USING 'neither'")
    data.execute("ALTER TABLE c ALTER tree_depth TYPE text USING 'deep'")
    data.execute("INSERT INTO e_summary TABLE e_summary")  # two rows
    data.execute("CREATE TABLE f_summary AS TABLE m_summary")  # the rest is missing
    assert listed(data, schema) == {"m"}


def test_an_ordinary_user_sees_what_that_user_may_read(
    data: psycopg.Connection, user_db: psycopg.Connection, schema: str
) -> None:
    for name in ("open", "half", "closed", "hidden_by_policy"):
        train_model(data, name)
    data.execute("GRANT SELECT ON open, open_nodes, open_summary, half, half_summary TO PUBLIC")
    data.execute("GRANT SELECT ON hidden_by_policy, hidden_by_policy_nodes, hidden_by_policy_summary TO PUBLIC")
    data.execute("ALTER TABLE hidden_by_policy_summary ENABLE ROW LEVEL SECURITY")
    data.execute("GRANT SELECT ON data TO PUBLIC")
    train_model(user_db, "own")
    assert listed(user_db, schema) == {"open", "own"}
    assert listed(data, schema) == {"open", "half", "closed", "hidden_by_policy", "own"}
    data.execute(f"REVOKE USAGE ON SCHEMA {schema} FROM {user_db.info.user}")
    assert listed(user_db, schema) == set()


def test_nothing_of_a_lookalikes_owner_runs(data: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> None:
    """A cast of a type to json, an implicit cast to a number, and a policy would run with the reader's rights."""
    train_model(data, "m")
    data.execute("GRANT SELECT ON m, m_nodes, m_summary TO PUBLIC")
    for name in ("by_json", "by_number", "by_policy"):
        for part in ("", "_nodes", "_summary"):
            user_db.execute(f"CREATE TABLE {name}{part} AS TABLE m{part}; GRANT SELECT ON {name}{part} TO PUBLIC")
    user_db.execute("CREATE TYPE trap AS (a int)")
    for result in ("json", "int4", "text"):
        user_db.execute(
            f"CREATE FUNCTION spring_{result}(trap) RETURNS {result} LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the trap has sprung' USING ERRCODE = 'P0001'; END $$"
        )
        user_db.execute(f"CREATE CAST (trap AS {result}) WITH FUNCTION spring_{result}(trap) AS IMPLICIT")
    user_db.execute("ALTER TABLE by_json_summary ALTER seed TYPE trap USING ROW(1)")
    user_db.execute("ALTER TABLE by_number ALTER tree_depth TYPE trap USING ROW(1)")
    user_db.execute(
        "CREATE FUNCTION policy() RETURNS boolean LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the policy has sprung' USING ERRCODE = 'P0001'; END $$"
    )
    user_db.execute("CREATE POLICY p ON by_policy_summary USING (policy())")
    user_db.execute("ALTER TABLE by_policy_summary ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
    assert listed(data, schema) == {"m", "by_json", "by_policy"}
    assert listed(user_db, schema) == {"m", "by_json"}


def test_a_temporary_model_is_seen_by_its_session_only(data: psycopg.Connection, dsn: str) -> None:
    train(data, "data", "pg_temp.m", "y", "x")
    found = data.execute("SELECT model FROM models WHERE schema LIKE 'pg\\_temp%'").fetchall()
    assert len(found) == 1
    assert data.execute("SELECT tree_display(%s)", found[0]).fetchone()
    with psycopg.connect(dsn) as other:
        assert other.execute("SELECT model FROM madtree.models WHERE schema LIKE 'pg\\_temp%'").fetchall() == []


def test_a_cancel_is_not_swallowed(data: psycopg.Connection, dsn: str, schema: str) -> None:
    train_model(data, "m")
    with psycopg.connect(dsn) as blocker, psycopg.connect(dsn) as session, ThreadPoolExecutor(1) as pool:
        blocker.execute(f"LOCK TABLE {schema}.m_summary")
        waiting = pool.submit(session.execute, "SELECT * FROM madtree.models")
        wait_until_blocked(data, session.info.backend_pid)
        session.cancel_safe()
        with pytest.raises(psycopg.errors.QueryCanceled, match="due to user request"):
            waiting.result(PATIENCE)


def test_a_model_that_is_replaced_never_vanishes(
    data: psycopg.Connection, connect: Callable[[], psycopg.Connection], schema: str
) -> None:
    train_model(data, "m")
    writer = connect()
    with ThreadPoolExecutor(1) as pool:
        enough = threading.Event()

        def replace() -> int:
            replaced = 0
            while not enough.is_set():
                train_model(writer, "m", replace=True)
                replaced += 1
            return replaced

        replacing = pool.submit(replace)
        try:
            for _ in range(100):
                assert listed(data, schema) == {"m"}
        finally:
            enough.set()
        assert replacing.result(PATIENCE) > 0


def test_dump_and_restore_keep_it_true(
    data: psycopg.Connection, dsn: str, schema: str, other_database: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name in NAMES:
        train_model(data, name, grouping_cols="g")
    query = (
        "SELECT model, kind, source_table, dependent, n_rows, n_trees, depth, n_leaves, parameters, version, trained_at"
        f" FROM madtree.models WHERE schema = '{schema}' ORDER BY model"
    )
    before = data.execute(query).fetchall()
    dump = tmp_path_factory.mktemp("dump") / "all.dump"
    for command in (
        ["pg_dump", "--format=custom", "--file", str(dump), dsn],
        ["pg_restore", "--exit-on-error", "--dbname", other_database, str(dump)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    with psycopg.connect(other_database) as there:
        assert there.execute(query).fetchall() == before
    assert len(before) == len(NAMES)


def test_tables_that_only_have_a_models_names_cost_a_look_at_the_catalogue_each(
    data: psycopg.Connection, schema: str
) -> None:
    """Counted in pages that are read: those of one model are more than a hundred."""
    n_tables = 300
    train_model(data, "m")

    def pages_read() -> int:
        assert listed(data, schema) == {"m"}  # fills the caches
        query = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM madtree.models"
        (((plan,),),) = data.execute(query).fetchall()
        return int(plan["Plan"]["Shared Hit Blocks"]) + int(plan["Plan"]["Shared Read Blocks"])

    before = pages_read()
    data.execute(
        f"DO $$ BEGIN FOR i IN 1 .. {n_tables} LOOP "
        "EXECUTE format('CREATE TABLE %I (tree_id int)', 't' || i || '_summary'); END LOOP; END $$"
    )
    assert (pages_read() - before) / n_tables < 20
