"""SQL that reads a model's tables."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.records import dataclass
from madtree.sqltext import sent_rows as sent
from madtree.sqltext.kinds import SUMMARY_COLUMNS
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import model_table
from madtree.sqltext.values import Writer, text_of

# What a node is made of, but for its prediction.
NODE_COLUMNS = (
    "tree_id", "node_id", "depth", "is_leaf", "feature", "threshold", "left_levels", "right_levels", "majority_left",
    "n_rows", "weight", "impurity", "risk", "complexity", "improvement", "class_weights",
)  # fmt: skip
SURROGATE_COLUMNS = (
    "tree_id", "node_id", "feature", "threshold", "left_levels", "right_levels", "low_goes_left", "agreement",
    "adjusted_agreement",
)  # fmt: skip
COMPETITOR_COLUMNS = (
    "tree_id", "node_id", "feature", "threshold", "left_levels", "right_levels", "improvement",
)  # fmt: skip


DOCUMENTS = ("enum_labels", "levels")  # columns of the summary that are objects of lists, or of objects of lists
LONG_DOCUMENT = 2**21  # bytes; Python reads so many in some 20 ms


def summary(schema: str, name: str, columns: Sequence[str]) -> str:
    """The summary's one row, of those of its columns that madtree knows. JSON travels as text: hosts disagree on what
    they make of jsonb. `columns` are those that the table has; a model of an older version lacks some.

    Of a long document there is only that it `is_long`: it is read by `document_pieces`.
    """
    known = [f"s.{ident(column)}" for column in SUMMARY_COLUMNS if column in columns and column not in DOCUMENTS]
    for column in DOCUMENTS:
        text = f"s.{column}::pg_catalog.text" if column in columns else "NULL::pg_catalog.text"
        is_long = f"pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>) {LONG_DOCUMENT}"
        known.append(f"CASE WHEN {is_long} THEN NULL ELSE {text} END AS {column}_text")
        known.append(f"COALESCE({is_long}, false) AS {column}_is_long")
    return f"SELECT {', '.join(known)} FROM {model_table(schema, name, '_summary')} AS s"


def document_pieces(schema: str, name: str, column: str) -> str:
    """The lists of one of the `DOCUMENTS` as texts of JSON, by `key`, or by that and a `key_within`.

    Before them, an empty object for each object of lists. No row where the document is no object.
    """
    is_object = "pg_catalog.jsonb_typeof(d.value) OPERATOR(pg_catalog.=) 'object'"
    is_whole = f"pg_catalog.jsonb_typeof(s.{column}) OPERATOR(pg_catalog.=) 'object'"
    each = f"pg_catalog.jsonb_each(CASE WHEN {is_whole} THEN s.{column} END) AS d(key, value)"
    lists = f"{model_table(schema, name, '_summary')} AS s, {each}"
    within = f"pg_catalog.jsonb_each(CASE WHEN {is_object} THEN d.value END) AS w(key, value)"
    value = f"CASE WHEN {is_object} THEN '{{}}' ELSE d.value::pg_catalog.text END"
    return (
        f"SELECT d.key, NULL::pg_catalog.text AS key_within, {value} AS value FROM {lists} "
        f"UNION ALL SELECT d.key, w.key, w.value::pg_catalog.text FROM {lists}, {within}"
    )


def trees(schema: str, name: str, grouping: Sequence[tuple[str, Writer | None]]) -> str:
    """One row per tree: its id, rows, and its group's values as text; `grouping` are unquoted columns."""
    values = ", ".join(text_of(f"t.{ident(column)}", writer) for column, writer in grouping)
    return (
        f'SELECT t.tree_id, t.n_rows, ARRAY[{values}]::pg_catalog.text[] AS "group" '
        f"FROM {model_table(schema, name)} AS t ORDER BY t.tree_id"
    )


def first_group(table: str, number: str) -> str:
    """The least `number` of a group in a model's table, by the column of that name; no row if there is none."""
    return f"SELECT t.{number} AS number FROM {table} AS t ORDER BY 1 LIMIT 1"


