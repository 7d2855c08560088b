"""Writing what a command made: to a file in one step, or to stdout."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from madtree.cli.exits import CommandError
from madtree.cli.output import document, say

_STREAMS = (Path("/dev"), Path("/dev/fd"))


def write(content: str, path: Path | None, what: str) -> None:
    """Write text to `path`, whole or not at all; to stdout where there is none, or it is ``-``.

    Raises:
        CommandError: the file cannot be written.
    """
    if path is None or str(path) == "-":
        document(content.rstrip("\n"))
        return
    try:
        replace(path, content)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from None
    say(f"{what} written to {path}")


def replace(path: Path, content: str) -> None:
    """Put a new file in the place of `path`; its rights are those of one of ours there, or of any new file here."""
    is_stream = path.parent in _STREAMS  # where /dev/stdout may be any file
    if is_stream or (path.exists() and not path.is_file()):  # or a pipe
        with open(os.open(path, os.O_WRONLY | os.O_APPEND), "w", encoding="utf-8") as stream:
            # In another user's directory it may be a link to any file by now, or to a disk.
            mode = os.fstat(stream.fileno()).st_mode
            if is_stream or not (stat.S_ISREG(mode) or stat.S_ISBLK(mode)):
                stream.write(content)
                return
    descriptor, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
            mask = os.umask(0)
            os.umask(mask)
            is_ours = path.exists() and path.stat().st_uid == os.geteuid()
            # Not by its name, which in another user's directory may be a link to any file by now.
            os.fchmod(descriptor, path.stat().st_mode & 0o777 if is_ours else 0o666 & ~mask)
        os.replace(fresh, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
        raise
