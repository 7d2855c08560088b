"""SQL that finds every model which the caller can see, from the models' tables themselves."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.quote import literal
from madtree.sqltext.tables import model_table

# Tables that may be a model's first or its summary, by one column that both kinds of table have no other name for;
# those that the caller may read, and no other session's temporary ones.
CANDIDATES = """\
SELECT n.nspname::pg_catalog.text AS schema, c.relname::pg_catalog.text AS "table",
    pg_catalog.array_agg(a.attname::pg_catalog.text) AS columns
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) c.oid
WHERE c.relkind OPERATOR(pg_catalog.=) 'r' AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
AND EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS mark
    WHERE mark.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT mark.attisdropped
    AND mark.attname OPERATOR(pg_catalog.=) ANY ('{impurity_var_importance,madtree_version}'::pg_catalog.name[])
)
AND NOT pg_catalog.pg_is_other_temp_schema(n.oid)
AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
GROUP BY n.nspname, c.relname
ORDER BY n.nspname, c.relname"""

PARAMETERS = (
    "split_criterion", "max_depth", "min_split", "min_bucket", "n_bins", "input_cp", "n_folds", "max_surrogates",
    "null_as_category", "seed",
)  # fmt: skip


def models(names: Sequence[tuple[str, str]]) -> str:
    """One row for each of the models, given by schema and name. At least one model."""
    return "\nUNION ALL\n".join(_model(schema, name) for schema, name in names)


def _model(schema: str, name: str) -> str:
    """A model's row, `model` as other calls take it; its age is known where the server keeps the times of commits."""
    pairs = ", ".join(f"{literal(column)}, s.{column}" for column in PARAMETERS)
    return f"""\
SELECT pg_catalog.concat(pg_catalog.quote_ident(n.schema), '.', pg_catalog.quote_ident(n.name)) AS model,
    n.schema, n.name, CASE WHEN s.is_classification THEN 'classification' ELSE 'regression' END AS kind,
    s.dependent_varname AS target, s.total_rows_processed AS rows, t.trees, t.depth, t.leaves,
    pg_catalog.json_build_object({pairs}) AS parameters, s.madtree_version AS version,
    CASE WHEN pg_catalog.current_setting('track_commit_timestamp')::pg_catalog.bool
        THEN pg_catalog.now() OPERATOR(pg_catalog.-) pg_catalog.pg_xact_commit_timestamp(s.xmin) END AS age
FROM {model_table(schema, name, "_summary")} AS s
CROSS JOIN (VALUES ({literal(schema)}, {literal(name)})) AS n (schema, name)
CROSS JOIN (
    SELECT pg_catalog.count(*) AS trees, pg_catalog.max(tree_depth) AS depth,
        pg_catalog.sum(n_leaves)::pg_catalog.int8 AS leaves
    FROM {model_table(schema, name)}
) AS t"""
