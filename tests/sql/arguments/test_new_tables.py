"""Names of tables that functions are asked to create: the same rules and the same words for all of these functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg_host import PsycopgHost
from training import train

from madtree.request import check_free
from madtree.sqltext.catalog import TABLE_COLUMNS
from madtree.sqltext.tables import SUFFIXES

MAKERS = {
    "tree_train": ("output_table_name", "model", "madtree.tree_train('{s}.data', %s, 'id', 'y', 'x', min_split => 2)"),
    "forest_train": (
        "output_table_name",
        "model",
        "madtree.forest_train('{s}.data', %s, 'id', 'y', 'x', num_trees => 2)",
    ),
    "boost_train": (
        "output_table_name",
        "model",
        "madtree.boost_train('{s}.data', %s, 'id', 'y', 'x', num_trees => 2)",
    ),
    "tree_tune": (
        "output_table_name",
        "table",
        "madtree.tree_tune('{s}.data', %s, 'id', 'y', 'x', n_folds => 2, params => 'max_depth=1,2')",
    ),
    "boost_cut": ("new_model", "model", "madtree.boost_cut('{s}.b', %s, 1)"),
    "boost_predict": ("output_table", "table", "madtree.boost_predict('{s}.b', '{s}.data', %s)"),
    "forest_predict": ("output_table", "table", "madtree.forest_predict('{s}.f', '{s}.data', %s)"),
    "tree_predict": ("output_table", "table", "madtree.tree_predict('{s}.m', '{s}.data', %s)"),
    "tree_shap": ("output_table", "table", "madtree.tree_shap('{s}.m', '{s}.data', %s)"),
    "tree_prune": ("new_model", "model", "madtree.tree_prune('{s}.m', %s, 0.5)"),
    "get_var_importance": ("output_table", "table", "madtree.get_var_importance('{s}.m', %s)"),
}
QUOTES = "Put a name with capitals, spaces or other special characters in double quotes."
VALID = "it must be name or schema.name"
LONG = "x" * 64
# The name, the sentence (of argument, kind and schema), what the hint begins with, and the SQLSTATE.
MISTAKES = [
    (None, "{argument} must be the name of a {kind} to create, not NULL", "Write name or schema.name.", "22023"),
    ("", "{argument} must be the name of a {kind} to create, not empty", "Write name or schema.name.", "22023"),
    (" \t", "{argument} must be the name of a {kind} to create, not empty", "Write name or schema.name.", "22023"),
    ("a b", f"{{argument}} is not a valid table name: 'a b'; {VALID}", QUOTES, "22023"),
    ("a.b.c", f"{{argument}} is not a valid table name: 'a.b.c'; {VALID}", QUOTES, "22023"),
    ("a.", f"{{argument}} is not a valid table name: 'a.'; {VALID}", QUOTES, "22023"),
    ('""', f"{{argument}} is not a valid table name: '\"\"'; {VALID}", QUOTES, "22023"),
    ("a; drop", f"{{argument}} is not a valid table name: 'a; drop'; {VALID}", QUOTES, "22023"),
    (LONG, f'{{argument}}: "{LONG}" has 64 bytes, but a name may have 63', "Choose a shorter name.", "42622"),
    ("木" * 22, f'{{argument}}: "{"木" * 22}" has 66 bytes, but a name may have 63', "Choose a shorter name.", "42622"),
    ("nope.out", '{argument}: schema "nope" does not exist', "Create it first, or name another schema.", "3F000"),
    ("data", '{argument}: "{s}"."data" exists already', "Choose another name, ", "42P07"),
    ("{s}.data", '{argument}: "{s}"."data" exists already', "Choose another name, ", "42P07"),
    ("DATA", '{argument}: "{s}"."data" exists already', "Choose another name, ", "42P07"),
    ('"A view"', '{argument}: "{s}"."A view" exists already', "Choose another name, ", "42P07"),
    ("an_index", '{argument}: "{s}"."an_index" exists already', "Choose another name, ", "42P07"),
]


MAKE = """
    CREATE TABLE data AS SELECT i AS id, i > 10 AS y, i AS x FROM generate_series(1, 20) i;
    CREATE VIEW "A view" AS SELECT 1 AS one;
    CREATE INDEX an_index ON data (id);
    SELECT madtree.tree_train('data', 'm', 'id', 'y', 'x', min_split => 2);
    SELECT madtree.forest_train('data', 'f', 'id', 'y', 'x', num_trees => 2);
    SELECT madtree.boost_train('data', 'b', 'id', 'y', 'x', num_trees => 2);
