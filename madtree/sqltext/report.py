"""SQL that asks for what a report of a model shows. Parameters are ``$1``, ``$2``, ..."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.models import NODE_COLUMNS, NodeRelation
from madtree.sqltext.predict import integer_array
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import model_table
from madtree.sqltext.values import Writer, text_of

CV_COLUMNS = ("cp", "n_splits", "rel_error", "cv_error_avg", "cv_error_stddev", "xerror", "xstd", "chosen")
RESIDUAL_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def totals(schema: str, name: str) -> str:
    """One row: how many trees, nodes and leaves there are, rows and the greatest depth; the first and last tree_id.

    `trees` counts groups without a tree, too, `trained` does not.
    """
    return (
        "SELECT pg_catalog.count(*) AS trees, pg_catalog.count(*) FILTER (WHERE t.success) AS trained, "
        "pg_catalog.min(t.tree_id) AS first, pg_catalog.max(t.tree_id) AS last, "
        "COALESCE(pg_catalog.sum(t.n_nodes), 0)::pg_catalog.int8 AS nodes, "
        "COALESCE(pg_catalog.sum(t.n_leaves), 0)::pg_catalog.int8 AS leaves, "
        "COALESCE(pg_catalog.sum(t.n_rows), 0)::pg_catalog.int8 AS rows, "
        f"COALESCE(pg_catalog.max(t.tree_depth), 0) AS depth FROM {model_table(schema, name)} AS t"
    )


def largest_trees(
    schema: str,
    name: str,
    grouping: Sequence[tuple[str, Writer | None]],
    columns: str = "",
    order: str = "t.n_rows DESC NULLS LAST, t.tree_id",
) -> str:
    """At most $1 trees with the most rows; of those whose tree_id is in $2, unless $2 is NULL.

    Args:
        columns, order: SQL; further columns, each with a comma behind it, and which trees come first.
    """
    values = ", ".join(text_of(f"t.{ident(column)}", writer) for column, writer in grouping)
    return (
        f"SELECT {columns}t.tree_id, t.n_rows, t.n_nodes, t.n_leaves, t.tree_depth, t.pruning_cp, "
        f't.impurity_var_importance, t.message, ARRAY[{values}]::pg_catalog.text[] AS "group" '
        f"FROM {model_table(schema, name)} AS t "
        "WHERE $2::pg_catalog.int4[] IS NULL OR t.tree_id OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.int4[]) "
        f"ORDER BY {order} LIMIT $1::pg_catalog.int4"
    )


def first_trees(schema: str, name: str, grouping: Sequence[tuple[str, Writer | None]]) -> str:
    """As `largest_trees`, where groups have many: the first tree of each group, then the second of each, and so on;
    with `gid` and `sample_id`.
    """
    return largest_trees(schema, name, grouping, "t.gid, t.sample_id, ", "t.sample_id, t.gid")


def groups(schema: str, name: str, grouping: Sequence[tuple[str, Writer | None]], columns: Sequence[str]) -> str:
    """What `<output>_group` tells of the groups $1: these columns of its kind, and what all kinds tell."""
    values = ", ".join(text_of(f"t.{ident(column)}", writer) for column, writer in grouping)
    return (
        f"SELECT t.gid, t.n_trees, {', '.join(f't.{column}' for column in columns)}, "
        f't.impurity_var_importance, t.message, ARRAY[{values}]::pg_catalog.text[] AS "group" '
        f"FROM {model_table(schema, name, '_group')} AS t "
        "WHERE t.gid OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.int4[])"
    )


def oob_curve(schema: str, name: str) -> str:
    """The errors on out-of-bag rows of the first `sample_id` trees of the groups $1, where they are known."""
    return (
        f"SELECT t.gid, t.sample_id, t.oob_error FROM {model_table(schema, name)} AS t "
        "WHERE t.gid OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.int4[]) AND t.oob_error IS NOT NULL "
        "ORDER BY t.gid, t.sample_id"
    )


def rounds(schema: str, name: str, gids: Sequence[int]) -> str:
    """The mean losses of some groups after each round."""
    return (
        "SELECT t.gid, t.round, t.training_loss, t.validation_loss "
        f"FROM {model_table(schema, name, '_rounds')} AS t "
        f"WHERE t.gid OPERATOR(pg_catalog.=) ANY ({integer_array(gids)}) ORDER BY t.gid, t.round"
    )


def nodes_by_depth(relation: NodeRelation) -> str:
    """How many nodes tree $1 has on each level."""
    return (
        f"SELECT n.depth, pg_catalog.count(*) AS nodes FROM {relation.sql} AS n "
        "WHERE n.tree_id OPERATOR(pg_catalog.=) $1::pg_catalog.int4 GROUP BY n.depth ORDER BY n.depth"
    )


def nodes(relation: NodeRelation, is_classification: bool) -> str:
    """The nodes of the trees $1 down to depth $2, a class as text, in order of tree and id."""
    prediction = f"{text_of('n.prediction', relation.writer)} AS prediction" if is_classification else "n.prediction"
    columns = ", ".join(f"n.{column}" for column in NODE_COLUMNS)
    return (
        f"SELECT {columns}, {prediction} FROM {relation.sql} AS n "
        "WHERE n.tree_id OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.int4[]) "
        "AND n.depth OPERATOR(pg_catalog.<=) $2::pg_catalog.int4 ORDER BY n.tree_id, n.node_id"
    )


def cv(schema: str, name: str, grouping: Sequence[tuple[str, Writer | None]], tree_ids: Sequence[int]) -> str:
    """The cp tables of some trees, each from the greatest cp to the least.

    A group's values are the same in both tables and never NULL, so their texts are, whatever operators their type has.
    """
    same = "".join(
        f" AND {text_of(f'c.{ident(column)}', writer)} OPERATOR(pg_catalog.=) {text_of(f't.{ident(column)}', writer)}"
        for column, writer in grouping
    )
    columns = ", ".join(f"c.{column}" for column in CV_COLUMNS)
    return (
        f"SELECT t.tree_id, {columns} FROM {model_table(schema, name, '_cv')} AS c "
        f"INNER JOIN {model_table(schema, name)} AS t ON true{same} "
        f"WHERE t.tree_id OPERATOR(pg_catalog.=) ANY ({integer_array(tree_ids)}) ORDER BY t.tree_id, c.cp DESC"
    )


# How the model $1 does on the table $2, as JSON; $3 is whether its owner is trusted, $4 whether cells are wanted.
TESTED = """\
SELECT madtree_internal.tested($1::pg_catalog.text, $2::pg_catalog.text, $3::pg_catalog.bool, $4::pg_catalog.bool)
    AS tested_rows"""

# The nodes that the row of $2 with the id $3 goes through in the model $1.
PATH = """\
SELECT p.tree_id, p.node_id
FROM madtree.tree_path($1::pg_catalog.text, $2::pg_catalog.text, $3::pg_catalog.text, $4::pg_catalog.bool) AS p
ORDER BY p.step"""

# What is predicted by the values of the feature $3, of which there are at most $4, of at most $5 rows; $7 is whether
# effects are accumulated.
PARTIAL_DEPENDENCE = """\
SELECT d.class, d.value, d.number, d.estimated
FROM madtree.partial_dependence(
    $1::pg_catalog.text, $2::pg_catalog.text, $3::pg_catalog.text, grid_size => $4::pg_catalog.int4,
    max_rows => $5::pg_catalog.int4, trust_owner => $6::pg_catalog.bool, accumulated => $7::pg_catalog.bool
) AS d"""

SCORING_SQL = "SELECT madtree.tree_sql($1::pg_catalog.text, trust_owner => $2::pg_catalog.bool) AS text"


def residuals(relation: str, predicted: str, actual: str, bins: int) -> str:
    """Actual less predicted, for `bins` ranges of equal width of what is predicted.

    One row for each range that has rows: `n`, the means of `predicted` and `actual`, and the residuals' `quantiles`
    (`RESIDUAL_QUANTILES`). Rows without a prediction, or whose actual value is NULL, NaN or infinite, are left out.

    Args:
        relation, predicted, actual: SQL; the expressions are over the relation's columns.
    """
    points = ", ".join(map(str, RESIDUAL_QUANTILES))
    return f"""\
