"""What the leaves of a boosted tree add to the scores of their rows, where that is not Newton's step: quantiles of
residuals (Friedman 2001, section 4.3 to 4.4).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.learn.criteria import KnownNodes, NodeValues
from madtree.learn.data import Array, Floats, Grid, Ints
from madtree.learn.ensemble.quantiles import ResidualPlaces, residual_quantiles
from madtree.learn.grow import GrowingTrees, inner_nodes
from madtree.learn.problem import Problem
from madtree.learn.requests import Program

_LIMBS = 2


def leaf_above(problem: Problem, growing: GrowingTrees) -> Ints:
    """(n_nodes,) the leaf that is, or is above, each node, since growth may have gone on below leaves; inner nodes
    themselves.
    """
    found = np.arange(growing.n_nodes)
    inner = inner_nodes(growing, problem.parameters.max_leaf_nodes)
    for node in np.flatnonzero((growing.feature >= 0) & ~inner).tolist():  # a node comes before its children
        left = int(growing.routing.child[node])
        found[left : left + 2] = found[node]
    return found


def leaves_of(problem: Problem, growing: GrowingTrees) -> Ints:
    """(n_leaves,) the leaves of grown trees."""
    above, inner = leaf_above(problem, growing), inner_nodes(growing, problem.parameters.max_leaf_nodes)
    return np.flatnonzero((above == np.arange(growing.n_nodes)) & ~inner)


def places_of_leaves(
    problem: Problem, growing: GrowingTrees, loss: dict[str, Any], weight_grid: Grid | None
) -> tuple[Ints, ResidualPlaces]:
    """(n_leaves,) the leaves of grown trees, and the residuals of their rows; the others as in `ResidualPlaces`."""
    above, leaves = leaf_above(problem, growing), leaves_of(problem, growing)
    place = np.maximum(growing.slots(leaves)[above], 0).astype(np.int64)  # no row stays at an inner node
    return leaves, ResidualPlaces(problem, growing.routing, place, growing.tree[leaves], loss, weight_grid)


def quantile_values(rows: ResidualPlaces, level: float, threshold: Floats | None, largest: Floats) -> Program[Floats]:
    """(n_places,) the quantile of each leaf's residuals; with a threshold (n_trees,), plus the mean of what the
    residuals differ from it, cut at the threshold.

    `largest`: (n_trees,) what a row's residual may be, weight and all.
    """
    found: Floats = yield from residual_quantiles(rows, level)
    if threshold is None:
        return found
    grid = Grid.choose(largest, rows.problem.rows, _LIMBS)
    named = {"middle": found, "threshold": threshold, "sum_residual_exponents": grid.exponents}
    answer: Array = yield rows.ask("clipped", named)
    weight, cut = rows.joined(answer[:-_LIMBS]), grid.join(answer[-_LIMBS:], rows.tree)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.nan_to_num(cut / weight)
    return np.asarray(found + mean)


def with_values(problem: Problem, growing: GrowingTrees, leaves: Ints, values: Floats) -> KnownNodes:
    """What all nodes say: `leaves` (m,) their `values` (m,) times the learning rate, and inner nodes the weighted mean
    of what is below them.
    """
    weight = problem.weights(growing.sums, growing.tree)
    said = np.zeros(growing.n_nodes)
    said[leaves] = problem.parameters.learning_rate * values
    inner = inner_nodes(growing, problem.parameters.max_leaf_nodes)
    for node in np.flatnonzero(inner)[::-1].tolist():  # a node comes before its children
        left = int(growing.routing.child[node])
        of_both = weight[left : left + 2]
        said[node] = (of_both * said[left : left + 2]).sum() / max(of_both.sum(), np.finfo(np.float64).tiny)
    none = np.zeros(growing.n_nodes)
    return KnownNodes(np.arange(growing.n_nodes), NodeValues(weight, none, none, said))