def group_texts(table: str, number: str, grouping: Sequence[tuple[str, Writer | None]]) -> str:
    """Of each group in a model's table its `number`, by the column of that name, and its values as `texts`."""
    values = ", ".join(text_of(f"t.{ident(column)}", writer) for column, writer in grouping)
    return f"SELECT t.{number} AS number, ARRAY[{values}]::pg_catalog.text[] AS texts FROM {table} AS t ORDER BY 1"


def trees_of_groups(schema: str, name: str) -> str:
    """How many trees each group of `<output>_group` has, in order."""
    return f"SELECT g.n_trees FROM {model_table(schema, name, '_group')} AS g ORDER BY g.gid"


def loss_thresholds(schema: str, name: str) -> str:
    """The threshold of the loss of each group of `<output>_group`, in order."""
    return f"SELECT g.gid, g.n_trees, g.loss_threshold FROM {model_table(schema, name, '_group')} AS g ORDER BY g.gid"


def base_scores(schema: str, name: str) -> str:
    """The scores to begin with of each group of `<output>_group`, in order."""
    return f"SELECT g.gid, g.n_trees, g.base_score FROM {model_table(schema, name, '_group')} AS g ORDER BY g.gid"


def size(schema: str, name: str) -> str:
    """How many trees there are, how many of them are a single leaf, and how many `leaves` all have together, where a
    tree that failed counts as one.
    """
    return (
        "SELECT COALESCE(pg_catalog.sum(GREATEST(t.n_leaves, 1)), 0)::pg_catalog.int8 AS leaves, "
        "pg_catalog.count(*) AS trees, "
        "pg_catalog.count(*) FILTER (WHERE t.n_leaves OPERATOR(pg_catalog.=) 1) AS single "
        f"FROM {model_table(schema, name)} AS t"
    )


@dataclass(frozen=True)
class NodeRelation:
    """Where a model's nodes are read from.

    Attributes:
        sql: a table, or a query in parentheses, with the columns of `<output>_nodes`.
        writer: how a prediction that is a class is written as text.
    """

    sql: str
    writer: Writer | None


def nodes(relation: NodeRelation, is_classification: bool, one_tree: bool) -> str:
    """Every node in order of tree and id, a class as text; of tree $1 only if `one_tree`."""
    columns = [f"n.{column}" for column in NODE_COLUMNS]
    columns.append(f"{text_of('n.prediction', relation.writer)} AS prediction" if is_classification else "n.prediction")
    where = "WHERE n.tree_id OPERATOR(pg_catalog.=) $1 " if one_tree else ""
    return f"SELECT {', '.join(columns)} FROM {relation.sql} AS n {where}ORDER BY n.tree_id, n.node_id"


def surrogates(schema: str, name: str, one_tree: bool) -> str:
    """Every surrogate in order of tree, node and rank; of tree $1 only if `one_tree`."""
    columns = ", ".join(f"s.{column}" for column in SURROGATE_COLUMNS)
    where = "WHERE s.tree_id OPERATOR(pg_catalog.=) $1 " if one_tree else ""
    table = model_table(schema, name, "_surrogates")
    return f"SELECT {columns} FROM {table} AS s {where}ORDER BY s.tree_id, s.node_id, s.rank"


def competitors(schema: str, name: str) -> str:
    """Every competitor in order of tree, node and rank."""
    columns = ", ".join(f"s.{column}" for column in COMPETITOR_COLUMNS)
    table = model_table(schema, name, "_competitors")
    return f"SELECT {columns} FROM {table} AS s ORDER BY s.tree_id, s.node_id, s.rank"


def stored_bytes(value: str) -> str:
    """About how many bytes a column's value has before it is compressed; of one that is not, that is known at once."""
    return (
        f"CASE WHEN pg_catalog.pg_column_compression({value}) IS NULL THEN pg_catalog.pg_column_size({value}) "
        f"ELSE pg_catalog.octet_length({value}::pg_catalog.text) END"
    )


