"""The account that the server runs under, and running programs as that account."""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path

from madtree.errors import MadtreeError
from madtree.install.postgres import SYSTEM_PATH
from madtree.records import dataclass


class PrivateServerError(MadtreeError):
    """The private server cannot do what was asked; the message says why, and it or the hint what to do."""


PATIENCE = 300  # seconds that a program has: a file of another account's may be a pipe, which is never read to its end


@dataclass(frozen=True)
class OsUser:
    """An operating-system account. PostgreSQL refuses to run as root, so root lends its server to `postgres`."""

    name: str
    uid: int
    gid: int

    @property
    def is_other(self) -> bool:
        """Whether programs must be started under another account than our own."""
        return self.uid != os.geteuid()

    def run(self, command: Sequence[str | Path], cwd: Path = Path("/")) -> subprocess.CompletedProcess[str]:
        """Run a program as this user and capture what it says; the caller looks at the return code.

        The environment is made new: a virtual environment's PATH or PYTHONHOME would change which Python PL/Python
        starts, and PG* variables would change what PostgreSQL's programs talk to.
        """
        return subprocess.run(
            [str(word) for word in command],
            cwd=cwd,
            env={
                "PATH": SYSTEM_PATH,
                "LANG": "C.UTF-8",
                "LC_ALL": "C.UTF-8",
                # One backend works on one core; the linear algebra library's own threads only cost start-up and memory.
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
                **{name: os.environ[name] for name in ("TZ",) if name in os.environ},
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=PATIENCE,
            umask=0o077,
            user=self.uid if self.is_other else None,
            group=self.gid if self.is_other else None,
            extra_groups=[] if self.is_other else None,
        )

    def make_private_directory(self, path: Path) -> None:
        """A directory that this user owns and nobody else can enter. Refuses one that belongs to somebody else."""
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            if not self.owns(path):
                raise PrivateServerError(f"{path} exists and is not a directory of the user {self.name}") from None
        else:
            os.chown(path, self.uid, self.gid)

    def owns(self, path: Path) -> bool:
        """Whether there is a directory, and no link to one, that belongs to this user."""
        try:
            found = path.lstat()
        except FileNotFoundError:
            return False
        return stat.S_ISDIR(found.st_mode) and found.st_uid == self.uid

    def can_enter(self, path: Path) -> bool:
        return self.run(["test", "-x", path]).returncode == 0


def server_user() -> OsUser:
    """Ourselves; for root the account `postgres` that PostgreSQL's packages create."""
    if os.geteuid() != 0:
        try:
            ours = pwd.getpwuid(os.geteuid())
        except KeyError:
            raise PrivateServerError(
                f"your user id, {os.geteuid()}, has no account on this system, and PostgreSQL does not run without one",
                "In a container, add a line for it to /etc/passwd, or run as a user that has one.",
            ) from None
        return OsUser(ours.pw_name, ours.pw_uid, ours.pw_gid)
    try:
        postgres = pwd.getpwnam("postgres")
    except KeyError:
        raise PrivateServerError(
            "PostgreSQL does not run as root, and there is no user 'postgres' to run it as.\n"
            "Create one (useradd --system postgres), or run madtree as an ordinary user."
        ) from None
    return OsUser(postgres.pw_name, postgres.pw_uid, postgres.pw_gid)
