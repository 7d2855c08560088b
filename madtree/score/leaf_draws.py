"""Draws for each leaf of a model one of a block's rows that come to it, by a hash of the row's identity."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Coroutine, Floats, Ints, keyed, mixed, portable
from madtree.score.routed_rows import RoutedRows

LEAF_OUTCOME = np.dtype([("leaf", "<i4"), ("key", "<f8"), ("outcome", "<f8")])
_NODES_A_ROW = 8  # up to which those are gone through that no row comes to
_PURPOSE = 3  # of the hash; others are those of `learn.problem.bootstrap`
_ROUNDS = 24  # after which few rows are left, unless somebody has chosen their order


def drawn_for_leaves(routed: RoutedRows, outcomes: Floats, weights: Floats, identity: Array) -> Coroutine[bytes]:
    """`LEAF_OUTCOME` of each leaf that some of the rows come to: the least key of theirs, and of those that have it the
    least outcome.

    Args:
        outcomes, weights: (n_rows,); a row without a finite one, or without a weight above 0, is not drawn.
        identity: (n_rows,) uint32.
    """
    fit = np.isfinite(outcomes) & np.isfinite(weights) & (weights > 0)
    rows = np.flatnonzero(fit if routed.known is None else fit & routed.known)
    if not len(rows):
        return b""
    outcomes, weights, identity = outcomes.take(rows), weights.take(rows), identity.take(rows)
    model, leaves, encoded = routed.model, routed.of(rows).leaves(), []
    for member in range(model["first"], model["last"]):
        yield
        nodes, at = reached((yield from leaves(member)))
        keys = _keys(identity, model["seed"], member, weights if model["weighted"] else None)
        least, found = np.full(len(nodes), np.inf), np.full(len(nodes), np.inf)
        _lower(least, at, keys)
        drawn = np.flatnonzero(keys == least.take(at))
        _lower(found, at.take(drawn), outcomes.take(drawn))
        own = np.flatnonzero(found < np.inf)
        records = np.empty(len(own), LEAF_OUTCOME)
        records["leaf"], records["key"], records["outcome"] = nodes.take(own), least.take(own), found.take(own)
        encoded.append(records.tobytes())
    return b"".join(encoded)


def lower_all(least: Floats, found: Floats, encoded: bytes) -> None:
    """Take what some rows say, as `drawn_for_leaves` tells it, or what several times some do, one behind the other.

    Args:
        least, found: (n_nodes,) keys and outcomes of the rows that are drawn so far.
    """
    records = np.frombuffer(encoded, LEAF_OUTCOME)
    # Of each tree, and of each of these times, leaves are told in ascending order, and each once.
    starts = np.flatnonzero(np.diff(records["leaf"]) <= 0) + 1
    for part in np.split(records, starts):
        leaf, key, outcome = part["leaf"], part["key"], part["outcome"]
        before = least.take(leaf)
        is_less = (key < before) | ((key == before) & (outcome < found.take(leaf)))
        leaf = leaf.compress(is_less)
        least[leaf], found[leaf] = key.compress(is_less), outcome.compress(is_less)


def reached(leaf: Ints) -> tuple[Ints, Ints]:
    """Nodes in ascending order, among which are those that rows (n_rows,) come to, and where each row's is in them."""
    first, n_nodes = int(leaf.min()), int(leaf.max()) + 1 - int(leaf.min())
    if n_nodes <= _NODES_A_ROW * len(leaf):
        return np.arange(first, first + n_nodes), leaf - first
    nodes, at = np.unique(leaf, return_inverse=True)
    return nodes, at.ravel()


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