def longest_list(table: str, columns: Sequence[str]) -> str:
    """How many elements the longest of a table's arrays has, as `longest`; about how many bytes, before they are
    compressed, the `largest` has, and `total` of them; `table` as SQL.
    """
    lengths = ", ".join(f"pg_catalog.cardinality(t.{column})" for column in columns)
    sizes = ", ".join(stored_bytes(f"t.{column}") for column in columns)
    return (
        f"SELECT COALESCE(pg_catalog.max(GREATEST({lengths})), 0) AS longest, "
        f"COALESCE(pg_catalog.max(GREATEST({sizes})), 0) AS largest, "
        f"COALESCE(pg_catalog.sum(GREATEST({sizes})), 0)::pg_catalog.int8 AS total FROM {table} AS t"
    )


def longest_group(schema: str, name: str, grouping: Sequence[tuple[str, Writer | None]]) -> str:
    """How many bytes the `largest` of the groups' values has as text, and the `total` of the largest of each group;
    `grouping` are unquoted columns.
    """
    values = ", ".join(
        f"pg_catalog.octet_length({text_of(f't.{ident(column)}', writer)})" for column, writer in grouping
    )
    return (
        f"SELECT COALESCE(pg_catalog.max(GREATEST({values})), 0) AS largest, "
        f"COALESCE(pg_catalog.sum(GREATEST({values})), 0)::pg_catalog.int8 AS total "
        f"FROM {model_table(schema, name)} AS t"
    )


def node_numbers(schema: str, name: str, prediction: str, writer: Writer | None) -> str:
    """All nodes in order of tree and id, as numbers sent (`madtree.sqltext.sent_numbers`), a column each.

    Parameters: $1 names of the features, $2 class labels. `feature` and, for a class, `prediction` are positions from 1
    in these; 0 where there is none. `majority_left` is 1 or 0. `threshold` and a mean are floats, all else integers.

    Args:
        prediction: ``number`` for a regression's means, ``class`` for positions of classes.
        writer: of the predictions' type.
    """
    is_number = prediction == "number"
    columns = {
        "tree_id": sent.ints("n.tree_id"),
        "node_id": sent.ints("n.node_id"),
        "feature": sent.ints(_position("$1", "n.feature")),
        "threshold": sent.floats("n.threshold"),
        "majority_left": sent.truths("n.majority_left"),
        "prediction": sent.floats("n.prediction", "0")
        if is_number
        else sent.ints(_position("$2", text_of("n.prediction", writer))),
    }
    return f"SELECT {sent.select(columns)} FROM {_ordered_nodes(schema, name)}"


def weight_numbers(schema: str, name: str) -> str:
    """Class weights of all nodes in order of tree and id, node by node, as floats sent."""
    weights = "pg_catalog.unnest(n.class_weights) WITH ORDINALITY AS w(weight, position)"
    return f"SELECT {sent.floats('w.weight')} AS weights FROM {_ordered_nodes(schema, name)}, {weights}"


def cover_numbers(schema: str, name: str) -> str:
    """Weights of the rows of all nodes in order of tree and id, as floats sent."""
    return f"SELECT {sent.floats('n.weight')} AS weights FROM {_ordered_nodes(schema, name)}"


def surrogate_numbers(schema: str, name: str, *, with_agreement: bool = False) -> str:
    """All surrogates in order of tree, node and rank; columns and parameter $1 are those of `node_numbers`, and
    `adjusted_agreement`, a float, if it is asked for.
    """
    columns = {
        "tree_id": sent.ints("s.tree_id"),
        "node_id": sent.ints("s.node_id"),
        "feature": sent.ints(_position("$1", "s.feature")),
        "threshold": sent.floats("s.threshold"),
        "low_goes_left": sent.truths("s.low_goes_left"),
        **({"adjusted_agreement": sent.floats("s.adjusted_agreement")} if with_agreement else {}),
    }
    return f"SELECT {sent.select(columns)} FROM ({_numbered_surrogates(schema, name)} ORDER BY number OFFSET 0) AS s"


