"""Rows of a table as numbers, read from it once and looked at column by column: for bins, and to be packed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

import numpy as np

from madtree.host import Host, Query, Row, Sharing, TemporaryFile, TemporaryPlace
from madtree.ingest.page_ranges import TID, PageRange, PageRanges, Reading, as_rows
from madtree.learn.data import Bools, Floats, Ints, rows_in
from madtree.learn.packing import NullNumberError, RawRows, RowFormat
from madtree.records import dataclass
from madtree.sqltext import rows as sql
from madtree.sqltext.query import Binary
from madtree.sqltext.rows import RowSource

_NUMBER = 8  # bytes
_PART_BYTES = 16 * 2**20  # of the rows that are written together: long stretches of each column
_SURPRISES = 3  # page ranges that are read again because of a NULL before every number is expected to be NULL


class RowSpool:
    """Usable rows in parts, column by column: in memory while they are few, else in a file without a name, which goes
    when the process does.

    Attributes:
        n_rows: of all parts.
        n_skipped: rows that were not usable, and are not there.
    """

    def __init__(
        self,
        source: RowSource,
        row_format: RowFormat,
        in_memory: int,
        place: TemporaryPlace,
        part_bytes: int = _PART_BYTES,
        condition: str = "",
    ) -> None:
        """`in_memory`: bytes that may be held there; `place`: of the file; `part_bytes`: of a part; `condition`: as for
        `read`.
        """
        self._source, self._format, self._condition = source, row_format, condition
        self._in_memory, self._place = in_memory, place
        self._memory = bytearray()  # what was written, while there is no file
        self._file: TemporaryFile | None = None
        self._size = 0  # bytes that have been written
        self._part_rows = max(1, part_bytes // (_NUMBER * source.n_columns))
        self._nullable = [False] * (source.n_own_numbers + len(source.features))  # numbers that are checked for NULL
        self._n_surprises = 0
        self.n_rows = self.n_skipped = 0

    @classmethod
    def read(
        cls, reading: Reading, row_format: RowFormat, in_memory: int, part_bytes: int = _PART_BYTES, condition: str = ""
    ) -> RowSpool:
        """Read all rows.

        Args:
            condition: on the rows that are wanted, as `RowSource.from_clause` takes it; all usable ones if empty. Of a
                relation without pages there is none.

        Raises:
            MadtreeError: it exceeds temp_file_limit, or the disk is full.
        """
        host, source, pages = reading.host, reading.source, reading.finer
        spool = cls(source, row_format, in_memory, TemporaryPlace.of(host), part_bytes, condition)
        part = np.empty((source.n_columns, spool._part_rows))
        with closing(spool._ranges(host, pages, reading.sharing) if pages.ranges else spool._whole(host)) as found:
            for number, rows in enumerate(found, 1):
                while len(rows):
                    at = spool.n_rows % spool._part_rows
                    some, rows = rows[: spool._part_rows - at], rows[spool._part_rows - at :]
                    part[:, at : at + len(some)] = some.T
                    spool.n_rows += len(some)
                    if at + len(some) == spool._part_rows:
                        spool._write(part)
                if pages.ranges:
                    reading.report(number, len(pages.ranges), spool.n_rows)
        rest = spool.n_rows % spool._part_rows
        if rest:
            spool._write(part[:, :rest])
        return spool

    def _ranges(self, host: Host, pages: PageRanges, sharing: Sharing | None) -> Generator[Floats, None, None]:
        wanted = (self._query(pages, page_range) for page_range in pages.ranges)
        with closing(host.data_ahead(wanted, sharing)) as found:
            for page_range, (row,) in zip(pages.ranges, found, strict=True):
                rows = self._rows_of(row)
                yield self._read_carefully(host, pages, page_range) if rows is None else rows

    def _whole(self, host: Host) -> Generator[Floats, None, None]:
        for row in host.data_stream(Binary(sql.numbered_images(self._source, self._source.rows_at_once))):
            rows = self._rows_of(row)
            if rows is None:
                raise NullNumberError
            yield rows

    def _write(self, part: Floats) -> None:
        n_bytes = _NUMBER * self.n_rows * self._source.n_columns
        if n_bytes > self._in_memory:
            self._place.check(n_bytes, self)
            if self._file is None:
                self._file = TemporaryFile.create(self._place, "rows that are read once")
                self._file.write(self._memory, 0)
                self._memory = bytearray()
        for column in part:
            data = column.data.cast("B")
            if self._file is None:
                self._memory += data
            else:
                self._file.write(data, self._size)
            self._size += len(data)

    def _query(self, pages: PageRanges, page_range: PageRange, *, careful: bool = False) -> Query:
        """The query of a page range.

        Replacing NULLs by NaN takes as long as reading, so it is done for numbers of which some has been NULL.
        """
        never_null = None if careful else [not nullable for nullable in self._nullable]
        wanted = f"{sql.PAGES} AND {self._condition}" if self._condition else sql.PAGES
        clause = self._source.from_clause(pages.relations[page_range.relation], wanted)
        query = sql.usable_images(self._source, clause, never_null)
        return query, [TID] * len(page_range.bounds), page_range.bounds

    def _rows_of(self, row: Row) -> Floats | None:
        """(n_rows, n_columns) the rows of a page range; None where a number was NULL that was not expected to be."""
        images = as_rows(self._source, row["images"])
        rows = rows_in(images, self._source.n_columns) if isinstance(images, bytes) else images
        if rows is not None:
            self.n_skipped += int(row["total"]) - len(rows)
        return rows

    def _read_carefully(self, host: Host, pages: PageRanges, page_range: PageRange) -> Floats:
        """(n_rows, n_columns) the rows of a page range in which a number is NULL for the first time."""
        rows = self._rows_of(host.query(*self._query(pages, page_range, careful=True))[0])
        if rows is None:
            raise NullNumberError
        self._n_surprises += 1
        first = rows.shape[1] - len(self._nullable)  # behind the tree, which groups' rows have
        missing = np.flatnonzero(np.isnan(rows[:, first:]).any(axis=0)).tolist()
        for number in range(len(self._nullable)) if self._n_surprises >= _SURPRISES else missing:
            self._nullable[number] = True
        return rows

    def trees(self) -> Floats:
        """(n_rows,) ids of the trees that the rows of groups are of."""
        return self._column(0, 0, self.n_rows)

    def feature(self, index: int) -> Floats:
        """(n_rows,) numbers of a feature, NaN where missing."""
        return self._column(self._format.n_own + index, 0, self.n_rows)

    def rows(self, first: int, last: int, row_format: RowFormat) -> RawRows:
        """The rows from `first` up to but not `last`, in the order in which they were read.

        `row_format`: of the rows; it may know more classes than there were known when they were read.
        """
        own = np.stack([self._column(i, first, last) for i in range(self._format.n_own)])
        return row_format.rows_of(own, SpooledFeatures(self, first, last))

    def values(self, index: int, first: int, last: int) -> Floats:
        """(last - first,) values of a feature, or indices of its categories."""
        return self._format.feature(index, self._column(self._format.n_own + index, first, last))

    @property
    def n_features(self) -> int:
        return len(self._format.category_keys)

    def _column(self, column: int, first: int, last: int) -> Floats:
        """Not to be written to."""
        found = []
        while first < last:
            part, within = divmod(first, self._part_rows)
            before = part * self._part_rows
            in_part = min(self._part_rows, self.n_rows - before)
            end = min(before + in_part, last)
            at = _NUMBER * (before * self._format.n_columns + column * in_part + within)
            found.append(np.frombuffer(self._stored(_NUMBER * (end - first), at), np.float64))
            first = end
        return found[0] if len(found) == 1 else np.concatenate([np.empty(0), *found])

    def _stored(self, n_bytes: int, at: int) -> bytes:
        return self._file.read(n_bytes, at) if self._file else bytes(memoryview(self._memory)[at : at + n_bytes])

    def close(self) -> None:
        self._memory, self._file = bytearray(), None


@dataclass(frozen=True)
class SpooledFeatures:
    """The features of some rows of a spool, each read when it is asked for.

    Attributes:
        first, last: the rows, from and to.
        kept: indices of those among them that are meant, None for all.
    """

    spool: RowSpool
    first: int
    last: int
    kept: Ints | None = None

    def __len__(self) -> int:
        return self.spool.n_features

    def __getitem__(self, feature: int) -> Floats:
        values = self.spool.values(feature, self.first, self.last)
        return values if self.kept is None else values.take(self.kept)

    def select(self, keep: Bools) -> SpooledFeatures:
        kept = np.flatnonzero(keep)
        return SpooledFeatures(self.spool, self.first, self.last, kept if self.kept is None else self.kept.take(kept))
