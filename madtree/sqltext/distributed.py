"""The tables of a training run whose rows are spread over the servers of a Citus cluster.

The rows are first distributed in parts of a block's size, and each part goes to one of the shards: a column has its
number, and another the key of its shard, by which Citus spreads the table. Every query that packs groups by both, so
that each server packs the parts that it holds by itself, and blocks lie where their part lies. On plain PostgreSQL the
same statements work on the same tables, unspread.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.records import dataclass
from madtree.sqltext.catalog import SOURCE_ALIAS
from madtree.sqltext.profile import group_counts, group_figures
from madtree.sqltext.quote import INTERNAL, binary, ident, literal, spelled_out
from madtree.sqltext.rows import RowSource
from madtree.sqltext.work import BLOCK_COLUMNS, LATER_COLUMNS, PACKED_FIELDS, WorkTables
from madtree.sqltext.workers import HAS_CITUS

TAG_BYTES = 8  # of a state, before its numbers
_SEED = 4097  # seed of the hash that distributes rows, unlike those of samples


@dataclass(frozen=True)
class DistributedTables(WorkTables):
    """Work tables with a part and the key of its shard. In the rows, whose other columns are the user's, the names of
    these are random.
    """

    @property
    def shard_key(self) -> str:
        return f"madtree_key_{self.token}"

    @property
    def part(self) -> str:
        return f"madtree_part_{self.token}"

    def one_part(self, part: int, key: int) -> str:
        """The condition on rows of a part in the shard with that key: an equality, so that one server is asked."""
        column, of_shard = (f"{SOURCE_ALIAS}.{ident(name)}" for name in (self.part, self.shard_key))
        return f"{binary(column, '=', str(part))} AND {binary(of_shard, '=', str(key))}"

    def create_rows(self, columns: Sequence[str] | None, relation: str) -> str:
        """An empty table of parts and `columns` as SQL, all of the relation's if None."""
        own = ", ".join(f"0::pg_catalog.int4 AS {ident(column)}" for column in (self.shard_key, self.part))
        return self.create_as("rows", f"SELECT {own}, {_listed(columns)} FROM {relation} WITH NO DATA")

    def distribute_rows(
        self, columns: Sequence[str] | None, relation: str, n_parts: int, keys: Sequence[int], by: str | None = None
    ) -> str:
        """Fill that table, every row's part by a hash of where it stands: the parts are of one size, whatever is in
        the rows, and each of them is a random sample. Parts take the shards' `keys` in turn.

        `by`: SQL of what to take instead, where rows do not tell where they stand; should differ from row to row.
        """
        place = f"pg_catalog.hashtidextended({SOURCE_ALIAS}.ctid, {_SEED})"
        if by is not None:
            text = f"COALESCE(({by})::pg_catalog.text, '') COLLATE pg_catalog.\"C\""
            place = f"pg_catalog.hashtextextended({text}, {_SEED})"
        numbered = (
            f"(({place} OPERATOR(pg_catalog.&) 9223372036854775807) OPERATOR(pg_catalog.%) {n_parts}::pg_catalog.int8)"
        )
        part = f"{numbered}::pg_catalog.int4"
        key = _chosen(keys, binary(part, "%", f"{len(keys)}"))
        return f"INSERT INTO {self.name('rows')} SELECT {key}, {part}, {_listed(columns)} FROM {relation}"

    def create_part_blocks(self) -> str:
        """An empty table of blocks, one for each part."""
        return self.create_with("blocks", f"{BLOCK_COLUMNS}, {LATER_COLUMNS}")

    def pack_parts(self, source: RowSource) -> str:
        """Make each part's block where its rows are; $1: plan.

        Bits have no hash function, so that the rows have to be sorted by part: a hash table would hold all the parts
        of a server's shard at once.
        """
        key, part = (f"{SOURCE_ALIAS}.{ident(column)}" for column in (self.shard_key, self.part))
        return (
            f"INSERT INTO {self.name('blocks')} SELECT madtree_packed.key, madtree_packed.part, {PACKED_FIELDS} "
            f"FROM (SELECT {key} AS key, {part} AS part, {INTERNAL}.pack_images("
            f"pg_catalog.string_agg({source.row()}, ''::pg_catalog.bytea), $1) AS block "
            f"{source.from_clause()} GROUP BY {key}, {part}, {part}::pg_catalog.bit(32)) AS madtree_packed"
        )

    def distinct_values(self, source: RowSource, feature: int, limit: int) -> str:
        """The values of an ordered feature, of each tree where grouped; at most `limit` and one more of each."""
        tree = "madtree_group.madtree_tree" if source.groups is not None else "0"
        value = source.features[feature]
        clause = source.from_clause(extra=f"({source.target_known}) AND ({value}) IS NOT NULL")
        few = binary("madtree_value.place", "<=", f"{limit + 1}::pg_catalog.int8")
        return (
            "SELECT madtree_value.tree, madtree_value.value FROM (SELECT v.tree, v.value, pg_catalog.row_number() "
            f"OVER (PARTITION BY v.tree) AS place FROM (SELECT {tree} AS tree, {value} AS value {clause} "
            f"GROUP BY 1, 2) AS v) AS madtree_value WHERE {few}"
        )

    def create_counts(self, source: RowSource, dependent_is_number: bool) -> str:
        """An empty table of the figures of groups, shard by shard, by a hash of the group."""
        return self.create_as("counts", f"{group_counts(source, dependent_is_number)} WITH NO DATA")

    def count_groups(self, source: RowSource, dependent_is_number: bool) -> str:
        """Fill that table: each shard counts its rows, and what it has of a group goes where the others' goes."""
        keys = source.group_columns
        names = ", ".join([*keys, *group_figures(source, dependent_is_number)])
        by = f"{SOURCE_ALIAS}.{ident(self.shard_key)}"
        counted = group_counts(source, dependent_is_number, by)
        return (
            f"INSERT INTO {self.name('counts')} (madtree_by, {names}) "
            f"SELECT pg_catalog.hash_record(ROW({', '.join(keys)})), {names} FROM ({counted}) AS madtree_counted"
        )

    def counted_groups(self, source: RowSource, dependent_is_number: bool) -> str:
        """The figures of whole groups, each of which is put together by the server that has them."""
        keys = ", ".join(source.group_columns)
        figures = group_figures(source, dependent_is_number)
        merged = ", ".join(f"{sql} AS {name}" for name, sql in figures.items())
        return f"SELECT {keys}, {merged} FROM {self.name('counts')} GROUP BY madtree_by, {keys}"

    def create_group_rows(self) -> str:
        """An empty table of the rows of small groups: the number of the group's block, and the row's image."""
        return self.create_with("images", f"block_id pg_catalog.int4, images {INTERNAL}.packed")

    def distribute_groups(self, source: RowSource) -> str:
        """Fill that table: the rows of a block, which has whole groups, come together on one server."""
        return (
            f"INSERT INTO {self.name('images')} SELECT madtree_group.madtree_block, "
            f"({source.row()})::{INTERNAL}.packed {source.from_clause(extra='madtree_group.madtree_block IS NOT NULL')}"
        )

    def grown(self) -> str:
        """The trees of each block, grown where its rows are; $1: plan. Rows are sorted by block, as in `pack_parts`."""
        images = "pg_catalog.string_agg(images::pg_catalog.bytea, ''::pg_catalog.bytea)"
        return (
            f"SELECT {INTERNAL}.grow_block($1, {images}) AS shared FROM {self.name('images')} "
            "GROUP BY block_id, block_id::pg_catalog.bit(32)"
        )

    def statistics(self) -> str:
        """The frontier's statistics; $1: plan. One state comes from each shard."""
        return self.counted("shared")

    def create_states(self) -> str:
        """An empty table of pieces of states, by the key of the shard where pieces of the same place come together."""
        return self.create_with("states", f"shard_key pg_catalog.int4, piece {INTERNAL}.packed")

    def scatter_states(self, keys: Sequence[int], piece_bytes: int) -> str:
        """Count, and send each shard's state to that table in pieces, one for each of `keys`; $1: plan.

        `piece_bytes`: of a piece's numbers.
        A state is a tag and numbers (`storage.aggregate_functions`), and so is a piece.
        """
        state = "madtree_counted.state"
        tag = f"pg_catalog.substr({state}, 1, {TAG_BYTES})"
        firsts = range(TAG_BYTES + 1, TAG_BYTES + 1 + len(keys) * piece_bytes, piece_bytes)
        pieces = [binary(tag, "||", f"pg_catalog.substr({state}, {first}, {piece_bytes})") for first in firsts]
        counted = self.counted("state").replace("SELECT ", "SELECT shard_key, ", 1)
        # No join with the places: a plan might count anew for each of them.
        return (
            f"INSERT INTO {self.name('states')} SELECT pg_catalog.unnest({_array(keys)}), "
            f"pg_catalog.unnest(ARRAY[{', '.join(pieces)}])::{INTERNAL}.packed "
            f"FROM ({counted} GROUP BY shard_key) AS madtree_counted"
        )

    def gathered_states(self) -> str:
        """The sums of the pieces, each place added up by the server where they are."""
        added = f"{INTERNAL}.sum_of_states(piece::pg_catalog.bytea)"
        return f"SELECT shard_key, {added} AS shared FROM {self.name('states')} GROUP BY shard_key"

    def empty_states(self) -> str:
        return f"TRUNCATE {self.name('states')}"


