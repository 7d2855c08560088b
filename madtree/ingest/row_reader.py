"""Packing a table's rows in this process."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from madtree.host import Query
from madtree.ingest.page_ranges import TID, PageRange, Reading, as_rows, range_queries
from madtree.ingest.row_spool import RowSpool
from madtree.learn.data import Block, Ints, codec
from madtree.learn.packing import NullNumberError, Packer, RowFormat, pack_values
from madtree.learn.problem import Problem
from madtree.records import dataclass


@dataclass(frozen=True)
class Packed:
    """Rows in the blocks, rows that were not usable, and those among them whose class was not known."""

    n_rows: int
    n_skipped: int
    n_unknown: int

    def plus(self, other: Packed) -> Packed:
        return Packed(self.n_rows + other.n_rows, self.n_skipped + other.n_skipped, self.n_unknown + other.n_unknown)


@dataclass(frozen=True)
class Packing:
    """How rows become blocks.

    Attributes:
        tree_ids: ids of the problem's trees as rows carry them, None for a single tree.
        never_null: for each number of a row but the tree, whether NULL is not expected.
    """

    problem: Problem
    row_format: RowFormat
    tree_ids: Ints | None
    never_null: Sequence[bool]

    def packer(self) -> Packer:
        return Packer(self.problem, self.row_format, self.tree_ids)

    def plan(self) -> bytes:
        """What whoever packs elsewhere needs beside the rows."""
        return codec.dump(pack_values(self.problem, self.row_format, self.tree_ids))


class RowPacker:
    """Packs a table's rows in this process, from the spool where they have been read before."""

    def __init__(self, reading: Reading, spool: RowSpool | None) -> None:
        self._reading, self._spool, self._pages = reading, spool, reading.finer

    def blocks(self, packing: Packing, block_rows: int) -> Generator[tuple[Block, Packed], None, None]:
        """Blocks of at most `block_rows` rows, except where a single page range has more."""
        packer = packing.packer()
        if self._spool is not None:
            for first in range(0, self._spool.n_rows, block_rows):
                rows = self._spool.rows(first, min(first + block_rows, self._spool.n_rows), packer.row_format)
                block, skipped, unknown = packer.pack_rows(rows)
                yield block, Packed(block.codes.n_rows, skipped + (0 if first else self._spool.n_skipped), unknown)
            return
        waiting: list[tuple[Block, int, int]] = []
        for part in self._parts(packer, packing.never_null):
            if waiting and sum(block.codes.n_rows for block, _, _ in (*waiting, part)) > block_rows:
                yield _joined(waiting)
                waiting = []
            waiting.append(part)
        if waiting:
            yield _joined(waiting)

    def _parts(self, packer: Packer, never_null: Sequence[bool]) -> Iterator[tuple[Block, int, int]]:
        host, source, ranges = self._reading.host, self._reading.source, self._pages.ranges
        queries, careful = range_queries(source, self._pages, never_null)
        wanted = (self._query(queries, page_range) for page_range in ranges)
        with closing(host.data_ahead(wanted, self._reading.sharing)) as found:
            n_rows = 0
            for number, (page_range, rows) in enumerate(zip(ranges, found, strict=True), 1):
                try:
                    part = packer.pack(as_rows(source, rows[0]["images"]))
                except NullNumberError:
                    images = host.query(*self._query(careful, page_range))[0]["images"]
                    part = packer.pack(as_rows(source, images))
                n_rows += part[0].codes.n_rows
                self._reading.report(number, len(ranges), n_rows)
                yield part

    def _query(self, queries: Sequence[str], page_range: PageRange) -> Query:
        return queries[page_range.relation], [TID, TID], page_range.bounds


def _joined(parts: Sequence[tuple[Block, int, int]]) -> tuple[Block, Packed]:
    blocks_, skipped, unknown = zip(*parts, strict=True)
    block = Block.join(blocks_)
    return block, Packed(block.codes.n_rows, sum(skipped), sum(unknown))
