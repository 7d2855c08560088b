"""`replace => true`: predictions take the place of those of the night before."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import sql
from training import train

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost


@pytest.fixture
def model(db: psycopg.Connection, schema: str) -> psycopg.Connection:
    """A table `t`, a tree `m` and a forest `f` of it."""
    db.execute(f"GRANT ALL ON SCHEMA {schema} TO PUBLIC")
    db.execute(
        "CREATE TABLE t AS SELECT g AS id, g * 7919 % 100 AS x, g * 7919 % 100 > 40 AS y FROM generate_series(1, 200) g"
    )
    train(db, "t", "m", "y", "x")
    db.execute("SELECT madtree.forest_train('t', 'f', 'id', 'y', 'x', num_trees => 3)")
    return db


def predict(db: psycopg.Connection, output: str = "out", function: str = "tree_predict", **more: Any) -> str:
    named = sql.SQL("").join(sql.SQL(", {} => %s").format(sql.Identifier(name)) for name in more)
    model = "m" if function == "tree_predict" else "f"
    statement = sql.SQL("SELECT madtree.{}(%s, 't', %s{})").format(sql.Identifier(function), named)
    row = db.execute(statement, [model, output, *more.values()]).fetchone()
    assert row is not None
    return str(row[0])


def content(db: psycopg.Connection, table: str = "out") -> list[Any]:
    return db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()


def test_what_is_there_is_not_replaced_unasked(model: psycopg.Connection) -> None:
    predict(model)
    with pytest.raises(psycopg.errors.DuplicateTable) as caught:
        predict(model)
    assert caught.value.diag.message_hint == (
        "Choose another name, drop it, or, if it is a table of predictions, call with replace => true."
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize("function", ["tree_predict", "forest_predict"])
@pytest.mark.parametrize("type", ["response", "prob", "leaf"])
def test_new_rows_take_the_place_of_the_former_ones(model: psycopg.Connection, function: str, type: str) -> None:
    assert "200 rows" in predict(model, function=function, type=type, replace=True)  # there is none yet
    model.execute("DELETE FROM t WHERE id > 150; UPDATE t SET x = 100 - x; INSERT INTO t VALUES (900, 3, NULL)")
    model.execute("ALTER TABLE out ALTER id SET NOT NULL, ALTER id ADD GENERATED ALWAYS AS IDENTITY")
    before = content(model)
    said = predict(model, function=function, type=type, replace=True)
    assert "151 rows of t scored" in said
    assert "into out in" in said
    predict(model, "fresh", function=function, type=type)
    assert content(model) == content(model, "fresh") != before


def test_the_table_keeps_its_grants_its_indexes_and_the_views_on_it(model: psycopg.Connection) -> None:
    predict(model)
    model.execute(
        "ALTER TABLE out ADD PRIMARY KEY (id); GRANT SELECT ON out TO PUBLIC; COMMENT ON TABLE out IS 'each night'; "
        "CREATE VIEW late AS SELECT id FROM out WHERE estimated_y"
    )
    facts = (
        "SELECT oid, relacl::text, obj_description(oid), (SELECT count(*) FROM pg_index WHERE indrelid = c.oid) "
        "FROM pg_class AS c WHERE oid = 'out'::regclass"
    )
    before = model.execute(facts).fetchone()
    model.execute("UPDATE t SET x = 0 WHERE id <> 8")
    predict(model, replace=True)
    assert model.execute(facts).fetchone() == before
    assert model.execute("SELECT count(*) FROM late").fetchone() == (1,)


def test_other_columns_are_a_new_table(model: psycopg.Connection) -> None:
    predict(model)
    told: list[str] = []
    model.add_notice_handler(lambda found: told.append(found.message_primary or ""))
    predict(model, type="prob", replace=True)
    assert [column.name for column in model.execute("SELECT * FROM out").description or ()] == [
        "id",
        "estimated_prob_false",
        "estimated_prob_true",
    ]
    (said,) = told
    assert "had other columns and was made anew, without its grants and indexes" in said
    model.execute("CREATE VIEW v AS SELECT * FROM out")
    with pytest.raises(psycopg.errors.DependentObjectsStillExist, match="view"):
        predict(model, replace=True)
    assert len(content(model)) == 200


def test_nothing_is_lost_where_it_fails(model: psycopg.Connection) -> None:
    predict(model)
    model.execute("CREATE UNIQUE INDEX ON out (id)")
    before = content(model)
    model.execute("INSERT INTO t VALUES (1, 2, true)")
    with pytest.raises(psycopg.errors.UniqueViolation):
        predict(model, replace=True)
    assert content(model) == before
    assert model.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'madtree_rows%'").fetchone() == (0,)


def test_readers_need_not_wait_until_all_rows_are_made(model: psycopg.Connection) -> None:
    """While rows are read and scored, nobody holds the lock that readers would wait for."""
    predict(model)
    model.execute(
        "CREATE FUNCTION unlocked(x bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN "
        "IF EXISTS (SELECT FROM pg_locks WHERE relation = 'out'::regclass AND mode = 'AccessExclusiveLock') "
        "THEN RAISE 'locked'; END IF; RETURN x; END $$; "
        "CREATE VIEW watched AS SELECT id, unlocked(x) AS x FROM t"
    )
    model.execute("SELECT madtree.tree_predict('m', 'watched', 'out', replace => true)")
    with pytest.raises(psycopg.Error, match="locked"):
        model.execute("LOCK TABLE out; SELECT * FROM watched")


NOT_PREDICTIONS = {
    "a table of the user's": "CREATE TABLE out (id int, price float8)",
    "one column": "CREATE TABLE out (id int)",
    "no column": "CREATE TABLE out ()",
    "one column too many": "CREATE TABLE out (id int, estimated_y bool, note text)",
    "another outcome": "CREATE TABLE out (id int, estimated_cost bool)",
    "more outcomes": "CREATE TABLE out (id int, estimated_y bool, estimated_z bool)",
    "a like name": "CREATE TABLE out (id int, estimated_problem float8)",
    "a view": "CREATE VIEW out AS SELECT id, y AS estimated_y FROM t",
    "a materialized view": "CREATE MATERIALIZED VIEW out AS SELECT id, y AS estimated_y FROM t",
    "partitioned": "CREATE TABLE out (id int, estimated_y bool) PARTITION BY LIST (id)",
    "a sequence": "CREATE SEQUENCE out",
    "an index": "CREATE INDEX out ON t (id)",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("statement", NOT_PREDICTIONS.values(), ids=list(NOT_PREDICTIONS))
def test_only_tables_of_predictions_are_replaced(model: psycopg.Connection, statement: str) -> None:
    model.execute(statement)
    before = model.execute("SELECT oid, relfilenode FROM pg_class WHERE oid = 'out'::regclass").fetchone()
    with pytest.raises(psycopg.errors.DuplicateTable, match="replaces tables of predictions only"):
        predict(model, replace=True)
    assert model.execute("SELECT oid, relfilenode FROM pg_class WHERE oid = 'out'::regclass").fetchone() == before


@pytest.mark.one_in(2)
@pytest.mark.parametrize("table", ["t", "m", "m_nodes", "m_summary", "f", "f_group", "f_packed", "f_nodes"])
def test_neither_data_nor_models_are_replaced(model: psycopg.Connection, table: str) -> None:
    with pytest.raises(psycopg.errors.DuplicateTable, match="replaces tables of predictions only"):
        predict(model, table, replace=True)
    assert model.execute(f"SELECT count(*) FROM {table}").fetchone() != (0,)


def test_anothers_table_is_not_replaced(model: psycopg.Connection, user_db: psycopg.Connection) -> None:
    """Not by a superuser either, nor by who is a member of its owner's role."""
    predict(model)
    alice = user_db.info.user
    model.execute(f"ALTER TABLE out OWNER TO {alice}")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match=f'belongs to "{alice}"'):
        predict(model, replace=True)
    assert len(content(model)) == 200


