"""Scores one block of rows with numpy: what the SQL function `score_block` runs, in this process or in a worker.

The plan that `score.block_plan` makes says which trees there are and what they say; `learn.walk` finds the leaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Bools, Coroutine, Floats, LastPlan, rows_in
from madtree.learn.walk import MOST_ROWS, Walk
from madtree.score.block_plan import checked_plan
from madtree.score.member_scorer import (
    LEAF_OUTCOMES,
    LEAF_SUMS,
    SHAP,
    STAGED,
    counted_bytes,
    member_outcomes,
    out_of_bag_outcomes,
)
from madtree.score.routed_rows import RoutedRows

Plan = dict[str, Any]

COUNTED_BYTES = 32 * 2**20  # of the votes and sums of rows that are scored together
_MOST_BYTES = 2**29  # of what all rows come to, half of what a value of bytea holds

_plans = LastPlan(checked_plan)


def score_block(plan: bytes, images: bytes) -> Coroutine[bytes]:
    """What the rows of one block end in: the plan's outcomes in its own integer type, 0 for rows without a tree.

    Args:
        plan: of `score.block_plan.build_plan`.
        images: for each row the image of a float8 array: the tree's id where the model is grouped, then the features:
            numbers, or the keys of categories. NaN is NULL. Behind them, where rows have one, their offset; for what is
            said out of bag, the row's
            identity; for what is said by rounds, and to be summed, its outcome and weight; to be drawn for leaves,
            these and its identity. Without any of them, one number that means nothing.

    Raises:
        MadtreeError: the plan is damaged, the rows are not of as many numbers, or what they come to has too many bytes.
    """
    model = _plans.get(plan)
    if "counted" in model:
        return (yield from _counted(model, _read(images, max(model["grouped"] + len(model["counted"].is_category), 1))))
    judged = 2 * _is(model, STAGED) or (_is(model, LEAF_SUMS) and 1 + model["weighted"])
    behind = (model["samples"] is not None) + judged + 3 * _is(model, LEAF_OUTCOMES)
    n_numbers = max(model["grouped"] + len(model["walk"].is_category) + model["has_offset"] + behind, 1)
    return (yield from _scored_rows(model, _read(images, n_numbers)))


def _read(images: bytes, n_numbers: int) -> Floats:
    """(n_rows, n_numbers)"""
    rows = rows_in(images, n_numbers)
    if rows is None:
        raise MadtreeError(f"images must be those of rows of {n_numbers} numbers, none of them NULL")
    return rows


def score_rows(plan: bytes, rows: Floats) -> Coroutine[bytes]:
    """As `score_block`, of rows (n_rows, n_numbers) that a query of the same numbers has sent."""
    model = _plans.get(plan)
    return (yield from (_counted if "counted" in model else _scored_rows)(model, rows))


def _counted(model: Plan, rows: Floats) -> Coroutine[bytes]:
    """How many of the rows (n_rows, n_numbers) have which values, as `ValueCounts.to_bytes` has it."""
    from madtree.score.value_counts import ValueCounts, counted_rows  # as below

    walk: Walk | None = model["walk"]
    total = ValueCounts.none(model["counted"], 0 if walk is None else len(walk.child))
    for first in range(0, len(rows), MOST_ROWS):
        yield
        block = np.array(rows[first : first + MOST_ROWS].T, np.float64, order="C")
        total = total.and_of((yield from counted_rows(model, block)))
    return total.to_bytes()


def _scored_rows(model: Plan, rows: Floats) -> Coroutine[bytes]:
    """The outcomes of rows (n_rows, n_numbers)."""
    found, n_bytes = [], 0
    size = MOST_ROWS if not model["members"] else max(1, min(MOST_ROWS, COUNTED_BYTES // counted_bytes(model)))
    for first in range(0, len(rows), size):
        yield
        block = rows[first : first + size]
        found.append((yield from _scored(model, np.array(block.T, np.float64, order="C"))))
        n_bytes += len(found[-1])
        if n_bytes > _MOST_BYTES:
            raise MadtreeError(
                f"what these rows come to has more than {_MOST_BYTES // 2**20} MB: give fewer rows at once",
                sqlstate="54000",
            )
    return b"".join(found)


def _scored(model: Plan, numbers: Floats) -> Coroutine[bytes]:
    """The outcomes of some rows (n_numbers, n_rows), which are written to."""
    walk: Walk = model["walk"]
    n_rows = numbers.shape[1]
    values = numbers[int(model["grouped"]) :][: len(walk.is_category)]
    if len(walk.roots) == 0:
        return np.zeros(n_rows, model["outcome"].dtype).tobytes()
    place, known = walk.places(numbers[0] if model["grouped"] else None, n_rows)
    offset = numbers[int(model["grouped"]) + len(values)] if model["has_offset"] else None
    if offset is not None:  # without it a row has no score, as without a group
        has_score = np.isfinite(offset)
        known = has_score if known is None else known & has_score
        offset = np.where(has_score, offset, 0.0)
    if model["members"] and model["what"] == SHAP:
        from madtree.score.shap_scorer import shap_outcomes  # takes long to load, and most predictions do without

        return (yield from shap_outcomes(model, place, known, walk.route_by_nodes(values, place)))
    if _is(model, LEAF_SUMS) and model["with_some"] and (lacking := _without_any(values)).any():
        known = ~lacking if known is None else known & ~lacking
    routed = RoutedRows(model, place, known, (yield from walk.route(values, place)), offset)
    if model["members"]:
        if model["samples"] is not None:
            from madtree.learn.problem import identities  # as above

            return (yield from out_of_bag_outcomes(routed, identities(numbers[-1])))
        if _is(model, LEAF_OUTCOMES):
            from madtree.learn.problem import identities  # as above
            from madtree.score.leaf_draws import drawn_for_leaves

            return (yield from drawn_for_leaves(routed, numbers[-3], numbers[-2], identities(numbers[-1])))
        if _is(model, LEAF_SUMS):
            from madtree.score.leaf_sums import sums_of_leaves  # as above

            outcomes, weights = (numbers[-2], numbers[-1]) if model["weighted"] else (numbers[-1], None)
            return (yield from sums_of_leaves(routed, outcomes, weights))
        if _is(model, STAGED):
            from madtree.score.staged_scorer import staged_sums  # as above

            return (yield from staged_sums(routed, numbers[-2], numbers[-1]))
        return (yield from member_outcomes(routed))
    found = model["outcome"].take((yield from routed.route.leaves(walk.roots.take(place))))
    return routed.where_known(found, 0).tobytes()


def _without_any(values: Floats) -> Bools:
    """(n_rows,) whether all of a row's values (n_features, n_rows) are missing."""
    lacking: Bools = np.isnan(values[0])
    rows = np.flatnonzero(lacking)
    lacking[rows] = np.isnan(values[1:, rows]).all(axis=0)
    return lacking


def _is(model: Plan, what: str) -> bool:
    """Whether that is what the plan asks."""
    return bool(model["members"]) and model["what"] == what
