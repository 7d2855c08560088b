"""Queries that find all models of a database, and tell of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from madtree.interface import NUMERIC_COLUMNS, listed_parameters
from madtree.sqltext.kinds import SUMMARY_COLUMNS
from madtree.sqltext.owners import CALLER, OTHERS_KIN, SCHEMA_TRUSTED, STILL_TRUSTED, SUPERUSER_ASKS, is_trusted
from madtree.sqltext.query import Lasting
from madtree.sqltext.quote import ident, literal, qualified
from madtree.sqltext.tables import SIGNATURES, TREE_COLUMNS, model_table
from madtree.trees import KINDS, TREE

# What `madtree.models` tells of how a model was trained.
PARAMETERS = (*listed_parameters(TREE), *NUMERIC_COLUMNS, "grouping_cols", "independent_varnames")

# The columns of `madtree.models` that the tables themselves tell.
TOLD = (
    "kind", "source_table", "dependent", "n_rows", "n_trees", "depth", "n_leaves", "parameters", "version",
    "trained_at", "age",
)  # fmt: skip

# Without these a table is no part of a model; others that are missing, or of another type, are shown as NULL.
REQUIRED = {
    "": frozenset({"tree_id", "n_leaves", "tree_depth"}),
    "_nodes": frozenset[str](),
    "_packed": frozenset[str](),
    "_summary": frozenset(
        {"is_classification", "source_table", "dependent_varname", "madtree_version", "total_rows_processed"}
    ),
}
_COLUMNS = {"": TREE_COLUMNS, "_nodes": (), "_packed": (), "_summary": tuple(SUMMARY_COLUMNS.items())}


def _has_signature(suffix: str) -> str:
    """Whether relation `c` has the columns that a model's table is known by; found by pg_attribute's index."""
    names = ", ".join(map(literal, sorted(SIGNATURES[suffix])))
    return (
        "(SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute AS a "
        "WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped "
        f"AND a.attname OPERATOR(pg_catalog.=) ANY (ARRAY[{names}]::pg_catalog.name[])) "
        f"OPERATOR(pg_catalog.=) {len(SIGNATURES[suffix])}"
    )


def _typed_columns(suffix: str) -> str:
    """Names of the columns of relation `c` that have just the type that they have in a model."""
    if not _COLUMNS[suffix]:
        return "'{}'::pg_catalog.text[]"
    wanted = ", ".join(
        f"({literal(name)}::pg_catalog.name, 'pg_catalog.{type_}'::pg_catalog.regtype::pg_catalog.oid)"
        for name, type_ in _COLUMNS[suffix]
    )
    return (
        f"ARRAY(SELECT a.attname::pg_catalog.text FROM (VALUES {wanted}) AS w(name, type) "
        "INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) c.oid "
        "AND a.attname OPERATOR(pg_catalog.=) w.name AND a.atttypid OPERATOR(pg_catalog.=) w.type "
        "WHERE NOT a.attisdropped)"
    )


# Whether nobody can put another table in the place of one in schema `n`; in a query with `CALLER`.
_STAYS = f"({SCHEMA_TRUSTED} OR NOT {SUPERUSER_ASKS})"


def readable(suffix: str, *, legible: bool = False) -> str:
    """Ordinary tables with the columns of a model's table that the caller may read, and whether she trusts the owner; a
    superuser, also that of the schema, who could put another table there before it is read.

    CASE fixes the order: the name first, as it decides soonest. Other sessions' temporary tables cannot be read. A
    table that was dropped since the query began has no privileges, NULL: it may have been replaced, so it stays here.
    `legible`: those alone whose names are plain ASCII. In a database without an encoding, names may have bytes that are
    no text.
    """
    by_name = "true"
    if suffix:
        ending = f"pg_catalog.right(c.relname::pg_catalog.text, {len(suffix)})"
        by_name = f"{ending} OPERATOR(pg_catalog.=) {literal(suffix)}"
    if legible:
        names = "pg_catalog.concat(n.nspname, c.relname, pg_catalog.pg_get_userbyid(c.relowner))"
        by_name = f"({by_name} AND {names} OPERATOR(pg_catalog.~) '^[ -~]*$')"
    return f"""WITH RECURSIVE {CALLER}
SELECT n.nspname AS schema, c.relname AS name, pg_catalog.pg_get_userbyid(c.relowner) AS owner,
    {is_trusted("c.relowner")} AND {_STAYS} AND NOT {OTHERS_KIN} AS trusted,
    {_typed_columns(suffix)} AS columns
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
WHERE CASE
    WHEN c.relkind OPERATOR(pg_catalog.<>) 'r' OR NOT {by_name} THEN false
    WHEN pg_catalog.pg_is_other_temp_schema(n.oid) THEN false
    WHEN NOT COALESCE(pg_catalog.has_schema_privilege(n.oid, 'USAGE'), true) THEN false
    WHEN NOT COALESCE(pg_catalog.has_table_privilege(c.oid, 'SELECT'), true) THEN false
    WHEN pg_catalog.row_security_active(c.oid) THEN false
    ELSE {_has_signature(suffix)} END"""


# Tables of trees have no suffix to know them by: only in schemas that hold a summary is it worth looking.
IN_SCHEMAS = " AND n.nspname OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.name[])"


# The positions from 1, in order, of those of some held models whose tables, of the names $1 and $2, are ordinary
# ones that the caller trusts. What has a name is asked of now, also where the transaction sees the past.
HELD = Lasting(f"""
WITH RECURSIVE {CALLER}
SELECT g.position
FROM ROWS FROM (
    pg_catalog.unnest((SELECT $1::pg_catalog.text[])), pg_catalog.unnest((SELECT $2::pg_catalog.text[]))
) WITH ORDINALITY AS g (summary, trees, position)
WHERE 2 OPERATOR(pg_catalog.=) (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class AS c
    INNER JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE c.oid OPERATOR(pg_catalog.=) ANY (ARRAY[pg_catalog.to_regclass(g.summary)::pg_catalog.oid,
            pg_catalog.to_regclass(g.trees)::pg_catalog.oid])
        AND c.relkind OPERATOR(pg_catalog.=) 'r' AND {STILL_TRUSTED} AND {_STAYS} AND NOT {OTHERS_KIN})