PLANTED = {
    "a trigger": "CREATE TRIGGER planted BEFORE INSERT ON out FOR EACH ROW EXECUTE FUNCTION planted()",
    "a rule": "CREATE RULE planted AS ON INSERT TO out DO ALSO SELECT spring()",
    "a check constraint": "ALTER TABLE out ADD CHECK (spring() > 0)",
    "an index with an expression": "CREATE INDEX ON out ((spring() + id))",
    "a policy": "CREATE POLICY planted ON out USING (spring() > 0)",
    "a table that inherits": "CREATE TABLE heir () INHERITS (out)",
    "a generated column": "ALTER TABLE out DROP estimated_y, ADD estimated_y int GENERATED ALWAYS AS (spring()) STORED",
}


@pytest.mark.parametrize("what", PLANTED)
def test_what_would_run_on_filling_it_is_refused(model: psycopg.Connection, what: str) -> None:
    model.execute(
        "CREATE SEQUENCE sprung; "
        "CREATE FUNCTION spring() RETURNS int LANGUAGE plpgsql IMMUTABLE SET search_path FROM CURRENT AS "
        "$$ BEGIN RETURN nextval('sprung'); END $$; "  # PostgreSQL 17 makes indexes by a search_path of its own
        "CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM spring(); RETURN NEW; END $$"
    )
    predict(model)
    model.execute(PLANTED[what])
    model.execute("SELECT setval('sprung', 1, false)")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match=what):
        predict(model, replace=True)
    assert model.execute("SELECT is_called FROM sprung").fetchone() == (False,)


def test_a_temporary_table_is_replaced(model: psycopg.Connection) -> None:
    predict(model, "pg_temp.out")
    predict(model, "pg_temp.out", replace=True)
    assert len(content(model, "pg_temp.out")) == 200


def test_ordinary_roles_replace_their_own(model: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> None:
    model.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO PUBLIC")
    predict(user_db)
    predict(user_db, replace=True)
    assert len(content(user_db)) == 200


def test_the_client_engine_replaces_alike(model: psycopg.Connection) -> None:
    predict(model)
    model.execute("GRANT SELECT ON out TO PUBLIC; UPDATE t SET x = 0")
    oid = model.execute("SELECT 'out'::regclass::oid").fetchone()
    with model.transaction():
        call(PsycopgHost(model), "tree_predict", ["m", "t", "out"], {"replace": True})
    assert {said for _, said in content(model)} == {False}
    assert model.execute("SELECT 'out'::regclass::oid").fetchone() == oid


def test_scores_of_a_boosted_model_are_replaced(model: psycopg.Connection) -> None:
    model.execute("SELECT madtree.boost_train('t', 'b', 'id', 'y', 'x', num_trees => 2)")
    predict = "SELECT madtree.boost_predict('b', 't', 'out', %s, replace => true)"
    for type_ in ("raw", "response", "raw"):
        model.execute(predict, [type_])
    assert [column.name for column in model.execute("TABLE out").description or ()] == ["id", "raw_y"]
    model.execute("ALTER TABLE out RENAME raw_y TO raw_material")
    with pytest.raises(psycopg.errors.DuplicateTable, match="or raw_y or node_id or node_ids"):
        model.execute(predict, ["raw"])
