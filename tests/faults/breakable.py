"""A private server that tests break, and all that a broken run could leave behind on it."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from runs import MODELS, TABLES
from waiting import wait_until

from madtree.embedded import PrivateServer

# What a session holds between two statements, and what its tables and settings are.
TRACES = """
    SELECT format('relation %s %s', oid::regclass, relkind) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace OR relname LIKE 'madtree%'
    UNION ALL SELECT format('lock %s %s of %s', locktype, mode, pid) FROM pg_locks
        WHERE pid <> pg_backend_pid() OR locktype NOT IN ('relation', 'virtualxid')
    UNION ALL SELECT format('setting %s = %s', name, setting) FROM pg_settings
        WHERE name NOT IN ('port', 'statement_timeout', 'default_tablespace', 'temp_tablespaces')
    UNION ALL SELECT format('worker %s', pid) FROM pg_stat_activity WHERE backend_type = 'parallel worker'
    UNION ALL SELECT format('prepared %s', name) FROM pg_prepared_statements
    UNION ALL SELECT format('cursor %s', name) FROM pg_cursors WHERE name <> ''
"""


@dataclass
class BreakableServer:
    """One private server.

    Attributes:
        server: which may be down.
        settings: PostgreSQL's, on top of madtree's own.
    """

    server: PrivateServer
    settings: dict[str, str]
    dsn: str = ""

    def start(self) -> None:
        """Start it, after a crash, too. Raises PrivateServerError where it does not start."""
        self.dsn = self.server.up(settings=self.settings)

    def stop(self) -> None:
        self.server.down()

    def fill(self) -> None:
        """The tables and models that the runs need."""
        with self.session() as session:
            for statement in (*TABLES, *MODELS):
                session.execute(statement)

    @contextlib.contextmanager
    def session(self) -> Iterator[psycopg.Connection]:
        with psycopg.connect(self.dsn, autocommit=True, prepare_threshold=None) as session:
            session.execute("SET search_path = public, madtree; SET client_min_messages = info")
            yield session

    @property
    def data(self) -> Path:
        return self.server.home.data

    @property
    def postmaster(self) -> int:
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def children(self) -> dict[int, str]:
        """The postmaster's processes, and what they call themselves."""
        found = {}
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == self.postmaster:
                    found[int(path.name)] = (path / "cmdline").read_text().replace("\0", " ")
        return found

    def kill_all(self) -> None:
        """As if the system's memory had been taken away: nobody can do anything any more."""
        pids = [self.postmaster, *self.children()]
        for how in (signal.SIGSTOP, signal.SIGKILL):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):  # one that has ended since
                    os.kill(pid, how)
        self.wait_for_end(pids)

    def wait_for_end(self, pids: list[int]) -> None:
        wait_until(lambda: not any(alive(pid) for pid in pids), f"processes {pids} do not end")

    def wait_for_recovery(self) -> None:
        """Until it lets sessions in again, after it has restarted itself."""

        def answers() -> bool:
            with contextlib.suppress(psycopg.OperationalError), self.session():
                return True
            return False

        try:
            wait_until(answers, "the server does not recover")
        except pytest.fail.Exception as failure:
            ended = "\n".join(self.server.home.log.read_text(errors="replace").splitlines()[-40:])
            pytest.fail(f"{failure}; processes {self.children()}; its log ends with:\n{ended}")

    def temporary_files(self) -> list[str]:
        """Files with a name in the places of temporary files, of this server's or of the system's."""
        places = [*self.data.glob("base/pgsql_tmp"), *self.data.glob("pg_tblspc/*/PG_*/pgsql_tmp")]
        found = [str(file) for place in places for file in place.iterdir()]
        for place in (Path("/tmp"), Path("/dev/shm")):
            found += [str(file) for file in place.glob("pgsql_tmp*")]
        return sorted(found)

    def open_files(self, pid: int) -> list[str]:
        """Files without a name that a process still holds open: of boards, blocks and rows."""
        links = []
        for path in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                links.append(os.readlink(path))
        return sorted(link for link in links if "madtree_" in link)

    def traces(self, session: psycopg.Connection) -> set[str]:
        """All that a run could leave behind, to be compared before and after; `session` is the one that ran it."""
        rows = {name for (name,) in session.execute(TRACES).fetchall()}
        files = {*self.temporary_files(), *self.open_files(session.info.backend_pid)}
        return rows | {f"file {file}" for file in files}

    def orphans(self) -> dict[str, int]:
        """Files of relations that no transaction has committed, and their bytes."""
        with self.session() as session:
            ((oid, known),) = session.execute(
                "SELECT d.oid, ARRAY(SELECT pg_relation_filenode(c.oid)::text FROM pg_class c "
                "WHERE pg_relation_filenode(c.oid) IS NOT NULL) FROM pg_database d WHERE datname = current_database()"
            ).fetchall()
        files = [file for file in (self.data / "base" / str(oid)).iterdir() if file.name[0].isdigit()]
        return {f.name: f.stat().st_size for f in files if f.name.split("_")[0].split(".")[0] not in known}


def alive(pid: int) -> bool:
    """Whether the system knows it: `pg_ctl` takes a process that nobody has asked about for one that runs."""
    return (Path("/proc") / str(pid)).exists()


def at_notice(session: psycopg.Connection, start: str, action: Callable[[], object]) -> None:
    """Call `action` once, when the server says a line that starts so. It goes on meanwhile."""
    done: list[str] = []

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        if not done and (notice.message_primary or "").startswith(start):
            done.append(start)
            action()

    session.add_notice_handler(hear)
