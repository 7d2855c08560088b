"""What the leaves of a boosted tree add to the scores of their rows, where that is not Newton's step: quantiles of
residuals (Friedman 2001, section 4.3 to 4.4), and votes for classes (Freund and Schapire 1997; Friedman, Hastie and
Tibshirani 2000, algorithms 1 and 2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.learn.criteria import KnownNodes, NodeValues, criterion_of
from madtree.learn.data import Array, Floats, Grid, Ints, portable
from madtree.learn.ensemble.quantiles import ResidualPlaces, residual_quantiles
from madtree.learn.grow import GrowingTrees, inner_nodes
from madtree.learn.problem import Problem
from madtree.learn.requests import Program
from madtree.learn.route import Routing
from madtree.trees import MOST_ROUNDS, LeafValue

_LIMBS = 2
_LEAST_SHARE = float(np.finfo(np.float64).eps)  # of a class in a leaf
_PERFECT = 0.5  # what a tree without a mistake adds: half the weight that scikit-learn gives it


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


def way_to_leaves(problem: Problem, growing: GrowingTrees) -> Routing:
    """The ways of rows to the leaves of grown trees. Where rows have gone on below a leaf, they may stay there."""
    inner = inner_nodes(growing, problem.parameters.max_leaf_nodes)
    return growing.routing.ending(inner, int(growing.depth[leaves_of(problem, growing)].max(initial=0)))


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
    return leaves, ResidualPlaces(
        problem, way_to_leaves(problem, growing), place, growing.tree[leaves], loss, weight_grid
    )


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


def class_values(problem: Problem, growing: GrowingTrees, leaf: LeafValue) -> tuple[KnownNodes, Ints]:
    """What the nodes of AdaBoost's trees say, by the shares of classes in their leaves; and (n_trees,) how many trees
    more the model has, this one counted: 1 where it makes no mistake, 0 where it makes as many as chance would and so
    adds nothing. Neither changes the weights, and so no tree can follow.

    A row whose outcome y is -1 or 1 has at the score F the weight w = exp(-y F), which is the hessian of the
    exponential loss; its gradient is -y w. So a split by Newton's steps is one by the weighted Gini impurity, and minus
    gradient over hessian is a node's weighted mean of y, from which its classes' shares follow.
    """
    leaves = leaves_of(problem, growing)
    tree = growing.tree[leaves]
    hessian, gradient = criterion_of(problem).moments(problem, growing.sums[:, leaves], tree)
    mean = np.clip(-gradient / np.maximum(hessian, np.finfo(np.float64).tiny), -1.0, 1.0)
    if leaf is LeafValue.LOGIT:
        share = np.clip((1 + mean) / 2, _LEAST_SHARE, 1 - _LEAST_SHARE)
        values = (portable.log(share) - portable.log(1 - share)) / 2
        return with_values(problem, growing, leaves, values), np.full(problem.n_trees, MOST_ROUNDS)
    error = _error(hessian, mean, tree, problem.n_trees)
    is_perfect, is_useless = error <= 0, ~(error < 0.5)
    known = np.clip(error, _LEAST_SHARE, 0.5)
    say = (portable.log(1 - known) - portable.log(known)) / 2
    say = np.where(is_perfect, _PERFECT / problem.parameters.learning_rate, say)
    vote = np.where(mean > 0, 1.0, -1.0)  # of as many of both, the first class
    vote[hessian <= 0] = 0.0
    more = np.select([is_perfect, is_useless], [1, 0], MOST_ROUNDS)
    return with_values(problem, growing, leaves, vote * say[tree]), more


def _error(weight: Floats, mean: Floats, tree: Ints, n_trees: int) -> Floats:
    """(n_trees,) the share of the weight that is in leaves' smaller classes; NaN of trees without rows."""
    wrong, total = np.zeros(n_trees), np.zeros(n_trees)
    np.add.at(wrong, tree, weight * (1 - np.abs(mean)) / 2)
    np.add.at(total, tree, weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(wrong / total)
