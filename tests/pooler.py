"""A real PgBouncer before the test's server."""

from __future__ import annotations

import contextlib
import random
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest
from kept_sessions import RESET
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from waiting import wait_until

from madtree.embedded.config import free_port
from madtree.embedded.osuser import server_user

# Every transaction gets whatever session is free, in turn: one is used again only after all others. So the transactions
# of a client go from one to the next.
BY_TRANSACTION = "pool_mode = transaction\ndefault_pool_size = 3\nmin_pool_size = 3\nserver_round_robin = 1\n"
# A client has a session to itself, and the next one has it, reset, when that is done: with all that its process has
# loaded, which takes longer than most calls (`kept_sessions.py`).
BY_SESSION = f"pool_mode = session\ndefault_pool_size = 50\nserver_reset_query = {RESET}\n"

PORTS = (20_000, 30_000)  # below those that systems give to connections
TRIES = 5

_CONFIG = """\
[databases]
* = host={host} port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = trust
auth_file = {directory}/users
{mode}
logfile =
pidfile =
"""


def pgbouncer() -> str | None:
    """The program, where it is installed."""
    return shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


@contextlib.contextmanager
def pooled(dsn: str, users: list[str], mode: str = BY_TRANSACTION) -> Iterator[int]:
    """The port of a pooler before the server of `dsn`, which lets these users in without a password.

    The test is skipped where PgBouncer is not installed.
    """
    program = pgbouncer()
    if program is None:
        pytest.skip("PgBouncer is not installed (Debian's package pgbouncer)")
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        port, process = _start(program, dsn, users, mode, Path(name))
        try:
            yield port
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def _start(program: str, dsn: str, users: list[str], mode: str, directory: Path) -> tuple[int, subprocess.Popen[bytes]]:
    """A pooler that answers, and its port. Another process may take a port between the look at it and PgBouncer's
    start: then PgBouncer ends, and the next port is tried.
    """
    account, server, said = server_user(), conninfo_to_dict(dsn), b""
    (directory / "users").write_text("".join(f'"{user}" ""\n' for user in users))
    config = directory / "pgbouncer.ini"
    for _ in range(TRIES):
        port = free_port(random.randrange(*PORTS))
        places = {"host": server["host"], "port": server["port"], "own_port": port, "directory": directory}
        config.write_text(_CONFIG.format(**places, mode=mode))
        process = subprocess.Popen(
            [program, "-q", config],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            user=account.uid if account.is_other else None,
            group=account.gid if account.is_other else None,
            extra_groups=[] if account.is_other else None,
        )
        try:
            wait_until(partial(_has_begun, dsn, port, process), "PgBouncer does not answer")
        except BaseException:
            process.kill()
            process.communicate()
            raise
        if process.poll() is None:
            return port, process
        said = process.communicate()[0]
    raise AssertionError(f"PgBouncer does not start: {said.decode()}")


@contextlib.contextmanager
def kept(dsn: str) -> Iterator[str]:
    """The DSN by way of sessions that go from one client to the next, where PgBouncer is there; else as it is."""
    user = conninfo_to_dict(dsn).get("user")
    if pgbouncer() is None or not user:
        yield dsn
        return
    with pooled(dsn, [str(user)], BY_SESSION) as port:
        yield through(dsn, port)


def _has_begun(dsn: str, port: int, process: subprocess.Popen[bytes]) -> bool:
    """Whether it answers, or has ended."""
    return answers(dsn, port) or process.poll() is not None


def answers(dsn: str, port: int) -> bool:
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(through(dsn, port)):
        return True
    return False


def through(dsn: str, port: int) -> str:
    """The DSN by way of a pooler."""
    return make_conninfo(dsn, host="127.0.0.1", port=port)
