"""tree_drop: remove a model."""

from __future__ import annotations

from madtree.host import Host
from madtree.model.find import find_model, missing_model
from madtree.model.turns import drop_model
from madtree.sqltext.quote import ident


def tree_drop(host: Host, model_name: str | None) -> str:
    """Drop a model's tables; returns one line that names them.

    Raises:
        MadtreeError: there is no such model.
    """
    tables = find_model(host, model_name, "model", to_drop=True)
    dropped = drop_model(host, tables.schema, tables.name)
    if not dropped:  # by another session, after it was found and before it was locked
        raise missing_model(tables.given, tables.argument)
    return f"tree_drop: dropped {', '.join(ident(name) for name in sorted(dropped))} in schema {ident(tables.schema)}"