def _chosen(keys: Sequence[int], place: str) -> str:
    """The key at a place, counted from 0."""
    return f"({_array(keys)})[{binary(place, '+', '1')}]"


def _array(keys: Sequence[int]) -> str:
    numbers = ",".join(map(str, keys))
    return f"{literal('{' + numbers + '}')}::pg_catalog.int4[]"


def _listed(columns: Sequence[str] | None) -> str:
    return ", ".join(columns) if columns else f"{SOURCE_ALIAS}.*"


def count_rows(relation: str) -> str:
    return f"SELECT pg_catalog.count(*) AS n_rows FROM {relation}"


# Whether Citus has not made this server's extension madtree on its other servers, where the names of its functions are
# free for whoever may create schemas there.
IS_HERE_ALONE = spelled_out("""
SELECT EXISTS (
    SELECT FROM pg_catalog.pg_extension AS e WHERE e.extname `=` 'madtree' AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_dist_object AS o
        WHERE o.classid `=` 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid AND o.objid `=` e.oid
    )
) AS is_here_alone""")

# Settings of the session for functions of Citus's that are written in PL/pgSQL, which has no schemas in its names.
OF_CITUS = {"search_path": "pg_catalog"}

# The owner of the schema of table $1, a name as SQL, on another server, where that is neither a superuser nor the owner
# here: a schema that was there before Citus made it is whose it was. Or what the server answers instead.
OTHERS_SCHEMA_THERE = spelled_out("""
SELECT w.result AS owner, w.success AS answered, w.nodename AS host, w.nodeport AS port
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid `=` c.relnamespace
CROSS JOIN LATERAL pg_catalog.run_command_on_workers(pg_catalog.format(
    'SELECT pg_catalog.max(r.rolname::pg_catalog.text) FROM pg_catalog.pg_namespace AS n
     JOIN pg_catalog.pg_roles AS r ON r.oid `=` n.nspowner WHERE n.nspname `=` %L AND NOT r.rolsuper', n.nspname)) AS w
WHERE c.oid `=` $1::pg_catalog.regclass::pg_catalog.oid AND (
    NOT w.success OR w.result `<>` COALESCE(pg_catalog.pg_get_userbyid(n.nspowner)::pg_catalog.text, '')
) AND w.result `<>` ''
LIMIT 1""")

