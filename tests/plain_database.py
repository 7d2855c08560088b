"""A database as managed servers have them: without the extension, without PL/Python, for an ordinary user."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from fix_server import Server
from psycopg import sql


@pytest.fixture
def plain(server: Server, ordinary_user: tuple[str, str]) -> Iterator[str]:
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
