"""A database in which an ordinary role has set traps, and sessions of all who may step into them."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
import pytest
from fix_server import Server
from ground import ROLES, WATCH, Ground, make_ground
from psycopg import sql
from psycopg.conninfo import make_conninfo


@pytest.fixture(scope="session")
def ground(server: Server) -> Iterator[Ground]:
    """The database with its roles; `Ground` says what is in it."""
    token, password = secrets.token_hex(4), secrets.token_hex(16)
    names = {role: f"madtree_{role}_{token}" for role in ROLES}
    database = f"madtree_traps_{token}"
    with psycopg.connect(server.dsn, autocommit=True) as admin, ExitStack() as opened:
        for role, rights in ROLES.items():
            text = sql.SQL("CREATE ROLE {} {} PASSWORD {}")
            admin.execute(text.format(sql.Identifier(names[role]), sql.SQL(rights), sql.Literal(password)))
        admin.execute(f"CREATE DATABASE {database}")
        try:
            logins = {
                role: make_conninfo(server.dsn_of(dbname=database), user=name, password=password)
                for role, name in names.items()
                if "NOLOGIN" not in ROLES[role]
            }
            logins["second"] = logins["attacker"]
            sessions = {
                role: opened.enter_context(psycopg.connect(login, autocommit=True, prepare_threshold=None))
                for role, login in {**logins, "admin": server.dsn_of(dbname=database)}.items()
            }
            sessions["admin"].prepare_threshold = sys.maxsize  # only what is looked at after each call
            sessions["admin"].execute("CREATE EXTENSION madtree CASCADE")
            made = Ground(sessions, names, logins)
            make_ground(made, WATCH.read_text())
            yield made
        finally:
            opened.close()
            admin.execute(f"DROP DATABASE {database} WITH (FORCE)")
            for name in names.values():
                admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))
