"""SQL that reads a model's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.records import dataclass
from madtree.sqltext.boost_tables import ISOTONIC_COLUMNS
from madtree.sqltext.kinds import SUMMARY_COLUMNS
from madtree.sqltext.quote import ident, literal, spelled_out
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


def summary(schema: str, name: str, columns: Sequence[str], where: str = "true") -> str:
    """The summary's one row, of those of its columns that madtree knows. JSON travels as text: hosts disagree on what
    they make of jsonb. `columns` are those that the table has; a model of an older version lacks some.

    Of a long document there is only that it `is_long`: it is read by `document_pieces`. `where`: a condition of a row
    `s`; in `n_rows` is how many there are by any.
    """
    table = model_table(schema, name, "_summary")
    known = [f"s.{ident(column)}" for column in SUMMARY_COLUMNS if column in columns and column not in DOCUMENTS]
    for column in DOCUMENTS:
        text = f"s.{column}::pg_catalog.text" if column in columns else "NULL::pg_catalog.text"
        is_long = f"pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>) {LONG_DOCUMENT}"
        known.append(f"CASE WHEN {is_long} THEN NULL ELSE {text} END AS {column}_text")
        known.append(f"COALESCE({is_long}, false) AS {column}_is_long")
    known.append(f"(SELECT pg_catalog.count(*) FROM {table}) AS n_rows")
    return f"SELECT {', '.join(known)} FROM {table} AS s WHERE {where}"


def document_pieces(schema: str, name: str, column: str) -> str:
    """The lists of one of the `DOCUMENTS` as texts of JSON, by `key`, or by that and a `key_within`.

    Besides, an empty object for each object of lists. No row where the document is no object.
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


def n_rows(table: str) -> str:
    """How many rows one of a model's tables has."""
    return f"SELECT pg_catalog.count(*) AS n FROM {table} AS t"


def trees_of_groups(schema: str, name: str) -> str:
    """How many trees each group of `<output>_group` has, in order."""
    return f"SELECT g.n_trees FROM {model_table(schema, name, '_group')} AS g ORDER BY g.gid"


def loss_thresholds(schema: str, name: str) -> str:
    """The threshold of the loss of each group of `<output>_group`, in order."""
    return f"SELECT g.gid, g.n_trees, g.loss_threshold FROM {model_table(schema, name, '_group')} AS g ORDER BY g.gid"


def base_scores(schema: str, name: str, n_scores: int) -> str:
    """The scores to begin with of each group of `<output>_group`, in order; NULL where they are not so many."""
    return (
        f"SELECT g.gid, g.n_trees, {just_so_many('g.base_score', n_scores)} AS base_score "
        f"FROM {model_table(schema, name, '_group')} AS g ORDER BY g.gid"
    )


def just_so_many(column: str, n: int) -> str:
    """An array's column, NULL where it has another number of elements: it is not fetched then."""
    return f"CASE WHEN pg_catalog.cardinality({column}) OPERATOR(pg_catalog.=) {n} THEN {column} END"


def size_of_isotonic(schema: str, name: str) -> str:
    """How many points the `longest` of the isotonic functions has, and all of them together in `total`."""
    sizes = ", ".join(f"COALESCE(pg_catalog.cardinality(g.{column}), 0)" for column, _ in ISOTONIC_COLUMNS)
    return (
        "SELECT COALESCE(pg_catalog.max(s.size), 0) AS longest, "
        "COALESCE(pg_catalog.sum(s.size), 0)::pg_catalog.int8 AS total "
        f"FROM (SELECT GREATEST({sizes}) AS size FROM {model_table(schema, name, '_group')} AS g) AS s"
    )


def isotonic_points(schema: str, name: str, n_scores: int) -> str:
    """From scores to probabilities, of each group of `<output>_group` of a calibrated model, in order; of several
    scores `point_ends`, too, NULL where they are not as many.
    """
    table = model_table(schema, name, "_group")
    ends = f", {just_so_many('g.point_ends', n_scores)} AS point_ends" if n_scores > 1 else ""
    return f"SELECT g.gid, g.n_trees, g.point_scores, g.point_probabilities{ends} FROM {table} AS g ORDER BY g.gid"


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


