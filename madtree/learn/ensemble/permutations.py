"""What trees lose by their out-of-bag rows once a feature's values are permuted among these (Breiman 2001, section 10).

All sums are exact, on integer grids, so that nothing depends on the order of rows.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, product

import numpy as np

from madtree.learn.data import USUAL_BLOCK_ROWS, Array, Floats, Ints, allocated, flat_nonzero, keyed, mixed, pieces_of
from madtree.learn.ensemble.row_order import RowOrder
from madtree.learn.ensemble.row_targets import RowTargets
from madtree.learn.problem import Problem
from madtree.learn.requests import BREATH, Program
from madtree.learn.route import Routing, WayDown
from madtree.learn.waves import HeldOut, Targets

_PERMUTED = 5  # purpose of a hash
# Rows that go down a tree together, each as often as it is permuted: a few take as long as many.
_WALKED_ROWS = 8_192


def permuted(
    wave: Problem, way: WayDown, prediction: Array, replica: int, held_out: HeldOut, n_permutations: int
) -> Program[Floats]:
    """(G, n_features) what permuting each feature among a replica's out-of-bag rows costs each group's tree.

    `way`: down the trees of the wave. `prediction` (n_nodes,) is that of each node as a leaf.
    """
    block, allocator = held_out.block, held_out.allocator
    assert block is not None
    n_rows, n_groups, n_features = block.codes.n_rows, wave.n_groups, len(wave.unordered)
    rows = RowTargets.of(Targets(block.target, block.weight, block.tree, n_rows))
    kind = np.int8 if wave.n_classes and block.weight is None else np.float64
    before, costs = (allocated(allocator, (n_rows,), kind) for _ in range(2))
    actual = rows.target[0] if wave.n_classes else allocated(allocator, (n_rows,), np.float64)
    for piece in pieces_of(n_rows):
        if not wave.n_classes:
            actual[piece] = rows.values(wave, np.arange(piece.start, piece.stop))
        before[piece] = _errors(actual[piece], prediction.take(held_out.node[piece]))
        costs[piece] = rows.weighed(wave, piece, 1)
    total = rows.summed(costs, n_groups)
    order = yield from RowOrder.of(block, n_groups, allocator)
    key = keyed(_PERMUTED, wave.parameters.seed, np.array([wave.replicas.first_member + replica]))
    used = _used_features(way.routing, np.arange(n_groups) + replica * n_groups, n_features).tolist()
    lost = np.zeros((n_groups, n_features))

    def enter_costs(piece: slice, leaves: Ints) -> None:
        """Of some rows that come to other leaves (m,)."""
        errors = _errors(actual[piece], prediction.take(leaves))
        costs[piece] = rows.weighed(wave, piece, errors - before[piece])

    rounds, together = product(used, range(n_permutations)), max(1, _WALKED_ROWS // max(n_rows, 1))
    while some := list(islice(rounds, together)):
        changed = block.take(np.tile(np.arange(n_rows), len(some))) if together > 1 else None
        for place, (feature, number) in enumerate(some):
            own = mixed(mixed(key ^ np.uint32(feature)) ^ np.uint32(number))
            values = order.values(block.codes.column(feature), own)
            yield BREATH
            if changed is not None:
                changed.codes.column(feature)[place * n_rows : (place + 1) * n_rows] = values
                continue
            for piece, part in zip(pieces_of(n_rows), block.pieces(USUAL_BLOCK_ROWS), strict=False):
                part = replace(part, codes=part.codes.replaced(feature, values[piece]))
                enter_costs(piece, way.leaves(part, replica, n_groups))
                yield BREATH
            lost[:, feature] += rows.summed(costs, n_groups)
        if changed is not None:
            ends = way.leaves(changed, replica, n_groups).reshape(len(some), n_rows)
            yield BREATH
            for (feature, _), leaves in zip(some, ends, strict=True):
                enter_costs(slice(0, n_rows), leaves)
                lost[:, feature] += rows.summed(costs, n_groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = lost / total[:, None] / n_permutations
    losses[:, np.setdiff1d(np.arange(n_features), used)] = 0.0
    losses[~(total > 0)] = np.nan
    return losses


def _errors(actual: Array, predicted: Array) -> Array:
    """(n_rows,) int8, 1 where a class is not the one that is predicted, or float64, the squared error of a number."""
    if actual.dtype.kind == "f":
        return np.asarray(np.square(actual - predicted))
    return np.asarray(predicted != actual).view(np.int8)


def _used_features(routing: Routing, roots: Ints, n_features: int) -> Ints:
    """The features that some split or surrogate of the trees below `roots` asks for."""
    nodes, found = roots, np.zeros(n_features, np.bool_)
    while len(nodes):
        nodes = nodes[routing.child.take(nodes) != nodes]
        found[routing.feature.take(nodes)] = True
        if len(routing.surrogate_feature):
            count = routing.surrogates.take(nodes)
            before = np.cumsum(count) - count
            surrogates = np.repeat(routing.first_surrogate.take(nodes) - before, count) + np.arange(count.sum())
            found[routing.surrogate_feature.take(surrogates)] = True
        child = routing.child.take(nodes)
        nodes = np.concatenate((child, child + 1))
    return flat_nonzero(found)
