"""Queries on the system catalogues, and the probe that finds the types of the user's expressions."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.owners import (
    CALLER,
    SCHEMA_OWNER,
    SCHEMA_TRUSTED,
    STILL_TRUSTED,
    SUPERUSER_ASKS,
    is_superuser,
    is_trusted_type,
)
from madtree.sqltext.query import Lasting, look_up
from madtree.sqltext.quote import EQUALS, INTERNAL, MAX_IDENTIFIER_BYTES, ident, literal, qualified, with_needed_quotes

# What the relation of a user's expressions is called in every statement: a name that no expression uses by accident.
SOURCE_ALIAS = "madtree_source"
_OWN_EQUALS = f"ARRAY[{literal(EQUALS.operator)}]"

RELATION = Lasting("""
SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relkind::pg_catalog.text AS kind
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)""")

SCHEMA_EXISTS = """
SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name) AS found"""

# Relations that a user may have meant: those on the search path, and those of the schema that was given.
RELATION_NAMES = """
SELECT c.relname AS name FROM pg_catalog.pg_class c
WHERE c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,m,f}'::pg_catalog."char"[])
  AND CASE WHEN $1 IS NULL THEN pg_catalog.pg_table_is_visible(c.oid)
           ELSE c.relnamespace OPERATOR(pg_catalog.=)
                (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name) END
  AND c.relnamespace OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.regnamespace"""

# Schemas that have a relation of that name which the caller may read, and which the search path does not find.
SCHEMAS_OF_RELATION = """
SELECT n.nspname AS schema FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
WHERE c.relname OPERATOR(pg_catalog.=) $1::pg_catalog.name
  AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,m,f}'::pg_catalog."char"[])
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
  AND NOT pg_catalog.pg_is_other_temp_schema(n.oid)
