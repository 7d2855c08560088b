"""How far predictions may be off, as `<output>_conformal` keeps it; and what follows for those of type 'conformal'."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import listed
from madtree.learn.data import Array, Floats
from madtree.model import ModelTables, OpenModel
from madtree.sqltext import curves as sql
from madtree.sqltext.quote import literal

_MOST_GROUPS = 2**20
MOST_LEVELS = 100


def kept_quantiles(opened: OpenModel, level: float) -> Floats:
    """(n_groups,) the quantiles of a level, by the groups' numbers from 1; (1,) where the model is not grouped. A group
    that has none of its own has that of all rows.

    Raises:
        MadtreeError: none are kept, or not of this level, or they are damaged.
    """
    tables = opened.tables
    if not tables.has("_conformal"):
        raise MadtreeError(
            f"model: {tables.given} has no quantiles, which type 'conformal' takes",
            hint=f"Keep them, by a table of rows that training has not seen: {_call(tables, [level])}.",
            sqlstate="42809",
        )
    opened.look_again_at("_conformal")
    at, n_groups = tables.at, opened.model.summary["num_all_groups"]
    expected: list[int | None] = [1]
    if opened.model.grouping_columns and isinstance(n_groups, int):
        expected = [None, *range(1, min(n_groups, _MOST_GROUPS) + 1)]
    rows = listed(opened.host, sql.kept_quantiles(*at, level, len(expected)))
    levels = [] if rows else [row["level"] for row in opened.host.query(sql.kept_levels(*at, MOST_LEVELS))]
    if levels:
        raise MadtreeError(
            f"level: {tables.given} keeps quantiles of the levels {', '.join(map(repr, levels))}, not of {level!r}",
            hint=f"Keep it with the others: {_call(tables, [*levels, level])}.",
        )
    found = np.array([nan if row["quantile"] is None else row["quantile"] for row in rows])
    is_there = ~np.isnan(found)
    are_fit = [row["tree_id"] for row in rows] == expected and is_there[0] and (found[is_there] >= 0).all()
    if not (are_fit and (found[is_there] < inf).all()):
        raise tables.damaged("its quantiles are none of its groups", "Keep them anew, by madtree.conformal_train.")
    whole: Floats = np.where(is_there, found, found[0])
    return whole[len(expected) > 1 :]


def quantile_of_group(opened: OpenModel, level: float, gid: int | None) -> float:
    """That of one group, or of a model without groups; raises MadtreeError as `kept_quantiles`."""
    return float(kept_quantiles(opened, level)[(gid or 1) - 1])


def conformal_predictions(numbers: Floats, quantile: float, *, of_classes: bool) -> Array:
    """What is predicted by numbers (n_rows, n): of probabilities (n_rows, n_classes) whether each class is in the set;
    else (n_rows, 3) the number, and the low and the high end of its interval.
    """
    if of_classes:
        within: Array = 1 - numbers <= quantile
        return within
    number = numbers[:, 0]
    return np.stack([number, number - quantile, number + quantile], axis=1)


def _call(tables: ModelTables, levels: Sequence[float]) -> str:
    """The statement that keeps these levels."""
    of_levels = ", ".join(map(repr, sorted(levels)))
    return f"SELECT madtree.conformal_train({literal(tables.given)}, 'calibration_table', {literal(of_levels)})"