# Those of the tables $1, by OID, that Citus holds: what is read of them is a table of another name, be it on this
# server, which the owner of the table or of its schema may replace there.
HELD_TABLES = """
SELECT logicalrelid::pg_catalog.oid AS oid FROM pg_catalog.pg_dist_partition
WHERE logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) ANY ($1)"""

# Whether Citus has schemas each of whose tables it puts on one server.
HAS_DISTRIBUTED_SCHEMAS = spelled_out(f"""
SELECT EXISTS ({HAS_CITUS}) AND EXISTS (
    SELECT FROM pg_catalog.pg_class
    WHERE relname `=` 'pg_dist_schema' AND relnamespace `=` 'pg_catalog'::pg_catalog.regnamespace::pg_catalog.oid
) AS has""")
# Whether a schema, by its OID, is one.
IS_DISTRIBUTED_SCHEMA = spelled_out("""
SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_schema WHERE schemaid::pg_catalog.oid `=` $1) AS is_one""")

# How Citus holds a relation, by its OID, or what a view reads: `method` h, r or a are tables whose rows are spread, n
# those that have all rows in one place; no row for what is PostgreSQL's own. `itself`: the relation is that table, and
# others can be distributed beside it, as no worker may.
PLACEMENT = spelled_out("""
WITH RECURSIVE read AS (
    SELECT $1::pg_catalog.oid AS oid
    UNION SELECT d.refobjid FROM read
    JOIN pg_catalog.pg_rewrite w ON w.ev_class `=` read.oid
    JOIN pg_catalog.pg_depend d ON d.objid `=` w.oid AND d.classid `=` 'pg_catalog.pg_rewrite'::pg_catalog.regclass
        AND d.refclassid `=` 'pg_catalog.pg_class'::pg_catalog.regclass
)
SELECT p.partmethod::pg_catalog.text AS method, read.oid `=` $1 AND pg_catalog.citus_is_coordinator() AS itself
FROM read JOIN pg_catalog.pg_dist_partition p ON p.logicalrelid::pg_catalog.oid `=` read.oid""")

