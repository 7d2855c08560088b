"""The private server's life: up, down, status."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from madtree.embedded import database
from madtree.embedded.config import BY_HAND, FIRST_PORT, close_by_hand, free_port, port_is_free, write_config
from madtree.embedded.home import Home, State, default_home, room_hint
from madtree.embedded.osuser import OsUser, PrivateServerError, server_user
from madtree.embedded.prefix import Prefix
from madtree.install.files import compile_modules, extension_files, write_tree, written_by_none_but_us
from madtree.install.postgres import Installation, NoPostgresError, find_installation
from madtree.install.script import VERSION, server_modules
from madtree.records import dataclass


@dataclass(frozen=True)
class ServerStatus:
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
        with self.home.explained(), written_by_none_but_us():
            self._refuse_early(port, pg_config)
            self._prepare_home()
            return self._up(port, pg_config, settings or {})

    def _up(self, port: int | None, pg_config: str | None, settings: Mapping[str, str]) -> str:
        with self.home.locked():
            self._prepare_directories()
            state = self.home.read_state()
            running = state is not None and self._pid(state) is not None
            if not running:
                state = self._mirror(pg_config, state)
            assert state is not None
            close_by_hand(self.home, self.user.uid)
            sql_sha256 = self._write_madtree(state)
            if not running:
                self._start(state, port, settings)
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
        with self.home.explained():
            state = self.home.read_state()
            return state is not None and self._down(state)

    def _down(self, state: State) -> bool:
        with self.home.locked():
            if self._pid(state) is None:
                return False
            stopped = self._pg_ctl(state, "stop", "-m", "fast", "-w", "-t", "60")
            if stopped[0] != 0:
                raise PrivateServerError(f"the server does not stop:\n{stopped[1]}")
            return True

    def status(self) -> ServerStatus:
        """Look, and change nothing.

        Raises:
            PrivateServerError: the server runs, but the place of its socket is not its own: outside of the home, where
                others may create, it may have been removed, and another user's server may listen there by now.
        """
        with self.home.explained():
            state = self.home.read_state()
            if state is None:
                return ServerStatus(self.home.root, exists=False, running=False)
            pid = self._pid(state)
        if pid is not None and not self.user.owns(self.home.socket_directory):
            raise PrivateServerError(
                f"the private server runs, but its socket's directory, {self.home.socket_directory}, is gone, or "
                "another user's",
                "Run 'madtree down', then 'madtree up'. A home with a shorter path has the socket in it.",
            )
        return ServerStatus(
            self.home.root,
            exists=True,
            running=pid is not None,
            uri=database.socket_uri(self.home, state.port),
            tcp_uri=database.tcp_uri(self.home, state.port),
            pid=pid,
        )

    def psql(self) -> Path:
        """The `psql` that belongs to this server."""
        with self.home.explained():
            state = self.home.read_state()
        return (state.origin if state else find_installation()).bindir / "psql"

    def _mirror(self, pg_config: str | None, state: State | None) -> State:
        """Mirror PostgreSQL, and create the data directory if there is none; the server is down."""
        if state is None or pg_config or not state.origin.plpython:
            origin = self._installation(pg_config, state.origin.major if state else None)
        else:
            origin = state.origin
        prefix = Prefix(self.home.prefix, origin)
        prefix.build()
        state = state or State("", "", "", "")
        state.origin = origin
        self.home.write_state(state)
        if not any(self.home.data.iterdir()):
            self._create(prefix)
        return state

    def _installation(self, pg_config: str | None, major: int | None) -> Installation:
        try:
            return find_installation(pg_config, major)
        except NoPostgresError as error:
            if major is None:
                raise PrivateServerError(str(error)) from error
            raise PrivateServerError(
                f"{error}\nThe data in {self.home.data} was made by PostgreSQL {major} and needs that version; "
                "with another MADTREE_HOME you get a new, empty server."
            ) from error

    def _refuse_early(self, port: int | None, pg_config: str | None) -> None:
        """Refuse what cannot be done before anything is made."""
        state = self.home.read_state()
        if state is None:
            self._installation(pg_config, None)
        if port is not None and not port_is_free(port) and (state is None or self._pid(state) is None):
            raise _taken(port)

    def _prepare_home(self) -> None:
        """Make the home, closed to others unless another account must reach the server's files in it."""
        root = self.home.root
        root.parent.mkdir(parents=True, exist_ok=True)
        if not self.user.can_enter(root.parent):
            raise self._out_of_reach()
        if not root.exists():
            # Finished under another name: a second command at the same time must not find it closed yet.
            made = Path(tempfile.mkdtemp(prefix=f"{root.name}.", dir=root.parent))
            made.chmod(0o755 if self.user.is_other else 0o700)
            try:
                made.rename(root)
            except OSError:  # the other command was first
                made.rmdir()
        if root.stat().st_uid != os.geteuid():
            raise PrivateServerError(f"{root} belongs to another user; set MADTREE_HOME to a directory of your own")
        if not self.user.can_enter(root):
            raise self._out_of_reach()

    def _out_of_reach(self) -> PrivateServerError:
        return PrivateServerError(
            f"the user {self.user.name}, which runs the server for root, cannot reach {self.home.root}.\n"
            "Set MADTREE_HOME to a directory that all users may enter, such as /var/lib/madtree."
        )

    def _prepare_directories(self) -> None:
        """Make what belongs to the server's account; refuse data that is not ours."""
        if self.home.read_state() is None and self.home.data.exists() and any(self.home.data.iterdir()):
            raise PrivateServerError(f"{self.home.data} was not made by madtree; set MADTREE_HOME to another directory")
        for directory in (self.home.data, self.home.log_directory, self.home.socket_directory):
            self.user.make_private_directory(directory)

    def _write_madtree(self, state: State) -> str:
        """Bring the package's present Python and SQL into the home; returns the SQL's fingerprint."""
        if write_tree(self.home.python, server_modules()):
            compile_modules(self.home.python, state.origin.python)
        files = extension_files(self.home.python)
        prefix = Prefix(self.home.prefix, state.origin)
        prefix.link_extensions()
        prefix.write_extension(files)
        return hashlib.sha256(files[f"madtree--{VERSION}.sql"].encode()).hexdigest()

    def _create(self, prefix: Prefix) -> None:
        """Run `initdb`. The locale is always there and sorts by code point, as madtree's own code does."""
        self._say(f"creating a PostgreSQL {prefix.origin.major} server in {self.home.root}")
        self.home.passfile.unlink(missing_ok=True)
        options = [
            "-D",
            str(self.home.data),
            "-U",
            database.SUPERUSER,
            *BY_HAND,
            "-E",
            "UTF8",
            "--no-instructions",
        ]
        for locale in ("C.UTF-8", "C"):
            done = self.user.run([prefix.program("initdb"), *options, f"--locale={locale}"], cwd=self.home.data)
            if done.returncode == 0:
                return
        raise PrivateServerError(f"initdb failed:\n{done.stdout.strip()}", room_hint(done.stdout))

    def _start(self, state: State, port: int | None, settings: Mapping[str, str]) -> None:
        """Start on `port`, or on last time's, or on the first free one."""
        if port is not None and not port_is_free(port):
            raise _taken(port)
        for attempt in range(5):
            last = state.port if state.port and not attempt and port_is_free(state.port) else None
            state.port = port or last or free_port(FIRST_PORT + attempt)
            self._say(f"starting the server on port {state.port}")
            write_config(self.home, state.port, settings)
            config = shlex.quote(f"config_file={self.home.config_file}")
            code, output = self._pg_ctl(
                state, "start", "-w", "-t", "60", "-l", str(self.home.log), "-o", f"-c {config}"
            )
            if code == 0:
                return
            # Root reads nothing of another account's by itself: it may be a link.
            log = self.user.run(["tail", "-n", "8", self.home.log])
            end = log.stdout.strip() if log.returncode == 0 else output
            # Not by the log's words, which may be of any language.
            if port is not None or port_is_free(state.port):  # else somebody was quicker: take the next port
                break
        raise PrivateServerError(f"the server does not start; its log ends with:\n{end}", room_hint(end))

    def _pid(self, state: State) -> int | None:
        """The server's process, or None if it is down. `pg_ctl` sees through a file left by a crash."""
        code, output = self._pg_ctl(state, "status")
        found = re.search(r"PID: (\d+)", output) if code == 0 else None
        return int(found[1]) if found else None

    def _pg_ctl(self, state: State, *words: str) -> tuple[int, str]:
        program = Prefix(self.home.prefix, state.origin).program("pg_ctl")
        done = self.user.run([program, *words, "-D", self.home.data], cwd=self.home.data)
        return done.returncode, done.stdout.strip()


def _taken(port: int) -> PrivateServerError:
    return PrivateServerError(f"port {port} is taken; choose another, or leave --port out")