ORDER BY g.position""")


def describe(models: Sequence[tuple[str, str, Collection[str]]]) -> str:
    """A row for each model, given by schema, name and the summary's columns that can be read: its position from 0, and
    what its tables say.

    This is for tables of trusted owners only, since planning a query already runs what is on a table. They are held,
    since who may create in a schema could put another in the place of one that is dropped. They, too, may
    only look like a model's, or change in between, hence `_value` and TABLESAMPLE, which only tables allow; and
    row_security = off on the SQL function makes an error of policies.

    The summary comes first in each part: whoever replaces a model drops it first, so that a reader that has it keeps
    the rest.
    """
    return "\nUNION ALL\n".join(
        _describe(position, schema, name, columns) for position, (schema, name, columns) in enumerate(models)
    )


def _describe(position: int, schema: str, name: str, columns: Collection[str]) -> str:
    summary = {column: _value("s", column, type_) for column, type_ in SUMMARY_COLUMNS.items() if column in columns}
    trees = {column: _value("r", column, type_) for column, type_ in TREE_COLUMNS}
    of_kinds = dict.fromkeys(key for kind in KINDS.values() for key in listed_parameters(kind))
    names = PARAMETERS + tuple(key for key in of_kinds if key in columns and key not in PARAMETERS)
    pairs = [f"{literal(key)}::pg_catalog.text, {summary.get(key, 'NULL')}" for key in names]
    objects = [
        f"pg_catalog.jsonb_build_object({', '.join(pairs[first : first + _MOST_PAIRS])})"
        for first in range(0, len(pairs), _MOST_PAIRS)
    ]
    parameters = " OPERATOR(pg_catalog.||) ".join(objects)
    method = summary.get("method", "NULL")
    labels = " WHEN ".join(
        f"{method} OPERATOR(pg_catalog.=) {literal(kind.trains)} THEN {literal(f' {kind.label}')}"
        for kind in KINDS.values()
        if kind.label
    )
    trained_at = f"({summary.get('trained_at', 'NULL')})::pg_catalog.timestamptz"
    return f"""SELECT {position} AS position,
    CASE WHEN {summary["is_classification"]} THEN 'classification' ELSE 'regression' END
        OPERATOR(pg_catalog.||) CASE WHEN {labels} ELSE '' END AS kind,
    {summary["source_table"]} AS source_table, {summary["dependent_varname"]} AS dependent,
    {summary["madtree_version"]} AS version, {summary["total_rows_processed"]} AS n_rows,
    t.n_trees, t.depth, t.n_leaves,
    ({parameters})::pg_catalog.text AS parameters,
    {trained_at}::pg_catalog.text AS trained_at,
    (pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) {trained_at})::pg_catalog.text AS age
FROM {model_table(schema, name, "_summary")} AS s {_TABLES_ONLY}
CROSS JOIN (
    SELECT pg_catalog.count(*)::pg_catalog.int4 AS n_trees, pg_catalog.max({trees["tree_depth"]}) AS depth,
        pg_catalog.sum({trees["n_leaves"]})::pg_catalog.int8 AS n_leaves
    FROM {qualified(schema, name)} AS r {_TABLES_ONLY}
) AS t"""


_MOST_PAIRS = 50  # that a function takes, as it takes a hundred arguments
_TABLES_ONLY = "TABLESAMPLE pg_catalog.system (100)"  # percent: all rows


def _value(alias: str, column: str, type_: str) -> str:
    """A column's value, NULL if its type is not the one expected. Only then a cast would do anything."""
    value = f"{alias}.{ident(column)}"
    same = f"pg_catalog.pg_typeof({value}) OPERATOR(pg_catalog.=) 'pg_catalog.{type_}'::pg_catalog.regtype"
    return f"CASE WHEN {same} THEN {value}::pg_catalog.{type_} END"


# What the view has in other types than `models` tells of: names as SQL, times; of schemas $1 and names $2, of times $3
# and ages $4 as text. Unqualified on purpose: only so the grammar takes several arguments, and then it means
# pg_catalog's.
AS_IN_VIEW = """
SELECT pg_catalog.format('%I.%I', m.schema, m.name) AS model,
       m.trained_at::pg_catalog.timestamptz AS trained_at, m.age::pg_catalog.interval AS age
FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS m(schema, name, trained_at, age, place) ORDER BY m.place"""
