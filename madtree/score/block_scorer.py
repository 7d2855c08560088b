"""Scores one block of rows with numpy: what the SQL function `score_block` runs, in this process or in a worker.

Every row of a block steps down its tree at once, a level at a time, by the plan that `score.block_plan` makes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import (
    RIGHT,
    UNKNOWN,
    Array,
    Bools,
    Floats,
    Ints,
    LastPlan,
    Steps,
    rows_in,
)
from madtree.learn.walk import MOST_ROWS
from madtree.score.checked_plan import checked_plan
from madtree.score.coded_forest import CodedForest
from madtree.score.forest_scorer import Route, counted_bytes, forest_outcomes, out_of_bag_outcomes

Plan = dict[str, Any]

COUNTED_BYTES = 32 * 2**20  # of the votes and sums of rows that are scored together
_BEYOND_KEYS = 2.0**62

_plans = LastPlan(checked_plan)


def score_block(plan: bytes, images: bytes) -> Steps[bytes]:
    """What the rows of one block end in: the plan's outcomes in its own integer type, 0 for rows without a tree.

    Args:
        plan: of `score.block_plan.build_plan`.
        images: for each row the image of a float8 array: the tree's id where the model is grouped, then the features:
            numbers, or the keys of categories. NaN is NULL. Behind them, for what is said out of bag, the row's
            identity. Without any of them, one number that means nothing.

    Raises:
        MadtreeError: the plan is damaged, or the rows are not of as many numbers.
    """
    model = _plans.get(plan)
    n_numbers = max(model["grouped"] + len(model["is_category"]) + (model["samples"] is not None), 1)
    rows = rows_in(images, n_numbers)
    if rows is None:
        raise MadtreeError(f"images must be those of rows of {n_numbers} numbers, none of them NULL")
    return (yield from _scored_rows(model, rows))


def score_rows(plan: bytes, rows: Floats) -> Steps[bytes]:
    """As `score_block`, of rows (n_rows, n_numbers) that a query of the same numbers has sent."""
    return (yield from _scored_rows(_plans.get(plan), rows))


def _scored_rows(model: Plan, rows: Floats) -> Steps[bytes]:
    """The outcomes of rows (n_rows, n_numbers)."""
    found = []
    size = MOST_ROWS if not model["members"] else max(1, min(MOST_ROWS, COUNTED_BYTES // counted_bytes(model)))
    for first in range(0, len(rows), size):
        yield
        block = rows[first : first + size]
        found.append((yield from _scored(model, np.array(block.T, np.float64, order="C"))))
    return b"".join(found)


def _scored(model: Plan, numbers: Floats) -> Steps[bytes]:
    """The outcomes of some rows (n_numbers, n_rows), which are written to."""
    values = numbers[int(model["grouped"]) :][: len(model["is_category"])]
    outcome: Array = model["outcome"]
    if len(model["roots"]) == 0:
        return np.zeros(numbers.shape[1], outcome.dtype).tobytes()
    tree, known = _trees(model, numbers[0] if model["grouped"] else np.zeros(numbers.shape[1]))
    for feature in np.flatnonzero(model["is_category"]).tolist():
        values[feature] = _as_codes(model, feature, values[feature], tree)
    if model["members"]:
        route = _route_of_forest(model, values)
        if model["samples"] is not None:
            from madtree.learn.problem import identities  # takes long to load, and most predictions do without

            return (yield from out_of_bag_outcomes(model, tree, known, route, identities(numbers[-1])))
        return (yield from forest_outcomes(model, tree, known, route))
    leaves = yield from _route_of(model)(model, model["roots"].take(tree), values)
    found = outcome.take(leaves)
    return (found if known is None else np.where(known, found, 0).astype(outcome.dtype)).tobytes()


def _trees(model: Plan, wanted: Floats) -> tuple[Ints, Bools | None]:
    """(n_rows,) position of each row's tree, any where it has none; and whether it has one, None where all have."""
    trees = model["trees"]
    if not model["grouped"] or len(trees) == 0:
        return np.zeros(len(wanted), np.int64), None
    first = int(trees[0])
    if int(trees[-1]) - first == len(trees) - 1:  # as trained, where no group failed
        known = (wanted >= first) & (wanted <= int(trees[-1]))
        return np.where(known, wanted - first, 0).astype(np.int64), known
    place = np.minimum(np.searchsorted(trees, wanted), len(trees) - 1)
    return place, trees[place] == wanted


def _as_codes(model: Plan, feature: int, values: Floats, tree: Ints) -> Floats:
    """(n_rows,) codes of categories; NaN where missing or unknown to every node.

    NULL has a code where it is a category, and what a row's tree has never seen takes it.
    """
    categories = model[f"categories_{feature}"]
    missing = np.isnan(values)
    missing |= np.abs(values) >= _BEYOND_KEYS  # numbers that no key can be
    code, known = _find(categories, np.where(missing, 0, values).astype(np.int64))
    known &= ~missing
    seen = model.get(f"seen_{feature}")
    if seen is not None:
        known &= _find(seen, tree * model["width"] + code)[1]
    return np.where(known, code, len(categories) if model["has_null"][feature] else np.nan)


