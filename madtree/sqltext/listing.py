"""Queries that find all models of a database, and tell of them."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.quote import ident, literal, qualified
from madtree.sqltext.tables import SIGNATURES, model_table

# What `madtree.models` tells of how a model was trained.
PARAMETERS = (
    "split_criterion", "max_depth", "min_split", "min_bucket", "n_bins", "max_surrogates", "surrogate_style",
    "null_as_category", "input_cp", "n_folds", "rule", "fold_col", "weights",
    "grouping_cols", "seed", "independent_varnames",
)  # fmt: skip


def _has_columns(relation: str, columns: Sequence[str]) -> str:
    """Whether a relation has all of these columns; found by pg_attribute's index."""
    names = ", ".join(map(literal, sorted(columns)))
    return (
        "(SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute AS a "
        f"WHERE a.attrelid OPERATOR(pg_catalog.=) {relation} AND NOT a.attisdropped "
        f"AND a.attname OPERATOR(pg_catalog.=) ANY (ARRAY[{names}]::pg_catalog.name[])) "
        f"OPERATOR(pg_catalog.=) {len(set(columns))}"
    )


def _readable(suffix: str) -> str:
    """Ordinary tables with the columns of a model's table that the caller may read, but for other sessions' temporary
    ones. CASE fixes the order: the name first, as it decides soonest, then rights, then columns.
    """
    by_name = "true"
    if suffix:
        ending = f"pg_catalog.right(c.relname::pg_catalog.text, {len(suffix)})"
        by_name = f"{ending} OPERATOR(pg_catalog.=) {literal(suffix)}"
    return f"""SELECT c.oid, n.nspname AS schema, c.relname AS name, pg_catalog.pg_get_userbyid(c.relowner) AS owner
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
WHERE CASE
    WHEN c.relkind OPERATOR(pg_catalog.<>) 'r' OR NOT {by_name} THEN false
    WHEN pg_catalog.pg_is_other_temp_schema(n.oid) THEN false
    WHEN NOT COALESCE(pg_catalog.has_schema_privilege(n.oid, 'USAGE'), false) THEN false
    WHEN NOT COALESCE(pg_catalog.has_table_privilege(c.oid, 'SELECT'), false) THEN false
    ELSE {_has_columns("c.oid", sorted(SIGNATURES[suffix]))} END"""


SUMMARIES = _readable("_summary")
NODES = _readable("_nodes")
# Tables of trees have no suffix to know them by: only in schemas that hold a summary is it worth looking.
TREES = f"{_readable('')} AND n.nspname OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.name[])"

# Columns that a model of an older version may lack are asked of the row as JSON.
_TRAINED_AT = "(s.row OPERATOR(pg_catalog.->>) 'trained_at')::pg_catalog.timestamptz"


def describe(models: Sequence[tuple[str, str]]) -> str:
    """A row for each model, given by schema and name: its position from 0, and what its tables tell.

    The summary comes first in each part: whoever replaces a model drops it first, so that a reader that has it keeps
    the rest.
    """
    return "\nUNION ALL\n".join(_describe(position, schema, name) for position, (schema, name) in enumerate(models))


def _describe(position: int, schema: str, name: str) -> str:
    parameters = ", ".join(
        f"{literal(key)}::pg_catalog.text, s.row OPERATOR(pg_catalog.->) {literal(key)}" for key in PARAMETERS
    )
    texts = ", ".join(
        f"s.row OPERATOR(pg_catalog.->>) {literal(key)} AS {ident(alias)}"
        for key, alias in (
            ("source_table", "source_table"), ("dependent_varname", "dependent"), ("madtree_version", "version"),
        )
    )  # fmt: skip
    return f"""SELECT {position} AS position,
    CASE WHEN (s.row OPERATOR(pg_catalog.->>) 'is_classification')::pg_catalog.bool
        THEN 'classification' ELSE 'regression' END AS kind, {texts},
    (s.row OPERATOR(pg_catalog.->>) 'total_rows_processed')::pg_catalog.int8 AS n_rows,
    t.n_trees, t.depth, t.n_leaves,
    pg_catalog.jsonb_build_object({parameters})::pg_catalog.text AS parameters,
    {_TRAINED_AT}::pg_catalog.text AS trained_at,
    (pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) {_TRAINED_AT})::pg_catalog.text AS age
FROM (SELECT pg_catalog.to_jsonb(m) AS row FROM {model_table(schema, name, "_summary")} AS m) AS s
CROSS JOIN (
    SELECT pg_catalog.count(*)::pg_catalog.int4 AS n_trees, pg_catalog.max(r.tree_depth) AS depth,
        pg_catalog.sum(r.n_leaves)::pg_catalog.int8 AS n_leaves
    FROM {qualified(schema, name)} AS r
) AS t"""
