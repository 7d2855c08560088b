"""All rows of a table as numbers, read from it once and looked at twice: for bins, and to be packed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile

import numpy as np

from madtree.core.image import read_rows
from madtree.core.packing import NullNumberError, RowFormat
from madtree.core.prepare import RawRows
from madtree.core.types import Floats
from madtree.host.protocol import Host
from madtree.pages import PageRange, PageRanges
from madtree.sqltext import rows as sql
from madtree.sqltext.rows import RowSource

# The server's own place for temporary files, seen from where its processes work.
_SERVER_TEMPORARY = "base/pgsql_tmp"
_NUMBER = 8  # bytes


class RowSpool:
    """Usable rows in parts, column by column: in memory while they are few, else in a file without a name, which goes
    when the process does.
    """

    def __init__(self, source: RowSource, row_format: RowFormat, in_memory: int) -> None:
        """`in_memory`: bytes that may be held there."""
        self._source, self._format = source, row_format
        directory = _SERVER_TEMPORARY if os.access(_SERVER_TEMPORARY, os.W_OK) else None
        self._file = SpooledTemporaryFile(max_size=in_memory, dir=directory)  # noqa: SIM115 - it lives as long as the spool
        self._sizes: list[int] = []  # rows of each part

    @classmethod
    def read(cls, host: Host, source: RowSource, pages: PageRanges, row_format: RowFormat, in_memory: int) -> RowSpool:
        """Read an ungrouped table."""
        spool = cls(source, row_format, in_memory)
        for page_range in pages.ranges:
            clause = source.from_clause(pages.relations[page_range.relation], f"{pages.condition} AND {source.usable}")
            queries = [sql.images(source, clause, never_null=flags) for flags in (source.whole_arrays(), None)]
            spool._add(host, queries, page_range, pages)
        return spool

    def _add(self, host: Host, queries: Sequence[str], page_range: PageRange, pages: PageRanges) -> None:
        types = [pages.type] * len(page_range.bounds)
        for query in queries:
            images = host.query(query, types, page_range.bounds)[0]["images"] or b""
            columns = read_rows(images, self._source.n_columns)
            if columns is not None:
                break
        else:
            raise NullNumberError
        self._sizes.append(columns.shape[1])
        if columns.size:
            self._file.write(columns.data.cast("B"))

    def feature(self, index: int) -> Floats:
        """(n_rows,) values of a feature that is not unordered, NaN where missing."""
        column = self._source.n_columns - len(self._source.features) + index
        before, parts = 0, []
        for n_rows in self._sizes:
            self._file.seek(_NUMBER * (before * self._source.n_columns + column * n_rows))
            parts.append(np.frombuffer(self._file.read(_NUMBER * n_rows), np.float64))
            before += n_rows
        return np.concatenate(parts)

    def parts(self) -> Iterator[RawRows]:
        """The rows, some at a time, in the order in which they were read."""
        self._file.seek(0)
        for n_rows in self._sizes:
            n_bytes = _NUMBER * self._source.n_columns * n_rows
            # Writable, since levels are put in place of their keys.
            columns = np.frombuffer(bytearray(self._file.read(n_bytes)), np.float64)
            yield self._format.rows(columns.reshape(self._source.n_columns, n_rows))

    def close(self) -> None:
        self._file.close()
