"""What a page says of many trees as a whole: their error on out-of-bag rows by the number of trees, or their losses by
round; and the features' importances.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from madtree.host import Row
from madtree.model import OpenModel, few_rows, unquoted
from madtree.render.labels import one_line
from madtree.report.page import MAX_FEATURES, finite
from madtree.sqltext import report as sql
from madtree.trees import Model

MAX_ROUNDS = 1_000  # of a boosted model, that are drawn
_GIDS = ["pg_catalog.int4[]"]
_OUT_OF_BAG = ("oob_error", "oob_score", "oob_var_importance", "oob_var_importance_sd")
_OF_ROUNDS = ("n_rounds", "training_loss", "validation_loss")


def out_of_bag_values(opened: OpenModel, gids: Sequence[int]) -> list[dict[str, Any]]:
    """What out-of-bag rows say of the ensembles of some groups, for the page's script, in the order of `gids`.

    The curve is drawn of what there is: the model has the error of the first so many trees in the rows of some of them,
    and always that of all trees in the row of the group.
    """
    curves: dict[int, list[list[float]]] = {}
    if "oob_error" in opened.tables.columns(""):
        for row in opened.host.query(sql.oob_curve(*opened.tables.at), _GIDS, [list(gids)]):
            curves.setdefault(row["gid"], []).append([row["sample_id"], row["oob_error"]])
    return [
        {
            **_group(opened.model, row),
            "error": finite(row["oob_error"]),
            "score": finite(row["oob_score"]),
            "curve": curves.get(row["gid"], []),
        }
        for row in _rows(opened, gids, _OUT_OF_BAG)
    ]


def round_values(opened: OpenModel, gids: Sequence[int]) -> list[dict[str, Any]]:
    """As `out_of_bag_values`, of ensembles that are grown in rounds: `losses` has rounds, and the losses after each of
    them, of the rows in training and of those held out.
    """
    found: dict[int, list[list[float | None]]] = {}
    if opened.tables.has("_rounds"):
        for row in few_rows(opened.host, f"the rounds of {opened.tables.given}", sql.rounds(*opened.tables.at, gids)):
            losses = finite(row["training_loss"]), finite(row["validation_loss"])
            found.setdefault(row["gid"], []).append([row["round"], *losses])
    return [
        {
            **_group(opened.model, row),
            "rounds": row["n_rounds"],
            "loss": opened.model.loss.name.replace("_", " "),
            "training": finite(row["training_loss"]),
            "validation": finite(row["validation_loss"]),
            "losses": _some(found.get(row["gid"], []), row["n_rounds"]),
        }
        for row in _rows(opened, gids, _OF_ROUNDS)
    ]


def _rows(opened: OpenModel, gids: Sequence[int], columns: Sequence[str]) -> list[Row]:
    """Of `<output>_group`, in the order of `gids`."""
    statement = sql.groups(*opened.tables.at, opened.group_writers, columns)
    rows = {row["gid"]: row for row in opened.host.query(statement, _GIDS, [list(gids)])}
    return [rows[gid] for gid in gids if gid in rows]


def _group(model: Model, row: Row) -> dict[str, Any]:
    names = [unquoted(column) for column in model.grouping_columns]
    group = ", ".join(f"{name} = {value}" for name, value in zip(names, row["group"] or (), strict=False))
    return {
        "gid": row["gid"],
        "group": one_line(group),
        "trees": row["n_trees"],
        "importance": _importance(row),
        "message": row["message"],
    }


def _some(losses: list[list[float | None]], kept: int) -> list[list[float | None]]:
    """No more rounds than can be drawn, among them the last one, and the last one that the model keeps."""
    every = len(losses) // MAX_ROUNDS + 1
    return [row for at, row in enumerate(losses) if at % every == 0 or row[0] == kept or at == len(losses) - 1]


def _importance(row: Row) -> dict[str, Any]:
    """Features by what is lost where they are permuted, where that was asked for; else by impurity.

    `permuted` and `sd` are in shares of the rows or in squared error, `shares` in percent of all impurity decrease.
    """
    gained = [value or 0.0 for value in row["impurity_var_importance"] or ()]
    total = sum(gained)
    permuted, deviation = row.get("oob_var_importance"), row.get("oob_var_importance_sd")
    order = sorted(range(len(gained)), key=lambda f: (-(permuted[f] or 0.0) if permuted else 0.0, -gained[f], f))
    told = order if permuted else [f for f in order if gained[f] > 0]
    kept = told[:MAX_FEATURES]
    return {
        "features": kept,
        "shares": [finite(gained[f] / total * 100 if total > 0 else 0.0) for f in kept],
        "permuted": [finite(permuted[f]) for f in kept] if permuted else None,
        "sd": [finite(deviation[f]) for f in kept] if permuted and deviation else None,
        "unused": len(order) - len(told),
        "others": len(told) - len(kept),
    }
