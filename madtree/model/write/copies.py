"""What all copies of a model have in common: the tables that are copied, and what the summary says of the new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from madtree.host import Host
from madtree.model import ModelTables
from madtree.sqltext import copies as sql
from madtree.sqltext.copies import Columns, Name
from madtree.sqltext.values import Kept

Parts = dict[str, Columns]  # columns of tables, by these tables' suffixes


def parts_of(tables: ModelTables, left_out: frozenset[str] = frozenset(), summary: Sequence[str] = ()) -> Parts:
    """The tables that are copied, and their columns; `summary`: those that the copy's summary has in any case."""
    parts: Parts = {suffix: tables.kept_columns(suffix) for suffix in tables.facts.tables if suffix not in left_out}
    lacking = {name: Kept(sql.summary_type(name)) for name in summary if name not in parts["_summary"]}
    parts["_summary"] = {**parts["_summary"], **lacking}
    return parts


def copy_summary(
    host: Host,
    tables: ModelTables,
    new: Name,
    columns: Columns,
    given: Mapping[str, Any],
    values: Mapping[str, str] | None = None,
) -> None:
    """Copy the summary.

    Args:
        given: what columns say of the new model.
        values: SQL of other columns that become others, over `s`.
    """
    statement = sql.fill_summary((tables.schema, tables.name), new, columns, [*given], values or {})
    host.command(statement, [*map(sql.summary_type, given)], [*given.values()])
