"""The statements that fill a new model's tables, from an array literal for each column; and rows of literals in place
of a table that is on another server.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.quote import ident, literal, text_array
from madtree.sqltext.relation import Column
from madtree.sqltext.tables import (
    COMPETITOR_COLUMNS,
    CV_COLUMNS,
    MEMBER_COLUMNS,
    NODE_COLUMNS,
    SUMMARY_COLUMNS,
    SURROGATE_COLUMNS,
    TREE_COLUMNS,
    model_table,
)
from madtree.sqltext.typenames import type_sql


def insert_with_groups(
    table: str,
    parameters: Sequence[tuple[str, str]],
    grouping: Sequence[Column],
    group_source: str | None,
    order: str,
    columns: Sequence[str] | None = None,
) -> str:
    """Fill a table from one array literal per parameter, and with the groups' values.

    Args:
        parameters: names and types; `gid`, or else `tree_id`, tells of which group a row is.
        group_source: a relation with that number as `tree_id`, and the groups' values in `g1`, `g2`, ...
        columns: those of the parameters that the table has; None for all.
    """
    names = [*(columns or dict(parameters))]
    values = [f"t.{column}" for column in names]
    join = ""
    if grouping:
        names += [ident(column.name) for column in grouping]
        values += [f"g.g{i + 1}" for i in range(len(grouping))]
        number = "gid" if "gid" in dict(parameters) else "tree_id"
        join = f" JOIN {group_source} AS g ON g.tree_id OPERATOR(pg_catalog.=) t.{number}"
    return (
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {with_arrays(values)} "
        f"FROM {unnested('t', parameters)}{join} ORDER BY {order}"
    )


def insert_trees(schema: str, name: str, grouping: Sequence[Column], group_source: str | None) -> str:
    """Fill `<output>` from one array literal per column of `TREE_COLUMNS`; see `insert_with_groups`."""
    return insert_with_groups(model_table(schema, name), TREE_COLUMNS, grouping, group_source, "t.tree_id")


def member_parameters(more: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The columns of `<output>` where groups have many trees, with `more` behind them."""
    return (*MEMBER_COLUMNS, *TREE_COLUMNS, *more)


def insert_members(
    schema: str, name: str, parameters: Sequence[tuple[str, str]], grouping: Sequence[Column], group_source: str | None
) -> str:
    """Fill `<output>` from one array literal per column of `parameters`; see `insert_with_groups`."""
    return insert_with_groups(model_table(schema, name), parameters, grouping, group_source, "t.gid, t.sample_id")


def insert_groups(
    schema: str, name: str, parameters: Sequence[tuple[str, str]], grouping: Sequence[Column], group_source: str | None
) -> str:
    """Fill `<output>_group` from one array literal per column of `parameters`."""
    return insert_with_groups(model_table(schema, name, "_group"), parameters, grouping, group_source, "t.gid")


# What is handed over for each row of `<output>_cv`: the tree is only there to find its group.
CV_PARAMETERS: tuple[tuple[str, str], ...] = (("tree_id", "int4"), *CV_COLUMNS)


def insert_cv(schema: str, name: str, grouping: Sequence[Column], group_source: str | None) -> str:
    """Fill `<output>_cv` from one array literal per column of `CV_PARAMETERS`; see `insert_trees`."""
    columns, order = [column for column, _ in CV_COLUMNS], "t.tree_id, t.cp DESC"
    return insert_with_groups(model_table(schema, name, "_cv"), CV_PARAMETERS, grouping, group_source, order, columns)


def fill_beside(schema: str, name: str, suffix: str, columns: Sequence[tuple[str, str]]) -> str:
    """Fill a table beside a model from one array literal per column."""
    names = [column for column, _ in columns]
    values = with_arrays([f"s.{column}" for column in names])
    table = model_table(schema, name, suffix)
    return f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {unnested('s', columns)}"


# The columns of `<output>_nodes` that do not follow from others.
NODE_PARAMETERS: tuple[tuple[str, str], ...] = tuple(
    (column, kind or "text") for column, kind in NODE_COLUMNS if column not in ("parent_id", "is_leaf")
)


# Whether long values are compressed by pglz, and the server has lz4, which takes a fraction of the time.
QUICKER_COMPRESSION = (
    "SELECT FROM pg_catalog.pg_settings s WHERE s.name OPERATOR(pg_catalog.=) 'default_toast_compression' "
    "AND s.setting OPERATOR(pg_catalog.=) 'pglz' AND 'lz4' OPERATOR(pg_catalog.=) ANY (s.enumvals)"
)


