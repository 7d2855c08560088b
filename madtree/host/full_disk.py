"""A disk that is full, told as PostgreSQL tells it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from madtree.errors import MadtreeError

_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def full_disk_told() -> Iterator[None]:
    """For the writing of temporary files, as a decorator, too.

    Raises:
        MadtreeError: the disk is full, or the account's share of it is.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise MadtreeError(
            f"could not write to a temporary file: {error.strerror}",
            hint="Free disk space where temp_tablespaces puts temporary files, or raise memory_mb: what fits that "
            "needs no file.",
            sqlstate="53100",
        ) from error
