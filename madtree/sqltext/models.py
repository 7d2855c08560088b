"""SQL that reads a model's tables."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.quote import ident
from madtree.sqltext.tables import model_table

# What a node is made of, but for its prediction.
NODE_COLUMNS = (
    "tree_id", "node_id", "depth", "is_leaf", "feature", "threshold", "left_levels", "right_levels", "majority_left",
    "n_rows", "weight", "impurity", "risk", "complexity", "improvement", "class_weights",
)  # fmt: skip

# Columns of the ordinary tables in schema $1 whose names are in $2. Types are printed so that they resolve under the
# search path of this very session; `builtin` tells whether the type's own operators are in pg_catalog.
COLUMNS = """\
SELECT c.relname AS "table", a.attname AS "column", pg_catalog.format_type(a.atttypid, a.atttypmod) AS type,
    t.typnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace::pg_catalog.oid AS builtin
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) c.oid
INNER JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name
AND c.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[])
AND c.relkind OPERATOR(pg_catalog.=) 'r' AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
ORDER BY c.relname, a.attnum"""


def summary(schema: str, name: str) -> str:
    """The summary's one row. JSON travels as text: hosts disagree on what they make of jsonb."""
    table = model_table(schema, name, "_summary")
    return f"SELECT s.*, s.enum_labels::pg_catalog.text AS enum_labels_text FROM {table} AS s"


def trees(schema: str, name: str, grouping_columns: Sequence[str]) -> str:
    """One row per tree: its id, rows, and its group's values as text; `grouping_columns` are unquoted."""
    values = ", ".join(f"t.{ident(column)}::pg_catalog.text" for column in grouping_columns)
    return (
        f'SELECT t.tree_id, t.n_rows, ARRAY[{values}]::pg_catalog.text[] AS "group" '
        f"FROM {model_table(schema, name)} AS t ORDER BY t.tree_id"
    )


def size(schema: str, name: str) -> str:
    """How many leaves all trees have together; a tree that failed counts as one."""
    return (
        "SELECT COALESCE(pg_catalog.sum(GREATEST(t.n_leaves, 1)), 0)::pg_catalog.int8 AS leaves "
        f"FROM {model_table(schema, name)} AS t"
    )


def nodes(schema: str, name: str, is_classification: bool, one_tree: bool) -> str:
    """Every node in order of tree and id, a class as text; of tree $1 only if `one_tree`."""
    columns = [f"n.{column}" for column in NODE_COLUMNS]
    columns.append("n.prediction::pg_catalog.text" if is_classification else "n.prediction")
    where = "WHERE n.tree_id OPERATOR(pg_catalog.=) $1 " if one_tree else ""
    table = model_table(schema, name, "_nodes")
    return f"SELECT {', '.join(columns)} FROM {table} AS n {where}ORDER BY n.tree_id, n.node_id"


def node_images(schema: str, name: str, prediction: str) -> str:
    """All nodes in order of tree and id, as one array image a column (see `madtree.core.image`).

    Parameters: $1 names of the features, $2 class labels. `feature` and, for a class, `prediction` are positions from 1
    in these; 0 where there is none.

    Args:
        prediction: ``number`` for a regression's means, ``class`` for positions of classes.
    """
    texts = {
        "feature": _position("$1", "n.feature"),
        "prediction": "n.prediction" if prediction == "number" else _position("$2", "n.prediction::pg_catalog.text"),
    }
    columns = ("tree_id", "node_id", "feature", "threshold", "majority_left", "prediction")
    images = ", ".join(f"{_image(texts.get(column, f'n.{column}'))} AS {column}" for column in columns)
    return f"SELECT {images} FROM {_ordered_nodes(schema, name)}"


def weight_image(schema: str, name: str) -> str:
    """Class weights of all nodes in order of tree and id, node by node, as one array image."""
    weights = "pg_catalog.unnest(n.class_weights) WITH ORDINALITY AS w(weight, position)"
    return f"SELECT {_image('w.weight')} AS weights FROM {_ordered_nodes(schema, name)}, {weights}"


def minority_images(schema: str, name: str) -> str:
    """The levels that leave a node by the branch other than the majority's, as array images of equal length.

    Parameters: $1 names of the features, $2 for each whether it is boolean. Of each level the `node`'s position from 0
    in order of tree and id, the `feature`'s position from 1, and its `key`, as `madtree.sqltext.values.level_key` makes
    it of a value.
    """
    key = (
        "CASE WHEN ($2::pg_catalog.bool[])[n.feature] THEN (l.level OPERATOR(pg_catalog.=) 'true')"
        '::pg_catalog.int4::pg_catalog.int8 ELSE pg_catalog.hashtextextended(l.level COLLATE pg_catalog."C", 0) END'
    )
    return f"""SELECT {_image("n.node")} AS node, {_image("n.feature")} AS feature, {_image(key)} AS key
FROM (
    SELECT pg_catalog.row_number() OVER (ORDER BY m.tree_id, m.node_id) OPERATOR(pg_catalog.-) 1 AS node,
        {_position("$1", "m.feature")} AS feature,
        CASE WHEN m.majority_left THEN m.right_levels ELSE m.left_levels END AS levels
    FROM {model_table(schema, name, "_nodes")} AS m
) AS n, pg_catalog.unnest(n.levels) AS l(level)"""


def _image(expression: str) -> str:
    return f"madtree.array_image(COALESCE(pg_catalog.array_agg({expression}), '{{}}'))"


def _position(array: str, element: str) -> str:
    return f"COALESCE(pg_catalog.array_position({array}::pg_catalog.text[], {element}), 0)"


def _ordered_nodes(schema: str, name: str) -> str:
    # Aggregates take a sub-select's rows in its order; an ORDER BY in each of them would sort once for each.
    return f"(SELECT m.* FROM {model_table(schema, name, '_nodes')} AS m ORDER BY m.tree_id, m.node_id OFFSET 0) AS n"
