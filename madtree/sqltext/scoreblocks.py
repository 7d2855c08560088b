"""Queries that score a table by blocks of rows: in one process, shared out among workers, or outside of the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from madtree.records import dataclass
from madtree.sqltext.catalog import SOURCE_ALIAS
from madtree.sqltext.outcome_numbers import integer_at, place_after
from madtree.sqltext.predict import TREE, Scan
from madtree.sqltext.quote import INTERNAL, binary, ident, literal
from madtree.sqltext.rows import PageBounds, bounds, tid_arrays
from madtree.sqltext.sent_rows import sent_row, sent_stretches


@dataclass(frozen=True)
class BlockScan:
    """How rows become blocks, and blocks become rows of the target.

    Attributes:
        scan: what is read and made.
        values: an expression of type float8 for each feature that the plan uses.
        outputs: name, and expression over the numbers `scored.<part>`.
        parts: what the block scorer returns for each row: little-endian integers, each by name, first byte and bytes.
            Of a single tree `outcome`, the position that the plan gives to a row's leaf, or 0.
        outcome_bytes: bytes that the block scorer returns for each row, `entries` times as many as for one entry.
        id_type: SQL of the type of the id.
        array_id: whether that is an array. Blocks hold arrays of ids, and PostgreSQL has no arrays of arrays: such an
            id travels as text.
        entries: rows of the target for each row; `scored.entry` counts them from 0.
        condition: of the target's rows, over what `outputs` are over; empty for all.
        shown: texts of each row that the outputs may name, as the array `scored.shown`. They travel with the id.
        gathered: the table that has the ids and the images of rows, as SQL; empty where these are made of the new data.
        has_ids: whether blocks hand ids on.
    """

    scan: Scan
    values: Sequence[str]
    outputs: Sequence[tuple[str, str]]
    parts: Sequence[tuple[str, int, int]]
    outcome_bytes: int
    id_type: str
    array_id: bool
    entries: int = 1
    condition: str = ""
    shown: Sequence[str] = ()
    gathered: str = ""
    has_ids: bool = True

    @classmethod
    def without_ids(cls, scan: Scan, values: Sequence[str], outcome_bytes: int) -> BlockScan:
        """Of rows whose ids nobody asks for, and which no table is made of."""
        scan = replace(scan, id_sql="NULL::pg_catalog.int4")
        return cls(scan, values, [], [], outcome_bytes, "pg_catalog.int4", array_id=False, has_ids=False)

    def gather(self, table: str) -> str:
        """Create that table, a temporary one, as SQL."""
        return f"CREATE TEMP TABLE {table} AS SELECT {self._columns} FROM {self.scan.rows()}"

    def create(self, query: str) -> str:
        """Create the target from a query of its rows, whose parameters it keeps."""
        return f"CREATE TABLE {self.scan.target} AS\n{query}"

    def together(self, blocks: str) -> str:
        """What is said of the rows of each block together, from one of the queries of blocks below."""
        # OFFSET 0: as in `rows`.
        return f"SELECT s.outcomes FROM (\n{blocks}\nOFFSET 0\n) AS s"

    def by_number(self, block_rows: int) -> str:
        """A query of blocks of any relation, each with its `ids` and `outcomes`; parameter $1 is the plan.

        The rows are numbered and sorted by block, on disk if need be, so that one block at a time is in memory.
        """
        columns, rows = self._columns, self.scan.rows()
        if self.gathered:
            columns, rows = "g.id, g.image", f"{self.gathered} AS g"
        blocks = self._numbered(columns, block_rows, rows)
        return f"SELECT b.ids, {INTERNAL}.score_block($1, b.images) AS outcomes FROM {blocks} AS b"

    def by_pages(self, ranges: Sequence[PageBounds]) -> str:
        """A query of blocks of a plain table, one for each page range; columns and parameter as of `by_number`."""
        return self._scored(bounds(*tid_arrays(ranges)))

    def by_ranges(self, ranges: str) -> str:
        """As `by_pages`, by the page ranges of a query, its columns `low` and `high`."""
        return self._scored(f"({ranges})")

    def shared(self, tasks: Sequence[Sequence[PageBounds]]) -> str:
        """A query of blocks for workers, who take one task, a few page ranges, after the other; as `by_pages`.

        Workers share out the branches of a UNION ALL. What they do by them is in a function because a LATERAL subquery
        with outer references is never run in workers. The blocks' rows come apart above the workers: handing over a
        row costs more than that.
        """
        lows_and_highs = [tid_arrays(task) for task in tasks]
        each = [f"SELECT {lows} AS lows, {highs} AS highs" for lows, highs in lows_and_highs]
        # By the planner's figures one worker beside the leader saves nothing on such branches; but on a scan that both
        # can share, which is never begun.
        nothing = "NULL::pg_catalog.tid[]"
        each.append(f"SELECT {nothing}, {nothing} FROM pg_catalog.pg_class WHERE pg_catalog.now() IS NULL")
        branches = " UNION ALL ".join(each)
        query = literal(self._scored(bounds("$2", "$3")))
        # No id, but of their type and collation.
        rows = f"SELECT {self._id} AS id FROM {self.scan.rows()} WHERE false"
        no_ids = f"(SELECT pg_catalog.array_agg(r.id) FROM ({rows}) AS r)"
        return (
            f"SELECT t.ids, t.outcomes FROM ({branches}) AS c, LATERAL {INTERNAL}.score_pages("
            f"{query}, c.lows, c.highs, (SELECT {INTERNAL}.leaders_own($1)), {no_ids}) AS t"
        )

    def sent(self, ranges: Sequence[PageBounds] | None, block_rows: int) -> str:
        """A query of blocks for whoever scores them outside of the server: `ids`, an array as text, if any, and `rows`,
        whose bytes are as `sent_stretches` says; NULL where there are none.

        Args:
            ranges: of a plain table the page ranges of the blocks; of any relation None, and blocks of `block_rows`.
        """
        columns = f"{self._id} AS id, {sent_row(self._numbers)} AS image"
        if ranges is None:
            blocks = f"{self._numbered(columns, block_rows, self.scan.rows())} AS b"
        else:
            blocks = self._in_ranges(columns, bounds(*tid_arrays(ranges)))
        return f"SELECT b.ids::pg_catalog.text AS ids, b.images AS rows FROM {blocks}"

    def sampled(self, id_text: str, texts: Sequence[str], most: int, share: float = 1.0) -> str:
        """A query of at most so many rows, those whose ids have the smallest hashes, in that order: the same ones
        wherever and in whatever order they lie.

        Columns: `image`, whose bytes are as `sent_stretches` says, and `texts`.

        Args:
            id_text: SQL of the id as text.
            texts: SQL of a text each.
            share: of the hashes that are looked at, the smallest ones: so no images are made of most rows.
        """
        place = f'(pg_catalog.md5({id_text}) COLLATE pg_catalog."C")'
        columns = [
            f"{self.image} AS image",
            f"ARRAY[{', '.join(texts)}]::pg_catalog.text[] AS texts",
            f"{place} AS place",
        ]
        rows = f"SELECT {', '.join(columns)} FROM {self.scan.rows()}"
        if share < 1:
            rows += f" WHERE {binary(place, '<', literal(f'{int(share * 2**32):08x}'))}"
        return f"SELECT r.image, r.texts FROM ({rows}) AS r ORDER BY r.place, r.image LIMIT {most}"

    @property
    def image(self) -> str:
        """SQL of a row's numbers as bytes, which are as `sent_stretches` says."""
        return sent_row(self._numbers)

    @property
    def sent_stretches(self) -> list[tuple[int, bool]]:
        """Of what the bytes of a row that is sent consist; see `madtree.sqltext.sent_rows`."""
        return sent_stretches(self._numbers)

    def insert(self, query: str) -> str:
        """Fill the target with a query's rows."""
        return f"INSERT INTO {self.scan.target}\n{query}"

    def scored_outside(self) -> str:
        """A query for the rows of a block that was scored outside of the server.

        Parameters: $1 the outcomes, $2 the ids, an array as text.
        """
        element = "pg_catalog.text" if self.array_id or self.shown else self.id_type
        block = f"SELECT $2::{element}[] AS ids, $1::pg_catalog.bytea AS outcomes"
        return self.rows(block)

    def count(self) -> str:
        """A query that makes all rows' ids and images and keeps none."""
        rows = f"SELECT {self._columns} FROM {self.scan.rows()}"
        return f"SELECT pg_catalog.count(r.id), pg_catalog.count(r.image) FROM ({rows}) AS r"

    @property
    def _id(self) -> str:
        if self.shown:
            texts = ", ".join([f"({self.scan.id_sql})::pg_catalog.text", *self.shown])
            return f"(ARRAY[{texts}]::pg_catalog.text[])::pg_catalog.text"
        return f"({self.scan.id_sql})::pg_catalog.text" if self.array_id else self.scan.id_sql

    @property
    def _numbers(self) -> list[str]:
        """SQL of a row's numbers, each of type float8; at least one."""
        trees = [f"madtree_model.{TREE}::pg_catalog.float8"] if self.scan.groups else []
        return [*trees, *self.values] or ["0::pg_catalog.float8"]

    @property
    def _columns(self) -> str:
        # One array a row, of equal length: a third of the cost of one array a column. NaN is as good as NULL.
        numbers = ", ".join(f"COALESCE({value}, 'NaN')" for value in self._numbers)
        return f"{self._id} AS id, {INTERNAL}.array_image(ARRAY[{numbers}]::pg_catalog.float8[]) AS image"

    @property
    def _block(self) -> str:
        """SQL of what a block has. An array of all rows' ids takes a tenth of the time of reading them."""
        ids = "pg_catalog.array_agg(r.id)" if self.has_ids else "NULL::pg_catalog.int4[]"
        return f"{ids} AS ids, pg_catalog.string_agg(r.image, ''::pg_catalog.bytea) AS images"

    def _scored(self, ranges: str) -> str:
        """A query that scores page ranges one by one; `ranges` as `_in_ranges` has it."""
        blocks = self._in_ranges(self._columns, ranges)
        return f"SELECT b.ids, {INTERNAL}.score_block($1, b.images) AS outcomes FROM {blocks}"

    def _in_ranges(self, columns: str, ranges: str) -> str:
        """FROM clause of blocks `b`, a page range each.

        Args:
            columns: those of a row, `id` and `image`.
            ranges: what has the bounds of each, in a FROM clause.
        """
        in_range = " AND ".join(
            f"{SOURCE_ALIAS}.ctid OPERATOR(pg_catalog.{symbol}) c.{end}"
            for symbol, end in ((">=", "low"), ("<", "high"))
        )
        rows = f"SELECT {columns} FROM {self.scan.rows()} WHERE {in_range}"
        return f"{ranges} AS c(low, high), LATERAL (SELECT {self._block} FROM ({rows}) AS r) AS b"

    def _numbered(self, columns: str, block_rows: int, rows: str) -> str:
        """Blocks of any relation as a query in brackets; `columns` as of `_in_ranges`, `rows` the FROM clause."""
        number = f"(pg_catalog.row_number() OVER () OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog./) {block_rows}"
        # The ordered aggregate cannot be hashed: a hash table would hold all blocks at once.
        return f"""(
            SELECT {self._block}, pg_catalog.min(r.block ORDER BY r.block) AS block
            FROM (SELECT {columns}, {number} AS block FROM {rows}) AS r
            GROUP BY r.block
        )"""

    def rows(self, blocks: str) -> str:
        """The rows of the target, from a query of blocks."""
        row_id = "scored.shown[1]" if self.shown else "scored.id"
        id_out = f"{row_id}::{self.id_type}" if self.array_id or self.shown else row_id
        selected = "".join(f", {value} AS {ident(name)}" for name, value in self.outputs)
        numbers = "".join(
            f", {integer_at('place.outcomes', place_after('place.byte', first), n_bytes)} AS {part}"
            for part, first, n_bytes in self.parts
        )
        entry = ", place.entry" if self.entries > 1 else ""
        return f"""SELECT {id_out} AS {ident(self.scan.id_name)}{selected}
FROM (
    SELECT place.{self._own}, place.outcomes, place.byte{entry}{numbers}
    FROM (
        {self._places(blocks)}
    ) AS place
) AS scored{f" WHERE {self.condition}" if self.condition else ""}"""

    @property
    def _own(self) -> str:
        """What a row brings beside its outcomes."""
        return "shown" if self.shown else "id"

    def _places(self, blocks: str) -> str:
        """A query of what each entry brings, the outcomes of its block, and the byte at which its own begin."""
        # OFFSET 0 keeps the scorer out of the select list with the set-returning functions, where it would run once a
        # row, and these out of the workers.
        places = f"""SELECT pg_catalog.unnest(s.ids) AS id, s.outcomes, pg_catalog.generate_series(
            0, pg_catalog.length(s.outcomes) OPERATOR(pg_catalog.-) 1, {self.outcome_bytes}) AS byte
        FROM (
            {blocks}
            OFFSET 0
        ) AS s"""
        if self.shown:  # OFFSET 0: read once for all entries
            places = f"SELECT r.id::pg_catalog.text[] AS shown, r.outcomes, r.byte FROM ({places}) AS r OFFSET 0"
        if self.entries == 1:
            return places
        # In the select list, and not joined: a join might keep the rows, each with the outcomes of its block.
        series = f"pg_catalog.generate_series(0, {self.entries - 1}) AS entry"
        of_entries = f"SELECT r.{self._own}, r.outcomes, r.byte, {series} FROM ({places}) AS r"
        byte = f"e.byte OPERATOR(pg_catalog.+) (e.entry OPERATOR(pg_catalog.*) {self.outcome_bytes // self.entries})"
        return f"SELECT e.{self._own}, e.outcomes, {byte} AS byte, e.entry FROM ({of_entries}) AS e"


# Runs a query of what is said of blocks, $1, whose only parameter is the plan, $2; workers may share it.
SAID_OF_BLOCKS = f"SELECT t.outcomes FROM {INTERNAL}.said_of_blocks($1, $2) AS t(outcomes)"
