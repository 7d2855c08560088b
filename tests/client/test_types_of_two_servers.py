"""Names of types that one server gives to the other one, where they may be anybody's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
import pytest
from fix_server import Server
from psycopg.conninfo import conninfo_to_dict

import madtree
from madtree.client.calls import CallError
from madtree.host.psycopg import PsycopgHost
from madtree.sqltext import catalog

_ROWS = """
CREATE TABLE public.rows AS SELECT i AS id, i * 37 % 90 AS x, i * 37 % 90 > 40 AS y,
    (ARRAY['low', 'high'])[1 + i % 2] AS g, 1 + i % 2 AS n FROM generate_series(1, 300) AS i
"""
_TRAP = """
CREATE ROLE madtree_namesake;
CREATE SCHEMA shared AUTHORIZATION madtree_namesake;
GRANT USAGE ON SCHEMA shared TO public;
SET ROLE madtree_namesake;
CREATE TABLE shared.sprung (role text);
GRANT INSERT ON shared.sprung TO public;
CREATE FUNCTION shared.spring(value text) RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RAISE WARNING 'sprung as %', current_user; RETURN true; END $$;
RESET ROLE
"""
_DOMAIN = (
    "SET ROLE madtree_namesake; CREATE DOMAIN shared.{name} AS {type} CHECK (shared.spring(VALUE::text)); RESET ROLE"
)


@pytest.fixture
def rows(server: Server, plain: str) -> str:
    """DSN of a superuser's database with the rows."""
    dsn = server.dsn_of(dbname=str(conninfo_to_dict(plain)["dbname"]))
    run(dsn, _ROWS)
    return dsn


@pytest.fixture
def sprung(rows: str, other_database: str) -> Iterator[list[str]]:
    """What the functions of another role have said; at either server."""
    yield []
    for dsn in (rows, other_database):
        run(dsn, "DROP SCHEMA IF EXISTS shared CASCADE")
    run(rows, "DROP ROLE IF EXISTS madtree_namesake")


def run(dsn: str, statements: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statements)  # type: ignore[arg-type]


def refused(call: Callable[..., Any], *arguments: Any, match: str) -> None:
    with pytest.raises(CallError, match=match) as told:
        call(*arguments)
    assert told.value.sqlstate == "42501"


def test_a_domain_of_the_rows_is_another_roles_where_the_model_is(
    rows: str, other_database: str, sprung: list[str]
) -> None:
    """Here a superuser's, there one of the same name whose check runs as whoever fills a column of it."""
    run(rows, "CREATE SCHEMA shared; CREATE DOMAIN shared.code AS int4; CREATE DOMAIN shared.mood AS text")
    run(rows, "ALTER TABLE public.rows ALTER id TYPE shared.code, ALTER g TYPE shared.mood")
    run(other_database, _TRAP)
    domain = (
        "CREATE DOMAIN shared.{} CHECK (shared.spring(VALUE::text)); ALTER DOMAIN shared.{} OWNER TO madtree_namesake"
    )
    run(other_database, f"{domain.format('code AS int4', 'code')}; {domain.format('mood AS text', 'mood')}")
    there = "which at the server of the model is another role's"
    with madtree.connect(rows, model_dsn=other_database, on_message=sprung.append) as client:
        for grouping, type_ in {"g": "shared.mood", "ARRAY[g] AS gs": r"shared.mood\[\]"}.items():
            given = "rows", "m", "id", "y", "x", None, None, grouping
            refused(client.tree_train, *given, match=rf"is of type {type_}, {there}")
        client.tree_train("rows", "m", "id", "y", "x")
        for predict in (client.tree_predict, client.tree_shap):
            refused(predict, "m", "rows", "p", match=rf"id is of type shared.code, {there}")
        oob = ("rows", "f", "id", "y", "x")
        with pytest.raises(CallError, match=there):
            client.forest_train(*oob, num_trees=2, oob_predictions=True)
    assert not [each for each in sprung if "sprung" in each]
    run(other_database, "DROP DOMAIN shared.code; CREATE DOMAIN shared.code AS int4")
    with madtree.connect(rows, model_dsn=other_database) as client:
        client.tree_predict("m", "rows", "p")
        assert client.query("SELECT count(*), min(pg_typeof(id)::text) FROM p")[0] == (300, "shared.code")


def test_a_group_of_the_model_is_another_roles_domain_where_the_rows_are(
    rows: str, other_database: str, sprung: list[str]
) -> None:
    run(other_database, "CREATE SCHEMA shared; CREATE TYPE shared.mood AS ENUM ('low', 'high')")
    run(other_database, f"{_ROWS}; ALTER TABLE public.rows ALTER g TYPE shared.mood USING g::shared.mood")
    run(rows, _TRAP)
    with madtree.connect(other_database, engine="client") as client:
        client.tree_train("rows", "m", "id", "y", "x", grouping_cols="g")
        client.tree_train("rows", "of_class", "id", "g", "x")
    run(rows, _DOMAIN.format(name="mood", type="text"))
    here = '"g" is of type shared.mood, which at the server of the rows is another role\'s'
    on_path = f"{other_database} options='-c search_path=public,shared'"
    with madtree.connect(f"{rows} options='-c search_path=public,shared'", model_dsn=on_path) as client:
        client.tree_predict("m", "rows", "by_texts")
    with madtree.connect(rows, model_dsn=other_database, on_message=sprung.append) as client:
        assert client.query("SELECT count(*), count(estimated_y) FROM by_texts")[0] == (300, 300)
        run(rows, "ALTER TABLE public.rows ALTER g TYPE shared.mood")
        refused(client.tree_predict, "m", "rows", "p", match=here)
        refused(client.tree_evaluate, "m", "rows", match=here)
        refused(client.tree_path, "m", "rows", "5", match=here)
        client.tree_evaluate("of_class", "rows")
        client.tree_predict("of_class", "rows", "of_class_predicted")
    assert not [each for each in sprung if "sprung" in each]


