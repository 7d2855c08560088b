"""Every mistake in the arguments of `tree_train`: one clear sentence, before any work, and nothing left behind."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from argument_calls import GOOD, MISTAKES, shop
from psycopg.errors import InvalidParameterValue
from training import call_train, left_behind

# Of each kind of mistakes two; the others are tried without a server.
SAMPLE = [mistake for mistakes in MISTAKES.values() for mistake in (mistakes[0], mistakes[-1])]
SAMPLE += [
    (
        {"class_params": "prior=0.2:0.3:0.5"},  # which only rows can tell
        "class_params: prior has 3 numbers, and there should be 2: dependent_variable y has 2 classes, in this order: "
        "false, true",
    )
]


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    for statement in shop().statements():
        db.execute(statement)
    return db


def call(db: psycopg.Connection, **arguments: Any) -> None:
    """A good call, but for `arguments`."""
    call_train(db, **(GOOD | arguments))


def refusal(db: psycopg.Connection, **arguments: Any) -> psycopg.Error:
    """The error of a call; nothing must be left of it."""
    before = left_behind(db)
    with pytest.raises(psycopg.Error) as caught:  # which, is what the tests compare
        call(db, **arguments)
    assert left_behind(db) == before
    return caught.value


@pytest.mark.parametrize(("arguments", "words"), SAMPLE, ids=lambda value: str(value)[:60])
def test_a_mistake_is_named_and_leaves_nothing(data: psycopg.Connection, arguments: dict[str, Any], words: str) -> None:
    message = refusal(data, **arguments).diag.message_primary or ""
    schema = schema_of(data)  # it has another name in each run
    assert words in message.replace(f'"{schema}".', "").replace(f"{schema}.", "")


def test_an_expression_that_is_too_long_is_refused(data: psycopg.Connection) -> None:
    """And the longest one that is not runs."""
    around = "n + 0 * length('')"
    longest = around.replace("''", f"'{'x' * (262_144 - len(around))}'")
    call(data, grouping_cols=longest)
    error = refusal(data, grouping_cols=longest.replace("x", "xx", 1), output_table_name="other")
    assert error.sqlstate == "54000"


def schema_of(db: psycopg.Connection) -> str:
    row = db.execute("SELECT current_schema()").fetchone()
    assert row
    return str(row[0])


def test_a_hint_and_a_sqlstate(data: psycopg.Connection) -> None:
    error = refusal(data, training_table_name="dta")
    assert (error.sqlstate, error.diag.message_hint) == ("42P01", 'Did you mean "data"?')


@pytest.mark.parametrize(("suffix", "name"), [("", "model"), ("_cv", "x" * 63)])
def test_none_of_the_models_tables_may_exist(data: psycopg.Connection, suffix: str, name: str) -> None:
    from madtree.sqltext.tables import suffixed

    table = suffixed(name, suffix)
    data.execute(f"CREATE TABLE {table} (a int)")
    assert f'"{table}" exists already' in str(refusal(data, output_table_name=name))
    assert f'"{table}" exists and is not part of a madtree model' in str(
        refusal(data, output_table_name=name, replace=True)
    )


def test_help(db: psycopg.Connection) -> None:
    (text,) = db.execute("SELECT madtree.tree_train()").fetchone() or ("",)
    for argument in ("training_table_name", "grouping_cols", "pruning_params", "memory_mb"):
        assert argument in text
    for word in ("usage", "HELP", "?", "", None):
        assert db.execute("SELECT madtree.tree_train(%s)", [word]).fetchone() == (text,)
    (example,) = db.execute("SELECT madtree.tree_train(' Example ')").fetchone() or ("",)
    assert text.endswith(f"\n{example}")
    with pytest.raises(
        InvalidParameterValue, match=r"tree_train with one argument takes 'usage', 'help', 'example', '\?', not 'data'"
    ):
        db.execute("SELECT madtree.tree_train('data')")


@pytest.mark.parametrize("function", ["tree_drop"])
def test_a_question_in_a_models_place_gives_help_unless_it_is_a_relations_name(
    db: psycopg.Connection, function: str
) -> None:
    (text,) = db.execute(f"SELECT madtree.{function}()").fetchone() or ("",)
    for word in ("usage", "Help", "?", "", " "):
        assert db.execute(f"SELECT madtree.{function}(%s)", [word]).fetchone() == (text,)
    (example,) = db.execute(f"SELECT madtree.{function}('example')").fetchone() or ("",)
    assert example.startswith("Example")
    assert text.endswith(f"\n{example}")
    db.execute("CREATE TABLE example (); CREATE TABLE usage ()")
    for word in ("Example", "usage"):
        with pytest.raises(psycopg.Error, match=f"model: .*{word}"):
            db.execute(f"SELECT madtree.{function}('{word}')")


@pytest.mark.parametrize("function", ["tree_rules"])
def test_a_question_where_the_answer_is_no_text_tells_where_the_help_is(db: psycopg.Connection, function: str) -> None:
    for word in ("help", "example", ""):
        with pytest.raises(InvalidParameterValue, match=rf"SELECT madtree.{function}\(\) shows how to use {function}"):
            db.execute(f"SELECT madtree.{function}('{word}')")


def test_a_user_without_rights_gets_postgresqls_own_error(
    data: psycopg.Connection, user_db: psycopg.Connection, schema: str
) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table data"):
        call(user_db)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table data"):
        call(user_db, list_of_features="x + n")


@pytest.mark.parametrize("column", ["feeling", "easy"])
def test_a_type_that_has_no_operator_of_its_own_for_equals_is_grouped_by_its_text(
    db: psycopg.Connection, column: str
) -> None:
    """Of a domain over an enum PostgreSQL finds none, of an enum with implicit casts several: GROUP BY needs none."""
    db.execute("""
        CREATE TYPE mood AS ENUM ('sad', 'happy');
        CREATE DOMAIN feeling AS mood;
        CREATE TYPE easy AS ENUM ('sad', 'happy');
        CREATE FUNCTION as_text(v easy) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT CAST(enum_out(v) AS text)';
        CREATE FUNCTION as_int(v easy) RETURNS int4 LANGUAGE sql IMMUTABLE AS 'SELECT 1';
        CREATE CAST (easy AS text) WITH FUNCTION as_text(easy) AS IMPLICIT;
        CREATE CAST (easy AS int4) WITH FUNCTION as_int(easy) AS IMPLICIT;
        CREATE TABLE data AS
        SELECT i AS id, i % 2 = 0 AS y, i AS x, i AS n, v.v::mood::feeling AS feeling, v.v::easy AS easy
        FROM generate_series(1, 20) i, LATERAL (SELECT CASE WHEN i < 9 THEN 'sad' ELSE 'happy' END) v(v);
    """)
    error = refusal(db, grouping_cols=column)
    assert error.sqlstate == "42883"
    assert "for which PostgreSQL finds no operator =, or more than one" in str(error.diag.message_primary)
    by_text = f"({column})::text AS {column}"
    assert error.diag.message_hint == f"Group by its text: {by_text}."
    call(db, grouping_cols=by_text)
    assert db.execute(f"SELECT {column}, n_rows FROM model ORDER BY 1").fetchall() == [("happy", 12), ("sad", 8)]


@pytest.mark.parametrize(("column", "argument"), [("y", "dependent_variable"), ("k", "list_of_features")])
def test_what_a_model_could_not_be_read_with_is_refused(db: psycopg.Connection, column: str, argument: str) -> None:
    db.execute("CREATE TABLE long AS SELECT i AS id, i % 2 = 0 AS z, 'a' AS k, 'a' AS y FROM generate_series(1, 20) i")
    db.execute(f"UPDATE long SET {column} = repeat('a', 262145) WHERE z")
    with pytest.raises(psycopg.Error, match=rf"{argument}: {column} has a value of 262,145 bytes; at most 262,144 are"):
        db.execute("SELECT tree_train('long', 'm', 'id', 'y', 'z, k')")
    db.execute(f"UPDATE long SET {column} = repeat('a', 262144) WHERE z")
    db.execute("SELECT tree_train('long', 'm', 'id', 'y', 'z, k')")
    db.execute("SELECT tree_display('m')")