def category_numbers(schema: str, name: str, *, nodes: bool = True, surrogates: bool) -> str:
    """The categories that splits name, as integers sent, equally many in each; of `nodes`, of `surrogates`, or of both.

    Parameters: $1 names of the features, $2 for each whether it is boolean. Of each category the `split`'s position
    from 0 (the nodes in order of tree and id, then the surrogates in order of tree, node and rank), the `feature`'s
    position from 1, its `key`, as `madtree.sqltext.values.category_key` makes it of a value, whether it `is_null`, and
    whether it `goes_left`.
    """
    parts, n_nodes = [], "0::pg_catalog.int8"
    if nodes:
        numbered = _numbered_nodes(schema, name)
        parts.append(f"SELECT n.node AS split, n.feature, n.left_levels, n.right_levels FROM ({numbered}) AS n")
        n_nodes = f"(SELECT pg_catalog.count(*) FROM {model_table(schema, name, '_nodes')})"
    if surrogates:
        numbered = _numbered_surrogates(schema, name)
        parts.append(
            f"SELECT {n_nodes} OPERATOR(pg_catalog.+) s.number AS split, s.feature, s.left_levels, s.right_levels "
            f"FROM ({numbered}) AS s"
        )
    splits = " UNION ALL ".join(parts)
    columns = {
        "split": sent.ints("l.split"),
        "feature": sent.ints("l.feature"),
        "key": sent.ints(_category_key("l.feature", "l.category")),
        "is_null": sent.truths("l.category IS NULL"),
        "goes_left": sent.truths("l.goes_left"),
    }
    return f"""SELECT {sent.select(columns)}
FROM (
    SELECT p.split, p.feature, v.category, v.goes_left
    FROM (SELECT q.split, {_position("$1", "q.feature")} AS feature, q.left_levels, q.right_levels
          FROM ({splits}) AS q) AS p,
    LATERAL (
        SELECT a.category, true AS goes_left FROM pg_catalog.unnest(p.left_levels) AS a(category)
        UNION ALL SELECT b.category, false FROM pg_catalog.unnest(p.right_levels) AS b(category)
    ) AS v
    OFFSET 0
) AS l"""


def key_numbers() -> str:
    """Keys of categories as integers sent.

    Parameters: $1 the features' positions from 1, $2 as in `category_numbers`, $3 the categories.
    """
    # Unqualified on purpose, as in `madtree.sqltext.inserts`: only so the grammar takes several arguments.
    rows = "unnest($1::pg_catalog.int4[], $3::pg_catalog.text[]) WITH ORDINALITY AS l(feature, category, number)"
    key = sent.ints(_category_key("l.feature", "l.category"))
    return f"SELECT {key} AS key FROM (SELECT * FROM {rows} ORDER BY number OFFSET 0) AS l"


def _category_key(feature: str, category: str) -> str:
    return (
        f"CASE WHEN ($2::pg_catalog.bool[])[{feature}] THEN ({category} OPERATOR(pg_catalog.=) 'true')"
        f"::pg_catalog.int4::pg_catalog.int8 ELSE {category_hash(category)} END"
    )


def category_hash(category: str) -> str:
    """The key of a category that is a text."""
    return f'pg_catalog.hashtextextended({category} COLLATE pg_catalog."C", 0)'


def _numbered_nodes(schema: str, name: str) -> str:
    return (
        "SELECT m.*, pg_catalog.row_number() OVER (ORDER BY m.tree_id, m.node_id) OPERATOR(pg_catalog.-) 1 AS node "
        f"FROM {model_table(schema, name, '_nodes')} AS m"
    )


def _numbered_surrogates(schema: str, name: str) -> str:
    """Surrogates with their `number` from 0."""
    return (
        "SELECT r.*, pg_catalog.row_number() OVER (ORDER BY r.tree_id, r.node_id, r.rank) "
        f"OPERATOR(pg_catalog.-) 1 AS number FROM {model_table(schema, name, '_surrogates')} AS r"
    )


def _position(array: str, element: str) -> str:
    return f"COALESCE(pg_catalog.array_position({array}::pg_catalog.text[], {element}), 0)"


def _ordered_nodes(schema: str, name: str) -> str:
    # Aggregates take a sub-select's rows in its order; an ORDER BY in each of them would sort once for each.
    return f"(SELECT m.* FROM {model_table(schema, name, '_nodes')} AS m ORDER BY m.tree_id, m.node_id OFFSET 0) AS n"
