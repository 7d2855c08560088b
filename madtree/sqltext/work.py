"""The tables of a training run: the blocks, and the staged copy of what cannot be read by page ranges.

They are UNLOGGED, though nobody sees them before they are dropped. Workers cannot read temporary tables. Plain ones
would write all staged rows to the WAL (96 MB for 1,000,000 rows of 13 columns), and a crash of the server would leave
these rows on the disk. docs/limits.md tells what can come of an UNLOGGED table in a crash, and the cure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.records import dataclass
from madtree.sqltext.catalog import SOURCE_ALIAS
from madtree.sqltext.query import Lasting
from madtree.sqltext.quote import INTERNAL, ident, is_temporary, literal, qualified, spelled_out

_COUNTS = ("n_rows", "n_skipped", "n_unknown")
_COLUMNS = ("codes", "target", "weight", "tree", "fold", "identity")
# The columns of a table of blocks, and the fields of a packed block as these columns.
BLOCK_COLUMNS = ", ".join(
    [f"{name} pg_catalog.int4" for name in ("shard_key", "block_id", *_COUNTS)]
    + [f"{name} {INTERNAL}.packed" for name in _COLUMNS]
)
# What a table of blocks has beside the fields of a block: the node that each row has reached, NULL at the roots, and
# the scores that trees of earlier rounds have given it; before the first its offset, or NULL.
LATER_COLUMNS = f"nodes {INTERNAL}.packed, scores {INTERNAL}.packed"
PACKED_FIELDS = ", ".join(
    [f"(madtree_packed.block).{name}" for name in _COUNTS]
    + [f"((madtree_packed.block).{name})::{INTERNAL}.packed AS {name}" for name in _COLUMNS]
    + [f"NULL::{INTERNAL}.packed", f"((madtree_packed.block).scores)::{INTERNAL}.packed"]
)
BLOCK_ARGUMENTS = ", ".join(_COLUMNS)
# Workers share a table out by pages, so each block's row has a page of its own; the blocks' bytes are kept outside it.
_FILLER = f"pg_catalog.repeat('x', 5000)::{INTERNAL}.padding"


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
        return is_temporary(self.schema)

    @property
    def create(self) -> str:
        return "CREATE TEMPORARY TABLE" if self.temporary else "CREATE UNLOGGED TABLE"

    def create_as(self, part: str, query: str) -> str:
        """Make a table of a query's rows; a heap, whatever the session's default is: it is read by place."""
        return f"{self.create} {self.name(part)} USING heap AS {query}"

    def create_with(self, part: str, columns: str) -> str:
        """Make an empty table, a heap as well."""
        return f"{self.create} {self.name(part)} ({columns}) USING heap"

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
        return self.create_as("rows", f"SELECT {', '.join(columns) if columns else '*'} FROM {relation}")

    def create_empty_blocks(self) -> str:
        return self.create_with("blocks", f"{BLOCK_COLUMNS}, {LATER_COLUMNS}, filler {INTERNAL}.padding")

    def insert_block(self) -> str:
        """$1: the block's id; then the fields of the type `block`."""
        counts = ", ".join(f"${i}" for i in range(1, 2 + len(_COUNTS)))
        *stored, scores = [
            f"${i}::{INTERNAL}.packed" for i in range(2 + len(_COUNTS), 3 + len(_COUNTS) + len(_COLUMNS))
        ]
        return f"INSERT INTO {self.name('blocks')} VALUES (0, {counts}, {', '.join(stored)}, NULL, {scores}, {_FILLER})"

    def totals(self) -> str:
        """Rows packed, rows that were not usable, and those among them whose class had not been seen before."""
        return (
            "SELECT pg_catalog.sum(n_rows)::pg_catalog.int8 AS n_rows, "
            "pg_catalog.sum(n_skipped)::pg_catalog.int8 AS n_skipped, "
            f"pg_catalog.sum(n_unknown)::pg_catalog.int8 AS n_unknown FROM {self.name('blocks')}"
        )

    def identities(self) -> str:
        """The identities of each block's rows, and the trees that they are of."""
        columns = ", ".join(f"{name}::pg_catalog.bytea AS {name}" for name in ("identity", "tree"))
        return f"SELECT {columns} FROM {self.name('blocks')}"

    def blocks(self) -> str:
        """The rows of each block; columns named as in `learn.columns.columns.COLUMNS`."""
        columns = ", ".join(f"{name}::pg_catalog.bytea AS {name}" for name in _COLUMNS)
        return f"SELECT n_rows, {columns} FROM {self.name('blocks')}"

    def replace_columns(self, columns: Sequence[str]) -> str:
        """Give every block new columns of these names; $1: plan."""
        of_rows = f"n_rows, {BLOCK_ARGUMENTS}, scores, nodes"
        made = {column: f"{INTERNAL}.new_column($1, {literal(column)}, {of_rows})" for column in columns}
        return self._update(made)

    def row_sums(self) -> str:
        """What all rows say together; $1: plan."""
        call = f"{INTERNAL}.row_sums($1, n_rows, {BLOCK_ARGUMENTS}, scores, nodes)"
        return f"SELECT {INTERNAL}.sum_of_states({call}) AS sums FROM {self.name('blocks')}"

    def move_nodes(self) -> str:
        """Move the rows of every block on; $1: plan."""
        return self._update({"nodes": f"{INTERNAL}.moved_nodes($1, n_rows, {BLOCK_ARGUMENTS}, nodes)"})

    def _update(self, made: Mapping[str, str]) -> str:
        """Change columns of all blocks, by name; the others' bytes stay where they are."""
        changes = ", ".join(f"{column} = ({value})::{INTERNAL}.packed" for column, value in made.items())
        return f"UPDATE {self.name('blocks')} SET {changes}"

    def create_images(self, images: str) -> str:
        """Keep the images of whole blocks; `images`: the query that makes them (`rows.images_by_block`)."""
        return self.create_as(
            "images",
            f"SELECT c.block AS block_id, c.images::{INTERNAL}.packed AS images FROM ({images}) AS c",
        )

    def images_of(self) -> str:
        """The images of a block, but for its number, with which the query ends."""
        return (
            f"SELECT c.images::pg_catalog.bytea FROM {self.name('images')} AS c WHERE c.block_id OPERATOR(pg_catalog.=)"
        )

    def analyze(self, part: str, columns: Sequence[str]) -> str:
        """Tell the planner what columns of a table hold, for joins: those only, since to analyze a column runs
        functions of its type.
        """
        return f"ANALYZE {self.name(part)} ({', '.join(columns)})"

    def settle(self, part: str, workers: int) -> str:
        """Tell the planner about a table, of which any column will do, and how many workers may share it."""
        return f"ALTER TABLE {self.name(part)} SET (parallel_workers = {workers}); {self.analyze(part, ['block_id'])}"

    def statistics(self) -> str:
        """The frontier's statistics; $1: plan."""
        return shared(self.counted("state"))

    def counted(self, name: str) -> str:
        """A query of the frontier's statistics in a column of that name; $1: plan."""
        call = f"{INTERNAL}.node_statistics(n_rows, {BLOCK_ARGUMENTS}, nodes, $1)"
        return f"SELECT {call} AS {name} FROM {self.name('blocks')}"


