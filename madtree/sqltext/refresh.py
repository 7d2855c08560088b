"""Statements that write a copy of a model with what other rows say in its nodes."""

from __future__ import annotations

from madtree.sqltext.copies import Columns, ModelCopy
from madtree.sqltext.inserts import unnested
from madtree.sqltext.quote import spelled_out
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
# For each tree, and for each group of a boosted model to which rows have come.
TREE_PARAMETERS: tuple[tuple[str, str], ...] = (("tree_id", "int4"), ("n_rows", "int8"))
GROUP_PARAMETERS: tuple[tuple[str, str], ...] = (
    ("gid", "int4"),
    ("base_score", "float8[]"),
    ("loss_threshold", "float8"),
    ("n_rows", "int8"),
)
# Of `<output>_group`, what a boosted model's training has found of its rows.
_OF_TRAINING = ("training_loss", "validation_loss")
_OUT_OF_BAG = "oob_"  # how columns begin that tell of the rows which training has not shown to trees


def fill_nodes(copy: ModelCopy, classes: str | None) -> str:
    """Copy all nodes, those to which rows have come with what these say, from one array literal per column of
    `CLASS_PARAMETERS` or `NUMBER_PARAMETERS`; the others have no rows. `classes`: SQL of their array, as the copy keeps
    predictions.
    """
    given = "k.prediction" if classes is None else f"({classes})[k.prediction]"
    before = copy.parts["_nodes"]["prediction"].value("n.prediction")
    values = {
        "n_rows": "COALESCE(k.n_rows, 0)",
        "weight": "COALESCE(k.weight, 0)",
        "prediction": f"CASE WHEN k.n_rows IS NULL THEN {before} ELSE {given} END",
    }
    if classes is not None:
        values["class_weights"] = "COALESCE(k.class_weights::pg_catalog.float8[], n.class_weights)"
    parameters = NUMBER_PARAMETERS if classes is None else CLASS_PARAMETERS
    match = spelled_out("n.tree_id `=` k.tree_id AND n.node_id `=` k.node_id")
    return f"{copy.fill('_nodes', 'n', values)} LEFT JOIN {unnested('k', parameters)} ON {match}"


def fill_trees(copy: ModelCopy) -> str:
    """Copy the trees with their rows, from one array literal per column of `TREE_PARAMETERS`."""
    values = {"n_rows": "COALESCE(k.n_rows, t.n_rows)", **_forgotten(copy.parts[""])}
    match = spelled_out("t.tree_id `=` k.tree_id")
    return f"{copy.fill('', 't', values)} LEFT JOIN {unnested('k', TREE_PARAMETERS)} ON {match} ORDER BY t.tree_id"


def fill_groups(copy: ModelCopy) -> str:
    """Copy the groups, from one array literal per column of `GROUP_PARAMETERS`; others stay as they are, but for what
    is known of the training's rows alone.
    """
    values = _forgotten(copy.parts["_group"])
    if "base_score" in copy.parts["_group"]:
        values |= {
            "base_score": "COALESCE(k.base_score::pg_catalog.float8[], s.base_score)",
            "loss_threshold": "COALESCE(k.loss_threshold, s.loss_threshold)",
            "n_rows": "COALESCE(k.n_rows, 0)",
            "n_held_out": "0",
        }
    match, filled = spelled_out("s.gid `=` k.gid"), copy.fill("_group", values=values)
    return f"{filled} LEFT JOIN {unnested('k', GROUP_PARAMETERS)} ON {match} ORDER BY s.gid"


def category_counts(schema: str, name: str) -> str:
    """How many categories each of $1 unordered features has in each group of `<output>_group`, in order; NULL where
    that is not told, and then whether it is of others.
    """
    fits = spelled_out("pg_catalog.cardinality(g.cat_n_levels) `=` $1")
    return (
        f"SELECT CASE WHEN {fits} THEN g.cat_n_levels END AS counts, NOT COALESCE({fits}, true) AS of_others "
        f"FROM {model_table(schema, name, '_group')} AS g ORDER BY g.gid"
    )


def _forgotten(columns: Columns) -> dict[str, str]:
    """SQL of the columns that tell of the training's rows alone."""
    return {name: "NULL" for name in columns if name.startswith(_OUT_OF_BAG) or name in _OF_TRAINING}
