"""A superuser who has taken another role still is one, and may do what that role may."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg.conninfo import make_conninfo


@pytest.fixture
def reader(data: psycopg.Connection, schema: str) -> Iterator[str]:
    """A role that may read, and create in a schema of its own."""
    name = f"reader_of_{schema}"
    data.execute(f"CREATE ROLE {name}; CREATE SCHEMA {name} AUTHORIZATION {name}".encode())
    yield name
    data.execute(f"RESET SESSION AUTHORIZATION; RESET ROLE; DROP OWNED BY {name}; DROP ROLE {name}".encode())


CALLS = (
    "SELECT tree_display('m')",
    "SELECT tree_sql('m')",
    "SELECT count(*) FROM tree_evaluate('m', 'data')",
    "SELECT tree_predict('m', 'data', '{role}.out')",
)


@pytest.mark.parametrize("how", ["ROLE", "SESSION AUTHORIZATION"])
def test_in_a_role_that_may_read_she_reads_others_models(
    data: psycopg.Connection, train_as: Callable[..., None], reader: str, how: str
) -> None:
    train_as("m")
    data.execute(f"SET {how} {reader}".encode())
    taken = data.execute("SELECT current_user, session_user, current_setting('role')").fetchone()
    for call in CALLS:
        for ends in ("COMMIT", "ROLLBACK"):
            data.execute("BEGIN")
            assert data.execute(call.format(role=reader).encode()).fetchone()
            assert data.execute("SELECT current_user, session_user, current_setting('role')").fetchone() == taken
            data.execute(f"DROP TABLE IF EXISTS {reader}.out; {ends}".encode())
            assert data.execute("SELECT current_user, session_user, current_setting('role')").fetchone() == taken


@pytest.mark.parametrize("how", ["ROLE", "SESSION AUTHORIZATION"])
def test_an_error_on_the_way_leaves_her_in_the_role_that_she_has_taken(
    data: psycopg.Connection, user_db: psycopg.Connection, train_as: Callable[..., None], reader: str, how: str
) -> None:
    train_as("m")
    data.execute(f"SET {how} {reader}; SET lock_timeout = '100ms'".encode())
    with user_db.transaction():
        user_db.execute("LOCK TABLE m_nodes IN SHARE UPDATE EXCLUSIVE MODE")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            data.execute("SELECT tree_display('m')")
        assert data.execute("SELECT current_user").fetchone() == (reader,)
        with data.transaction():
            data.execute("DO $$ BEGIN PERFORM tree_display('m'); EXCEPTION WHEN lock_not_available THEN NULL; END $$")
            assert data.execute("SELECT current_user").fetchone() == (reader,)
    data.execute("RESET lock_timeout")


def test_in_a_function_of_another_role_she_is_told_why_she_cannot(
    data: psycopg.Connection, train_as: Callable[..., None], reader: str
) -> None:
    """PostgreSQL lets nobody change roles there."""
    train_as("m")
    for call in CALLS:
        data.execute(f"SET ROLE {reader}".encode())
        data.execute(
            f"""CREATE OR REPLACE FUNCTION {reader}.call() RETURNS text LANGUAGE plpgsql SECURITY DEFINER
            SET search_path FROM CURRENT AS $f$ BEGIN RETURN ({call.format(role=reader)}); END $f$""".encode()
        )
        data.execute("RESET ROLE")
        with pytest.raises(
            psycopg.errors.InsufficientPrivilege, match="as a superuser who acts as another role"
        ) as error:
            data.execute(f"SELECT {reader}.call()".encode())
        assert "log in as that role" in str(error.value.diag.message_hint)


@pytest.mark.parametrize("planted", ["an index", "an expression"])
def test_a_function_of_hers_runs_nothing_of_whoever_calls_it(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    train_as: Callable[..., None],
    canary: Callable[[], set[str]],
    schema: str,
    planted: str,
) -> None:
    """The one who has logged in is an ordinary role, and as whom the function runs a superuser."""
    if planted == "an index":
        train_as("m")
        user_db.execute("CREATE INDEX trap ON m_nodes (node_id) WHERE spring() = 1")
    else:
        train_as("m", features="x * spring(), k")
    for number, call in enumerate(CALLS):
        data.execute(
            f"""CREATE FUNCTION call_{number}() RETURNS text LANGUAGE plpgsql SECURITY DEFINER
            SET search_path FROM CURRENT AS $f$ BEGIN RETURN ({call.format(role=schema)}); END $f$""".encode()
        )
    canary()
    for number, call in enumerate(CALLS):
        if planted == "an index" or "display" not in call:
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match=r"m is .*'s, and "):
                user_db.execute(f"SELECT {schema}.call_{number}()".encode())
        else:
            assert user_db.execute(f"SELECT {schema}.call_{number}()".encode()).fetchone()
        assert canary() == set(), call


@pytest.mark.parametrize(
    ("after", "since"),
    [
        ("", "ALTER ROLE {name} NOSUPERUSER"),
        ("; SET SESSION AUTHORIZATION {reader}", "ALTER ROLE {name} NOSUPERUSER"),
        ("; SET SESSION AUTHORIZATION {reader}", "DROP ROLE {name}"),
    ],
)
def test_who_was_a_superuser_when_she_logged_in_runs_nothing_of_others(
    data: psycopg.Connection,
    train_as: Callable[..., None],
    canary: Callable[[], set[str]],
    reader: str,
    dsn: str,
    schema: str,
    after: str,
    since: str,
) -> None:
    """Up to PostgreSQL 16 her session may take any role still."""
    train_as("m", features="x * spring(), k")
    name = f"former_{schema}"
    data.execute(f"CREATE ROLE {name} LOGIN SUPERUSER PASSWORD '{name}'".encode())
    try:
        with psycopg.connect(make_conninfo(dsn, user=name, password=name), autocommit=True) as db:
            db.execute(f"SET search_path = {schema}, madtree{after.format(reader=reader)}".encode())
            data.execute(since.format(name=name).encode())
            canary()
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match=r"tree_model: .*\bm\b"):
                db.execute("SELECT tree_predict('m', 'data', 'pg_temp.out')")
            assert canary() == set()
    finally:
        data.execute(f"DROP ROLE IF EXISTS {name}".encode())


def test_her_schema_cannot_be_renamed_while_she_reads(
    data: psycopg.Connection, user_db: psycopg.Connection, schema: str
) -> None:
    role, database = user_db.info.user, data.info.dbname
    data.execute(f"CREATE SCHEMA hers_{schema} AUTHORIZATION {role}".encode())
    data.execute(f"GRANT CREATE ON DATABASE {database} TO {role}".encode())  # to rename schemas takes it
    user_db.execute(f"SELECT tree_train('data', 'hers_{schema}.m', 'id', 'y', 'x, k')".encode())
    with data.transaction():
        assert data.execute(f"SELECT tree_display('hers_{schema}.m')".encode()).fetchone()
        user_db.execute("SET lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            user_db.execute(f"ALTER SCHEMA hers_{schema} RENAME TO other_{schema}".encode())
    user_db.execute("RESET lock_timeout")
    data.execute("BEGIN READ ONLY")
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction, match="in a transaction that is read only"):
        data.execute(f"SELECT tree_display('hers_{schema}.m')".encode())
    data.execute("ROLLBACK")
    data.execute(f"REVOKE CREATE ON DATABASE {database} FROM {role}".encode())
    data.execute(f"DROP SCHEMA hers_{schema} CASCADE".encode())


@pytest.fixture
def deputy(db: psycopg.Connection, data: psycopg.Connection, reader: str) -> Iterator[psycopg.Connection]:
    """Somebody who may become a superuser, and is none."""
    name, boss = f"deputy_{reader}", db.info.user
    db.execute(f"CREATE ROLE {name} LOGIN NOINHERIT PASSWORD '{name}' IN ROLE {boss}, {reader}".encode())
    path = db.execute("SHOW search_path").fetchone()
    assert path
    with psycopg.connect(db.info.dsn, user=name, password=name, autocommit=True) as session:
        session.execute(f"SET search_path = {path[0]}".encode())
        yield session
    db.execute(f"DROP OWNED BY {name} CASCADE; DROP ROLE {name}".encode())


@pytest.mark.parametrize("role", ["none", "{reader}"])
def test_who_may_become_a_superuser_runs_nothing_of_others(
    data: psycopg.Connection,
    deputy: psycopg.Connection,
    train_as: Callable[..., None],
    canary: Callable[[], set[str]],
    reader: str,
    role: str,
) -> None:
    """Code that runs as a member of a superuser's role can take that role. Her own models she uses; a superuser does
    not, who has taken her role.
    """
    train_as("m", features="x * spring(), k")
    train_as("plain")
    canary()
    deputy.execute(f"SET ROLE {role.format(reader=reader)}".encode())
    deputy.execute("SELECT tree_train('data', 'own', 'id', 'y', 'x + 1, k')")
    taken = deputy.execute("SELECT current_user, current_setting('role')").fetchone()
    for call in CALLS:
        with deputy.transaction(force_rollback=True):
            assert deputy.execute(call.replace("'m'", "'plain'").format(role="pg_temp").encode()).fetchone()
            assert deputy.execute("SELECT current_user, current_setting('role')").fetchone() == taken
            if "display" not in call:
                with pytest.raises(psycopg.errors.InsufficientPrivilege, match="the rights of a superuser"):
                    deputy.execute(call.format(role="pg_temp").encode())
    if role == "none":
        assert deputy.execute("SELECT tree_sql('own')").fetchone()
    assert canary() == set()
    assert taken
    data.execute(f"SET ROLE {taken[0]}".encode())
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="the rights of a superuser"):
        data.execute("SELECT tree_sql('own')")
    data.execute("RESET ROLE")