def _route_of_forest(model: Plan, values: Floats) -> Route:
    """The ways of rows whose values (n_features, n_rows) these are."""
    coded: CodedForest | None = model["coded"]
    return _RowsByValues(model, values) if coded is None else coded.route(values)


@dataclass(frozen=True)
class _RowsByValues:
    """The ways of rows whose values (n_features, n_rows) these are, where they have no codes."""

    model: Plan
    values: Floats

    def leaves(self, root: int | Ints) -> Steps[Ints]:
        """As `forest_scorer.Route`."""
        at: Ints = np.full(self.values.shape[1], root)
        return (yield from _route_of(self.model)(self.model, at, self.values))

    def of(self, rows: Ints) -> _RowsByValues:
        """As `forest_scorer.Route`."""
        return _RowsByValues(self.model, self.values.take(rows, axis=1))


def _route_of(model: Plan) -> Callable[[Plan, Ints, Floats], Steps[Ints]]:
    simple = not any(model["is_category"]) and len(model["feature"]) == len(model["child"])
    return _route_by_numbers if simple else _route


def _route_by_numbers(model: Plan, at: Ints, values: Floats) -> Steps[Ints]:
    """(n_rows,) position of the leaf that each row ends in, from the roots `at`: neither categories nor surrogates.

    Rows in a leaf stay there by themselves. They are sorted out where they become many, not at every step.
    """
    n_features, n_rows = values.shape
    if n_features == 0:
        return at
    flat = values.ravel()
    start = model["feature"] * n_rows  # of the column that each node asks
    child, threshold = model["child"], model["threshold"]
    missing_right = model["missing_right"] if np.isnan(values).any() else None
    ended, rows = at, np.arange(n_rows)
    depth, everyone = 0, True
    while True:
        yield
        value = flat.take(start.take(at) + rows)
        right = value > threshold.take(at)
        if missing_right is not None:
            missing = np.flatnonzero(np.isnan(value))
            right[missing] = missing_right.take(at.take(missing))
        at = child.take(at)
        at += right
        depth += 1
        if depth % 2:
            continue
        inner = np.flatnonzero(child.take(at) != at)
        if len(inner) > len(at) * 3 // 4:
            continue
        if everyone:
            ended, everyone = at, False
        else:
            ended[rows] = at
        if len(inner) == 0:
            return ended
        rows, at = rows.take(inner), at.take(inner)


def _route(model: Plan, node: Ints, values: Floats) -> Steps[Ints]:
    """(n_rows,) position of the leaf that each row ends in, from the roots `node`."""
    child = model["child"]
    node = node.copy()
    rows, at = np.arange(len(node)), node
    while True:
        yield
        inner = child[at] != at
        rows, at = rows[inner], at[inner]
        if len(rows) == 0:
            return node
        side = _side(model, at, values, rows)
        unknown = np.flatnonzero(side == UNKNOWN)
        if len(unknown):
            side[unknown] = yield from _side_by_surrogates(model, at[unknown], values, rows[unknown])
        at = child[at] + (side == RIGHT)
        node[rows] = at


def _side(model: Plan, split: Ints, values: Floats, rows: Ints) -> Array:
    """(m,) uint8 where splits (m,) send rows (m,), as if low values went left: LEFT, RIGHT or UNKNOWN."""
    feature = model["feature"][split]
    value = values[feature, rows]
    side: Array = (value > model["threshold"][split]).astype(np.uint8)
    missing = np.isnan(value)
    side[missing] = UNKNOWN
    by_category = np.flatnonzero(np.asarray(model["is_category"], bool)[feature] & ~missing)
    if len(by_category):
        wanted = split[by_category] * model["width"] + value[by_category].astype(np.int64)
        place, named = _find(model["entries"], wanted)
        side[by_category] = np.where(named, model["entry_side"][place], UNKNOWN)
    return side


def _side_by_surrogates(model: Plan, node: Ints, values: Floats, rows: Ints) -> Steps[Array]:
    """(m,) uint8, LEFT or RIGHT: where rows go that their nodes' own splits cannot tell; at last with the majority."""
    side: Array = model["missing_right"][node].astype(np.uint8)
    split, stop = model["surrogates"][node], model["surrogates"][node + 1]
    waiting = np.flatnonzero(split < stop)
    while len(waiting):
        yield
        asked = split[waiting]
        answer = _side(model, asked, values, rows[waiting])
        known = answer != UNKNOWN
        side[waiting[known]] = answer[known] ^ ~model["low_goes_left"][asked[known]]
        split[waiting] += 1
        waiting = waiting[~known & (split[waiting] < stop[waiting])]
    return side


def _find(sorted_: Ints, wanted: Ints) -> tuple[Ints, Bools]:
    """(n,) the place of each number among the sorted ones, and whether it is there; 0 if there are none at all."""
    if len(sorted_) == 0:
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    place = np.minimum(np.searchsorted(sorted_, wanted), len(sorted_) - 1)
    found: Bools = sorted_[place] == wanted
    return place, found
