"""A Citus cluster of private servers: a coordinator and two workers, which live as long as the test session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
from fix_server import FAST
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from madtree.embedded import PrivateServer
from madtree.install import NoPostgresError, find_installation

NODES = ("coordinator", "worker_1", "worker_2")
# Workers compile, as a user's may.
SETTINGS = {**FAST, "shared_preload_libraries": "citus", "jit": "on", "max_connections": "200"}


def citus_is_here() -> bool:
    """Whether the PostgreSQL of which private servers are made has Citus."""
    try:
        found = find_installation()
    except NoPostgresError:
        return False
    return (found.pkglibdir / "citus.so").exists() and (found.sharedir / "extension" / "citus.control").exists()


def started(home: Path) -> list[str]:
    """DSNs of the servers, the coordinator's first; they are started below `home` unless they run."""
    return [PrivateServer(home / name).up(settings=SETTINGS) for name in NODES]


@contextmanager
def joined_database(servers: list[str], name: str) -> Iterator[str]:
    """DSN of a new database on these servers, which are a cluster there, with the extension citus."""
    with ExitStack() as made:
        for server in servers:
            run(server, f"CREATE DATABASE {name}")
            made.callback(run, server, f"DROP DATABASE {name} WITH (FORCE)")
            run(make_conninfo(server, dbname=name), "CREATE EXTENSION citus")
        dsn = make_conninfo(servers[0], dbname=name)
        with psycopg.connect(dsn, autocommit=True) as coordinator:
            # By their sockets, where none of them asks for a password.
            for number, server in enumerate(servers):
                join = "citus_add_node" if number else "citus_set_coordinator_host"
                parts = conninfo_to_dict(server)
                coordinator.execute(f"SELECT {join}(%s, %s)", [parts["host"], int(parts["port"])])
        yield dsn


def run(server: str, statement: str) -> None:
    with psycopg.connect(server, autocommit=True) as session:
        session.execute(statement.encode())
