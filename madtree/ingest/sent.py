"""Rows' images as they come out of the session: bytes that are read where they are needed, or numbers of rows that came
over a connection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from madtree.host import Host
from madtree.learn.data import Floats, sent_rows
from madtree.sqltext.rows import RowSource


def read_images(
    host: Host,
    source: RowSource,
    query: str,
    types: Sequence[str] = (),
    params: Sequence[Any] = (),
    only: Sequence[int] | None = None,
) -> bytes | Floats:
    """The images that a query of one row yields (`sqltext.rows.images`); `only`: of those features."""
    return as_rows(source, host.query(query, types, params)[0]["images"], only)


def as_rows(source: RowSource, images: bytes | None, only: Sequence[int] | None = None) -> bytes | Floats:
    """Images as `RowFormat.read` takes them: those that were sent as numbers (n_rows, n_columns)."""
    return sent_rows(images or b"", source.stretches(only)) if source.sent else images or b""
