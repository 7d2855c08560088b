"""Temporary files, kept as PostgreSQL keeps its own: in its temporary tablespaces, and within temp_file_limit."""

from __future__ import annotations

import mmap
import os
import re
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

from madtree.errors import MadtreeError
from madtree.host.protocol import Host
from madtree.sqltext import temporary as sql

_DEFAULT = "base/pgsql_tmp"
NAME = re.compile(r"pgsql_tmp\d+\.madtree_(board_)?[0-9a-f]+")  # of our files; the server's next start removes such
_ALIGNMENT = 8  # bytes, of the widest numbers in a block

Span = tuple[int, int]


@dataclass(frozen=True)
class TemporaryPlace:
    """Where temporary files go.

    Attributes:
        directory: seen from the server's data directory, where its processes work; None for the system's own place,
            where this code runs outside a server.
        limit: bytes that a process may keep there, None for any number.
    """

    directory: str | None
    limit: int | None

    @classmethod
    def of(cls, host: Host) -> TemporaryPlace:
        """As the session's settings say; the directory is made where it is missing."""
        if not host.in_server:
            return cls(None, None)
        row = host.query(sql.TEMPORARY_PLACE)[0]
        limit = None if int(row["limit_bytes"]) < 0 else int(row["limit_bytes"])
        directory = _DEFAULT
        places = [int(oid) for oid in row["tablespaces"] or []]
        # PostgreSQL begins with any of them, too.
        if places and (oid := secrets.choice(places)):
            found = sorted(Path(f"pg_tblspc/{oid}").glob(f"PG_{row['major']}_*"))
            directory = f"{found[-1]}/pgsql_tmp" if found else _DEFAULT
        mode = os.stat("base").st_mode & 0o770
        Path(directory).mkdir(mode=mode, exist_ok=True)
        return cls(directory, limit)

    def check(self, n_bytes: int, holder: object) -> None:
        """Count `n_bytes` as what `holder` keeps in files now, until it is gone.

        Raises:
            MadtreeError: all that this process keeps in files of ours would exceed temp_file_limit.
        """
        others = sum(size for other, size in _kept.items() if other is not holder)
        if self.limit is not None and others + n_bytes > self.limit:
            raise MadtreeError(
                f"temporary file size exceeds temp_file_limit ({self.limit // 1024}kB)",
                hint="Raise temp_file_limit, or memory_mb: what fits into memory needs no file.",
                sqlstate="53400",
            )
        _kept[holder] = n_bytes


# Bytes that each holder of temporary files of this process keeps in them.
_kept: WeakKeyDictionary[object, int] = WeakKeyDictionary()


def nameless(directory: str | None, kind: str = "") -> int:
    """A descriptor of a new file that has lost its name already: nobody has to remove it.

    `kind`: "board_" for the file that others may take for a board: no user's data come into such a file.
    Where a process is killed between the two, the next start of the server removes what is called pgsql_tmp.
    """
    path = Path(directory or tempfile.gettempdir()) / f"pgsql_tmp{os.getpid()}.madtree_{kind}{secrets.token_hex(8)}"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    path.unlink()
    return descriptor


class Scratch(mmap.mmap):
    """Bytes to be written and read again, in a mapped file: they take none of a process's own memory."""

    def __new__(cls, place: TemporaryPlace, n_bytes: int) -> Scratch:
        """Raises MadtreeError where temp_file_limit would be exceeded."""
        descriptor = nameless(place.directory)
        try:
            os.ftruncate(descriptor, n_bytes)
            made = super().__new__(cls, descriptor, n_bytes)
        finally:
            os.close(descriptor)
        place.check(n_bytes, made)
        return made


class SpillFile:
    """Bytes that are written once and mapped to be read: they take none of a process's own memory."""

    def __init__(self, place: TemporaryPlace) -> None:
        self._place = place
        self._file = os.fdopen(nameless(place.directory), "w+b")
        self._size = 0
        self._mapped: memoryview = memoryview(b"")

    def write(self, data: bytes | memoryview) -> Span:
        """Append; returns the first byte and the one behind the last.

        Raises:
            MadtreeError: temp_file_limit would be exceeded.
            OSError: the disk is full.
        """
        start, stop = self._size, self._size + len(data)
        padded = stop + -stop % _ALIGNMENT
        self._place.check(padded, self)
        self._file.write(data)
        self._file.write(bytes(padded - stop))
        self._size = padded
        return start, stop

    def read(self, span: Span) -> memoryview:
        """What `write` was given; the system keeps of it in memory what it has room for.

        Raises:
            OSError: the disk is full; the last bytes are only written when they are asked for.
        """
        if span[1] > len(self._mapped):
            self._file.flush()
            self._mapped = memoryview(mmap.mmap(self._file.fileno(), self._size, access=mmap.ACCESS_READ))
        return self._mapped[slice(*span)]
