"""Blocks that workers score: with the same result, only where they may, and without a trace where they are stopped."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from kept_sessions import KeptSessions
from make_model import Sketch, random_tree, write_model
from psycopg_host import PsycopgHost
from training import left_behind
from waiting import PATIENCE, wait_until

from madtree.request.tuning import Costs
from madtree.score.evaluate import tree_evaluate
from madtree.score.predict import tree_predict
from madtree.sqltext.relation import Column
from madtree.trees import Feature, FeatureKind

N_ROWS = 40_000  # three blocks, for which PostgreSQL plans two workers
FEATURES = [Feature("x", "double precision", FeatureKind.CONTINUOUS), Feature("letter", "text", FeatureKind.UNORDERED)]


@pytest.fixture(scope="module")
def rows(dsn: str, shared_schema: str, sessions: KeptSessions) -> str:
    """The table that tests read only."""
    with sessions.session(dsn) as admin:
        admin.execute(f"""
            CREATE TABLE {shared_schema}.rows AS SELECT i AS id, (ARRAY['a', 'b', 'c', NULL])[1 + i % 4] AS g,
                CASE WHEN i % 97 > 0 THEN sin(i) END AS x, chr(97 + i * 31 % 7) AS letter
            FROM generate_series(1, {N_ROWS}) i;
            ANALYZE {shared_schema}.rows
        """)
    return f"{shared_schema}.rows"


@pytest.fixture
def own_rows(data: psycopg.Connection, rows: str) -> None:
    """A table `rows` of the test's own."""
    data.execute(f"CREATE TABLE rows AS TABLE {rows}; ANALYZE rows")


@pytest.fixture
def data(db: psycopg.Connection, schema: str, shared_schema: str, rows: str) -> psycopg.Connection:
    """Table `rows`, models `m` and `grouped`, and functions like tree_predict that score by blocks.

    `by_workers` is told that workers are at hand at once, so that they pay. Both return what tree_predict says.
    """
    db.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")
    rng = random.Random(3)
    cuts, levels = {"x": [rng.uniform(-1, 1) for _ in range(99)]}, {"letter": list("abcdef")}
    trees = [random_tree(rng, FEATURES, 6, cuts, levels, ["no", "yes"]) for _ in range(3)]
    write_model(db, schema, "m", Sketch(FEATURES, trees[:1]))
    grouping = [Column("g", "g", "text")]
    write_model(db, schema, "grouped", Sketch(FEATURES, trees, grouping=grouping, groups=[("a",), ("b",), ("x",)]))
    db.execute("SELECT madtree.tree_predict()")  # loads the Python half
    for name, start in (("by_workers", 0.0), ("by_one", 1e9)):
        db.execute(f"""
            CREATE FUNCTION {name}(model text, source text, target text, type text) RETURNS text
            LANGUAGE plpython3u SET jit = off SET min_parallel_table_scan_size = 0 AS $$
            from madtree.host.plpy import PlpyHost
            from madtree.score.predict import tree_predict
            from madtree.request.tuning import Costs
            costs = Costs(start={start}, per_worker=0.0)
            return tree_predict(PlpyHost(plpy), model, source, target, type, in_blocks=True, costs=costs)
            $$""")
    # Parallel safe in truth as in name: it tells who evaluated it.
    db.execute("CREATE FUNCTION process() RETURNS int LANGUAGE plpgsql STABLE PARALLEL SAFE "
               "AS 'BEGIN RETURN pg_catalog.pg_backend_pid(); END'")  # fmt: skip
    return db


def score(
    db: psycopg.Connection, function: str, model: str = "m", type_: str = "leaf", source: str = "rows"
) -> list[tuple[Any, ...]]:
    """The scored rows, in order."""
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute(f"SELECT {function}(%s, %s, 'scored', %s)", [model, source, type_])
    return db.execute("SELECT * FROM scored ORDER BY scored").fetchall()


