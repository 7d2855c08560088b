"""The tables of a training run: the blocks, and the staged copy of what cannot be read by page ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from madtree.sqltext.catalog import SOURCE_ALIAS
from madtree.sqltext.quote import ident, literal, qualified

_BLOCK_FIELDS = ("n_rows", "n_skipped", "n_unknown", "codes", "target", "weight", "tree", "fold")
# Workers share a table out by pages, so each block's row has a page of its own; the blocks' bytes are kept outside it.
_PAGE_FILLER = 5_000


@dataclass(frozen=True)
class WorkTables:
    """Names of a run's tables: in the output's schema, where the caller may create; random, so that none collide.

    Attributes:
        schema: the output's, unquoted; a temporary one makes temporary tables, which parallel workers cannot read.
        token: random.
    """

    schema: str
    token: str

    @property
    def temporary(self) -> bool:
        return self.schema.startswith("pg_temp")

    @property
    def create(self) -> str:
        return "CREATE TEMPORARY TABLE" if self.temporary else "CREATE UNLOGGED TABLE"

    def name(self, part: str) -> str:
        table = f"madtree_{part}_{self.token}"
        return ident(table) if self.temporary else qualified(self.schema, table)

    def aliased(self, part: str) -> str:
        """The table under the name by which the user's expressions were checked."""
        return f"{self.name(part)} AS {SOURCE_ALIAS}"

    def drop(self, parts: Sequence[str]) -> str:
        return f"DROP TABLE {', '.join(self.name(part) for part in parts)}"

    def stage(self, columns: Sequence[str] | None, relation: str) -> str:
        """Copy a view, foreign table or the like; `columns` as SQL, all of them if None."""
        return f"{self.create} {self.name('rows')} AS SELECT {', '.join(columns) if columns else '*'} FROM {relation}"

    def create_blocks(self) -> str:
        blocks = self.name("blocks")
        return (
            f"{self.create} {blocks} (part int4, block_id int4, n_rows int4, n_skipped int4, n_unknown int4, "
            "codes bytea, target bytea, weight bytea, tree bytea, fold bytea, filler text); "
            f"ALTER TABLE {blocks} ALTER codes SET STORAGE EXTERNAL, ALTER target SET STORAGE EXTERNAL, "
            "ALTER weight SET STORAGE EXTERNAL, ALTER tree SET STORAGE EXTERNAL, ALTER fold SET STORAGE EXTERNAL, "
            "ALTER filler SET STORAGE PLAIN"
        )

    def fill_blocks(self, queries: Sequence[str], careful: Sequence[str]) -> str:
        """Pack page ranges. $1: plan; $2, $3: first page and the page behind, as tid[]; $4: index of the query, from 1.

        Args:
            queries: for each relation, of a range's images; `careful` those where any number may be NULL.
        """
        return f"INSERT INTO {self.name('blocks')} {self._packed(queries, careful)}"

    def _packed(self, queries: Sequence[str], careful: Sequence[str]) -> str:
        first, second = (
            f"(ARRAY[{', '.join(literal(query) for query in texts)}])[c.query]" for texts in (queries, careful)
        )
        fields = ", ".join(f"(madtree_packed.block).{field}" for field in _BLOCK_FIELDS)
        return (
            f"SELECT 0, madtree_packed.block_id, {fields}, pg_catalog.repeat('x', {_PAGE_FILLER}) FROM ("
            "SELECT c.block_id::pg_catalog.int4 AS block_id, "
            f"madtree.pack_block({first}, {second}, c.low, c.high, $1) AS block "
            "FROM ROWS FROM (pg_catalog.unnest($2::pg_catalog.tid[]), pg_catalog.unnest($3::pg_catalog.tid[]), "
            "pg_catalog.unnest($4::pg_catalog.int4[])) "
            "WITH ORDINALITY AS c(low, high, query, block_id) OFFSET 0) AS madtree_packed"
        )

    def clear_blocks(self) -> str:
        return f"TRUNCATE {self.name('blocks')}"

    def totals(self) -> str:
        """Rows packed, rows that were not usable, and those among them whose class had not been seen before."""
        return (
            "SELECT pg_catalog.sum(n_rows)::pg_catalog.int8 AS n_rows, "
            "pg_catalog.sum(n_skipped)::pg_catalog.int8 AS n_skipped, "
            f"pg_catalog.sum(n_unknown)::pg_catalog.int8 AS n_unknown FROM {self.name('blocks')}"
        )

    def block_trees(self) -> str:
        """The rows of each block and the trees that they are of, in the order of the blocks."""
        return f"SELECT block_id, n_rows, tree FROM {self.name('blocks')} ORDER BY block_id"

    def set_folds(self) -> str:
        """$1: folds of a block's rows; $2: the block."""
        return f"UPDATE {self.name('blocks')} SET fold = $1 WHERE block_id OPERATOR(pg_catalog.=) $2"

    def settle(self, workers: int) -> str:
        """Tell the planner about the blocks, and how many workers may share them."""
        blocks = self.name("blocks")
        return f"ALTER TABLE {blocks} SET (parallel_workers = {workers}); ANALYZE {blocks} (block_id)"

    def statistics(self) -> str:
        """The frontier's statistics; $1: plan."""
        return (
            "SELECT madtree.node_statistics(block_id, n_rows, codes, target, weight, tree, fold, $1) AS state "
            f"FROM {self.name('blocks')}"
        )


