"""A model of another role's, and a canary that tells what ran with whose rights."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql
from training import train


@pytest.fixture
def canary(db: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> Callable[[], set[str]]:
    """The roles as which something of the ordinary user's has run since the last call.

    `spring(...)`, IMMUTABLE in name only, notes `current_user` by a sequence of that role's. `db` is a superuser's.
    """
    alice = user_db.info.user
    db.execute(f"CREATE SEQUENCE sprung_boss; CREATE SEQUENCE sprung_alice; GRANT ALL ON SCHEMA {schema} TO PUBLIC")
    db.execute("GRANT ALL ON sprung_boss, sprung_alice TO PUBLIC")
    user_db.execute(
        f"CREATE FUNCTION spring() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM nextval("
        f"'{schema}.sprung_' || CASE current_user WHEN '{alice}' THEN 'alice' ELSE 'boss' END); RETURN 1; END $$"
    )

    def sprung() -> set[str]:
        found = set()
        for role in ("boss", "alice"):
            if db.execute(f"SELECT is_called FROM sprung_{role}").fetchone() == (True,):
                found.add(role)
                db.execute(f"SELECT setval('{schema}.sprung_{role}', 1, false)")
        return found

    return sprung


@pytest.fixture
def data(db: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> psycopg.Connection:
    """The table `data`, of `db`'s and for everybody to read."""
    db.execute(f"GRANT ALL ON SCHEMA {schema} TO PUBLIC")
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i * 7919 % 100 AS x, i % 3 AS g, (i * 31 % 7)::float8 AS w, "
        "(ARRAY['red', 'green', 'blue'])[1 + i % 3] AS k, i * 7919 % 100 > 40 AS y FROM generate_series(1, 300) i"
    )
    db.execute("GRANT SELECT ON data TO PUBLIC")
    return db


@pytest.fixture
def train_as(data: psycopg.Connection, user_db: psycopg.Connection) -> Callable[..., None]:
    """Train a model as the ordinary user, and let everybody read it."""

    def train_model(name: str, dependent: str = "y", features: str = "x, k", table: str = "data", **more: str) -> None:
        train(user_db, table, name, dependent, features, **more)
        tables = user_db.execute(
            "SELECT relname FROM pg_class WHERE relowner = current_user::regrole AND relkind = 'r' "
            "AND (relname = %s OR relname LIKE %s)",
            [name, f"{name}\\_%"],
        ).fetchall()
        for (table,) in tables:
            user_db.execute(sql.SQL("GRANT SELECT ON {} TO PUBLIC").format(sql.Identifier(table)))

    return train_model
