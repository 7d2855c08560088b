"""A real standby of a private server: a copy that follows it, and can only be read."""

from __future__ import annotations

import contextlib
import shlex
import shutil
from collections.abc import Iterator

import psycopg
from psycopg.conninfo import make_conninfo
from waiting import wait_until

from madtree.embedded import PrivateServer
from madtree.embedded.prefix import Prefix


@contextlib.contextmanager
def standby_of(server: PrivateServer, dsn: str) -> Iterator[str]:
    """DSN of a standby, for the user and database of `dsn`."""
    state = server.home.read_state()
    assert state is not None
    with psycopg.connect(dsn) as session:
        host, port = session.info.host, session.info.port
    data = server.home.socket_directory / "standby"  # in a directory of the server's own account
    config = shlex.quote(f"config_file={server.home.config_file}")
    other = port + 1  # of the socket alone: another server may take a TCP port that was free a moment ago
    # Who reaches the socket may copy the server, too.
    with server.home.hba_file.open("a") as rules:
        rules.write("local replication all trust\n")
    with psycopg.connect(dsn, autocommit=True) as session:
        session.execute("SELECT pg_reload_conf()")
    pg_ctl = Prefix(server.home.prefix, state.origin).program("pg_ctl")

    log = server.home.log_directory / "standby.log"

    def run(*words: object) -> None:
        done = server.user.run([str(word) for word in words], cwd=server.home.data)
        assert done.returncode == 0, done.stdout + (log.read_text() if log.exists() else "")

    run(
        state.origin.bindir / "pg_basebackup",
        "-h",
        host,
        "-p",
        port,
        "-U",
        "postgres",
        "-D",
        data,
        "-R",
        "-c",
        "fast",
        "-N",
    )
    run(pg_ctl, "-D", data, "-w", "-l", log, "start", "-o", f"-c {config} -c port={other} -c listen_addresses=")
    try:
        yield make_conninfo(dsn, port=other)
    finally:
        run(pg_ctl, "-D", data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(data)


def wait_for_standby(dsn: str, standby: str) -> None:
    """Until a standby has all that has been committed."""
    with psycopg.connect(dsn, autocommit=True) as session, psycopg.connect(standby, autocommit=True) as reader:
        ((place,),) = session.execute("SELECT pg_current_wal_insert_lsn()").fetchall()
        wait_until(
            lambda: reader.execute("SELECT pg_last_wal_replay_lsn() >= %s", [place]).fetchone() == (True,),
            "the standby does not follow",
        )
        assert reader.execute("SELECT pg_is_in_recovery()").fetchone() == (True,)
