"""tree_drop: remove a model."""

from __future__ import annotations

from dataclasses import dataclass

from madtree.host import Host
from madtree.model.find import find_model, missing_model
from madtree.model.turns import drop_model


@dataclass(frozen=True)
class Dropped:
    """The tables that were dropped: their schema and their names, unquoted."""

    schema: str
    names: list[str]


def tree_drop(host: Host, model_name: str | None) -> Dropped:
    """Drop a model's tables.

    Raises:
        MadtreeError: there is no such model.
    """
    tables = find_model(host, model_name, "model", to_drop=True)
    dropped = drop_model(host, tables.schema, tables.name)
    if not dropped:  # by another session, after it was found and before it was locked
        raise missing_model(tables.given, tables.argument)
    return Dropped(tables.schema, dropped)
