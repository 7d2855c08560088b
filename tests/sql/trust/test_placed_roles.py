"""Who owns a database places settings there, and so roles: a superuser who comes there stays one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest

from madtree.sqltext.owners import BY_SUPERUSER


@pytest.fixture(params=["role", "session_authorization"])
def placed(data: psycopg.Connection, user_db: psycopg.Connection, request: pytest.FixtureRequest) -> Iterator[str]:
    """A setting of the database that makes everybody the ordinary user, as far as the server lets it."""
    database = data.info.dbname
    owner = data.execute("SELECT datdba::regrole FROM pg_database WHERE datname = current_database()").fetchone()
    assert owner
    data.execute(f"ALTER DATABASE {database} OWNER TO {user_db.info.user}".encode())
    user_db.execute(f"ALTER DATABASE {database} SET {request.param} = '{user_db.info.user}'".encode())
    yield request.param
    data.execute(f"ALTER DATABASE {database} RESET {request.param}".encode())
    data.execute(f"ALTER DATABASE {database} OWNER TO {owner[0]}".encode())


def test_a_superuser_who_comes_to_anothers_database_runs_nothing_of_its_owners(
    data: psycopg.Connection,
    train_as: Callable[..., None],
    canary: Callable[[], set[str]],
    placed: str,
    schema: str,
) -> None:
    train_as("m", features="x, x + 0 * spring()")
    canary()
    with psycopg.connect(data.info.dsn, autocommit=True) as db:
        assert db.execute(BY_SUPERUSER.encode()).fetchone() == (True,)
        db.execute(f"SET search_path = {schema}, madtree".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("SELECT tree_predict('m', 'data', 'pg_temp.out')")
    assert canary() == set()