def summed(db: psycopg.Connection, function: str, model: str = "m", type_: str = "leaf") -> tuple[Any, ...]:
    """How many rows are scored, and a sum over them that any other row would change."""
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute(f"SELECT {function}(%s, 'rows', 'scored', %s)", [model, type_])
    (row,) = db.execute("SELECT count(*), sum(hashtextextended(scored::text, 0)::numeric) FROM scored").fetchall()
    return row


def set_id(db: psycopg.Connection, id_: str, model: str = "m") -> None:
    db.execute(f"UPDATE {model}_summary SET id_col_name = %s", [id_])


def processes(db: psycopg.Connection, source: str = "rows") -> set[int]:
    """The processes that read the rows; the session's own is 0."""
    set_id(db, "process() + 0")
    found = {row[0] for row in score(db, "by_workers", source=source)}
    return {0 if process == db.info.backend_pid else process for process in found}


def test_workers_read_and_score_the_rows(data: psycopg.Connection) -> None:
    found = processes(data)
    assert 0 not in found
    assert len(found) > 1


@pytest.mark.in_turn
@pytest.mark.parametrize("model", ["m", "grouped"])
@pytest.mark.parametrize("type_", ["response", "prob", "leaf"])
def test_workers_change_nothing(data: psycopg.Connection, model: str, type_: str) -> None:
    expected = summed(data, "by_one", model, type_)
    assert expected[0] == N_ROWS
    assert summed(data, "by_workers", model, type_) == expected


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "id_",
    [
        "id",
        "id::numeric(9,2)",
        "letter || id",
        "(letter || id)::varchar(20)",
        '(letter || id) COLLATE "C"',
        "ARRAY[id, NULL]",
        "NULLIF(id, 7)",
        "ROW(id, letter)::pair",
        "id::positive",
    ],
)
def test_ids_keep_type_and_collation(data: psycopg.Connection, id_: str) -> None:
    data.execute("CREATE TYPE pair AS (a int, b text); CREATE DOMAIN positive AS int CHECK (VALUE > 0)")
    columns = """
        SELECT attname, format_type(atttypid, atttypmod), attcollation::regcollation::text
        FROM pg_attribute WHERE attrelid = 'scored'::regclass AND attnum > 0"""
    set_id(data, id_)
    expected = summed(data, "by_one"), data.execute(columns).fetchall()
    assert (summed(data, "by_workers"), data.execute(columns).fetchall()) == expected


@pytest.mark.in_turn
@pytest.mark.parametrize("label", ["UNSAFE", "RESTRICTED"])
@pytest.mark.parametrize("place", ["id", "feature", "policy"])
def test_what_workers_may_not_evaluate_keeps_the_rows_in_one_process(
    data: psycopg.Connection,
    own_rows: None,
    user_db: psycopg.Connection,
    ordinary_user: tuple[str, str],
    schema: str,
    label: str,
    place: str,
) -> None:
    data.execute(f"ALTER FUNCTION process() PARALLEL {label}")
    db = data
    if place == "id":
        assert processes(db) == {0}
        return
    # Who evaluates it is seen by the rows that pass: all of them if it is the session itself.
    own = "process() = pg_backend_pid_of_session()"
    db.execute("CREATE FUNCTION pg_backend_pid_of_session() RETURNS int LANGUAGE sql STABLE PARALLEL SAFE "
               "AS $$SELECT current_setting('test.session')::int$$")  # fmt: skip
    if place == "policy":
        name = ordinary_user[0]
        db.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {name}")
        db.execute(f"ALTER TABLE rows ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON rows USING ({own})")
        db = user_db
        db.execute("SELECT madtree.tree_predict()")
    db.execute(f"SET test.session = {db.info.backend_pid}")
    if place == "feature":
        feature = Feature(f"({own})::int", "integer", FeatureKind.ORDERED)
        rng = random.Random(1)
        nodes = random_tree(rng, [feature], 1, {feature.name: [0.5]}, {}, ["no", "yes"], 1.0)
        write_model(db, schema, "own", Sketch([feature], [nodes]))
        assert {node for _, node in score(db, "by_workers", "own")} == {2}
    else:
        assert len(score(db, "by_workers")) == N_ROWS


