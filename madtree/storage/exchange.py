"""How the processes of a crew talk: by files in a directory of their own, among the server's temporary files.

A file is written under another name first, so that whoever finds it finds all of it. The directory begins like the
server's own temporary files: what a process leaves behind that is killed, the next start of the server or the next crew
removes.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar, cast

from madtree.host.temporary import SERVER_TEMPORARY

T = TypeVar("T")

_NAME = re.compile(r"pgsql_tmp(\d+)\.madtree_[0-9a-f]+")
_NUMBER = 8  # bytes
_POLL = 0.0002  # seconds


class Exchange:
    """The files of one crew."""

    def __init__(self, name: str) -> None:
        """Raises ValueError if `name` is none of a crew."""
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a crew")
        self.name = name
        self._directory = SERVER_TEMPORARY / name

    @classmethod
    def create(cls, token: str) -> Exchange:
        """A crew of this process; `token`: hexadecimal digits."""
        _remove_remains()
        exchange = cls(f"pgsql_tmp{os.getpid()}.madtree_{token}")
        exchange._directory.mkdir(mode=0o700, parents=True)
        exchange.put("claimed", bytes(_NUMBER))
        return exchange

    def remove(self) -> None:
        """Take all files away; members that still wait find out by this that it is over."""
        shutil.rmtree(self._directory, ignore_errors=True)

    @property
    def exists(self) -> bool:
        return self._directory.is_dir()

    def claim(self) -> int:
        """The next number, from 0, that no process has claimed yet."""
        with (self._directory / "claimed").open("r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            number = int.from_bytes(file.read(_NUMBER), "little")
            file.seek(0)
            file.write((number + 1).to_bytes(_NUMBER, "little"))
        return number

    def put(self, name: str, data: bytes | memoryview) -> None:
        """Let the others find `data` under that name."""
        unfinished = self._directory / f"{name}.{os.getpid()}.unfinished"
        with unfinished.open("wb") as file:
            file.write(data)
        unfinished.rename(self._directory / name)

    def get(self, name: str) -> bytes | None:
        """What is to be found under that name; None if nothing is."""
        try:
            return (self._directory / name).read_bytes()
        except FileNotFoundError:
            return None

    def open(self, name: str, mode: str) -> BinaryIO:
        """A file that is written where all can see it."""
        return cast(BinaryIO, (self._directory / name).open(mode))

    def drop(self, name: str) -> None:
        (self._directory / name).unlink(missing_ok=True)

    def with_prefix(self, prefix: str) -> Iterator[str]:
        """What follows that prefix in the names of all files that begin with it."""
        for path in self._directory.glob(f"{prefix}*"):
            if path.suffix != ".unfinished":
                yield path.name[len(prefix) :]


def waited_for(look: Callable[[], T | None], seconds: float) -> T | None:
    """What `look` finds, looking again and again for so many seconds; None if it finds nothing."""
    end = time.monotonic() + seconds
    while (found := look()) is None and time.monotonic() < end:
        time.sleep(_POLL)
    return found


def _remove_remains() -> None:
    """Remove the directories of crews whose leader was killed."""
    for path in SERVER_TEMPORARY.glob("pgsql_tmp*.madtree_*"):
        found = _NAME.fullmatch(path.name)
        if found and not is_running(int(found[1])):
            shutil.rmtree(path, ignore_errors=True)


def is_running(pid: int) -> bool:
    """Whether there is a process of that number, whoever's."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
