"""Statements that every server of a Citus cluster runs over the shards of a distributed table that it has.

What Citus hands to its servers is one statement over a whole table. Where each shard has to be read by a statement of
its own, as its rows are to be cut into blocks, the names of the shards are rows of a work table: each of them on a
server that has the shard, so that a query over the work table reads all of these where they are. The work table has a
few shards of its own on each server: as many as processes are to share the work there.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.records import dataclass
from madtree.sqltext.owners import CALLER, SCHEMA_TRUSTED, STILL_TRUSTED, SUPERUSER_ASKS, is_trusted, made_here
from madtree.sqltext.quote import INTERNAL, ident, literal, spelled_out
from madtree.sqltext.work import WorkTables

KEY = "key"  # the column by which the work table is distributed

# The shards of a table that is distributed by a hash, by its OID: the `name` of each, as SQL, but for the schema where
# that is "public"; and its `server`, the first of several. None where no table can be distributed: on a worker.
SHARDS = spelled_out("""
SELECT pg_catalog.shard_name(s.logicalrelid, s.shardid) AS name, pg_catalog.min(p.groupid) AS server
FROM pg_catalog.pg_dist_partition AS t
JOIN pg_catalog.pg_dist_shard AS s ON s.logicalrelid `=` t.logicalrelid
JOIN pg_catalog.pg_dist_placement AS p ON p.shardid `=` s.shardid AND p.shardstate `=` 1
JOIN pg_catalog.pg_dist_node AS n ON n.groupid `=` p.groupid AND n.noderole `=` 'primary' AND n.isactive
WHERE t.logicalrelid::pg_catalog.oid `=` $1 AND t.partmethod `=` 'h' AND pg_catalog.citus_is_coordinator()
GROUP BY s.logicalrelid, s.shardid
ORDER BY s.shardid""")

# The number of servers over which Citus spreads the shards of a new table.
COUNT_SERVERS = spelled_out("""
SELECT pg_catalog.count(DISTINCT n.groupid)::pg_catalog.int4 AS n
FROM pg_catalog.pg_dist_node AS n
WHERE n.noderole `=` 'primary' AND n.isactive AND n.shouldhaveshards""")

# Whether a table, by its OID, is a heap by itself, which can be read by place.
IS_HEAP = spelled_out("""
SELECT EXISTS (
    SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_am AS m ON m.oid `=` c.relam
    WHERE c.oid `=` $1 AND c.relkind `=` 'r' AND m.amname `=` 'heap'
) AS is_heap""")

# Whether this transaction may have changed rows of a distributed table, by its OID: such changes are seen by that
# connection alone by which they were made. It has changed the table, one that this is a part of or that is a part of
# it; or any that Citus holds, where foreign keys may have handed a change on.
MAY_BE_CHANGED = spelled_out("""
WITH parts AS (
    SELECT $1::pg_catalog.oid AS oid
    UNION SELECT t.relid::pg_catalog.oid
    FROM pg_catalog.pg_partition_tree(COALESCE(pg_catalog.pg_partition_root($1::pg_catalog.oid::pg_catalog.regclass),
                                               $1::pg_catalog.oid::pg_catalog.regclass)) AS t
)
SELECT EXISTS (
    SELECT FROM pg_catalog.pg_locks AS l
    WHERE l.pid `=` pg_catalog.pg_backend_pid() AND l.locktype `=` 'relation'
        AND l.mode `<>` 'AccessShareLock' AND l.mode `<>` 'RowShareLock'
        AND (
            l.relation `=` ANY (SELECT p.oid FROM parts AS p)
            OR (
                EXISTS (SELECT FROM pg_catalog.pg_constraint AS f JOIN parts AS p ON p.oid `=` f.conrelid
                        WHERE f.contype `=` 'f')
                AND EXISTS (SELECT FROM pg_catalog.pg_dist_partition AS d
                            WHERE d.logicalrelid::pg_catalog.oid `=` l.relation)
            )
        )
) AS changed""")

# The first of the schemas $1, or of the session's, in which the caller, who may make temporary tables, too, may make
# tables that stay.
SCHEMA_FOR_TABLES = spelled_out("""
SELECT n.nspname::pg_catalog.text AS name
FROM pg_catalog.unnest($1::pg_catalog.text[] `||` pg_catalog.current_schemas(false)::pg_catalog.text[])
    WITH ORDINALITY AS s(name, place)
JOIN pg_catalog.pg_namespace AS n ON n.nspname::pg_catalog.text `=` s.name
WHERE n.oid `<>` pg_catalog.pg_my_temp_schema() AND pg_catalog.has_schema_privilege(n.oid, 'CREATE')
    AND pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMPORARY')
