"""What a call leaves in its session when it is cancelled: nothing that the next role there could take up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from kept_sessions import KeptSessions
from psycopg import sql
from shares import share
from test_forged_bytes import CASES, score_plan
from training import compress_quickly

N_ROWS = 200_000
# Of rows: as many as take some tenths of a second, and no more than a block may hold.
COPIES = {"score_block": 30_000, "grow_block": 2_000, "pack_images": 20_000}
TIMEOUTS = (20, 60, 120, 250, 500)  # milliseconds
# What a process holds beyond a statement: half-done work, seats in a training, files, cursors.
HELD = r"""
CREATE FUNCTION held() RETURNS text[] LANGUAGE plpython3u AS $$
import gc, os, sys, types
gc.collect()
found = []
for each in gc.get_objects():
    if isinstance(each, types.GeneratorType) and "madtree" in each.gi_code.co_filename:
        found.append(f"work {each.gi_code.co_name}")
taking_part = sys.modules.get("madtree.storage.workers.taking_part")
if taking_part is not None:
    found += [f"seat of {key}" for key in (*taking_part._participants, *taking_part._served)]
for number in os.listdir("/proc/self/fd"):
    try:
        target = os.readlink("/proc/self/fd/" + number)
    except OSError:
        continue
    if ".madtree_" in target:
        found.append("file " + target)
found += ["map " + line.split()[-2] for line in open("/proc/self/maps") if "pgsql_tmp" in line]
shown = plpy.execute("SELECT a.application_name <> current_setting('application_name') AS other "
    "FROM pg_stat_activity AS a WHERE a.pid = pg_backend_pid()")
