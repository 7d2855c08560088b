"""The client as the engine: an ordinary user on a server that has neither the extension nor PL/Python."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

import madtree
from madtree.client.calls import CallError


@pytest.fixture
def plain(server, ordinary_user) -> Iterator[str]:
    """DSN of an ordinary user, who may read the table shop.visits and create tables in the schema mine."""
    name, password = ordinary_user
    database = f"madtree_plain_{os.getpid()}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {database} TEMPLATE template0")
    try:
        with psycopg.connect(server.dsn_of(dbname=database), autocommit=True) as admin:
            admin.execute(
                "CREATE SCHEMA shop; CREATE SCHEMA mine;"
                "CREATE TABLE shop.visits AS SELECT i AS id, nullif(i * 37 % 90, 7)::float8 AS age,"
                " (ARRAY['web', 'shop', NULL, 'Läden'])[1 + i % 4] AS channel, i % 3 = 0 AS member, i % 5 AS region,"
                " ARRAY[i % 7, i % 11, NULL]::float8[] AS scores,"
                " i * 37 % 90 > 40 AND i % 3 <> 1 OR i % 13 = 0 AS bought FROM generate_series(1, 900) AS i"
            )
            user = sql.Identifier(name)
            admin.execute(
                sql.SQL(
                    "GRANT USAGE ON SCHEMA shop TO {0}; GRANT USAGE, CREATE ON SCHEMA mine TO {0};"
                    "GRANT SELECT ON shop.visits TO {0}; REVOKE CREATE ON SCHEMA public FROM public"
                ).format(user)
            )
        yield server.dsn_of(dbname=database, user=name, password=password)
    finally:
        with psycopg.connect(server.dsn, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {database} WITH (FORCE)")


def left_over(plain: str) -> list[str]:
    """What is in the database besides shop.visits and PostgreSQL's own: relations and functions."""
    with psycopg.connect(plain) as connection:
        rows = connection.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE oid >= 16384 AND relkind IN ('r', 'v', 'm') "
            "UNION ALL SELECT oid::regprocedure::text FROM pg_proc WHERE oid >= 16384 "
            "UNION ALL SELECT lanname FROM pg_language WHERE lanname LIKE '%python%'"
        ).fetchall()
    return sorted(row[0] for row in rows if row[0] != "shop.visits")


def test_a_database_without_the_extension_needs_none(plain: str) -> None:
    said: list[str] = []
    with madtree.connect(plain, on_message=said.append) as client:
        model = client.tree_train(
            "shop.visits", "mine.m", "id", "bought", "age, channel, member, scores", grouping_cols="region"
        )
        assert said[0] == "madtree: engine=client, since this database has no extension madtree"
        assert client.engine == "client"
        assert model.message is not None
        assert model.message.startswith("mine.m: classification, 900 rows, 5 trees, ")
        assert [row.model for row in client.models()] == ["mine.m"]
        assert left_over(plain) == ["mine.m", "mine.m_nodes", "mine.m_summary"]
        client.tree_drop("mine.m")
    assert left_over(plain) == []


def test_a_mistake_is_told_as_by_the_server_and_leaves_nothing(plain: str) -> None:
    with madtree.connect(plain, engine="client") as client:
        with pytest.raises(CallError, match=r"^madtree: list_of_features: column agee does not exist") as told:
            client.tree_train("shop.visits", "mine.m", "id", "bought", "agee")
        assert told.value.hint == "Did you mean age?"
        assert told.value.sqlstate == "42703"
        with pytest.raises(CallError, match="division by zero"):
            client.tree_train("shop.visits", "mine.m", "id", "bought", "age / (id - 700), channel")
        with pytest.raises(CallError, match=r"^madtree: strategy: aggregate needs the extension madtree"):
            client.tree_train("shop.visits", "mine.m", "id", "bought", "age", strategy="aggregate")
        with pytest.raises(CallError, match='permission denied for schema "public"'):
            client.tree_train("shop.visits", "public.m", "id", "bought", "age")
    assert left_over(plain) == []


def test_forests(plain: str) -> None:
    with madtree.connect(plain) as client:
        forest = client.forest_train("shop.visits", "mine.f", "id", "bought", "age, channel", num_trees=3)
        assert len(forest.trees) == 3
        client.tree_drop("mine.f")
    assert left_over(plain) == []


def test_an_engine_that_is_none_is_refused(plain: str) -> None:
    with pytest.raises(ValueError, match="engine must be one of auto, extension, client, not 'server'"):
        madtree.connect(plain, engine="server")  # type: ignore[arg-type]


def test_the_extension_is_chosen_where_it_is(url: str) -> None:
    said: list[str] = []
    with madtree.connect(url, on_message=said.append) as client:
        assert len(client.models()) == 0
        assert client.engine == "extension"
        assert said == [f"madtree: engine=extension, version {madtree.__version__} in the server"]
