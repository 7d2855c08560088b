"""Page ranges: how a relation is cut into stretches of about a block's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from madtree.host import Host
from madtree.sqltext import work as sql

OID, TID = "pg_catalog.oid", "pg_catalog.tid"


@dataclass(frozen=True)
class PageRange:
    """The tids from `low` up to but not `high` of the relation with that index. Of a part of a distributed table these
    are its number and the key of its shard.
    """

    relation: int
    low: str
    high: str

    @property
    def bounds(self) -> list[str]:
        """The parameters of `sqltext.rows.PAGES`."""
        return [self.low, self.high]


@dataclass(frozen=True)
class PageRanges:
    """Attributes:
    relations: SQL of each table: the relation itself, or its partitions.
    ranges: in physical order.
    pages, rows: of a range, about; 0 where ranges are not of pages.
    """

    relations: tuple[str, ...]
    ranges: tuple[PageRange, ...]
    pages: int = 0
    rows: int = 0

    @classmethod
    def cut(
        cls, host: Host, oids: Sequence[int], n_rows: int, rows_per_range: int, processes: int | None = None
    ) -> PageRanges:
        """Cut plain tables with about `n_rows` rows in all into ranges of about `rows_per_range` rows each.

        With `processes` that share them, each has as many of a table's ranges, and these have about as many rows.
        """
        tables = host.query(sql.PAGES_OF_TABLES, [f"{OID}[]"], [list(oids)])
        pages = sum(int(table["pages"]) for table in tables)
        step = max(1, int(rows_per_range * pages / max(n_rows, 1)))
        ranges: list[PageRange] = []
        for index, table in enumerate(tables):
            own = max(int(table["pages"]), 1)
            starts = list(range(0, own, step))
            if processes:
                n_ranges = min(-(-own // (step * processes)) * processes, own)
                starts = [own * number // n_ranges for number in range(n_ranges)]
            lows = [f"({start},0)" for start in starts]
            # Rows that were added since the size was read are not missed: the last range is open.
            highs = [*lows[1:], "(4294967295,0)"]
            ranges += [PageRange(index, low, high) for low, high in zip(lows, highs, strict=True)]
        relations = tuple(sql.aliased(table["schema"], table["name"]) for table in tables)
        return cls(relations, tuple(ranges), pages=step, rows=rows_per_range)

    def finer(self, n_rows: int) -> PageRanges:
        """These rows in ranges of about `n_rows` rows, where they are of pages and have more."""
        n_parts = min(round(self.rows / max(n_rows, 1)), self.pages)
        if n_parts <= 1:
            return self
        ranges = []
        for whole in self.ranges:
            start = int(whole.low[1:].split(",")[0])
            lows = [f"({start + self.pages * part // n_parts},0)" for part in range(n_parts)]
            highs = [*lows[1:], whole.high]
            ranges += [PageRange(whole.relation, low, high) for low, high in zip(lows, highs, strict=True)]
        return replace(self, ranges=tuple(ranges), pages=self.pages // n_parts, rows=self.rows // n_parts)
