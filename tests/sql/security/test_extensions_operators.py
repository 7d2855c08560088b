"""An extension's type has its operators in a schema in which others may create, as in `public` before PostgreSQL 15:
one of theirs that takes a domain, or a text, is never meant.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from shares import share

_OPERATOR = """
CREATE FUNCTION {schema}.equal(a {left}, b {right}) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
    $$ BEGIN RAISE WARNING 'sprung as %', current_user; RETURN a::text = b::text; END $$;
CREATE OPERATOR {schema}.= (LEFTARG = {left}, RIGHTARG = {right}, FUNCTION = {schema}.equal);
"""


@pytest.fixture
def places(db: psycopg.Connection, schema: str) -> Iterator[list[str]]:
    """What functions of an ordinary role have said; columns of a table are citext, domains over it, and text."""
    said: list[str] = []
    db.add_notice_handler(lambda notice: said.append(str(notice.message_primary)))
    db.execute(f"CREATE EXTENSION citext SCHEMA {schema}; CREATE DOMAIN named AS citext; CREATE DOMAIN once AS named")
    db.execute(
        "CREATE TABLE places AS SELECT i AS id, i * 7919 % 100 AS x, i * 7919 % 100 > 40 AS y,"
        " (ARRAY['a', 'B', 'c'])[1 + i % 3]::citext AS g, i::text::citext AS code FROM generate_series(1, 60) AS i;"
        "ALTER TABLE places ADD named named, ADD once once, ADD plain text, ADD code_named named;"
        "UPDATE places SET named = g, once = g, plain = upper(g::text), code_named = code"
    )
    yield said
    db.execute("DROP EXTENSION citext CASCADE")


def plant(user_db: psycopg.Connection, schema: str) -> None:
    types = ("citext", "named", "once", "text")
    for left in types:
        for right in types:
            if (left, right) not in (("citext", "citext"), ("text", "text")):
                user_db.execute(_OPERATOR.format(schema=schema, left=left, right=right))  # type: ignore[arg-type]


def test_none_of_them_is_called(
    db: psycopg.Connection, user_db: psycopg.Connection, schema: str, places: list[str]
) -> None:
    plant(user_db, schema)
    assert db.execute("SELECT named = named FROM places LIMIT 1").fetchone() == (True,)
    assert places  # who writes the operator alone means theirs
    places.clear()
    for turn, column in enumerate(("g", "named", "once")):
        more = f"'id', 'y', 'x', grouping_cols => '{column}', replace => true"
        for strategy in ("memory", "workers", "aggregate"):
            db.execute(f"SELECT tree_train('places', 'm', {more}, strategy => '{strategy}')")  # type: ignore[arg-type]
        db.execute(f"SELECT forest_train('places', 'f', {more}, num_trees => 2)")  # type: ignore[arg-type]
        db.execute(f"SELECT boost_train('places', 'b', {more}, num_trees => 2)")  # type: ignore[arg-type]
        for other in share(("g", "named", "once", "plain"), 2, turn):
            db.execute(f"CREATE VIEW told AS SELECT id, x, y, {other} AS {column} FROM places")  # type: ignore[arg-type]
            for model, kind in {"m": "tree", "f": "forest", "b": "boost"}.items():
                db.execute(f"SELECT {kind}_predict('{model}', 'told', 'p', replace => true)")  # type: ignore[arg-type]
                assert db.execute("SELECT count(*) FROM p WHERE estimated_y IS NOT NULL").fetchone() == (60,)
            db.execute("SELECT * FROM tree_evaluate('m', 'told')")
            sql = db.execute("SELECT tree_sql('m')").fetchone()
            assert sql
            assert db.execute(f"SELECT count({sql[0]}) FROM told").fetchone() == (60,)  # type: ignore[arg-type]
            db.execute("DROP VIEW told")
    for id_ in ("code", "code_named"):
        db.execute(f"SELECT tree_train('places', 'm', '{id_}', 'y', 'x', replace => true)")  # type: ignore[arg-type]
        assert db.execute("SELECT * FROM tree_path('m', 'places', '7')").fetchall()
        db.execute("SELECT * FROM tree_explain('m', 'places', '7')")
    assert [said for said in places if "sprung" in said] == []


def test_ordered_boosting_calls_none_of_them(
    db: psycopg.Connection, user_db: psycopg.Connection, schema: str, places: list[str]
) -> None:
    plant(user_db, schema)
    places.clear()
    db.execute("ALTER TABLE places ADD k text; UPDATE places SET k = (ARRAY['a', 'b', 'c', 'd'])[1 + id % 4]")
    db.execute(
        "SELECT boost_train('places', 'm', 'id', 'y', 'x, k', grouping_cols => 'named', num_trees => 2,"
        " boost_params => 'category_encoding=ordered')"
    )
    assert [said for said in places if "sprung" in said] == []


def test_a_forest_of_classes_of_such_a_type_is_refreshed(db: psycopg.Connection, places: list[str]) -> None:
    db.execute("SELECT forest_train('places', 'm', 'id', 'g', 'x', num_trees => 2)")
    db.execute("SELECT tree_refresh('m', 'places', 'again')")
    rows = db.execute("SELECT pg_typeof(prediction)::text, count(*) FROM again_nodes GROUP BY 1").fetchall()
    assert rows == db.execute("SELECT 'citext', count(*) FROM m_nodes").fetchall()
