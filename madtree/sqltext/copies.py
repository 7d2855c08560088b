"""Statements that write copies of models, whatever becomes of their trees.

The copies have the columns of the originals, whatever these are, and none of their constraints but the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.records import dataclass
from madtree.sqltext.kinds import SUMMARY_COLUMNS
from madtree.sqltext.packed_nodes import create_view, decoded_nodes, store_whole
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import create_table, model_table
from madtree.sqltext.typenames import type_sql
from madtree.sqltext.values import Kept
from madtree.trees import NodeLayout

Name = tuple[str, str]  # schema and name of a model, unquoted
Columns = Mapping[str, Kept]  # the columns of a table, unquoted, and how the copy keeps them


@dataclass(frozen=True)
class ModelCopy:
    """A model that is written from the tables of another one.

    Attributes:
        old, new: where that is, and where the copy.
        parts: the columns of the tables that are copied, by these tables' suffixes.
    """

    old: Name
    new: Name
    parts: Mapping[str, Columns]

    def create(self) -> str:
        """Empty tables for the new model."""
        return ";\n".join(
            create_table(*self.new, suffix, [f"{ident(name)} {type_sql(kept.type)}" for name, kept in columns.items()])
            for suffix, columns in self.parts.items()
        )

    def create_nodes(
        self, layout: NodeLayout, features: Sequence[str], class_type: str | None, classes: Sequence[str]
    ) -> str:
        """What makes the tables, and the view of the new model's packed nodes; arguments are those of
        `decoded_nodes`.
        """
        view = create_view(*self.new, decoded_nodes(*self.new, layout, features, class_type, classes))
        return f"{self.create()};\n{store_whole(*self.new)};\n{view}"

    def fill(self, suffix: str, alias: str = "s", values: Mapping[str, str] | None = None) -> str:
        """INSERT .. SELECT .. FROM a table of that suffix: all columns, some with other values, SQL over the alias."""
        columns, own = self.parts[suffix], values or {}
        names = ", ".join(map(ident, columns))
        selected = ", ".join(own.get(name, kept.value(f"{alias}.{ident(name)}")) for name, kept in columns.items())
        into, source = model_table(*self.new, suffix), model_table(*self.old, suffix)
        return f"INSERT INTO {into} ({names}) SELECT {selected} FROM {source} AS {alias}"

    def fill_summary(self, given: Sequence[str], values: Mapping[str, str]) -> str:
        """Copy the summary, with a parameter for each of the columns that are `given`; `values`: SQL of further ones
        that become others, over `s`.
        """
        own = {column: f"${number}::{summary_type(column)}" for number, column in enumerate(given, 1)}
        return self.fill("_summary", values={**values, **own})

    def fill_statistics(self) -> str:
        """Copy what is kept of the features; what the copy says is another thing than what the model did."""
        return f"{self.fill('_statistics')} WHERE s.feature IS NOT NULL"


def summary_type(column: str) -> str:
    """The type of a column of the summary, in pg_catalog."""
    return f"pg_catalog.{SUMMARY_COLUMNS[column]}"