def test_row_level_security_holds_in_workers(
    data: psycopg.Connection,
    own_rows: None,
    user_db: psycopg.Connection,
    ordinary_user: tuple[str, str],
    schema: str,
) -> None:
    name = ordinary_user[0]
    data.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {name}")
    data.execute("ALTER TABLE rows ENABLE ROW LEVEL SECURITY")
    data.execute(f"CREATE POLICY even ON rows FOR SELECT TO {name} USING (id % 2 = 0)")
    set_id(data, "ARRAY[id, process()]")
    user_db.execute("SELECT madtree.tree_predict()")
    scored = score(user_db, "by_workers")
    assert sorted(ids[0] for ids, _ in scored) == list(range(2, N_ROWS + 1, 2))
    assert user_db.info.backend_pid not in {ids[1] for ids, _ in scored}


def test_rows_of_this_transaction_are_scored_by_workers(data: psycopg.Connection) -> None:
    with data.transaction():
        data.execute("CREATE TABLE fresh AS SELECT * FROM rows; ANALYZE fresh; DELETE FROM fresh WHERE id > 38000")
        expected = score(data, "by_one", source="fresh")
        assert len(expected) == N_ROWS - 2_000
        assert score(data, "by_workers", source="fresh") == expected
        assert 0 not in processes(data, "fresh")


def test_a_target_may_be_temporary(data: psycopg.Connection) -> None:
    set_id(data, "process()")
    data.execute("SELECT by_workers('m', 'rows', 'pg_temp.mine', 'leaf')")
    assert data.execute("SELECT count(*) FROM pg_temp.mine WHERE id <> pg_backend_pid()").fetchone() == (N_ROWS,)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "make",
    [
        "CREATE TEMPORARY TABLE other AS SELECT * FROM rows; ANALYZE other",
        "CREATE VIEW other AS SELECT * FROM rows",
        "CREATE TABLE other (LIKE rows) PARTITION BY RANGE (id); "
        "CREATE TABLE low PARTITION OF other FOR VALUES FROM (1) TO (35000); "
        "CREATE TABLE high PARTITION OF other DEFAULT; INSERT INTO other SELECT * FROM rows; ANALYZE other",
        "CREATE TABLE other AS SELECT * FROM rows WHERE id <= 28000; "
        "CREATE TABLE child () INHERITS (other); INSERT INTO child SELECT * FROM rows WHERE id > 28000; ANALYZE other",
        "CREATE TABLE other WITH (parallel_workers = 0) AS SELECT * FROM rows; ANALYZE other",
    ],
    ids=["temporary", "view", "partitioned", "inherited", "kept from workers"],
)
def test_what_workers_cannot_share_is_scored_all_the_same(data: psycopg.Connection, make: str) -> None:
    expected = score(data, "by_one")
    data.execute(make)
    assert score(data, "by_workers", source="other") == expected


def test_a_session_without_workers_scores_alone(data: psycopg.Connection) -> None:
    data.execute("SET max_parallel_workers_per_gather = 0")
    assert processes(data) == {0}


class _Watching(PsycopgHost):
    """Counts the statements that workers share, and can keep them from finding a free one."""

    def __init__(self, connection: psycopg.Connection, *, deserted: bool = False) -> None:
        super().__init__(connection)
        self.shared, self._deserted = 0, deserted

    def _run(self, sql: str, types: Sequence[str], params: Sequence[Any], **how: Any) -> Any:
        if sql.startswith("CREATE TABLE") and "score_pages" in sql:
            self.shared += 1
            if self._deserted:
                self.connection.execute("SET LOCAL max_parallel_workers = 0")
        return super()._run(sql, types, params, **how)


