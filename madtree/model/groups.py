"""The values of a model's groups, read once: a result has many rows of each, which share the text."""

from __future__ import annotations

from madtree.host import Host, listed, watched
from madtree.model.find import ModelTables
from madtree.model.summary import unquoted
from madtree.sqltext import explain as sql
from madtree.sqltext.tables import model_table
from madtree.trees import Model


def group_objects(host: Host, tables: ModelTables, model: Model) -> dict[int, str]:
    """By the numbers of groups, which are those of their trees where each has one, their values as the text of a JSON
    object; empty where the model is not grouped.
    """
    if not model.grouping_columns:
        return {}
    names = [unquoted(column) for column in model.grouping_columns]
    table, number = model_table(tables.schema, tables.name, model.kind.groups_in), model.kind.group_number
    statement = sql.group_objects(table, number, tables.group_writers(names))
    return {row["number"]: row["group_values"] for row in watched(host, listed(host, statement))}
