"""Statements that write a copy of a tree model with what other rows say in its nodes. For the templates see
`sqltext.evaluate`.
"""

from __future__ import annotations

from madtree.sqltext.cells import Question
from madtree.sqltext.inserts import unnested
from madtree.sqltext.operators import spelled_out
from madtree.sqltext.prune import Columns, Name, insert_copies
from madtree.sqltext.tables import model_table

# What is handed over for each node to which rows have come; of classes `prediction` is the position of one.
_NODE_PARAMETERS: tuple[tuple[str, str], ...] = (
    ("tree_id", "int4"),
    ("node_id", "int8"),
    ("n_rows", "int8"),
    ("weight", "float8"),
)
CLASS_PARAMETERS = (*_NODE_PARAMETERS, ("prediction", "int4"), ("class_weights", "float8[]"))
NUMBER_PARAMETERS = (*_NODE_PARAMETERS, ("prediction", "float8"))


def leaf_sums(question: Question) -> str:
    """Of each leaf and class, or of each leaf, that rows come to: how many count, their weight, and of numbers the sum
    of weight times value; and in each row, how many rows of all have unfit weights or values.
    """
    weight = "r.weight" if question.weighted else "1::pg_catalog.float8"
    return question.fill(_CLASS_SUMS if question.classes else _NUMBER_SUMS, weight=weight)


_FIT_WEIGHT = "{weight} `>` 0 AND {weight} `<` 'Infinity'::pg_catalog.float8"
_BAD_WEIGHT = "({weight} `<` 0 OR NOT {weight} `<` 'Infinity'::pg_catalog.float8)"
_CLASS_SUMS = f"""
WITH sums AS (
    SELECT r.tree, r.leaf, k.class, pg_catalog.count(*) FILTER (WHERE {_FIT_WEIGHT}) AS n,
        pg_catalog.sum({{weight}}) FILTER (WHERE {_FIT_WEIGHT}) AS weight,
        pg_catalog.count(*) FILTER (WHERE {_BAD_WEIGHT}) AS bad
    FROM ({{rows}}) AS r
    CROSS JOIN LATERAL (
        SELECT pg_catalog.array_position({{classes}}, r.actual COLLATE pg_catalog."C") AS class
    ) AS k
    GROUP BY r.tree, r.leaf, k.class
)
SELECT s.tree, s.leaf, s.class, s.n, s.weight, NULL::pg_catalog.float8 AS total,
    (pg_catalog.sum(s.bad) OVER ())::pg_catalog.int8 AS bad_weights, 0::pg_catalog.int8 AS bad_actuals
FROM sums AS s"""
_FINITE = "r.actual `>` '-Infinity'::pg_catalog.float8 AND r.actual `<` 'Infinity'::pg_catalog.float8"
_NUMBER_SUMS = f"""
WITH sums AS (
    SELECT r.tree, r.leaf, pg_catalog.count(*) FILTER (WHERE {_FIT_WEIGHT} AND {_FINITE}) AS n,
        pg_catalog.sum({{weight}}) FILTER (WHERE {_FIT_WEIGHT} AND {_FINITE}) AS weight,
        pg_catalog.sum({{weight}} `*` r.actual) FILTER (WHERE {_FIT_WEIGHT} AND {_FINITE}) AS total,
        pg_catalog.count(*) FILTER (WHERE {_BAD_WEIGHT}) AS bad,
        pg_catalog.count(*) FILTER (WHERE NOT ({_FINITE})) AS unfit
    FROM ({{rows}}) AS r GROUP BY r.tree, r.leaf
)
SELECT s.tree, s.leaf, NULL::pg_catalog.int4 AS class, s.n, s.weight, s.total,
    (pg_catalog.sum(s.bad) OVER ())::pg_catalog.int8 AS bad_weights,
    (pg_catalog.sum(s.unfit) OVER ())::pg_catalog.int8 AS bad_actuals
FROM sums AS s"""


def fill_nodes(old: Name, new: Name, columns: Columns, classes: str | None) -> str:
    """Copy all nodes, those to which rows have come with what these say, from one array literal per column of
    `CLASS_PARAMETERS` or `NUMBER_PARAMETERS`; the others have no rows. `classes`: SQL of their array, as the copy keeps
    predictions.
    """
    given = "k.prediction" if classes is None else f"({classes})[k.prediction]"
    values = {
        "n_rows": "COALESCE(k.n_rows, 0)",
        "weight": "COALESCE(k.weight, 0)",
        "prediction": f"CASE WHEN k.n_rows IS NULL THEN {columns['prediction'].value('n.prediction')} ELSE {given} END",
    }
    if classes is not None:
        values["class_weights"] = "COALESCE(k.class_weights::pg_catalog.float8[], n.class_weights)"
    parameters = NUMBER_PARAMETERS if classes is None else CLASS_PARAMETERS
    match = spelled_out("n.tree_id `=` k.tree_id AND n.node_id `=` k.node_id")
    return (
        f"{insert_copies(new, '_nodes', columns, values, 'n')} FROM {model_table(*old, '_nodes')} AS n LEFT JOIN "
        f"{unnested('k', parameters)} ON {match}"
    )


def fill_trees(old: Name, new: Name, columns: Columns) -> str:
    """Copy the trees, whose rows are those of their roots now."""
    root = spelled_out("n.tree_id `=` t.tree_id AND n.node_id `=` 0")
    values = {"n_rows": "COALESCE(n.n_rows, t.n_rows)"}
    return (
        f"{insert_copies(new, '', columns, values, 't')} FROM {model_table(*old)} AS t "
        f"LEFT JOIN {model_table(*new, '_nodes')} AS n ON {root}"
    )


def fill_summary(old: Name, new: Name, columns: Columns) -> str:
    """Copy the summary; $1 is the new model's name as given, $2 the former one's, $3 the table's, $4 its rows."""
    values = {
        "model_table": "$1::pg_catalog.text",
        "refreshed_model": "$2::pg_catalog.text",
        "refresh_table": "$3::pg_catalog.text",
        "total_rows_processed": "$4::pg_catalog.int8",
    }
    return f"{insert_copies(new, '_summary', columns, values, 's')} FROM {model_table(*old, '_summary')} AS s"