def nodes(relation: NodeRelation, is_classification: bool, tree_id: int | None) -> str:
    """Every node in order of tree and id, a class as text; of one tree only if it is named."""
    columns = [f"n.{column}" for column in NODE_COLUMNS]
    columns.append(f"{text_of('n.prediction', relation.writer)} AS prediction" if is_classification else "n.prediction")
    where = "" if tree_id is None else f"WHERE n.tree_id OPERATOR(pg_catalog.=) {tree_id} "
    return f"SELECT {', '.join(columns)} FROM {relation.sql} AS n {where}ORDER BY n.tree_id, n.node_id"


def surrogates(schema: str, name: str, tree_id: int | None) -> str:
    """Every surrogate in order of tree, node and rank; of one tree only if it is named."""
    columns = ", ".join(f"s.{column}" for column in SURROGATE_COLUMNS)
    where = "" if tree_id is None else f"WHERE s.tree_id OPERATOR(pg_catalog.=) {tree_id} "
    table = model_table(schema, name, "_surrogates")
    return f"SELECT {columns} FROM {table} AS s {where}ORDER BY s.tree_id, s.node_id, s.rank"


def competitors(schema: str, name: str) -> str:
    """Every competitor in order of tree, node and rank."""
    columns = ", ".join(f"s.{column}" for column in COMPETITOR_COLUMNS)
    table = model_table(schema, name, "_competitors")
    return f"SELECT {columns} FROM {table} AS s ORDER BY s.tree_id, s.node_id, s.rank"


def row_marks(schema: str, name: str, suffixes: Sequence[str]) -> str:
    """Of each of a model's tables its suffix, how many rows it has, and a sum over their places, in whatever order they
    are read: a row that is changed gets another place.
    """
    of_tables = " UNION ALL ".join(
        f"SELECT {literal(suffix)}::pg_catalog.text AS suffix, pg_catalog.count(*) AS n, pg_catalog.sum("
        f"pg_catalog.hashtid(t.ctid)::pg_catalog.int8) AS places FROM {model_table(schema, name, suffix)} AS t"
        for suffix in suffixes
    )
    return f"{of_tables} ORDER BY suffix"  # workers may take the tables in any order


def row_versions(schema: str, name: str, tables: Mapping[str, int]) -> str:
    """Of each of a model's tables, its suffix, its file, which versions its rows have, and whether all are its `own`.

    A version is its place in the file, and the transaction and the command that wrote it. Another file may have one of
    another row under the same, as VACUUM FULL writes one.

    Args:
        tables: their OIDs by suffix.
    """
    of_tables = " UNION ALL ".join(
        spelled_out(
            f"SELECT {literal(suffix)}::pg_catalog.text AS suffix, "
            f"pg_catalog.pg_relation_filenode({oid}::pg_catalog.oid) AS file, pg_catalog.string_agg((pg_catalog.tidsend"
            "(t.ctid) `||` pg_catalog.xidsend(t.xmin)) `||` pg_catalog.cidsend(t.cmin), ''::pg_catalog.bytea "
            f"ORDER BY t.ctid) AS rows, pg_catalog.bool_and(t.tableoid `=` {oid}::pg_catalog.oid) AS own FROM "
        )
        + f"{model_table(schema, name, suffix)} AS t"
        for suffix, oid in tables.items()
    )
    return f"{of_tables} ORDER BY suffix"


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


def untested_trees(schema: str, name: str) -> str:
    """The places, from 0 in order of the trees' ids, of the trees that no row is out of the bag of."""
    place = "(pg_catalog.row_number() OVER (ORDER BY t.tree_id) OPERATOR(pg_catalog.-) 1)::pg_catalog.int4"
    trees = f"SELECT {place} AS place, t.oob_tested FROM {model_table(schema, name)} AS t"
    return f"SELECT p.place FROM ({trees}) AS p WHERE p.oob_tested IS FALSE"


def oob_figures(schema: str, name: str) -> str:
    """What out-of-bag rows say of each group's trees together."""
    return f"SELECT g.gid, g.oob_error, g.oob_score FROM {model_table(schema, name, '_group')} AS g"