ORDER BY s.place LIMIT 1""")

# Of a table that Citus holds, $1 its name as SQL: whether somebody whom the caller does not trust may put triggers on
# its shards, where these are; and `is_new`, whether this transaction has distributed it, so that nobody else can have:
# Citus writes the table's row anew where it is colocated otherwise, and a shard's where that is split. No row of
# another table.
IS_OPEN_TO_TRIGGERS = spelled_out(f"""
WITH {CALLER}
SELECT ({SUPERUSER_ASKS} AND NOT ({SCHEMA_TRUSTED} AND {STILL_TRUSTED})) OR EXISTS (
    SELECT FROM pg_catalog.aclexplode(c.relacl) AS e
    WHERE e.privilege_type `=` 'TRIGGER' AND e.grantee `<>` c.relowner AND NOT {is_trusted("e.grantee")}
) AS is_open, {made_here("d")} AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_dist_shard AS s WHERE s.logicalrelid `=` d.logicalrelid AND NOT {made_here("s")}
) AS is_new
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid `=` c.relnamespace
JOIN pg_catalog.pg_dist_partition AS d ON d.logicalrelid::pg_catalog.oid `=` c.oid
WHERE c.oid `=` pg_catalog.to_regclass($1)::pg_catalog.oid""")

# Whether there are none on any of these shards, as the servers say that have them; $2: the schema, as SQL with a point
# behind it, where the shards' names lack it, which other schemas may have. To be asked by the search path `OF_CITUS`.
NO_TRIGGERS = spelled_out("""
SELECT pg_catalog.bool_and(s.success AND s.result `=` 'f') AS none
FROM pg_catalog.run_command_on_placements($1::pg_catalog.regclass, pg_catalog.format('SELECT EXISTS (
    SELECT FROM pg_catalog.pg_trigger AS g
    WHERE g.tgrelid `=` pg_catalog.concat(%L, %%L)::pg_catalog.regclass::pg_catalog.oid AND NOT g.tgisinternal)', $2))
AS s""")

# Of a table that is distributed by integers, $1 its name as SQL, a `key` of each shard of which there is one below $2,
# and the `server` that has it.
KEYS = spelled_out("""
SELECT pg_catalog.min(k.key)::pg_catalog.int4 AS key, pg_catalog.min(p.groupid) AS server
FROM (
    SELECT g.key, pg_catalog.get_shard_id_for_distribution_column($1::pg_catalog.regclass, g.key) AS shard
    FROM pg_catalog.generate_series(0, $2 `-` 1) AS g(key)
) AS k
JOIN pg_catalog.pg_dist_placement AS p ON p.shardid `=` k.shard
GROUP BY k.shard
ORDER BY 1""")


def stand_in(name: str, columns: Sequence[tuple[str, str]]) -> str:
    """Make an empty table of that unquoted name, for the time of this session; `columns`: name and type of each."""
    return f"CREATE TEMPORARY TABLE {ident(name)} ({', '.join(map(' '.join, columns))}) USING heap"


def read_as_function(name: str, query: str) -> str:
    """Have the server read a query, of a parameter of type bytea, as it does in this session, without running it."""
    returned = "RETURNS SETOF pg_catalog.record LANGUAGE sql"
    return f"CREATE FUNCTION pg_temp.{ident(name)}(pg_catalog.bytea) {returned} BEGIN ATOMIC {query}; END"


# The query of such a function, $1 its name with the types of its parameters, as it has been read.
QUERY_AS_READ = (
    "SELECT pg_catalog.regexp_replace(pg_catalog.pg_get_function_sqlbody($1::pg_catalog.regprocedure), "
    "'^BEGIN ATOMIC|;\\s*END$', '', 'g') AS query"
)


def forget(name: str) -> str:
    """Drop what the two have made."""
    return f"DROP FUNCTION pg_temp.{ident(name)}(pg_catalog.bytea); DROP TABLE pg_temp.{ident(name)}"


@dataclass(frozen=True)
class ShardTables(WorkTables):
    """The work table `shards`."""

    def create_shards(self) -> str:
        """Make it, empty."""
        return self.create_with("shards", f"{KEY} pg_catalog.int4, shard pg_catalog.text")

    def fill_shards(self, names: Sequence[tuple[int, str]]) -> str:
        """Add shards' names, as SQL, each with the key by which it comes to its server."""
        # By values, and not by a query, which Citus would copy by as many connections as it can open.
        rows = ", ".join(f"({key}, {literal(name)})" for key, name in names)
        return f"INSERT INTO {self.name('shards')} VALUES {rows}"

    def of_each_shard(self, query: str, placeholder: str, columns: Sequence[tuple[str, str]]) -> str:
        """The rows of a query that is run over each shard; parameter $1 is the query's own, of type bytea.

        Args:
            query: with `placeholder` in the place of the shard's name, and all names with their schemas, but for those
                of pg_catalog.
            columns: name and type of each.
        """
        declared = ", ".join(f"{ident(name)} {type_}" for name, type_ in columns)
        of_shard = f"pg_catalog.replace({literal(query)}, {literal(placeholder)}, k.shard)"
        return (
            f"SELECT r.* FROM {self.name('shards')} AS k, LATERAL {INTERNAL}.rows_of_shard("
            f"{of_shard}, $1) AS r({declared})"
        )


def pages_of(table: str, block_rows: int) -> str:
    """A query of the bounds of page ranges, of about so many rows each, of a heap of which only the name is known, as
    SQL: `low` and `high`. An empty one has none.
    """
    return _PAGES_OF.format(table=table, block_rows=block_rows)


_PAGES_OF = spelled_out("""
SELECT pg_catalog.format('(%s,0)', p.first)::pg_catalog.tid AS low,
       pg_catalog.format('(%s,0)', p.first `+` s.step)::pg_catalog.tid AS high
FROM (
    SELECT n.pages, GREATEST((n.pages `*` {block_rows}) `/` n.n_rows, 1) AS step
    FROM (
        SELECT pg_catalog.pg_relation_size((SELECT t.tableoid FROM {table} AS t LIMIT 1))
            `/` pg_catalog.current_setting('block_size')::pg_catalog.int8 AS pages,
            (SELECT pg_catalog.count(*) FROM {table}) AS n_rows
    ) AS n
    WHERE n.n_rows `>` 0
) AS s, pg_catalog.generate_series(0::pg_catalog.int8, s.pages `-` 1, s.step) AS p(first)""")