ORDER BY n.nspname LIMIT 3"""


def type_name(oid: str, typmod: str, schema: str, element: str) -> str:
    """SQL of a type's name that means the same under every search path, but plain for PostgreSQL's own types.

    `format_type` qualifies only what the search path hides. The typmod -1 makes it say `bpchar`, not `character`,
    which would be read back as `character(1)`.
    """
    return with_needed_quotes(f"""CASE
        WHEN {schema} OPERATOR(pg_catalog.=) 'pg_catalog'
            THEN pg_catalog.regexp_replace(pg_catalog.format_type({oid}, {typmod}), '^"?pg_catalog"?[.]', '')
        WHEN pg_catalog.pg_type_is_visible(
            CASE WHEN {element} OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN {oid} ELSE {element} END)
            THEN pg_catalog.concat(pg_catalog.quote_ident({schema}), '.', pg_catalog.format_type({oid}, {typmod}))
        ELSE pg_catalog.format_type({oid}, {typmod}) END""")


def equality(oid: str, schema: str) -> str:
    """SQL of a list: the operator by which GROUP BY holds values of a type to be equal, with its schema, and where that
    is not pg_catalog the type of its operands (`trees.Equality`).

    PostgreSQL's own types, and what is made of them, have pg_catalog's. A type of an extension (citext) brings its own
    in its default operator class, which only a superuser can make; that class is asked, not the search path.

    Args:
        oid, schema: SQL of the type's OID and of its schema's name.
    """
    return f"""CASE WHEN {schema} OPERATOR(pg_catalog.=) 'pg_catalog' THEN {_OWN_EQUALS} ELSE COALESCE((
        WITH RECURSIVE domain (oid) AS (
            SELECT {oid}
            UNION ALL
            SELECT t.typbasetype FROM domain AS d JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) d.oid
            WHERE t.typtype OPERATOR(pg_catalog.=) 'd'
        )
        SELECT CASE WHEN n.nspname OPERATOR(pg_catalog.=) 'pg_catalog' THEN {_OWN_EQUALS} ELSE ARRAY[
            {with_needed_quotes("pg_catalog.format('OPERATOR(%I.%s)', n.nspname, o.oprname)")},
            {with_needed_quotes("pg_catalog.format('%I.%I', tn.nspname, t.typname)")}] END
        FROM domain AS d
        JOIN pg_catalog.pg_opclass AS k ON k.opcintype OPERATOR(pg_catalog.=) d.oid AND k.opcdefault
        JOIN pg_catalog.pg_am AS m ON m.oid OPERATOR(pg_catalog.=) k.opcmethod
            AND m.amname OPERATOR(pg_catalog.=) 'btree'
        JOIN pg_catalog.pg_amop AS a ON a.amopfamily OPERATOR(pg_catalog.=) k.opcfamily
            AND a.amoplefttype OPERATOR(pg_catalog.=) d.oid AND a.amoprighttype OPERATOR(pg_catalog.=) d.oid
            AND a.amopstrategy OPERATOR(pg_catalog.=) 3::pg_catalog.int2
        JOIN pg_catalog.pg_operator AS o ON o.oid OPERATOR(pg_catalog.=) a.amopopr
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) o.oprnamespace
        JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) d.oid
        JOIN pg_catalog.pg_namespace AS tn ON tn.oid OPERATOR(pg_catalog.=) t.typnamespace
    ), {_OWN_EQUALS}) END"""


COLUMNS = Lasting(f"""
SELECT a.attname AS name, {with_needed_quotes("pg_catalog.quote_ident(a.attname)")} AS sql, a.atttypid AS type_oid,
       {type_name("a.atttypid", "a.atttypmod", "n.nspname", "t.typelem")} AS full_type,
       {equality("t.oid", "n.nspname")} AS equals,
       pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT') AS may_read
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace
WHERE a.attrelid OPERATOR(pg_catalog.=) (SELECT $1) AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
ORDER BY a.attnum""")

# For each type asked for: its own name, and what is left when domains and (once) an array are taken off it; `bare` is
# what is left of its domains alone. `trusted`, `bare_trusted`: whether tables of ours may have columns of these.
TYPES = Lasting(f"""
WITH RECURSIVE {CALLER},
chain AS (
    SELECT t.oid AS asked, 0 AS depth, false AS is_array, t.oid, t.typtype, t.typbasetype, t.typelem, t.typsubscript
    FROM pg_catalog.unnest((SELECT $1::pg_catalog.oid[])) AS g(oid)
    JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) g.oid
    UNION ALL
    SELECT c.asked, c.depth OPERATOR(pg_catalog.+) 1, c.is_array OR c.typtype OPERATOR(pg_catalog.<>) 'd',
           t.oid, t.typtype, t.typbasetype, t.typelem, t.typsubscript
    FROM chain c JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=)
        CASE WHEN c.typtype OPERATOR(pg_catalog.=) 'd' THEN c.typbasetype
             WHEN NOT c.is_array AND c.typsubscript::pg_catalog.oid OPERATOR(pg_catalog.=)
                  'pg_catalog.array_subscript_handler'::pg_catalog.regproc::pg_catalog.oid THEN c.typelem END
)
SELECT DISTINCT ON (c.asked) c.asked,
       {type_name("a.oid", "-1", "an.nspname", "a.typelem")} AS name,
       {type_name("b.oid", "-1", "bn.nspname", "b.typelem")} AS base, c.is_array,
       {is_trusted_type("a")} AS trusted, w.bare, w.bare_trusted,
       b.typtype::pg_catalog.text AS typtype, b.typcategory::pg_catalog.text AS category,
       {equality("a.oid", "an.nspname")} AS equals,
       NOT EXISTS (
           SELECT FROM chain x JOIN pg_catalog.pg_type y ON y.oid OPERATOR(pg_catalog.=) x.oid
           WHERE x.asked OPERATOR(pg_catalog.=) c.asked AND y.typtype OPERATOR(pg_catalog.<>) 'd'
             AND y.typnamespace OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.regnamespace::pg_catalog.oid
       ) AS own,
       ARRAY(SELECT e.enumlabel::pg_catalog.text FROM pg_catalog.pg_enum e
             WHERE e.enumtypid OPERATOR(pg_catalog.=) b.oid ORDER BY e.enumsortorder) AS labels
FROM chain c
JOIN pg_catalog.pg_type a ON a.oid OPERATOR(pg_catalog.=) c.asked
JOIN pg_catalog.pg_namespace an ON an.oid OPERATOR(pg_catalog.=) a.typnamespace
JOIN pg_catalog.pg_type b ON b.oid OPERATOR(pg_catalog.=) c.oid
JOIN pg_catalog.pg_namespace bn ON bn.oid OPERATOR(pg_catalog.=) b.typnamespace
CROSS JOIN LATERAL (
    SELECT {type_name("t.oid", "-1", "tn.nspname", "t.typelem")} AS bare, {is_trusted_type()} AS bare_trusted
    FROM chain x
    JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) x.oid AND t.typtype OPERATOR(pg_catalog.<>) 'd'
    JOIN pg_catalog.pg_namespace tn ON tn.oid OPERATOR(pg_catalog.=) t.typnamespace
    WHERE x.asked OPERATOR(pg_catalog.=) c.asked ORDER BY x.depth LIMIT 1
) AS w
ORDER BY c.asked, c.depth DESC""")

# Of names those that PostgreSQL would cut, in the database's encoding.
TOO_LONG = f"""
SELECT n.name FROM pg_catalog.unnest($1) AS n (name)
WHERE pg_catalog.octet_length(n.name) OPERATOR(pg_catalog.>) {MAX_IDENTIFIER_BYTES}"""

# The schema of a model's tables and what is in it already; $1 NULL: where unqualified names are created.
# `may_be_swapped`: a superuser asks, and does not trust the schema's owner.
OUTPUT_SCHEMA = Lasting(f"""
WITH RECURSIVE {CALLER}
SELECT n.oid, n.nspname AS schema, {SUPERUSER_ASKS} AND NOT {SCHEMA_TRUSTED} AS may_be_swapped,
       pg_catalog.pg_get_userbyid({SCHEMA_OWNER})::pg_catalog.text AS owner,
       pg_catalog.has_schema_privilege(n.oid, 'CREATE') AS may_create,
       ARRAY(SELECT c.relname::pg_catalog.text FROM pg_catalog.pg_class c
             WHERE c.relnamespace OPERATOR(pg_catalog.=) n.oid
               AND c.relname OPERATOR(pg_catalog.=) ANY ($2)) AS existing
