"""Draws for each leaf of a model one of a block's rows that come to it, by a hash of the row's identity."""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, Steps, keyed, mixed, portable
from madtree.learn.walk import Route
from madtree.score.forest_scorer import leaves_of

LEAF_OUTCOME = np.dtype([("leaf", "<i4"), ("key", "<f8"), ("outcome", "<f8")])
_PURPOSE = 3  # of the hash; others are those of `learn.problem.bootstrap`
_ROUNDS = 24  # after which few rows are left, unless somebody has chosen their order


def drawn_for_leaves(
    model: dict[str, Any],
    place: Ints,
    known: Bools | None,
    route: Route,
    outcomes: Floats,
    weights: Floats,
    identity: Array,
) -> Steps[bytes]:
    """`LEAF_OUTCOME` of each leaf that some of the rows come to: the least key of theirs, and of those that have it the
    least outcome.

    Args:
        model: the plan, checked.
        place: (n_rows,) of each row's group; `known`: whether it has one, None where all have.
        route: of the rows.
        outcomes, weights: (n_rows,); a row without a finite one, or without a weight above 0, is not drawn.
        identity: (n_rows,) uint32.
    """
    fit = np.isfinite(outcomes) & np.isfinite(weights) & (weights > 0)
    rows = np.flatnonzero(fit if known is None else fit & known)
    route, outcomes, weights, identity = route.of(rows), outcomes.take(rows), weights.take(rows), identity.take(rows)
    leaves = leaves_of(model, place.take(rows), route)
    n_nodes = len(model["walk"].child)
    least, found = np.full(n_nodes, np.inf), np.full(n_nodes, np.inf)
    for member in range(model["first"], model["last"]):
        yield
        leaf = yield from leaves(member)
        keys = _keys(identity, model["seed"], member, weights if model["weighted"] else None)
        _lower(least, leaf, keys)
        drawn = np.flatnonzero(keys == least.take(leaf))
        _lower(found, leaf.take(drawn), outcomes.take(drawn))
    reached = np.flatnonzero(found < np.inf)
    records = np.empty(len(reached), LEAF_OUTCOME)
    records["leaf"], records["key"], records["outcome"] = reached, least.take(reached), found.take(reached)
    return records.tobytes()


def _keys(identity: Array, seed: int, member: int, weights: Floats | None) -> Floats:
    """(n_rows,) whose least one is drawn: each row's chance is in proportion to its weight (Efraimidis and Spirakis
    2006).
    """
    hashes: Floats = mixed(identity ^ keyed(_PURPOSE, seed, np.array([member]))[0]).astype(np.float64)
    if weights is None:
        return hashes
    with np.errstate(over="ignore"):
        keys = -portable.log(1 - (hashes + 0.5) / 2.0**32) / weights
    return np.asarray(np.minimum(keys, np.finfo(np.float64).max))


def _lower(least: Floats, at: Ints, values: Floats) -> None:
    """Bring `least` down to the values at their places. Of several at one place any may be put there: in each round
    those that are less than it are left, about half of them.
    """
    left = np.flatnonzero(values < least.take(at))
    for _ in range(_ROUNDS):
        if not len(left):
            return
        least[at.take(left)] = values.take(left)
        left = left.compress(values.take(left) < least.take(at.take(left)))
    np.minimum.at(least, at.take(left), values.take(left))
