"""Scoring blocks of rows with numpy, for models that are too large for one SQL expression.

Every row of a block steps down its tree at once, a level at a time, by the plan that `madtree.blockplan` makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from madtree.core import codec
from madtree.core.image import decode
from madtree.core.types import Array, Bools, Floats, Ints

NOWHERE = -1  # a row of a group that has no tree
# Where a split sends a row.
RIGHT, LEFT, UNKNOWN = 0, 1, 2

Plan = dict[str, Any]


def score_block(plan: bytes, tree_ids: bytes, images: Sequence[bytes]) -> list[int | None]:
    """What the rows of one block end in: (n_rows,) the plan's outcomes, None for rows without a tree.

    Args:
        plan: of `madtree.blockplan.build_plan`.
        tree_ids: array image, (n_rows,) integers; NULL for a row of an unknown group.
        images: array images of the features, (n_rows,) each: numbers, or the keys of levels.
    """
    # Arrays are views of the plan's bytes: reading it again for every block costs microseconds.
    model = codec.load(plan)
    tree = _trees(model, tree_ids)
    values = np.empty((len(images), len(tree)))
    for feature, image in enumerate(images):
        values[feature] = _as_numbers(model, feature, image, tree)
    roots = np.append(model["roots"], NOWHERE)  # which position -1 finds
    node = _route(model, roots[tree], values)
    return [number or None for number in model["outcome"][node].tolist()]


def _trees(model: Plan, tree_ids: bytes) -> Ints:
    """(n_rows,) position of each row's tree, or NOWHERE."""
    wanted, valid = decode(tree_ids)
    trees = model["trees"]
    if len(trees) == 0:
        return np.full(len(wanted), NOWHERE, np.int64)
    place = np.minimum(np.searchsorted(trees, wanted), len(trees) - 1)
    known = trees[place] == wanted
    if valid is not None:
        known &= valid
    return np.where(known, place, NOWHERE)


def _as_numbers(model: Plan, feature: int, image: bytes, tree: Ints) -> Floats:
    """(n_rows,) a feature's numbers, or codes of its levels; NaN where missing or unknown to every node."""
    raw, valid = decode(image)
    if model["is_level"][feature]:
        return _as_codes(model, feature, raw.astype(np.int64), valid, tree)
    numbers = raw.astype(np.float64)
    if valid is not None:
        numbers[~valid] = np.nan
    return numbers


def _as_codes(model: Plan, feature: int, keys: Ints, valid: Bools | None, tree: Ints) -> Floats:
    """(n_rows,) codes of levels. NULL has a code where it is a level, and what a row's tree has never seen takes it."""
    levels = model[f"levels_{feature}"]
    code, known = _find(levels, keys)
    if valid is not None:
        known &= valid
    seen = model.get(f"seen_{feature}")
    if seen is not None:
        known &= _find(seen, tree * model["width"] + code)[1]
    return np.where(known, code, len(levels) if model["has_null"][feature] else np.nan)


def _route(model: Plan, node: Ints, values: Floats) -> Ints:
    """(n_rows,) position of the leaf that each row ends in, from the roots `node`; NOWHERE stays."""
    node = node.copy()
    rows = np.flatnonzero(node != NOWHERE)
    at = node[rows]
    while True:
        inner = model["child"][at] >= 0
        rows, at = rows[inner], at[inner]
        if len(rows) == 0:
            return node
        side = _side(model, at, values, rows)
        unknown = np.flatnonzero(side == UNKNOWN)
        if len(unknown):
            side[unknown] = _side_by_surrogates(model, at[unknown], values, rows[unknown])
        at = model["child"][at] + (side == RIGHT)
        node[rows] = at


def _side(model: Plan, split: Ints, values: Floats, rows: Ints) -> Array:
    """(m,) uint8 where splits (m,) send rows (m,), as if low values went left: LEFT, RIGHT or UNKNOWN."""
    feature = model["feature"][split]
    value = values[feature, rows]
    side: Array = (value <= model["threshold"][split]).astype(np.uint8)
    missing = np.isnan(value)
    side[missing] = UNKNOWN
    by_level = np.flatnonzero(np.asarray(model["is_level"], bool)[feature] & ~missing)
    if len(by_level):
        wanted = split[by_level] * model["width"] + value[by_level].astype(np.int64)
        place, named = _find(model["entries"], wanted)
        side[by_level] = np.where(named, model["entry_goes_left"][place], UNKNOWN)
    return side


def _side_by_surrogates(model: Plan, node: Ints, values: Floats, rows: Ints) -> Array:
    """(m,) uint8, LEFT or RIGHT: where rows go that their nodes' own splits cannot tell; at last with the majority."""
    side: Array = model["majority_left"][node].astype(np.uint8)
    split, stop = model["surrogates"][node], model["surrogates"][node + 1]
    waiting = np.flatnonzero(split < stop)
    while len(waiting):
        asked = split[waiting]
        answer = _side(model, asked, values, rows[waiting])
        told = answer != UNKNOWN
        side[waiting[told]] = answer[told] ^ ~model["low_goes_left"][asked[told]]
        split[waiting] += 1
        waiting = waiting[~told & (split[waiting] < stop[waiting])]
    return side


def _find(sorted_: Ints, wanted: Ints) -> tuple[Ints, Bools]:
    """(n,) the place of each number among the sorted ones, and whether it is there; 0 if there are none at all."""
    if len(sorted_) == 0:
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    place = np.minimum(np.searchsorted(sorted_, wanted), len(sorted_) - 1)
    found: Bools = sorted_[place] == wanted
    return place, found