FROM pg_catalog.pg_namespace n
WHERE n.oid OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema() AND $1 OPERATOR(pg_catalog.=) 'pg_temp'
   OR n.nspname OPERATOR(pg_catalog.=) COALESCE($1::pg_catalog.name, pg_catalog.current_schema())""")

# The ordinary tables and views among $2 in schema $1, with their columns: does a table have the shape of a model's?
# `schema` is its OID where a superuser asks and others could put something else in its place, else 0.
TABLE_COLUMNS = Lasting(f"""
WITH RECURSIVE {CALLER}
SELECT CASE WHEN {SUPERUSER_ASKS} AND NOT ({STILL_TRUSTED} AND {SCHEMA_TRUSTED})
            THEN n.oid ELSE 0 END AS schema,
       c.relname AS name, c.relowner AS owner, pg_catalog.array_agg(a.attname::pg_catalog.text) AS columns,
       pg_catalog.pg_has_role(c.relowner, 'USAGE') AS is_owner,
       pg_catalog.pg_get_userbyid(c.relowner) OPERATOR(pg_catalog.=) CURRENT_USER AS is_own,
       c.relkind OPERATOR(pg_catalog.=) 'v' AS is_view
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) c.oid
WHERE n.nspname OPERATOR(pg_catalog.=) $1 AND c.relname OPERATOR(pg_catalog.=) ANY ($2)
  AND c.relkind OPERATOR(pg_catalog.=) ANY ('{{r,v}}'::pg_catalog."char"[])
  AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
GROUP BY c.relname, c.relowner, c.relkind, c.oid, n.oid""")


@look_up
def probe(schema: str, name: str, expressions: Sequence[str], group_by: Sequence[str] = ()) -> str:
    """A query that reads no row and returns the type OIDs of `expressions` as `oids`.

    Every expression stands in a WHERE clause too, where PostgreSQL refuses aggregates, window functions and functions
    that return sets: a feature must be computed from one row. The types of `group_by` must have an equality and an
    order, as trees are numbered in the order of their groups.
    """
    columns = ", ".join(f"({expression}) AS e{i}" for i, expression in enumerate(expressions))
    per_row = " OR ".join(f"({expression}) IS NULL" for expression in expressions)
    source = f"{qualified(schema, name)} AS {ident(SOURCE_ALIAS)}"
    oids = ", ".join(f"pg_catalog.pg_typeof(s.e{i})::pg_catalog.oid" for i in range(len(expressions)))
    groups = ""
    if group_by:
        keys = ", ".join(group_by)
        select = f"SELECT {keys} FROM {source} WHERE false GROUP BY {keys} ORDER BY {keys}"
        groups = f", (SELECT pg_catalog.count(*) FROM ({select}) g)"
    if not expressions:
        return f"SELECT '{{}}'::pg_catalog.oid[] AS oids{groups}"
    return (
        f"SELECT ARRAY[{oids}] AS oids{groups} FROM (VALUES (1)) AS one(i) "
        f"LEFT JOIN (SELECT {columns} FROM {source} WHERE false AND ({per_row})) AS s ON true"
    )


@look_up
def hold(schema: str, name: str) -> str:
    """A query that reads no row, and keeps the relation as it is until the transaction ends. LOCK TABLE would ask for
    the right to read all columns, and takes neither materialized views nor foreign tables.
    """
    return f"SELECT 1 AS held FROM {qualified(schema, name)} WHERE false"


@look_up
def name_probe(schema: str, name: str, expression: str) -> str:
    """A query that reads no row, with one column, to which PostgreSQL gives the name that `expression` has in a list.

    It has one row, of a NULL, as the host protocol tells of columns by rows.
    """
    source = f"{qualified(schema, name)} AS {ident(SOURCE_ALIAS)}"
    return (
        f"SELECT s.* FROM (VALUES (1)) AS one(i) LEFT JOIN (SELECT {expression} FROM {source} WHERE false) AS s ON true"
    )


# The stored columns of a table that are generated from others, each with one of these; `$1` is the table. PostgreSQL 14
# notes the dependency of the column itself, newer servers that of its expression.
GENERATED_FROM = Lasting("""
SELECT g.attname AS name, s.attname AS source
FROM pg_catalog.pg_attribute g
JOIN pg_catalog.pg_attrdef e ON e.adrelid OPERATOR(pg_catalog.=) g.attrelid
    AND e.adnum OPERATOR(pg_catalog.=) g.attnum
