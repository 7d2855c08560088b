"""Where a private server keeps its things, and what it remembers about itself."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from madtree.embedded.osuser import PrivateServerError
from madtree.install.postgres import Installation
from madtree.records import dataclass

# What a socket's address has room for: 104 bytes on macOS, 108 on Linux, with PostgreSQL's file name in it.
LONGEST_SOCKET_DIRECTORY = 103 - len("/.s.PGSQL.65535")


def default_home() -> Path:
    """``MADTREE_HOME``; else ``madtree`` in the user's data directory; for root ``/var/lib/madtree``.

    Root's own data directory is closed to the account that root's server runs under.

    Raises:
        PrivateServerError: there is no such user's directory.
    """
    named = os.environ.get("MADTREE_HOME")
    try:
        if named:
            return Path(named).expanduser().absolute()
        if os.geteuid() == 0:
            return Path("/var/lib/madtree")
        return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share").absolute() / "madtree"
    except RuntimeError:  # pathlib's, for ~ as for ~name
        what = f"MADTREE_HOME is {named}, but that user has" if named else "you have"
        raise PrivateServerError(
            f"the private server has no place: {what} no home directory", "Set MADTREE_HOME to a directory of your own."
        ) from None


MAKE_ROOM = "Make room there, or set MADTREE_HOME to a directory on another disk."
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


@dataclass
class State:
    """What must be known of an existing server: the PostgreSQL that it mirrors, its port, its extension's SQL."""

    bindir: str
    sharedir: str
    pkglibdir: str
    version: str
    port: int = 0
    sql_sha256: str = ""

    @property
    def origin(self) -> Installation:
        return Installation(Path(self.bindir), Path(self.sharedir), Path(self.pkglibdir), self.version)

    @origin.setter
    def origin(self, found: Installation) -> None:
        self.bindir, self.sharedir = str(found.bindir), str(found.sharedir)
        self.pkglibdir, self.version = str(found.pkglibdir), found.version


@dataclass(frozen=True)
class Home:
    """The directory of one private server. Two homes are two servers that know nothing of each other."""

    root: Path

    @property
    def data(self) -> Path:
        """PostgreSQL's data directory; belongs to the server's account."""
        return self.root / "data"

    @property
    def log_directory(self) -> Path:
        return self.root / "log"

    @property
    def log(self) -> Path:
        return self.log_directory / "server.log"

    @property
    def prefix(self) -> Path:
        """The mirror of the system's PostgreSQL."""
        return self.root / "postgres"

    @property
    def python(self) -> Path:
        """The server half of madtree, which the extension's functions import."""
        return self.root / "python"

    @property
    def config_file(self) -> Path:
        return self.root / "postgresql.conf"

    @property
    def hba_file(self) -> Path:
        return self.root / "pg_hba.conf"

    @property
    def passfile(self) -> Path:
        """The superuser's password for connections over TCP, in libpq's format."""
        return self.root / "pgpass"

    @property
    def socket_directory(self) -> Path:
        """``run`` in the home; a directory in ``/tmp`` where the home's path is too long for a socket's address."""
        inside = self.root / "run"
        if len(os.fsencode(inside)) <= LONGEST_SOCKET_DIRECTORY:
            return inside
        return Path("/tmp") / f"madtree-{hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]}"  # noqa: S108

    @property
    def state_file(self) -> Path:
        return self.root / "madtree.json"

    def read_state(self) -> State | None:
        """None where there is no server yet.

        Raises:
            PrivateServerError: the file is not as madtree writes it; or somebody else may have chosen the programs that
                it names, and those that are mirrored here.
        """
        self.refuse_others()
        try:
            return State(**json.loads(self.state_file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError):
            raise PrivateServerError(
                f"{self.state_file} is damaged: it does not say which PostgreSQL the server is",
                "Set MADTREE_HOME to another directory for a new server; the data of this one are still there.",
            ) from None

    def refuse_others(self) -> None:
        """See that nobody else can put files here, or another directory in the place of this one.

        Raises:
            PrivateServerError: somebody can.
        """
        # Who has the root directory has all of the system: where root's own files are shown as nobody's, too.
        trusted = (os.geteuid(), 0, os.stat("/").st_uid)
        home = Path(os.path.realpath(self.root))
        with contextlib.suppress(FileNotFoundError):
            self.root.stat()  # an error where links lead to themselves
        for path in _way_to(self.state_file):
            found = path.lstat()
            # In a directory such as /tmp nobody can rename what is another's.
            kept = stat.S_ISLNK(found.st_mode) or (found.st_mode & stat.S_ISVTX and path != home)
            shared = stat.S_IWOTH if found.st_gid in (os.getegid(), 0) else stat.S_IWOTH | stat.S_IWGRP
            if found.st_uid not in trusted or (found.st_mode & shared and not kept):
                raise PrivateServerError(
                    f"{path} belongs to another user, or everybody, or another group, may write there",
                    "Set MADTREE_HOME to a directory of your own, in one of yours or of the system's.",
                )

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Turns what the system says of files here into a sentence.

        Raises:
            PrivateServerError: the system refused, with what it was refused, and what to do; or a program does not end.
        """
        try:
            yield
        except subprocess.TimeoutExpired as error:
            raise PrivateServerError(f"{' '.join(error.cmd)} has not ended in {error.timeout:g} seconds") from None
        except OSError as error:
            if error.errno in _NO_ROOM:
                hint = MAKE_ROOM
            else:
                hint = "Set MADTREE_HOME to a directory of your own, in one where you may write."
            # What is below it, or was to become it, tells no more than its own name does.
            elsewhere = error.filename is not None and not str(error.filename).startswith(str(self.root))
            of_file = f" ({error.filename})" if elsewhere else ""
            raise PrivateServerError(
                f"the private server cannot use the directory {self.root}: {error.strerror or error}{of_file}", hint
            ) from None

    def write_state(self, state: State) -> None:
        fresh = self.state_file.with_suffix(".new")
        fresh.write_text(json.dumps(asdict(state), indent=2) + "\n", encoding="utf-8")
        os.replace(fresh, self.state_file)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One command at a time may change a home; the others wait."""
        descriptor = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _way_to(path: Path) -> Iterator[Path]:
    """The directories and links by which the system finds an absolute path, and what it finds; as far as it exists."""
    at, names = Path("/"), [*path.parts[1:]]
    yield at
    while names:
        at = at.parent if names[0] == ".." else at / names[0]
        del names[0]
        if not os.path.lexists(at):
            return
        yield at
        if at.is_symlink():
            target = at.readlink()
            at = Path("/") if target.is_absolute() else at.parent
            names[:0] = target.parts[target.is_absolute() :]


def room_hint(output: str) -> str | None:
    """What to do where a program of PostgreSQL's says that there is no room; None where it says something else."""
    return MAKE_ROOM if any(os.strerror(number) in output for number in _NO_ROOM) else None