found += ["what it did in pg_stat_activity"] * shown[0]["other"]
found += ["cursor " + row["name"] for row in plpy.execute("SELECT name FROM pg_catalog.pg_cursors") if row["name"]]
return found
$$
"""


PLANS = {
    "score_block": score_plan(True, True),
    "grow_block": CASES["grow 0"][:2],
    "pack_images": CASES["pack 0"][:2],
}
TRAINING = (
    "SELECT madtree.tree_train('data', 'm', 'id', 'y', 'a, b, c', max_depth => 25, min_split => 2, n_bins => 1000, "
    "replace => true"
)
CALLS = {
    "score_block": "SELECT madtree_internal.score_block(plan, rows) FROM long_score_block",
    "grow_block": "SELECT madtree_internal.grow_block(plan, rows) FROM long_grow_block",
    "pack_images": "SELECT madtree_internal.pack_images(rows, plan) FROM long_pack_images",
    "forest_predict": "SELECT madtree.forest_predict('f', 'data', 'predicted'); DROP TABLE predicted",
    "memory": f"{TRAINING}, strategy => 'memory')",
    "workers": f"{TRAINING}, strategy => 'workers')",
    "aggregate": f"{TRAINING}, strategy => 'aggregate')",
    "groups": f"{TRAINING}, grouping_cols => 'g')",
    "forest_train": "SELECT madtree.forest_train('data', 'm', 'id', 'y', 'a, b, c', num_trees => 200, replace => true)",
    "boost_train": "SELECT madtree.boost_train('data', 'm', 'id', 'y', 'a, b, c', num_trees => 200, replace => true)",
    "tree_tune": "SELECT madtree.tree_tune('data', 's', 'id', 'y', 'a, b, c', params => 'min_bucket=1,2,3,4,5', "
    "replace => true)",
    "tuned boosting": "SELECT madtree.tree_tune('data', 's', 'id', 'y', 'a, b, c', 'boost', 'num_trees=200', "
    "replace => true)",
    "tuned forest": "SELECT madtree.tree_tune('data', 's', 'id', 'y', 'a, b, c', 'forest', 'num_trees=200', "
    "replace => true)",
    "boost_predict": "SELECT madtree.boost_predict('b', 'data', 'predicted'); DROP TABLE predicted",
    "tree_shap": "SELECT madtree.tree_shap('b', 'data', 'reasons'); DROP TABLE reasons",
    "partial_dependence": "SELECT count(*) FROM madtree.partial_dependence('b', 'data', 'a, b')",
    "permutation_importance": "SELECT count(*) FROM madtree.permutation_importance('b', 'data')",
    "calibrate": "SELECT madtree.calibrate('b', 'data', 'calibrated'); SELECT madtree.tree_drop('calibrated')",
    "calibrated tree": "SELECT madtree.calibrate('t', 'data', 'calibrated', 'sigmoid'); "
    "SELECT madtree.tree_drop('calibrated')",
    "tree_refresh": "SELECT madtree.tree_refresh('t', 'data', 'refreshed'); SELECT madtree.tree_drop('refreshed')",
    "tree_statistics": "SELECT madtree.tree_statistics('b', 'data')",
    "tree_drift": "SELECT count(*) FROM madtree.tree_drift('f', 'data')",
    "conformal_quantiles": "SELECT count(*) FROM madtree.conformal_quantiles('f', 'data')",
    "conformal_train": "SELECT madtree.conformal_train('f', 'data')",
    "conformal": "SELECT madtree.boost_predict('b', 'data', 'predicted', 'conformal'); DROP TABLE predicted",
    "tree_reliability": "SELECT count(*) FROM madtree.tree_reliability('f', 'data')",
    "intervals": "SELECT madtree.forest_train('data', 'm', 'id', 'a', 'b, c', num_trees => 20, intervals => true, "
    "replace => true)",
    "interval": "SELECT madtree.forest_predict('i', 'data', 'predicted', 'interval'); DROP TABLE predicted",
    "ordered": "SELECT madtree.boost_train('data', 'm', 'id', 'y', 'a, b, (c::text)', replace => true, "
    "boost_params => 'category_encoding=ordered')",
}


@pytest.fixture(scope="module")
def tables(dsn: str, shared_schema: str, sessions: KeptSessions) -> str:
    """The schema with a table and models of it."""
    with sessions.session(dsn) as db:
        db.execute(f"SET search_path = {shared_schema}, public")
        db.execute(
            "CREATE TABLE data AS SELECT i AS id, sin(i) AS a, cos(i * 1.3) AS b, i * 7919 % 1009 AS c, i % 400 AS g, "
            f"sin(i * 0.7) > 0 AS y FROM generate_series(1, {N_ROWS}) AS i"
        )
        db.execute("CREATE TABLE few AS SELECT * FROM data WHERE id <= 3000; ANALYZE data, few")
        db.execute("SELECT madtree.forest_train('few', 'f', 'id', 'y', 'a, b, c', num_trees => 20, min_split => 2)")
        db.execute("SELECT madtree.boost_train('few', 'b', 'id', 'y', 'a, b, c', num_trees => 20)")
        db.execute("SELECT madtree.forest_train('few', 'i', 'id', 'a', 'b, c', num_trees => 10, intervals => true)")
        db.execute("SELECT madtree.tree_train('few', 't', 'id', 'y', 'a, b, c', max_depth => 25, min_split => 2)")
        db.execute("SELECT madtree.conformal_train('b', 'few')")
        db.execute("SELECT madtree.tree_statistics(m, 'few') FROM unnest(ARRAY['f', 'b']) AS m")
        db.execute(HELD)
        db.execute(f"GRANT USAGE ON SCHEMA {shared_schema} TO PUBLIC")
    return shared_schema


@pytest.fixture
def data(db: psycopg.Connection, schema: str, user_db: psycopg.Connection, tables: str) -> psycopg.Connection:
    """A session of the superuser's, who may become the ordinary user."""
    db.execute(f"SET search_path = {schema}, {tables}, public")
    db.execute("SET max_parallel_workers_per_gather = 0")  # so that the work is this process's
    db.execute(f"GRANT USAGE ON SCHEMA {schema} TO PUBLIC")
    return db


def make_long_work(db: psycopg.Connection, tables: str, name: str) -> None:
    """Long work for a function that goes in steps, where none of the module's tests has made it yet."""
    plan, rows = PLANS[name]
    compress_quickly(db)
    many = f"decode(repeat(encode(%s::bytea, 'hex'), {COPIES[name]}), 'hex')"
    made = f"CREATE TABLE IF NOT EXISTS {tables}.long_{name} AS SELECT %s::bytea AS plan, {many} AS rows"
    db.execute(made.encode(), [plan, rows])


