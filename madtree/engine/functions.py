"""The functions that there are without the extension: those of its SQL, and what its view of models lists."""

from __future__ import annotations

from collections.abc import Mapping

from madtree.host import Host, Row
from madtree.interface import FUNCTIONS as DECLARED
from madtree.interface import Function, columns
from madtree.model import models as listed_models
from madtree.sqltext.listing import AS_IN_VIEW

FUNCTIONS: Mapping[str, Function] = {
    **DECLARED,
    "models": Function(
        "models",
        "lists the models that you can read",
        run="madtree.engine.functions:models",
        arguments=(),
        example="",
        settings={"row_security": "off", "datestyle": "ISO", "intervalstyle": "postgres"},
        returns=columns(
            "model text, schema text, name text, owner text, kind text, source_table text, dependent text, "
            "n_rows bigint, n_trees integer, depth integer, n_leaves bigint, parameters jsonb, version text, "
            "trained_at timestamp with time zone, age interval"
        ),
    ),
}


def models(host: Host) -> list[Row]:
    """The rows of the view."""
    rows = listed_models(host)
    texts = [[row[column] for row in rows] for column in ("schema", "name", "trained_at", "age")]
    return [
        row | typed for row, typed in zip(rows, host.query(AS_IN_VIEW, ["pg_catalog.text[]"] * 4, texts), strict=True)
    ]