def shared(query: str) -> str:
    """A query of one parameter, $1, and one column of bytea, as one that workers may share; the column is `shared`."""
    return f"SELECT shared FROM {INTERNAL}.run_shared({literal(query)}, $1) AS shared"


_PAGE_BYTES = "pg_catalog.current_setting('block_size')::pg_catalog.int8"

# The rows to be expected in tables by OID: their density when they were last analysed times their size now; NULL where
# one of them never was.
EXPECTED_ROWS = Lasting(
    spelled_out(f"""
SELECT CASE WHEN pg_catalog.bool_and(c.is_known) THEN pg_catalog.sum(
    ((c.tuples `/` c.pages) `*` c.bytes) `/` {_PAGE_BYTES}::pg_catalog.float8
) END AS expected
FROM (
    SELECT relpages `>` 0 AND reltuples `>=` 0::pg_catalog.float4 AS is_known, reltuples::pg_catalog.float8 AS tuples,
        GREATEST(relpages, 1)::pg_catalog.float8 AS pages, pg_catalog.pg_relation_size(oid)::pg_catalog.float8 AS bytes
    FROM pg_catalog.pg_class WHERE oid `=` ANY ($1)
) AS c""")
)

# Tables by OID, in the order given, with the pages of each.
PAGES_OF_TABLES = Lasting(
    spelled_out(f"""
SELECT n.nspname AS schema, c.relname AS name, pg_catalog.pg_relation_size(c.oid) `/` {_PAGE_BYTES} AS pages
FROM pg_catalog.unnest($1) WITH ORDINALITY AS wanted(oid, place)
JOIN pg_catalog.pg_class c ON c.oid `=` wanted.oid
JOIN pg_catalog.pg_namespace n ON n.oid `=` c.relnamespace
ORDER BY wanted.place""")
)

