"""The rows of a model's tables, which are looked at first: another role's view would run what that role wrote."""

from __future__ import annotations

from typing import Any

from madtree.client.caller import Caller
from madtree.client.calls import CallError
from madtree.client.result import Result
from madtree.model import find_model, nodes_of, read_summary
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import model_table, suffixed


def table_rows(caller: Caller, model: str, suffix: str, order: str, *, forest: bool = False) -> Result[Any]:
    """The rows of the model's table of this suffix, or of the view of a forest's nodes.

    Args:
        order: columns as SQL.
        forest: whether it must be one.

    Raises:
        MadtreeError: there is no such model, or it is refused, or no such table belongs to it.
    """
    with caller.reading():
        tables = find_model(caller.host, model, "model")
        if forest and not tables.is_packed:
            raise CallError(f"{model} is no forest", "Client.model reads models of single trees.")
        if suffix not in tables.facts.tables:
            name = ident(suffixed(tables.name, suffix))
            raise CallError(
                f"{model} has no table {name}", "It was trained without, or the table is another role's.", "42P01"
            )
        table = model_table(tables.schema, tables.name, suffix)
        if suffix == "_nodes" and tables.is_packed:
            header = read_summary(caller.host, tables, to_run=False)
            table = f"{nodes_of(tables, header).sql} AS n"
        return caller.rows_of(table, order)