def insert_nodes(schema: str, name: str, prediction_type: str, classes: Sequence[str]) -> str:
    """Fill `<output>_nodes` from one array literal per column of `NODE_PARAMETERS`.

    `classes` are the class labels. Of a type that is not PostgreSQL's own they become values one by one, as literals: a
    cast from text may be a function of the type's owner.
    """
    derived = {
        "parent_id": "CASE WHEN n.node_id OPERATOR(pg_catalog.>) 0 THEN "
        "(n.node_id OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog./) 2 END",
        "is_leaf": "n.feature IS NULL",
        "prediction": f"n.prediction::{type_sql(prediction_type)}",
    }
    if classes and "." in prediction_type:
        values = ", ".join(f"{literal(label)}::{prediction_type}" for label in classes)
        places = f"pg_catalog.array_position({text_array(list(classes))}, n.prediction)"
        derived["prediction"] = f"(ARRAY[{values}])[{places}]"
    selected = [derived.get(column, f"n.{column}") for column, _ in NODE_COLUMNS]
    return (
        f"INSERT INTO {model_table(schema, name, '_nodes')} ({', '.join(column for column, _ in NODE_COLUMNS)}) "
        f"SELECT {with_arrays(selected)} FROM {unnested('n', NODE_PARAMETERS)}"
    )


def insert_surrogates(schema: str, name: str) -> str:
    """Fill `<output>_surrogates` from one array literal per column of `SURROGATE_COLUMNS`."""
    return _insert_plain(model_table(schema, name, "_surrogates"), SURROGATE_COLUMNS)


def insert_competitors(schema: str, name: str) -> str:
    """Fill `<output>_competitors` from one array literal per column of `COMPETITOR_COLUMNS`."""
    return _insert_plain(model_table(schema, name, "_competitors"), COMPETITOR_COLUMNS)


def _insert_plain(table: str, parameters: Sequence[tuple[str, str]]) -> str:
    columns = [column for column, _ in parameters]
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) "
        f"SELECT {with_arrays([f's.{column}' for column in columns])} FROM {unnested('s', parameters)}"
    )


def insert_summary(schema: str, name: str, columns: Sequence[tuple[str, str]] = SUMMARY_COLUMNS) -> str:
    """Fill `<output>_summary` from one parameter per column."""
    values = ", ".join(f"${i}::pg_catalog.{kind}" for i, (_, kind) in enumerate(columns, 1))
    return (
        f"INSERT INTO {model_table(schema, name, '_summary')} "
        f"({', '.join(ident(column) for column, _ in columns)}) VALUES ({values})"
    )


# Where the parameters cast each row's text to an array: `unnest` would take a nested array apart.
_ARRAY_COLUMNS = {
    column: kind for column, kind in (*TREE_COLUMNS, *NODE_COLUMNS) if kind is not None and kind.endswith("[]")
} | {
    "base_score": "float8[]",
    "oob_var_importance": "float8[]",
    "oob_var_importance_sd": "float8[]",
    "category_sets": "text[]",
    "point_scores": "float8[]",
    "point_probabilities": "float8[]",
    "point_ends": "int4[]",
    "outcomes": "float8[]",
}


def unnested(alias: str, columns: Sequence[tuple[str, str]]) -> str:
    """A relation of rows from one parameter a column, each an array literal."""
    # In a select list they are read in step; in FROM each would be stored first, which takes twice as long.
    arrays = ", ".join(
        f"pg_catalog.unnest(${i}::pg_catalog.{'text' if column in _ARRAY_COLUMNS else kind}[]) AS {column}"
        for i, (column, kind) in enumerate(columns, 1)
    )
    return f"(SELECT {arrays}) AS {alias}"


def with_arrays(values: Sequence[str]) -> str:
    """A select list of columns `x.column`, those that travel as text as the arrays that they are."""
    return ", ".join(
        f"{value}::pg_catalog.{_ARRAY_COLUMNS[value[2:]]}" if value[2:] in _ARRAY_COLUMNS else value for value in values
    )


def value_rows(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str | None]]) -> str:
    """A query in brackets for some rows, which needs an alias.

    Args:
        columns: name, unquoted, and type of each.
        rows: their values as texts, None for NULL.
    """
    names = ", ".join(ident(name) for name, _ in columns)
    types = [type_sql(type_) for _, type_ in columns]
    nothing = ", ".join(f"NULL::{type_}" for type_ in types)
    if not rows:
        return f"(SELECT * FROM (SELECT {nothing} WHERE false) AS madtree_values ({names}))"
    values = ", ".join(
        "(" + ", ".join(f"{_text(text)}::{type_}" for text, type_ in zip(row, types, strict=True)) + ")" for row in rows
    )
    return f"(SELECT * FROM (VALUES {values}) AS madtree_values ({names}))"


def _text(text: str | None) -> str:
    return "NULL" if text is None else literal(text)