OID_OF = "SELECT $1::pg_catalog.regclass::pg_catalog.oid AS oid"

# The plain tables that hold a relation's rows, if rows can be read by place in each of them (heaps alone promise that),
# and the caller may read each by itself; no row otherwise. Row-level security of the parent would not apply to its
# partitions, and a table's children are read along with it.
LEAVES = Lasting("""
WITH heap AS (SELECT a.oid FROM pg_catalog.pg_am a WHERE a.amname OPERATOR(pg_catalog.=) 'heap'),
leaf AS (
    SELECT c.oid, c.relkind OPERATOR(pg_catalog.=) ANY ('{r,m}'::pg_catalog."char"[])
        AND c.relam OPERATOR(pg_catalog.=) (SELECT heap.oid FROM heap)
        AND pg_catalog.has_table_privilege(c.oid, 'SELECT') AND NOT c.relhassubclass
        AND (c.oid OPERATOR(pg_catalog.=) $1 OR NOT c.relrowsecurity) AS fit
    FROM pg_catalog.pg_class c
    WHERE c.oid OPERATOR(pg_catalog.=) $1 AND c.relkind OPERATOR(pg_catalog.<>) 'p'
    UNION ALL
    SELECT c.oid, c.relkind OPERATOR(pg_catalog.=) ANY ('{r,m}'::pg_catalog."char"[])
        AND c.relam OPERATOR(pg_catalog.=) (SELECT heap.oid FROM heap)
        AND pg_catalog.has_table_privilege(c.oid, 'SELECT') AND NOT c.relrowsecurity
        AND NOT (SELECT p.relrowsecurity FROM pg_catalog.pg_class p WHERE p.oid OPERATOR(pg_catalog.=) $1)
    FROM pg_catalog.pg_partition_tree($1::pg_catalog.regclass) t
    JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.relid::pg_catalog.oid
    WHERE t.isleaf AND t.parentrelid IS NOT NULL
)
SELECT oid FROM leaf WHERE (SELECT pg_catalog.bool_and(fit) FROM leaf) ORDER BY oid""")


def aliased(schema: str, name: str) -> str:
    """A relation under the name by which the user's expressions were checked."""
    return f"{qualified(schema, name)} AS {SOURCE_ALIAS}"


def aliased_together(first: str, second: str, columns: Sequence[str], flag: str) -> str:
    """The rows of two relations under that name, with some columns of both, as SQL, and one that is true in the rows
    of the `second`.
    """
    parts = ((first, "false"), (second, "true"))
    both = (f"SELECT {', '.join([*columns, f'{value} AS {flag}'])} FROM {part}" for part, value in parts)
    return f"({' UNION ALL '.join(both)}) AS {SOURCE_ALIAS}"