"""


@pytest.fixture(scope="module")
def made(shared_db: psycopg.Connection) -> psycopg.Connection:
    """Models of `data`, and things that have names already, for calls that leave nothing."""
    shared_db.execute(MAKE)
    return shared_db


@pytest.fixture
def model(db: psycopg.Connection) -> psycopg.Connection:
    """The same for a test that changes them."""
    db.execute(MAKE)
    return db


def refused(db: psycopg.Connection, schema: str, maker: str, name: str | None) -> psycopg.Error:
    """The error of a call; nothing must be left of it."""
    objects = "SELECT pg_catalog.count(*) FROM pg_catalog.pg_class"
    before = db.execute(objects).fetchone()
    with pytest.raises(psycopg.Error) as caught:
        db.execute(f"SELECT {MAKERS[maker][2].format(s=schema)}", [name])
    assert db.execute(objects).fetchone() == before
    return caught.value


def sentence(error: psycopg.Error) -> str:
    return str(error.diag.message_primary).removeprefix("madtree: ")


@pytest.mark.parametrize("maker", MAKERS)
def test_a_name_that_cannot_be_created_is_refused_in_the_same_words(
    made: psycopg.Connection, shared_schema: str, maker: str
) -> None:
    argument, kind, _ = MAKERS[maker]
    for name, expected, hint, sqlstate in MISTAKES:
        error = refused(made, shared_schema, maker, None if name is None else name.replace("{s}", shared_schema))
        assert sentence(error) == expected.format(argument=argument, kind=kind, s=shared_schema)
        assert str(error.diag.message_hint).startswith(hint), name
        assert error.sqlstate == sqlstate, name


@pytest.mark.parametrize("maker", MAKERS)
def test_no_schema_is_selected(
    made: psycopg.Connection, connect: Callable[[], psycopg.Connection], shared_schema: str, maker: str
) -> None:
    other = connect()
    other.execute("SET search_path = nowhere")
    error = refused(other, shared_schema, maker, "out")
    assert sentence(error) == f'{MAKERS[maker][0]}: no schema has been selected to create "out" in'
    assert str(error.diag.message_hint).startswith("Name a schema (schema.name)")
    assert error.sqlstate == "3F000"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("maker", MAKERS)
def test_the_caller_may_not_create_tables_there(
    model: psycopg.Connection, user_db: psycopg.Connection, schema: str, maker: str
) -> None:
    user = user_db.info.user
    model.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO "{user}"')
    model.execute(f'REVOKE CREATE ON SCHEMA "{schema}" FROM "{user}"')
    for name in ("out", f"{schema}.out"):
        error = refused(user_db, schema, maker, name)
        assert sentence(error) == f'{MAKERS[maker][0]}: permission denied for schema "{schema}"'
        assert "grant you CREATE" in str(error.diag.message_hint)
        assert error.sqlstate == "42501"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("maker", MAKERS)
def test_any_other_name_will_do(made: psycopg.Connection, shared_schema: str, maker: str) -> None:
    for name in (" out ", "OUT", "\"Out, 'put'\"", "x" * 63, "pg_temp.out", f"{shared_schema}.out"):
        with made.transaction(force_rollback=True):
            made.execute(f"SELECT {MAKERS[maker][2].format(s=shared_schema)}", [name])
            assert made.execute(f"SELECT pg_catalog.count(*) > 0 FROM {name}").fetchone() == (True,)


def test_all_functions_that_create_tables_are_here(db: psycopg.Connection) -> None:
    found = db.execute("""
        SELECT DISTINCT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = 'madtree' AND p.proargnames && ARRAY['output_table', 'output_table_name', 'new_model']
    """)
    assert {name for (name,) in found} == MAKERS.keys()


class OvertakenHost(PsycopgHost):
    """A session that others overtake: just before its first look at the columns of a model they replace the model."""

    def __init__(self, connection: psycopg.Connection, other: psycopg.Connection) -> None:
        super().__init__(connection)
        self.other: psycopg.Connection | None = other

    def query(self, sql: str, *more: Any) -> list[dict[str, Any]]:
        if sql == TABLE_COLUMNS and self.other:
            other, self.other = self.other, None
            train(other, "data", "m", "y", "x", replace=True)
        return super().query(sql, *more)


def test_a_model_that_is_replaced_by_one_with_fewer_tables_may_be_replaced(
    model: psycopg.Connection, connect: Any, schema: str
) -> None:
    train(model, "data", "m", "y", "x", replace=True, pruning_params="n_folds=2")
    host = OvertakenHost(model, connect())
    assert check_free(host, None, "m", "output_table_name", SUFFIXES, True) == schema
    assert host.other is None
    model.execute("CREATE TABLE m_cv (mine text)")
    with pytest.raises(Exception, match=r"m_cv.* exists and is not part of a madtree model"):
        check_free(host, None, "m", "output_table_name", SUFFIXES, True)


def test_names_may_begin_with_what_is_white_to_python_alone(db: psycopg.Connection) -> None:
    """A no-break space is a letter to PostgreSQL."""
    db.execute('CREATE TABLE "\xa0t" AS SELECT i AS "\xa0id", i % 7 AS "\xa0x", i % 2 AS "\xa0y", i % 3 AS "\xa0f" '
               "FROM generate_series(1, 60) AS i")  # fmt: skip
    train = (
        "SELECT madtree.tree_train(' \xa0t ', ' \xa0m ', '\xa0id', '\xa0y', '\xa0x', weights => ' \xa0f + 1', "
        "feature_costs => '\xa0x = 2', pruning_params => 'fold_col = \xa0f')"
    )
    db.execute(train)
    db.execute("SELECT madtree.tree_predict('\xa0m', '\xa0t', ' \xa0out')")
    assert db.execute('SELECT count(*) FROM "\xa0out" JOIN "\xa0t" USING ("\xa0id")').fetchone() == (60,)
