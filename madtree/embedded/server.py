"""The private server's life: up, down, status."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from madtree.embedded import database
from madtree.embedded.config import free_port, port_is_free, write_config
from madtree.embedded.home import Home, State, default_home
from madtree.embedded.osuser import OsUser, PrivateServerError, server_user
from madtree.embedded.prefix import Prefix
from madtree.install.files import compile_modules, extension_files, make_directory, write_tree
from madtree.install.postgres import Installation, NoPostgresError, find_installation
from madtree.install.sources import VERSION, server_modules


@dataclass(frozen=True)
class Status:
    """What can be said of a private server without starting it."""

    home: Path
    exists: bool
    running: bool
    uri: str | None = None
    tcp_uri: str | None = None
    pid: int | None = None


class PrivateServer:
    """The PostgreSQL server of one home. It is told apart from all others by its data directory, never by its port."""

    def __init__(self, home: Path | None = None, say: Callable[[str], None] = lambda message: None) -> None:
        """`say` is called with one short sentence before each step that takes a while."""
        self.home = Home((home or default_home()).absolute())
        self.user: OsUser = server_user()
        self._say = say

    def up(
        self, port: int | None = None, pg_config: str | None = None, settings: Mapping[str, str] | None = None
    ) -> str:
        """Make what is missing, start what is down, refresh what is old. Returns the connection URI.

        Args:
            port: the TCP port; without it the port of last time, or a free one.
            pg_config: which PostgreSQL to use, if not the newest with PL/Python.
            settings: PostgreSQL settings for this start, on top of madtree's own.

        Raises:
            PrivateServerError: with what to do about it.
        """
        self._prepare_home()
        with self.home.locked():
            state = self.home.read_state()
            prefix = Prefix(self.home.prefix, self._installation(pg_config, state))
            running = state is not None and self._pid(prefix) is not None
            if not running:
                prefix.build()
            sql_sha256 = self._write_madtree(prefix)
            if state is None:
                self._create(prefix)
                state = State(major=prefix.origin.major, port=0)
            if not running:
                state.port = self._choose_port(port, state.port)
                self._start(prefix, state.port, settings or {})
                self.home.write_state(state)
            elif port not in (None, state.port):
                raise PrivateServerError(f"the server is running on port {state.port}; run 'madtree down' first")
            database.ensure_password(self.home, state.port)
            database.ensure_database(self.home, state.port)
            database.ensure_extension(self.home, state.port, changed=sql_sha256 != state.sql_sha256)
            if sql_sha256 != state.sql_sha256:
                state.sql_sha256 = sql_sha256
                self.home.write_state(state)
            return database.socket_uri(self.home, state.port)

    def down(self) -> bool:
        """Stop the server; open transactions are rolled back. Returns False if it was not running."""
        state = self.home.read_state()
        if state is None:
            return False
        with self.home.locked():
            prefix = Prefix(self.home.prefix, self._installation(None, state))
            if self._pid(prefix) is None:
                return False
            stopped = self._pg_ctl(prefix, "stop", "-m", "fast", "-w", "-t", "60")
            if stopped[0] != 0:
                raise PrivateServerError(f"the server does not stop:\n{stopped[1]}")
            return True

    def status(self) -> Status:
        """Look, and change nothing."""
        state = self.home.read_state()
        if state is None:
            return Status(self.home.root, exists=False, running=False)
        pid = self._pid(Prefix(self.home.prefix, self._installation(None, state)))
        return Status(
            self.home.root,
            exists=True,
            running=pid is not None,
            uri=database.socket_uri(self.home, state.port),
            tcp_uri=database.tcp_uri(self.home, state.port),
            pid=pid,
        )

    def psql(self) -> Path:
        """The `psql` that belongs to this server."""
        return self._installation(None, self.home.read_state()).bindir / "psql"

    def _installation(self, pg_config: str | None, state: State | None) -> Installation:
        try:
            return find_installation(pg_config, state.major if state else None)
        except NoPostgresError as error:
            if state is None:
                raise PrivateServerError(str(error)) from error
            raise PrivateServerError(
                f"{error}\nThe data in {self.home.data} was made by PostgreSQL {state.major} and needs that version; "
                "with another MADTREE_HOME you get a new, empty server."
            ) from error

    def _prepare_home(self) -> None:
        """Make the home, closed to others unless another account must reach the server's files in it."""
        root = self.home.root
        root.parent.mkdir(parents=True, exist_ok=True)
        root.mkdir(mode=0o700, exist_ok=True)
        if root.stat().st_uid != os.geteuid():
            raise PrivateServerError(f"{root} belongs to another user; set MADTREE_HOME to a directory of your own")
        if self.user.is_other:
            make_directory(root)
            if not self.user.can_enter(root):
                raise PrivateServerError(
                    f"the user {self.user.name}, which runs the server for root, cannot reach {root}.\n"
                    "Set MADTREE_HOME to a directory whose parents all users may enter, such as /var/lib/madtree."
                )
        if self.home.read_state() is None and self.home.data.exists() and any(self.home.data.iterdir()):
            raise PrivateServerError(f"{self.home.data} was not made by madtree; set MADTREE_HOME to another directory")
        for directory in (self.home.data, self.home.log_directory, self.home.socket_directory):
            self.user.make_private_directory(directory)

    def _write_madtree(self, prefix: Prefix) -> str:
        """Bring the package's present Python and SQL into the home; returns the SQL's fingerprint."""
        if write_tree(self.home.python, server_modules()):
            compile_modules(self.home.python, prefix.origin.python)
        files = extension_files(self.home.python)
        prefix.write_extension(files)
        return hashlib.sha256(files[f"madtree--{VERSION}.sql"].encode()).hexdigest()

    def _create(self, prefix: Prefix) -> None:
        """Run `initdb`. The locale is always there and sorts by code point, as madtree's own code does."""
        self._say(f"creating a PostgreSQL {prefix.origin.major} server in {self.home.root}")
        options = ["-D", self.home.data, "-U", database.SUPERUSER, "-A", "trust", "--encoding=UTF8", "--no-instructions"]
        for locale in ("C.UTF-8", "C"):
            done = self.user.run([prefix.program("initdb"), *options, f"--locale={locale}"], cwd=self.home.data)
            if done.returncode == 0:
                return
        raise PrivateServerError(f"initdb failed:\n{done.stdout.strip()}")

    def _choose_port(self, wanted: int | None, last: int) -> int:
        if wanted is not None:
            if not port_is_free(wanted):
                raise PrivateServerError(f"port {wanted} is taken; choose another, or leave --port out")
            return wanted
        return last if last and port_is_free(last) else free_port()

    def _start(self, prefix: Prefix, port: int, settings: Mapping[str, str]) -> None:
        self._say(f"starting the server on port {port}")
        write_config(self.home, port, settings)
        config = shlex.quote(f"config_file={self.home.config_file}")
        code, said = self._pg_ctl(prefix, "start", "-w", "-t", "60", "-l", str(self.home.log), "-o", f"-c {config}")
        if code != 0:
            last_words = self.home.log.read_text(errors="replace").splitlines()[-8:] if self.home.log.exists() else [said]
            raise PrivateServerError("the server does not start; its log ends with:\n" + "\n".join(last_words))

    def _pid(self, prefix: Prefix) -> int | None:
        """The server's process, or None if it is down. `pg_ctl` sees through a file left by a crash."""
        if self._pg_ctl(prefix, "status")[0] != 0:
            return None
        return int((self.home.data / "postmaster.pid").read_text().splitlines()[0])

    def _pg_ctl(self, prefix: Prefix, *words: str) -> tuple[int, str]:
        done = self.user.run([prefix.program("pg_ctl"), *words, "-D", self.home.data], cwd=self.home.data)
        return done.returncode, done.stdout.strip()