# Whether all parts of a relation, by its OID, are tables whose rows can be asked for their place, and the caller may:
# to read some columns is not enough.
ALL_HEAPS = """
SELECT pg_catalog.bool_and(a.amname OPERATOR(pg_catalog.=) 'heap')
    AND pg_catalog.has_table_privilege($1::pg_catalog.oid, 'SELECT') AS heaps
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_am a ON a.oid OPERATOR(pg_catalog.=) c.relam
WHERE c.oid OPERATOR(pg_catalog.=) $1 OR c.oid OPERATOR(pg_catalog.=) ANY (
    SELECT relid::pg_catalog.oid FROM pg_catalog.pg_partition_tree($1::pg_catalog.regclass))"""

# Of a distributed table, by its OID; at least one, as a table distributed by hand may have none yet.
COUNT_SHARDS = (
    "SELECT GREATEST(pg_catalog.count(*), 1)::pg_catalog.int4 AS n_shards FROM pg_catalog.pg_dist_shard "
    "WHERE logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) $1"
)

# Of a table distributed by the hash of a column, by its OID: the column, unquoted. Nothing on a worker, where no table
# can be distributed beside it.
DISTRIBUTION_COLUMN = (
    "SELECT pg_catalog.column_to_column_name(logicalrelid, partkey) AS name FROM pg_catalog.pg_dist_partition "
    "WHERE logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) $1 AND partmethod OPERATOR(pg_catalog.=) 'h' "
    "AND pg_catalog.citus_is_coordinator()"
)

# Whether groups can be told apart by a hash: all columns g1, ... of a table, $1, are of types that have one of their
# own, and their text is equal only where its bytes are.
HASHABLE = spelled_out("""
SELECT pg_catalog.bool_and((t.typtype `=` 'e' OR EXISTS (
    SELECT FROM pg_catalog.pg_opclass o JOIN pg_catalog.pg_am m ON m.oid `=` o.opcmethod AND m.amname `=` 'hash'
    WHERE o.opcdefault AND (o.opcintype `=` t.oid OR EXISTS (
        SELECT FROM pg_catalog.pg_cast c
        WHERE c.castsource `=` t.oid AND c.casttarget `=` o.opcintype AND c.castmethod `=` 'b'
    ))
)) AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_collation l WHERE l.oid `=` a.attcollation AND NOT l.collisdeterministic
)) AS hashable
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid `=` a.atttypid
WHERE a.attrelid `=` $1::pg_catalog.regclass::pg_catalog.oid AND a.attname::pg_catalog.text `~` '^g[0-9]+$'""")

# Keys of the shards of a table, one of each: values of the column by which it is distributed. $1: the table's SQL name;
# $2: the last one to look at.
SHARD_KEYS = (
    "SELECT pg_catalog.min(k.key)::pg_catalog.int4 AS key FROM (SELECT g.key, "
    "pg_catalog.get_shard_id_for_distribution_column($1::pg_catalog.regclass, g.key) AS shard "
    "FROM pg_catalog.generate_series(0, $2::pg_catalog.int4) AS g(key)) AS k GROUP BY k.shard ORDER BY 1"
)


def distribute(table: str, column: str, *, beside: str | None = None, n_shards: int = 0) -> str:
    """Spread an empty table by a column: its parts beside those of another table, both by their SQL names, or as a
    colocation group of its own, of so many shards.
    """
    how = f"colocate_with => {literal(beside)}" if beside else f"colocate_with => 'none', shard_count => {n_shards}"
    return (
        f"SELECT pg_catalog.create_distributed_table({literal(table)}::pg_catalog.regclass, {literal(column)}, {how})"
    )
