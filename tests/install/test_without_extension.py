"""A server that cannot have the extension, as managed services are: train beside it, score in it (docs/install.md)."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql


@pytest.fixture
def service(server, ordinary_user) -> Iterator[psycopg.Connection]:
    """An ordinary user's connection to a database of theirs without madtree and PL/Python, with a table of visits."""
    name, password = ordinary_user
    database = f"madtree_service_{os.getpid()}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {database} OWNER {name} TEMPLATE template0")
    try:
        address = server.dsn_of(dbname=database, user=name, password=password)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA shop")
            connection.execute("SET search_path = shop")
            connection.execute(
                "CREATE TABLE visits AS SELECT i AS id, nullif(i * 37 % 90, 7)::float8 AS age,"
                " (ARRAY['web', 'shop', 'Läden'])[1 + i % 3] AS channel,"
                " i * 37 % 90 > 40 AND i % 3 <> 1 OR i % 13 = 0 AS bought FROM generate_series(1, 900) AS i"
            )
            yield connection
    finally:
        with psycopg.connect(server.dsn, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {database} WITH (FORCE)")


@pytest.fixture
def foreign_visits(db, schema, service, ordinary_user) -> Iterator[str]:
    """The service's visits as a foreign table beside madtree."""
    name, password = ordinary_user
    wrapper = "SELECT 1 FROM pg_available_extensions WHERE name = 'postgres_fdw'"
    if db.execute(wrapper).fetchone() is None:
        pytest.skip("postgres_fdw is not installed")
    (sockets,) = db.execute("SHOW unix_socket_directories").fetchone()
    (port,) = db.execute("SHOW port").fetchone()
    host = sockets.split(",")[0].strip()
    db.execute("CREATE EXTENSION IF NOT EXISTS postgres_fdw SCHEMA public")
    options = sql.SQL("OPTIONS (host {}, port {}, dbname {})").format(host, port, service.info.dbname)
    db.execute(sql.SQL("CREATE SERVER service FOREIGN DATA WRAPPER postgres_fdw {}").format(options))
    login = sql.SQL("OPTIONS (user {}, password {})").format(name, password)
    db.execute(sql.SQL("CREATE USER MAPPING FOR CURRENT_USER SERVER service {}").format(login))
    db.execute(f"IMPORT FOREIGN SCHEMA shop LIMIT TO (visits) FROM SERVER service INTO {schema}")
    yield "visits"
    db.execute("DROP EXTENSION postgres_fdw CASCADE")


@pytest.mark.parametrize("type_", ["response", "leaf"])
def test_a_model_trained_on_a_foreign_table_scores_where_there_is_no_extension(db, service, foreign_visits, type_):
    db.execute(
        f"SELECT tree_train('{foreign_visits}', 'model', 'id', 'bought', 'age, channel',"
        " surrogate_params => 'max_surrogates=2')"
    )
    db.execute(f"SELECT tree_predict('model', '{foreign_visits}', 'scored', '{type_}')")
    beside = db.execute("SELECT * FROM scored ORDER BY id").fetchall()
    (expression,) = db.execute(f"SELECT tree_sql('model', '{type_}')").fetchone()

    service.execute(f"CREATE VIEW visits_scored AS SELECT id, {expression} AS answer FROM visits")
    assert service.execute("SELECT id, answer FROM visits_scored ORDER BY id").fetchall() == beside
    assert len({answer for _, answer in beside}) > 1
    extensions = service.execute("SELECT extname FROM pg_extension").fetchall()
    assert extensions == [("plpgsql",)]
