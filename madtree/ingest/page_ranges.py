"""Where a relation's rows are, and how they are read by place.

They are in plain tables of this server, or with Citus. Tables are cut into page ranges of about a block's rows. The
images of a range's rows come out of the session as bytes that are read where they are needed, or as numbers of rows
that came over a connection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from madtree.errors import MadtreeError
from madtree.host import Host, Sharing, has_citus, local_settings, on_servers, planned
from madtree.records import dataclass
from madtree.sqltext import distributed as distributed_sql
from madtree.sqltext import rows as rows_sql
from madtree.sqltext import work as work_sql
from madtree.sqltext.predict import estimate
from madtree.sqltext.query import Binary
from madtree.sqltext.quote import qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.rows import RowSource

if TYPE_CHECKING:
    from madtree.learn.data import Floats

_OID, _TEXT = "pg_catalog.oid", "pg_catalog.text"
_SPARSE, _FULL = 36, 288  # rows of a page of 8 kB; more than 291 have no room


def placement(host: Host, oid: int) -> str | None:
    """How a relation is held: "spread" over servers, "viewed" where a view reads rows that are, "whole" in one place of
    a cluster, be it below a view; None: in PostgreSQL's way.

    Raises:
        MadtreeError: statements over its rows would call functions of the names of madtree's on servers that do not
            have the extension.
    """
    found = host.query(distributed_sql.PLACEMENT, [_OID], [oid]) if has_citus(host) else []
    if not found:
        return None
    if host.has_extension and host.query(distributed_sql.IS_HERE_ALONE)[0]["is_here_alone"]:
        raise MadtreeError(
            "the other servers of the cluster have no extension madtree",
            hint="On the coordinator, as a superuser: CREATE EXTENSION IF NOT EXISTS madtree CASCADE. Citus makes it "
            "on all workers; their machines must have madtree.",
            sqlstate="55000",
        )
    if all(row["method"] == "n" for row in found):
        return "whole"
    return "spread" if any(row["itself"] for row in found) else "viewed"


def distribution_column(host: Host, oid: int) -> str | None:
    """The column, unquoted, by whose hash a relation's rows are spread; None where they are spread otherwise."""
    found = host.query(distributed_sql.DISTRIBUTION_COLUMN, [_OID], [oid])
    return str(found[0]["name"]) if found else None


def distribute(host: Host, table: str, column: str, *, beside: str | None = None, n_shards: int = 0) -> None:
    """Spread an empty table by a column over the servers: its rows to those where the table `beside` has its rows of
    equal values in its own; or in `n_shards` shards. Does nothing where there is no Citus.

    Without another one it gets a colocation group of its own: a table of the default group holds a lock to the end of
    the transaction for which all others that distribute tables wait.

    Args:
        table, beside: SQL names.
    """
    if has_citus(host):
        on_servers(host).command(distributed_sql.distribute(table, column, beside=beside, n_shards=n_shards))


def distribute_to_stay(host: Host, table: str, column: str, beside: str) -> None:
    """As `distribute`, a table that others will see.

    Raises:
        MadtreeError: as `refuse_others_schema`.
    """
    distribute(host, table, column, beside=beside)
    refuse_others_schema(host, table)


def refuse_others_schema(host: Host, table: str) -> None:
    """Raise MadtreeError where the schema of a table of Citus's is another role's on one of the servers than here. Who
    owns it could put another table there in the place of a part of this one.
    """
    with local_settings(host, distributed_sql.OF_CITUS):
        found = host.query(distributed_sql.OTHERS_SCHEMA_THERE, [_TEXT], [table]) if has_citus(host) else []
    for row in found:
        server = f"the server {row['host']}:{row['port']}"
        if not row["answered"]:
            raise MadtreeError(f"{server} does not tell whose the schema of {table} is: {row['owner']}", None, "08006")
        raise MadtreeError(
            f"the schema of {table} is of another owner on {server}: {row['owner']}",
            hint="Name another schema, or give that one its owner there.",
            sqlstate="42501",
        )