WITH scored AS MATERIALIZED (
    SELECT ({predicted})::pg_catalog.float8 AS predicted, ({actual})::pg_catalog.float8 AS actual FROM {relation}
), counted AS (
    SELECT s.predicted, s.actual FROM scored AS s
    WHERE s.predicted IS NOT NULL AND s.actual OPERATOR(pg_catalog.>) '-Infinity'::pg_catalog.float8
    AND s.actual OPERATOR(pg_catalog.<) 'Infinity'::pg_catalog.float8
), ends AS (
    SELECT pg_catalog.min(c.predicted) AS low, pg_catalog.max(c.predicted) AS high FROM counted AS c
), binned AS (
    SELECT c.predicted, c.actual, CASE WHEN e.high OPERATOR(pg_catalog.>) e.low
        THEN LEAST(pg_catalog.width_bucket(c.predicted, e.low, e.high, {bins}), {bins}) ELSE 1 END AS bin
    FROM counted AS c CROSS JOIN ends AS e
)
SELECT b.bin, pg_catalog.count(*) AS n, pg_catalog.avg(b.predicted) AS predicted, pg_catalog.avg(b.actual) AS actual,
    pg_catalog.percentile_cont(ARRAY[{points}]::pg_catalog.float8[])
        WITHIN GROUP (ORDER BY b.actual OPERATOR(pg_catalog.-) b.predicted) AS quantiles
FROM binned AS b GROUP BY b.bin ORDER BY b.bin"""


def residual_points(relation: str, predicted: str, actual: str) -> str:
    """`predicted` and `actual` of at most $1 rows, in the table's order; as `residuals` says."""
    return f"""\
SELECT s.predicted, s.actual FROM (
    SELECT ({predicted})::pg_catalog.float8 AS predicted, ({actual})::pg_catalog.float8 AS actual FROM {relation}
) AS s
WHERE s.predicted IS NOT NULL AND s.actual OPERATOR(pg_catalog.>) '-Infinity'::pg_catalog.float8
AND s.actual OPERATOR(pg_catalog.<) 'Infinity'::pg_catalog.float8
LIMIT $1::pg_catalog.int4"""