# The rows to be expected in tables by OID: their density when they were last analysed times their size now; NULL where
# one of them never was.
EXPECTED_ROWS = """
SELECT CASE WHEN pg_catalog.bool_and(relpages > 0 AND reltuples >= 0) THEN
    pg_catalog.sum(reltuples / NULLIF(relpages, 0) * pg_catalog.pg_relation_size(oid)
        / pg_catalog.current_setting('block_size')::pg_catalog.int8) END AS expected
FROM pg_catalog.pg_class WHERE oid OPERATOR(pg_catalog.=) ANY ($1)"""

# Tables by OID, in the order given, with the pages of each.
PAGES_OF_TABLES = """
SELECT n.nspname AS schema, c.relname AS name,
       pg_catalog.pg_relation_size(c.oid) / pg_catalog.current_setting('block_size')::pg_catalog.int8 AS pages
FROM pg_catalog.unnest($1) WITH ORDINALITY AS wanted(oid, place)
JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) wanted.oid
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
ORDER BY wanted.place"""

OID_OF = "SELECT $1::pg_catalog.regclass::pg_catalog.oid AS oid"

# The plain tables that hold a relation's rows, if the caller may read each of them by itself; no row otherwise.
# Row-level security of the parent would not apply to its partitions, and a table's children are read along with it.
LEAVES = """
WITH leaf AS (
    SELECT c.oid, c.relkind IN ('r', 'm') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
        AND (c.oid OPERATOR(pg_catalog.=) $1 OR NOT c.relrowsecurity) AND NOT c.relhassubclass AS fit
    FROM pg_catalog.pg_class c
    WHERE c.oid OPERATOR(pg_catalog.=) $1 AND c.relkind OPERATOR(pg_catalog.<>) 'p'
    UNION ALL
    SELECT c.oid, c.relkind IN ('r', 'm') AND pg_catalog.has_table_privilege(c.oid, 'SELECT') AND NOT c.relrowsecurity
        AND NOT (SELECT p.relrowsecurity FROM pg_catalog.pg_class p WHERE p.oid OPERATOR(pg_catalog.=) $1)
    FROM pg_catalog.pg_partition_tree($1::pg_catalog.regclass) t
    JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.relid::pg_catalog.oid
    WHERE t.isleaf AND t.parentrelid IS NOT NULL
)
SELECT oid FROM leaf WHERE (SELECT pg_catalog.bool_and(fit) FROM leaf) ORDER BY oid"""


def aliased(schema: str, name: str) -> str:
    """A relation under the name by which the user's expressions were checked."""
    return f"{qualified(schema, name)} AS {SOURCE_ALIAS}"
