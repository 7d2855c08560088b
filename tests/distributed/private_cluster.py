"""A Citus cluster of private servers, a coordinator and two workers, which live as long as the test session; and
databases on the servers of any cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from fix_server import FAST
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from madtree.embedded import PrivateServer
from madtree.install import NoPostgresError, find_installation

NAMES = ("coordinator", "worker_1", "worker_2")
# Workers compile, as a user's may.
SETTINGS = {**FAST, "shared_preload_libraries": "citus", "jit": "on", "max_connections": "200"}


@dataclass(frozen=True)
class Node:
    """A server: as the tests reach it, and as the others do."""

    dsn: str
    host: str
    port: int


def citus_is_here() -> bool:
    """Whether the PostgreSQL of which private servers are made has Citus."""
    try:
        found = find_installation()
    except NoPostgresError:
        return False
    return (found.pkglibdir / "citus.so").exists() and (found.sharedir / "extension" / "citus.control").exists()


def started(home: Path) -> list[Node]:
    """The servers, the coordinator first; they are started below `home` unless they run.

    They find each other, and themselves, by their sockets, where none of them asks for a password.
    """
    nodes = []
    for name in NAMES:
        server = PrivateServer(home / name)
        place = str(server.home.socket_directory)
        dsn = server.up(settings={**SETTINGS, "citus.local_hostname": place})
        nodes.append(Node(dsn, place, int(conninfo_to_dict(dsn)["port"])))
    return nodes


def nodes_of(coordinator: str) -> list[Node]:
    """The servers of the cluster with that coordinator, which comes first; `coordinator`: its DSN."""
    with psycopg.connect(coordinator) as session:
        found = session.execute(
            "SELECT groupid = 0, nodename, nodeport FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid"
        ).fetchall()
        first = [Node(coordinator, host, port) for is_first, host, port in found if is_first]
        first = first or [Node(coordinator, "localhost", session.info.port)]
    workers = [(host, port) for is_first, host, port in found if not is_first]
    return first + [Node(make_conninfo(coordinator, host=host, port=port), host, port) for host, port in workers]


@contextmanager
def joined_database(nodes: list[Node], name: str, first: str = "") -> Iterator[str]:
    """DSN of a new database on these servers, which are a cluster there, with the extension citus.

    `first`: SQL for the coordinator before that is made.
    """
    with ExitStack() as made:
        for node in nodes:
            run(node.dsn, f"CREATE DATABASE {name}")
            made.callback(run, node.dsn, f"DROP DATABASE {name} WITH (FORCE)")
            before = first if node is nodes[0] else ""
            run(make_conninfo(node.dsn, dbname=name), f"{before}; CREATE EXTENSION citus")
        dsn = make_conninfo(nodes[0].dsn, dbname=name)
        with psycopg.connect(dsn, autocommit=True) as coordinator:
            coordinator.execute("SELECT citus_set_coordinator_host(%s, %s)", [nodes[0].host, nodes[0].port])
            for node in nodes[1:]:
                coordinator.execute("SELECT citus_add_node(%s, %s)", [node.host, node.port])
            if coordinator.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'citus_columnar'").fetchone():
                coordinator.execute("CREATE EXTENSION IF NOT EXISTS citus_columnar")
        yield dsn


def run(server: str, statement: str) -> None:
    with psycopg.connect(server, autocommit=True) as session:
        session.execute(statement.encode())
