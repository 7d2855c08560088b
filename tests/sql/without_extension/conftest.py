"""Models that the extension has trained, and the same tables in a database without it and without PL/Python."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import psycopg
import pytest
from both_sides import MAKE, MODELS, Both, dumped, run, train
from fix_server import Server
from psycopg import sql


@pytest.fixture(scope="module")
def both(server: Server, dsn: str, shared_schema: str, ordinary_user: tuple[str, str]) -> Iterator[Both]:
    user, password = ordinary_user
    name = f"madtree_bare_{secrets.token_hex(6)}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        admin.execute(sql.SQL(f"GRANT CREATE ON DATABASE {name} TO {{}}").format(sql.Identifier(user)))
    bare = server.dsn_of(dbname=name, user=user, password=password)
    path = f"SET search_path = {shared_schema}"
    try:
        with psycopg.connect(dsn, autocommit=True, prepare_threshold=None) as here:
            here.execute(path)
            here.execute(MAKE)
            for model in MODELS:
                train(here, model)
            run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", bare, text=dumped(dsn, shared_schema))
            with psycopg.connect(bare, autocommit=True, prepare_threshold=None) as there:
                there.execute(path)
                there.execute("ANALYZE")
                yield Both(here, there)
    finally:
        with psycopg.connect(server.dsn, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
