"""The rows of a model's tables, which are looked at first: another role's view would run what that role wrote."""

from __future__ import annotations

from typing import Any

from madtree.client.caller import Caller
from madtree.client.calls import CallError
from madtree.client.result import Result
from madtree.model import find_model, nodes_of, read_summary
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import model_table, suffixed
from madtree.trees import Model, ModelKind


def check_kind(model: Model, kind: ModelKind) -> None:
    """Raises CallError where a model is not of the kind that was asked for."""
    if model.kind != kind:
        raise CallError(f"{model.name} is no {kind.noun}", "Client.model reads models of single trees.")


def table_rows(caller: Caller, model: str, suffix: str, order: str, kind: ModelKind | None = None) -> Result[Any]:
    """The rows of the model's table of this suffix, or of the view of packed nodes.

    Args:
        order: columns as SQL.
        kind: that the model must be of.

    Raises:
        MadtreeError: there is no such model, or it is refused, or no such table belongs to it.
    """
    with caller.reading():
        tables = find_model(caller.host, model, "model")
        if kind is not None:
            check_kind(read_summary(caller.host, tables, to_run=False), kind)
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
