"""Writing what a command made: to a file in one step, or to stdout."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from madtree.cli.exits import CommandError
from madtree.cli.output import document, say


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
    if path.exists() and not path.is_file():  # /dev/stderr, a pipe
        path.write_text(content, encoding="utf-8")
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
