"""Temporary files without names, for what does not fit into memory; an error of the user's where the disk is full."""

from __future__ import annotations

import errno
import mmap
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from madtree.errors import MadtreeError
from madtree.host.temporary_place import TemporaryPlace

NAME = re.compile(r"pgsql_tmp\d+\.madtree_(board_)?[0-9a-f]+")  # of our files
_FULL = (errno.ENOSPC, errno.EDQUOT)
_CANNOT = (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)
_SLICE = 16 * 2**20  # bytes that are allocated by one call
_ALIGNMENT = 8  # bytes, of the widest numbers in a block

Span = tuple[int, int]


class TemporaryFile:
    """A file that has lost its name already: nobody has to remove it, and it goes when nobody has it open any more.

    All that makes it larger raises MadtreeError with SQLSTATE 53100 where the disk is full, or the quota used up.

    Attributes:
        descriptor: by which other processes reach it below /proc.
        place: where it is.
    """

    def __init__(self, descriptor: int, place: TemporaryPlace, content: str) -> None:
        """Of a file that is open; `content`: what is written to it, for errors."""
        self.descriptor, self.place, self._content = descriptor, place, content

    @classmethod
    def create(cls, place: TemporaryPlace, content: str, kind: str = "") -> TemporaryFile:
        """A new one. `kind`: "board_" of the file that others may take for a board: no user's data come into such.

        Where a process is killed before it takes the name away, the next start of the server removes what is called
        pgsql_tmp.
        """
        name = f"pgsql_tmp{os.getpid()}.madtree_{kind}{secrets.token_hex(8)}"
        path = Path(place.directory or tempfile.gettempdir()) / name
        with _room_for(0, content, place):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        path.unlink()
        return cls(descriptor, place, content)

    def make_room(self, n_bytes: int) -> None:
        """Let a new file have that size, with room on the disk for each of its bytes. Without that, a process that
        writes to a mapping of the file is killed by SIGBUS where the disk is full.
        """
        with _room_for(n_bytes, self._content, self.place):
            # A signal makes tmpfs give back what the call has allocated, and begin again: so a call has little to do.
            for at in range(0, n_bytes, _SLICE):
                self._allocate(at, min(_SLICE, n_bytes - at))

    def _allocate(self, at: int, n_bytes: int) -> None:
        if hasattr(os, "posix_fallocate"):  # not on macOS
            try:
                os.posix_fallocate(self.descriptor, at, n_bytes)
            except OSError as error:
                if error.errno not in _CANNOT:  # which glibc makes up for, other C libraries do not
                    raise
            else:
                return
        self._put(memoryview(bytes(n_bytes)), at)

    def write(self, data: bytes | bytearray | memoryview, at: int) -> None:
        """Write all of the bytes there."""
        view = memoryview(data).cast("B")
        try:
            self._put(view, at)
        except OSError:
            # It says what is wrong; entered here alone, as workers' requests are many small writes.
            with _room_for(at + len(view), self._content, self.place):
                raise

    def _put(self, view: memoryview, at: int) -> None:
        while len(view):
            n = os.pwrite(self.descriptor, view, at)
            view, at = view[n:], at + n

    def read(self, n_bytes: int, at: int) -> bytes:
        """So many bytes from there; raises EOFError where there are fewer."""
        parts = []
        while n_bytes:
            part = os.pread(self.descriptor, n_bytes, at)
            if not part:
                raise EOFError(f"a temporary file with {self._content} has been cut short")
            parts.append(part)
            n_bytes, at = n_bytes - len(part), at + len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def mapped(self, n_bytes: int, access: int = mmap.ACCESS_READ) -> memoryview:
        """The first bytes, to be read: they take none of a process's own memory. With `ACCESS_WRITE` they may be
        written over, where there is room on the disk for each of them already.
        """
        return memoryview(mmap.mmap(self.descriptor, n_bytes, access=access)) if n_bytes else memoryview(b"")

    def close(self) -> None:
        """What was mapped can still be read. Nobody wants to know then whether the rest could be kept."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            with suppress(OSError):
                os.close(descriptor)

    def __del__(self) -> None:
        self.close()


class ScratchFile(mmap.mmap):
    """Bytes to be written and read again, in a mapped file: they take none of a process's own memory."""

    def __new__(cls, place: TemporaryPlace, n_bytes: int, content: str) -> ScratchFile:
        """`n_bytes`: one or more.

        Raises:
            MadtreeError: temp_file_limit would be exceeded, or the disk is full.
        """
        place.require(n_bytes)
        file = TemporaryFile.create(place, content)
        file.make_room(n_bytes)
        made = super().__new__(cls, file.descriptor, n_bytes)
        file.close()
        place.check(n_bytes, made)
        return made


class SpillFile:
    """Bytes that are written and then mapped: they take none of a process's own memory."""

    def __init__(self, place: TemporaryPlace, content: str) -> None:
        """`content`: what is written, for errors. Raises MadtreeError where the disk is full."""
        self._place = place
        self._file = TemporaryFile.create(place, content)
        self._size = 0
        self._mapped: memoryview = memoryview(b"")

    def write(self, data: bytes | memoryview) -> Span:
        """Append; returns the first byte and the one behind the last.

        Raises:
            MadtreeError: temp_file_limit would be exceeded, or the disk is full.
        """
        start = self._size + -self._size % _ALIGNMENT
        stop = start + len(data)
        self._place.check(stop, self)
        self._file.write(data, start)
        self._size = stop
        return start, stop

    def read(self, span: Span) -> memoryview:
        """What `write` was given, which may be written over; the system keeps of it in memory what it has room for."""
        if span[1] > len(self._mapped):
            self._mapped = self._file.mapped(self._size, mmap.ACCESS_WRITE)
        return self._mapped[slice(*span)]


@contextmanager
def _room_for(n_bytes: int, content: str, place: TemporaryPlace) -> Iterator[None]:
    """Let the error of a disk that is full say what became too large for it: a file that would have had that size."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        file = f"temporary file of {_size(n_bytes)}" if n_bytes else "temporary file"
        raise MadtreeError(
            f"there is no room on the disk for a {file} with {content}: {error.strerror}", place.cure, "53100"
        ) from error


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:.1f} MB" if n_bytes >= 2**20 else f"{-(-n_bytes // 1024)} kB"
