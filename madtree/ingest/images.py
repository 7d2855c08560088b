"""The images of rows: the queries for those of page ranges, and how they come out of the session, as bytes that are
read where they are needed, or as numbers of rows that came over a connection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from madtree.host import Host
from madtree.ingest.page_ranges import PageRanges
from madtree.learn.data import Floats, sent_rows
from madtree.sqltext import rows as sql
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


def range_queries(source: RowSource, pages: PageRanges, never_null: Sequence[bool]) -> tuple[list[str], list[str]]:
    """Of each relation the query of a range's images, and the careful one that puts NaN for any NULL."""
    clauses = [source.from_clause(relation, extra=sql.PAGES) for relation in pages.relations]
    return (
        [sql.images(source, clause, never_null=never_null) for clause in clauses],
        [sql.images(source, clause) for clause in clauses],
    )