def cut_short(db: psycopg.Connection, name: str) -> Iterator[int]:
    """Let timeouts strike a call at several places, another call at others, and yield after each."""
    for timeout in share(TIMEOUTS, 3, [*CALLS].index(name) % 2):
        db.execute(f"SET statement_timeout = {timeout}")
        try:
            db.execute(CALLS[name].encode())
        except psycopg.errors.QueryCanceled:
            db.execute("SET statement_timeout = 0")
            yield timeout
        else:
            break
    db.execute("SET statement_timeout = 0")


def internal_functions(db: psycopg.Connection) -> list[tuple[str, int]]:
    """All that can be called in a SELECT, with the numbers of their arguments: those first that are told nothing."""
    return db.execute(
        "SELECT p.proname, p.pronargs FROM pg_proc p JOIN pg_type t ON t.oid = p.prorettype "
        "WHERE p.pronamespace = 'madtree_internal'::regnamespace AND p.prokind = 'f' AND t.typname <> 'event_trigger' "
        "AND 'internal'::regtype <> ALL (p.proargtypes) AND 'cstring'::regtype <> ALL (p.proargtypes) "
        "AND 'anyarray'::regtype <> ALL (p.proargtypes) ORDER BY 2, 1"
    ).fetchall()


def taken(db: psycopg.Connection, function: str, n_arguments: int) -> list[Any]:
    """The bytes that a function hands out which is told nothing, or that it has done something; it is asked again while
    it says that it has not.
    """
    nulls = sql.SQL(", ").join([sql.NULL] * n_arguments)
    call = sql.SQL("SELECT pg_catalog.to_jsonb(r)::text FROM madtree_internal.{}({}) AS r").format(
        sql.Identifier(function), nulls
    )
    for _ in range(2000):
        try:
            rows = db.execute(call).fetchall()
        except psycopg.Error:
            return []
        if rows != [("false",)]:
            return [text for (text,) in rows if text is not None and (text == "true" or "\\\\x" in text)]
    return []


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", CALLS)
def test_the_next_role_in_a_session_finds_nothing_of_a_cancelled_call(
    data: psycopg.Connection, user_db: psycopg.Connection, tables: str, name: str
) -> None:
    if name in PLANS:
        make_long_work(data, tables, name)
    n_cancelled = 0
    for timeout in cut_short(data, name):
        n_cancelled += 1
        data.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(str(user_db.info.user))))
        found = {function: taken(data, function, n) for function, n in internal_functions(data)}
        data.execute("RESET ROLE")
        assert {function: texts for function, texts in found.items() if texts} == {}, timeout
        assert len(found) > 20
        assert data.execute("SELECT held()").fetchone() == ([],), timeout
    assert n_cancelled > 0


def test_a_cancel_that_a_function_catches_leaves_nothing_to_the_rest_of_the_transaction(
    data: psycopg.Connection, tables: str
) -> None:
    make_long_work(data, tables, "score_block")
    data.execute(f"SET statement_timeout = {TIMEOUTS[2]}")
    data.execute("BEGIN")
    caught = "EXCEPTION WHEN query_canceled THEN PERFORM set_config('test.caught', 'yes', true)"
    data.execute(f"DO $$ BEGIN PERFORM ({CALLS['score_block']}); {caught}; END $$".encode())
    data.execute("SET LOCAL statement_timeout = 0")
    assert data.execute("SHOW test.caught").fetchone() == ("yes",)
    assert data.execute("SELECT held()").fetchone() == ([],)
    data.execute("ROLLBACK")


def test_steps_belong_to_the_query_that_asks_for_them(data: psycopg.Connection) -> None:
    """Of two works at the same time each has its own result, and one that is not taken to its end is gone."""
    plan, rows, _ = CASES["grow 0"]
    whole = data.execute("SELECT madtree_internal.grow_block(%s, %s)", [plan, rows]).fetchone()
    steps = "SELECT (s.step).result FROM (SELECT madtree_internal.grow_block_steps(%s, %s) AS step) AS s"
    data.execute("BEGIN")
    for name in ("one", "other"):
        data.execute(psycopg.ClientCursor(data).mogrify(f"DECLARE {name} CURSOR FOR {steps}", [plan, rows]).encode())
    data.execute("FETCH 0 FROM one")
    for name in ("one", "other"):
        found = [row for row in data.execute(f"FETCH ALL FROM {name}").fetchall() if row != (None,)]
        assert found == [whole]
    data.execute("ROLLBACK")
    assert data.execute("SELECT held()").fetchone() == ([],)