def test_workers_that_do_not_come_are_not_missed(data: psycopg.Connection) -> None:
    expected = score(data, "by_one", "grouped")
    data.execute("DROP TABLE scored")
    with data.transaction():
        data.execute("SET LOCAL min_parallel_table_scan_size = 0")
        host = _Watching(data, deserted=True)
        tree_predict(host, "grouped", "rows", "scored", "leaf", in_blocks=True, costs=Costs(start=0.0, per_worker=0.0))
    assert host.shared == 1
    assert data.execute("SELECT * FROM scored ORDER BY scored").fetchall() == expected


@pytest.mark.parametrize("model", ["m", "grouped"])
def test_a_model_is_evaluated_by_workers_with_the_same_result(
    data: psycopg.Connection, own_rows: None, model: str
) -> None:
    data.execute("ALTER TABLE rows ADD y text; UPDATE rows SET y = CASE WHEN id % 3 > 0 THEN 'no' ELSE 'yes' END")
    data.execute("ANALYZE rows")
    found = []
    for start in (1e9, 0.0):
        with data.transaction():
            data.execute("SET LOCAL min_parallel_table_scan_size = 0")
            host = _Watching(data)
            found.append(tree_evaluate(host, model, "rows", in_blocks=True, costs=Costs(start=start, per_worker=0.0)))
        assert host.shared == (start == 0)
    assert found[0] == found[1]


def test_a_small_table_is_left_to_one_process(data: psycopg.Connection) -> None:
    """By tree_predict itself, with the costs as they are; a deep tree, which blocks are quicker for."""
    set_id(data, "process()", "grouped")
    data.execute("UPDATE grouped SET n_leaves = 3000")
    data.execute("SET min_parallel_table_scan_size = 0")
    data.execute("SELECT madtree.tree_predict('grouped', 'rows', 'scored', 'leaf')")
    assert data.execute("SELECT DISTINCT id = pg_backend_pid() FROM scored").fetchall() == [(True,)]


def test_settings_are_as_before(data: psycopg.Connection) -> None:
    names = "name LIKE '%parallel%' ORDER BY name"
    with data.transaction():
        before = data.execute(f"SELECT name, setting FROM pg_settings WHERE {names}").fetchall()
        score(data, "by_workers")
        assert data.execute(f"SELECT name, setting FROM pg_settings WHERE {names}").fetchall() == before


def workers_of(db: psycopg.Connection, leader: int) -> Iterator[str | None]:
    """What each worker of a session waits for."""
    yield from (
        event
        for (event,) in db.execute(
            "SELECT wait_event FROM pg_stat_activity WHERE leader_pid = %s AND pid <> leader_pid", [leader]
        )
    )


def test_an_error_in_a_worker_is_the_callers(data: psycopg.Connection) -> None:
    before = left_behind(data)
    set_id(data, "1 / (id - 39000)")
    with pytest.raises(psycopg.errors.DivisionByZero):
        data.execute("SELECT by_workers('m', 'rows', 'scored', 'leaf')")
    assert left_behind(data) == before


def test_a_cancelled_scoring_leaves_nothing_behind(
    data: psycopg.Connection, dsn: str, schema: str, shared_schema: str
) -> None:
    data.execute(
        "CREATE FUNCTION asleep(id int) RETURNS int LANGUAGE plpgsql STABLE PARALLEL SAFE "
        "AS 'BEGIN IF id > 1000 THEN PERFORM pg_catalog.pg_sleep(600); END IF; RETURN id; END'"
    )
    set_id(data, "asleep(id)")
    with psycopg.connect(dsn, autocommit=True) as session, ThreadPoolExecutor() as pool:
        session.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")
        session.execute("SELECT madtree.tree_predict()")
        before = left_behind(session)
        scoring = pool.submit(session.execute, "SELECT by_workers('m', 'rows', 'scored', 'leaf')")
        leader = session.info.backend_pid
        wait_until(lambda: "PgSleep" in workers_of(data, leader), "no worker ever began")
        session.cancel_safe()
        with pytest.raises(psycopg.errors.QueryCanceled, match="due to user request"):
            scoring.result(PATIENCE)
        assert list(workers_of(data, leader)) == []
        assert left_behind(session) == before