def oid_of(host: Host, table: str) -> int:
    """Of a table by its SQL name."""
    return int(host.query(work_sql.OID_OF, [_TEXT], [table])[0]["oid"])


def plain_tables(host: Host, oid: int, held: str | None) -> list[int]:
    """The tables, by OID, that hold the relation's rows and can be read page by page; none where it must be copied to
    be read so, or read as a whole.

    Args:
        held: the relation's placement. What Citus holds is an empty shell here, though it looks like a table.
    """
    if held is not None:
        return []
    return [int(row["oid"]) for row in host.query(work_sql.LEAVES, [_OID], [oid])]


def check_in_place(host: Host, relation: Relation) -> None:
    """To be called when a relation's rows have been read by page ranges, of which each is a statement.

    Citus distributes a table under a lock that no reader's holds up, and from then on a range is one of each shard. The
    plan shows that also in a transaction whose snapshot of the catalogue is older.

    Raises:
        MadtreeError: what was read is rows of both, some of them twice, others not at all.
    """
    name = qualified(relation.schema, relation.name)
    if has_citus(host) and planned(host, estimate(name))[0].startswith("Custom Scan (Citus"):
        raise MadtreeError(
            f"{name} has been distributed while its rows were read", hint="Call again.", sqlstate="40001"
        )


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

        With `processes` that share them, each has as many of a table's ranges, and these have about as many rows. What
        is said of a table's size may be old then, or wrong: a range has at most eight times the rows, and no fewer
        pages than can have them.
        """
        tables = host.query(work_sql.PAGES_OF_TABLES, [f"{OID}[]"], [list(oids)])
        pages = sum(int(table["pages"]) for table in tables)
        step = max(1, int(rows_per_range * pages / max(n_rows, 1)))
        if processes:
            step = max(1, min(max(step, rows_per_range // _FULL), rows_per_range // _SPARSE))
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
        relations = tuple(work_sql.aliased(table["schema"], table["name"]) for table in tables)
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


@dataclass(frozen=True)
class Reading:
    """How the rows of a table, or of a relation without pages as a whole, are read.

    Attributes:
        host: that runs the statements.
        pages: there are no ranges of a relation without pages.
        sharing: where other sessions may read as well.
        report: is told after each page range how many there have been of how many, with how many rows.
    """

    host: Host
    source: RowSource
    pages: PageRanges
    sharing: Sharing | None = None
    report: Callable[[int, int, int], None] = lambda n_read, n_ranges, n_rows: None

    @property
    def finer(self) -> PageRanges:
        """The ranges whose rows are read at once."""
        return self.pages.finer(self.source.rows_at_once)


def read_images(
    host: Host,
    source: RowSource,
    query: str,
    types: Sequence[str] = (),
    params: Sequence[Any] = (),
    only: Sequence[int] | None = None,
) -> bytes | Floats:
    """The images that a query of one row yields (`sqltext.rows.images`); `only`: of those features."""
    return as_rows(source, host.query(Binary(query), types, params)[0]["images"], only)


def as_rows(source: RowSource, images: bytes | None, only: Sequence[int] | None = None) -> bytes | Floats:
    """Images as `RowFormat.read` takes them: those that were sent as numbers (n_rows, n_columns)."""
    if not source.sent:
        return images or b""
    from madtree.learn.data import sent_rows  # only here: numpy comes with it

    return sent_rows(images or b"", source.stretches(only))


def range_queries(source: RowSource, pages: PageRanges, never_null: Sequence[bool]) -> tuple[list[str], list[str]]:
    """Of each relation the query of a range's images, and the careful one that puts NaN for any NULL."""
    clauses = [source.from_clause(relation, extra=rows_sql.PAGES) for relation in pages.relations]
    return (
        [rows_sql.images(source, clause, never_null=never_null) for clause in clauses],
        [rows_sql.images(source, clause) for clause in clauses],
    )