JOIN pg_catalog.pg_depend d ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
    AND d.refobjid OPERATOR(pg_catalog.=) g.attrelid
    AND (d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_attrdef'::pg_catalog.regclass
            AND d.objid OPERATOR(pg_catalog.=) e.oid
        OR d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
            AND d.objid OPERATOR(pg_catalog.=) g.attrelid
            AND d.objsubid OPERATOR(pg_catalog.=) g.attnum::pg_catalog.int4)
JOIN pg_catalog.pg_attribute s ON s.attrelid OPERATOR(pg_catalog.=) g.attrelid
    AND s.attnum::pg_catalog.int4 OPERATOR(pg_catalog.=) d.refobjsubid
    AND s.attnum OPERATOR(pg_catalog.<>) g.attnum
WHERE g.attrelid OPERATOR(pg_catalog.=) $1 AND g.attgenerated OPERATOR(pg_catalog.<>) ''""")

QUOTED_NAME = f"SELECT {with_needed_quotes('pg_catalog.quote_ident($1)')} AS sql"


@look_up
def array_lengths(schema: str, name: str, arrays: Sequence[str]) -> str:
    """A query with one row that measures arrays: `n_rows` of the relation, and for each array i three columns.

    `min_i` and `max_i` are its shortest and longest length, `odd_i` whether some array has several dimensions or does
    not begin at 1.
    """
    columns = ", ".join(
        f"pg_catalog.min(pg_catalog.cardinality({a})) AS min_{i}, "
        f"pg_catalog.max(pg_catalog.cardinality({a})) AS max_{i}, "
        f"pg_catalog.bool_or({_odd(a)}) AS odd_{i}"
        for i, a in enumerate(arrays)
    )
    return f"SELECT pg_catalog.count(*) AS n_rows, {columns} FROM {qualified(schema, name)} AS {ident(SOURCE_ALIAS)}"


@look_up
def array_example(schema: str, name: str, id_text: str, array: str, length: int | None) -> str:
    """A query for one row whose array has that length; without a length, one whose array is odd."""
    condition = _odd(array) if length is None else f"pg_catalog.cardinality({array}) OPERATOR(pg_catalog.=) {length}"
    return (
        f"SELECT {id_text} AS id, pg_catalog.array_dims({array}) AS dims "
        f"FROM {qualified(schema, name)} AS {ident(SOURCE_ALIAS)} WHERE {condition} LIMIT 1"
    )


def _odd(array: str) -> str:
    return (
        f"pg_catalog.array_ndims({array}) OPERATOR(pg_catalog.>) 1 "
        f"OR pg_catalog.array_lower({array}, 1) OPERATOR(pg_catalog.<>) 1"
    )


# Whether the schema of internal functions is that of the extension `e`, of pg_extension, and all that the extension has
# is superusers'. Version 0.1.0 has none, so one of that name is anybody's there. Who has made or updated the extension
# as a superuser, and is none any more, may have put other functions in the place of hers.
HAS_INTERNAL = f"""(
    SELECT pg_catalog.bool_or(i.nspname OPERATOR(pg_catalog.=) '{INTERNAL}')
        AND pg_catalog.bool_and({is_superuser("COALESCE(i.nspowner, p.proowner, v.relowner, s.nspowner)")})
    FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_namespace AS s ON s.oid OPERATOR(pg_catalog.=) e.extnamespace
    LEFT JOIN pg_catalog.pg_namespace AS i ON (i.tableoid, i.oid) OPERATOR(pg_catalog.=) (d.classid, d.objid)
    LEFT JOIN pg_catalog.pg_proc AS p ON (p.tableoid, p.oid) OPERATOR(pg_catalog.=) (d.classid, d.objid)
    LEFT JOIN pg_catalog.pg_class AS v ON (v.tableoid, v.oid) OPERATOR(pg_catalog.=) (d.classid, d.objid)
    WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass
        AND d.refobjid OPERATOR(pg_catalog.=) e.oid AND d.deptype OPERATOR(pg_catalog.=) 'e')"""

# The version of madtree's extension, where the database has it, and whether its functions may be called: `callable`.
EXTENSION_VERSION = f"""
SELECT e.extversion AS version, {HAS_INTERNAL} AS callable
FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'madtree'"""
