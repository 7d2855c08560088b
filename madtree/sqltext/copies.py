"""Statements that write copies of models, whatever becomes of their trees.

The copies have the columns of the originals, whatever these are, and none of their constraints but the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.sqltext.kinds import SUMMARY_COLUMNS
from madtree.sqltext.packed_nodes import create_view, store_whole
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import create_table, model_table
from madtree.sqltext.typenames import type_sql
from madtree.sqltext.values import Kept
from madtree.trees import NodeLayout

Name = tuple[str, str]  # schema and name of a model, unquoted
Columns = Mapping[str, Kept]  # the columns of a table, unquoted, and how the copy keeps them


def create_copies(new: Name, tables: Mapping[str, Columns]) -> str:
    """Empty tables for the new model, by their suffixes."""
    return ";\n".join(
        create_table(*new, suffix, [f"{ident(column)} {type_sql(keep.type)}" for column, keep in columns.items()])
        for suffix, columns in tables.items()
    )


def create_nodes(
    new: Name, layout: NodeLayout, features: Sequence[str], class_type: str | None, classes: Sequence[str]
) -> str:
    """What makes the view of the new model's packed nodes; arguments are those of `packed_nodes.create_view`."""
    return f"{store_whole(*new)};\n{create_view(*new, layout, features, class_type, classes)}"


def fill_summary(old: Name, new: Name, columns: Columns, given: Sequence[str], values: Mapping[str, str]) -> str:
    """Copy the summary, with a parameter for each of the columns that are `given`; `values`: SQL of further ones that
    become others, over `s`.
    """
    own = {column: f"${number}::{summary_type(column)}" for number, column in enumerate(given, 1)}
    return (
        f"{insert_copies(new, '_summary', columns, {**values, **own}, 's')} FROM {model_table(*old, '_summary')} AS s"
    )


def summary_type(column: str) -> str:
    """The type of a column of the summary, in pg_catalog."""
    return f"pg_catalog.{SUMMARY_COLUMNS[column]}"


def fill_alike(old: Name, new: Name, suffix: str, columns: Columns) -> str:
    """Copy a table whose rows stay as they are."""
    return f"{insert_copies(new, suffix, columns, {}, 's')} FROM {model_table(*old, suffix)} AS s"


def fill_statistics(old: Name, new: Name, columns: Columns) -> str:
    """Copy what is kept of the features; what the copy says is another thing than what the model did."""
    return f"{fill_alike(old, new, '_statistics', columns)} WHERE s.feature IS NOT NULL"


def insert_copies(new: Name, suffix: str, columns: Columns, values: Mapping[str, str], alias: str) -> str:
    """INSERT .. SELECT of all columns, some of them with other values, up to the FROM clause."""
    names = ", ".join(map(ident, columns))
    selected = ", ".join(values.get(column, keep.value(f"{alias}.{ident(column)}")) for column, keep in columns.items())
    return f"INSERT INTO {model_table(*new, suffix)} ({names}) SELECT {selected}"
