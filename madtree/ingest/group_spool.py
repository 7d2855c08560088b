"""The rows of small groups, read in the order of the table and handed over block by block: in between they are in
memory, or in a temporary file.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from madtree.host import Host, SpillFile, TemporaryPlace
from madtree.ingest.groups import Groups
from madtree.ingest.page_ranges import PageRanges
from madtree.learn.data import Floats, heads, rows_in, stable_order
from madtree.learn.packing import NullNumberError
from madtree.sqltext import rows as sql
from madtree.sqltext.query import Binary
from madtree.sqltext.rows import PageBounds, RowSource


class GroupSpool:
    """Reads the rows of a table whose small groups share some blocks."""

    def __init__(self, host: Host, source: RowSource, pages: PageRanges, groups: Groups, *, in_file: bool) -> None:
        """`pages`: of few rows each, as those of a range are in memory together."""
        self._host, self._source, self._pages = host, source, pages
        self._n_blocks, self._in_file = int(groups.block.max()) + 1, in_file
        self._block = np.zeros(int(groups.tree_id.max()) + 1, np.uint32)  # by tree id; no rows come of large groups
        self._block[groups.tree_id] = np.maximum(groups.block, 0)

    def rows(self, *, known: bool) -> Iterator[Floats]:
        """The rows (n_rows, n_columns) of each block, block by block. For PostgreSQL to sort them by their block would
        take half as long again as to read them.

        At first no NULL is looked for among the features, which saves a seventh; where there is one, all is read anew.

        Args:
            known: whether no other number of a row is NULL, either.
        """
        source = self._source
        never_null = [known] * source.n_own_numbers + [True] * len(source.features)
        try:
            blocks = self._blocks(sql.images_by_range(source, self._ranges(), never_null))
        except NullNumberError:
            blocks = self._blocks(sql.images_by_range(source, self._ranges()))
        while blocks:
            yield np.concatenate([np.empty((0, source.n_columns)), *blocks.pop(0)])  # rows may have gone since

    def _ranges(self) -> dict[str, list[PageBounds]]:
        """Of each relation."""
        relations, ranges = self._pages.relations, self._pages.ranges
        return {name: [(r.low, r.high) for r in ranges if r.relation == i] for i, name in enumerate(relations)}

    def _blocks(self, query: str) -> list[Iterator[Floats]]:
        """The parts of each block; raises NullNumberError where some rows are not like the others."""
        n_columns = self._source.n_columns
        file = SpillFile(TemporaryPlace.of(self._host), "rows") if self._in_file else None
        blocks: list[list[Any]] = [[] for _ in range(self._n_blocks)]
        stream = self._host.stream(Binary(query))
        for found in stream:
            rows = rows_in(found["images"] or b"", n_columns)
            if rows is None:
                stream.throw(NullNumberError())
            assert rows is not None  # since that does not return
            block = self._block.take(rows[:, 0].astype(np.int64))
            order = stable_order(block)
            rows, block = rows.take(order, axis=0), block.take(order)
            for first, last in pairwise([*heads(block).tolist(), len(rows)]):
                part = rows[first:last]
                blocks[block[first]].append(file.write(part.data.cast("B")) if file else part.copy())
        if file is None:
            return [*map(iter, blocks)]
        return [(np.frombuffer(file.read(span)).reshape(-1, n_columns) for span in spans) for spans in blocks]
