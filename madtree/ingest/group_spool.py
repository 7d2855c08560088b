"""The rows of small groups, read in the order of the table and handed over block by block: in between they are in
memory, or in a temporary file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from madtree.host import Host, SpillFile, TemporaryPlace
from madtree.ingest.page_ranges import TID, PageRanges
from madtree.learn.packing import NullNumberError, RowFormat
from madtree.sqltext import rows as sql
from madtree.sqltext.query import Binary
from madtree.sqltext.rows import RowSource


class GroupSpool:
    """Reads the rows of a table whose small groups share some blocks."""

    def __init__(
        self, host: Host, source: RowSource, pages: PageRanges, row_format: RowFormat, n_blocks: int, *, in_file: bool
    ) -> None:
        """`pages`: of few rows each, as those of a range are in memory together."""
        self._host, self._source, self._pages, self._format = host, source, pages, row_format
        self._n_blocks, self._in_file = n_blocks, in_file

    def images(self, *, known: bool) -> Iterator[bytes]:
        """The images of each block's rows, block by block. For PostgreSQL to sort the rows by their block would take
        half as long again as to read them.

        At first no NULL is looked for among the features, which saves a seventh; where there is one, all is read anew.

        Args:
            known: whether no other number of a row is NULL, either.
        """
        source = self._source
        never_null = [known] * source.n_own_numbers + [True] * len(source.features)
        try:
            blocks = self._blocks(sql.images_by_range(source, self._pages.relations, never_null))
        except NullNumberError:
            blocks = self._blocks(sql.images_by_range(source, self._pages.relations))
        while blocks:
            yield b"".join(blocks.pop(0))

    def _blocks(self, query: str) -> list[Iterator[bytes | memoryview]]:
        """The parts of each block; raises NullNumberError where some rows are not like the others."""
        file = SpillFile(TemporaryPlace.of(self._host), "rows") if self._in_file else None
        blocks: list[list[Any]] = [[] for _ in range(self._n_blocks)]
        relations, ranges = range(len(self._pages.relations)), self._pages.ranges
        ends = [[r.bounds[end] for r in ranges if r.relation == number] for number in relations for end in (0, 1)]
        for part in self._host.stream(Binary(query), [f"{TID}[]"] * len(ends), ends):
            if self._format.count(part["images"]) is None:
                raise NullNumberError
            blocks[part["block"]].append(file.write(part["images"]) if file else part["images"])
        return [map(file.read, spans) if file else iter(spans) for spans in blocks]