def test_another_roles_enum_will_do_where_the_rows_are_but_not_their_functions(
    rows: str, other_database: str, sprung: list[str]
) -> None:
    run(other_database, "CREATE SCHEMA shared; CREATE EXTENSION citext SCHEMA shared")
    run(other_database, f"{_ROWS}; ALTER TABLE public.rows ALTER g TYPE shared.citext")
    run(rows, _TRAP)
    with madtree.connect(other_database, engine="client") as client:
        client.tree_train("rows", "m", "id", "y", "x", grouping_cols="g")
        client.tree_predict("m", "rows", "expected")
        client.tree_train("rows", "of_class", "id", "g", "x")
        evaluated = client.tree_evaluate("of_class", "rows")
    run(
        rows,
        "SET ROLE madtree_namesake; CREATE TYPE shared.citext AS ENUM ('low', 'high');"
        "CREATE FUNCTION shared.equal(a shared.citext, b shared.citext) RETURNS boolean LANGUAGE sql AS "
        "'SELECT shared.spring(a::text)'; "
        "CREATE OPERATOR shared.= (LEFTARG = shared.citext, RIGHTARG = shared.citext, FUNCTION = shared.equal);"
        "CREATE FUNCTION shared.citextout(shared.citext) RETURNS text LANGUAGE sql AS "
        "$$SELECT CASE WHEN shared.spring('') THEN 'low' END$$",
    )
    run(rows, "ALTER TABLE public.rows ALTER g TYPE shared.citext USING g::shared.citext")
    with madtree.connect(rows, model_dsn=other_database, on_message=sprung.append) as client:
        client.tree_predict("m", "rows", "p")
        assert client.query("SELECT count(*) FROM p JOIN expected USING (id, estimated_y)")[0] == (300,)
        for row, before in zip(client.tree_evaluate("of_class", "rows"), evaluated, strict=True):
            # A sum over groups of rows, whose order is PostgreSQL's to choose; all else is the same to the last digit.
            value = pytest.approx(before.value, rel=1e-12) if row.metric == "log_loss" else before.value
            assert row == (*before[:3], value)
    assert not [each for each in sprung if "sprung" in each]


@pytest.mark.one_in(2)
@pytest.mark.in_turn
@pytest.mark.parametrize(
    "told", ["integer DEFAULT f()", "integer); SELECT 1; CREATE TABLE z (i integer", "integer, z integer", "text--"]
)
@pytest.mark.parametrize("look_up", ["COLUMNS", "TYPES"])
def test_a_hostile_server_of_rows_writes_no_sql_for_the_models(
    rows: str, other_database: str, monkeypatch: pytest.MonkeyPatch, told: str, look_up: str
) -> None:
    original = PsycopgHost.query

    def query(self: PsycopgHost, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Any]:
        found = original(self, sql, types, params)
        if sql == getattr(catalog, look_up):
            for name in {"name", "full_type"} if look_up == "TYPES" else {"full_type"}:
                found = [{**row, name: told} if name in row else row for row in found]
        return found

    with madtree.connect(rows, model_dsn=other_database) as client:
        client.tree_train("rows", "m", "id", "y", "x")
    monkeypatch.setattr(PsycopgHost, "query", query)
    with madtree.connect(rows, model_dsn=other_database) as client:
        for call in (
            lambda: client.tree_train("rows", "g", "id", "y", "x", grouping_cols="n"),
            lambda: client.tree_train("rows", "g", "id", "y", "x", grouping_cols="n + 1 AS m"),
        ):
            with pytest.raises(CallError, match="the server of the rows has told of a column"):
                call()
        if look_up == "TYPES":  # of the id
            with pytest.raises(CallError, match="the server of the rows has told of a column"):
                client.tree_predict("m", "rows", "p")


def test_what_one_server_says_of_types_is_not_taken_for_anothers(
    rows: str, other_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even of those that are the same on every server that is what it says it is."""
    original = PsycopgHost.query

    def query(self: PsycopgHost, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Any]:
        found = original(self, sql, types, params)
        return [{**row, "name": "shared.t", "base": "shared.t"} for row in found] if sql == catalog.TYPES else found

    run(other_database, _ROWS)
    with monkeypatch.context() as patched:
        patched.setattr(PsycopgHost, "query", query)
        with madtree.connect(rows, engine="client") as client, pytest.raises(CallError, match=r"is of type shared.t"):
            client.tree_train("rows", "m", "id", "y", "x")
    with madtree.connect(other_database, engine="client") as client:
        client.tree_train("rows", "m", "id", "y", "x")
        assert client.tree_predict("m", "rows", "p")
