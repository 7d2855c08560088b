"""What a page says of a forest as a whole: its error on out-of-bag rows by the number of trees, and its importances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from madtree.host import Host, Row
from madtree.model import ModelTables, unquoted
from madtree.render.labels import one_line
from madtree.report.page import MAX_FEATURES, finite
from madtree.sqltext import report as sql
from madtree.trees import Model

_GIDS = ["pg_catalog.int4[]"]


def forest_values(host: Host, tables: ModelTables, model: Model, gids: Sequence[int]) -> list[dict[str, Any]]:
    """The forests of some groups for the page's script, in the order of `gids`.

    The curve is drawn of what there is: the model has the error of the first so many trees in the rows of some of them,
    and always that of all trees in the row of the group.
    """
    grouping = tables.group_writers([unquoted(column) for column in model.grouping_columns])
    at = tables.schema, tables.name
    rows = {row["gid"]: row for row in host.query(sql.groups(*at, grouping), _GIDS, [list(gids)])}
    curves: dict[int, list[list[float]]] = {}
    if "oob_error" in tables.columns(""):
        for row in host.query(sql.oob_curve(*at), _GIDS, [list(gids)]):
            curves.setdefault(row["gid"], []).append([row["sample_id"], row["oob_error"]])
    return [_forest(model, rows[gid], curves.get(gid, [])) for gid in gids if gid in rows]


def _forest(model: Model, row: Row, curve: list[list[float]]) -> dict[str, Any]:
    names = [unquoted(column) for column in model.grouping_columns]
    group = ", ".join(f"{name} = {value}" for name, value in zip(names, row["group"] or (), strict=False))
    return {
        "gid": row["gid"],
        "group": one_line(group),
        "trees": row["n_trees"],
        "error": finite(row["oob_error"]),
        "score": finite(row["oob_score"]),
        "curve": curve,
        "importance": _importance(row),
        "message": row["message"],
    }


def _importance(row: Row) -> dict[str, Any]:
    """Features by what is lost where they are permuted, where that was asked for; else by impurity.

    `permuted` and `sd` are in shares of the rows or in squared error, `shares` in percent of all impurity decrease.
    """
    gained = [value or 0.0 for value in row["impurity_var_importance"] or ()]
    total = sum(gained)
    permuted, spread = row["oob_var_importance"], row["oob_var_importance_sd"]
    order = sorted(range(len(gained)), key=lambda f: (-(permuted[f] or 0.0) if permuted else 0.0, -gained[f], f))
    kept = order[:MAX_FEATURES]
    return {
        "features": kept,
        "shares": [finite(gained[f] / total * 100 if total > 0 else 0.0) for f in kept],
        "permuted": [finite(permuted[f]) for f in kept] if permuted else None,
        "sd": [finite(spread[f]) for f in kept] if permuted and spread else None,
        "others": len(order) - len(kept),
    }
