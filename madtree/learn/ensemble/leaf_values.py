"""What the leaves of a boosted tree add to the scores of their rows, where that is not Newton's step: quantiles of
residuals (Friedman 2001, section 4.3 to 4.4), and votes for classes (Freund and Schapire 1997; Zhu, Zou, Rosset and
Hastie 2009; Friedman, Hastie and Tibshirani 2000, algorithms 1 and 2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.learn.criteria import NodeValues, criterion_of
from madtree.learn.data import Array, Bools, Floats, Grid, Ints, flat_nonzero, portable
from madtree.learn.ensemble.quantiles import ResidualPlaces, residual_quantiles
from madtree.learn.grow import GrowingTrees, inner_nodes
from madtree.learn.problem import Problem, over_classes
from madtree.learn.requests import Program
from madtree.learn.route import Routing
from madtree.records import dataclass
from madtree.trees import MOST_ROUNDS, LeafValue

_LIMBS = 2
_LEAST_SHARE = float(np.finfo(np.float64).eps)  # of a class in a leaf
_PERFECT = 1.0  # what the vote of a tree without a mistake counts, as scikit-learn has it


@dataclass(frozen=True)
class GrownLeaves:
    """Where grown trees end: growth may have gone on below their leaves.

    Attributes:
        inner: (n_nodes,) whether a node is split.
        above: (n_nodes,) the leaf that is, or is above, each node; inner nodes themselves.
        leaves: (n_leaves,)
        way: of rows to the leaves. Where rows have gone on below a leaf, they may stay there.
    """

    inner: Bools
    above: Ints
    leaves: Ints
    way: Routing

    @classmethod
    def of(cls, problem: Problem, growing: GrowingTrees) -> GrownLeaves:
        inner = inner_nodes(growing, problem.parameters.max_leaf_nodes)
        above = np.arange(growing.n_nodes)
        for node in flat_nonzero((growing.feature >= 0) & ~inner).tolist():  # a node comes before its children
            left = int(growing.routing.child[node])
            above[left : left + 2] = above[node]
        leaves = flat_nonzero((above == np.arange(growing.n_nodes)) & ~inner)
        return cls(inner, above, leaves, growing.routing.ending(inner, int(growing.depth[leaves].max(initial=0))))


def places_of_leaves(
    problem: Problem, growing: GrowingTrees, grown: GrownLeaves, loss: dict[str, Any], weight_grid: Grid | None
) -> ResidualPlaces:
    """The residuals of the leaves' rows; the others as in `ResidualPlaces`."""
    place = np.maximum(growing.slots(grown.leaves)[grown.above], 0).astype(np.int64)  # no row stays at an inner node
    tree = growing.tree[grown.leaves]
    return ResidualPlaces(problem, grown.way, place, tree, loss, weight_grid)


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
    answer: Array = yield rows.request_of("clipped", named)
    weight, cut = rows.joined(answer[:-_LIMBS]), grid.join(answer[-_LIMBS:], rows.tree)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.nan_to_num(cut / weight)
    return np.asarray(found + mean)


def with_values(problem: Problem, growing: GrowingTrees, grown: GrownLeaves, values: Floats) -> NodeValues:
    """What all nodes say: leaves their `values` (n_leaves,) times the learning rate, and inner nodes the weighted mean
    of what is below them.
    """
    weight = problem.weights(growing.sums, growing.tree)
    node_values = np.zeros(growing.n_nodes)
    node_values[grown.leaves] = problem.parameters.learning_rate * values
    for node in flat_nonzero(grown.inner)[::-1].tolist():  # a node comes before its children
        left = int(growing.routing.child[node])
        of_both = weight[left : left + 2]
        node_values[node] = (of_both * node_values[left : left + 2]).sum() / max(
            of_both.sum(), np.finfo(np.float64).tiny
        )
    none = np.zeros(growing.n_nodes)
    return NodeValues(weight, none, none, node_values)


def class_values(
    problem: Problem, growing: GrowingTrees, grown: GrownLeaves, leaf: LeafValue, n_scores: int, certain: Bools
) -> tuple[list[NodeValues], Ints]:
    """What the nodes of AdaBoost's trees say, by the weights of classes in their leaves, of each score; and (n_trees,)
    how many trees more the model has, this one counted: 1 where it makes no mistake, 0 where it makes as many as chance
    would and so adds nothing. Neither changes the weights, and so no tree can follow.

    A tree whose rows are wrong with the share e of the weight has with K classes the say log((1 - e) / e) + log(K - 1)
    (Zhu, Zou, Rosset and Hastie 2009, algorithm 2). Its votes add that to the score of their class, and take the K-th
    part of it from all, so that scores add up to 0. Of two classes the second one's score says it all.

    `certain`: (n_trees,) whether all is said before any tree: these say nothing.
    """
    leaves = grown.leaves
    tree, weights = growing.tree[leaves], _class_weights(problem, growing, leaves)
    if leaf is LeafValue.LOGIT:
        whole = over_classes(weights)
        share = np.divide(weights[1], whole, out=np.full(len(leaves), 0.5), where=whole > 0)
        share = np.clip(share, _LEAST_SHARE, 1 - _LEAST_SHARE)
        values = np.where(certain[tree], 0.0, (portable.log(share) - portable.log(1 - share)) / 2)
        return [with_values(problem, growing, grown, values)], np.full(problem.n_trees, MOST_ROUNDS)
    n_classes = len(weights)
    wrong, total = _mistakes(weights, tree, problem.n_trees)
    is_perfect, is_useless = (wrong <= 0) & (total > 0), ~(n_classes * (total - wrong) > total)
    with np.errstate(divide="ignore", invalid="ignore"):
        known = np.clip(wrong / total, _LEAST_SHARE, 1 - 1 / n_classes)
    say = portable.log(1 - known) - portable.log(known) + portable.log(np.array([n_classes - 1.0]))
    say = np.select([is_perfect, is_useless], [_PERFECT / problem.parameters.learning_rate, 0.0], say)[tree]
    say[certain[tree] | (over_classes(weights) <= 0)] = 0.0
    vote = weights.argmax(axis=0)  # of as much weight the first class
    of_scores = range(n_classes) if n_scores > 1 else [1]
    values_of_scores = [say * ((vote == score) - 1 / n_classes) for score in of_scores]
    more = np.select([is_perfect, is_useless], [1, 0], MOST_ROUNDS)
    return [with_values(problem, growing, grown, values) for values in values_of_scores], more


def _class_weights(problem: Problem, growing: GrowingTrees, leaves: Ints) -> Floats:
    """(K, n_leaves) the weight of each class.

    Trees of two classes grow by Newton's steps: a row whose outcome y is -1 or 1 has at the score F the weight
    w = exp(-y F), which is the hessian of the exponential loss; its gradient is -y w. So a split by Newton's steps is
    one by the weighted Gini index.
    """
    sums, tree = growing.sums[:, leaves], growing.tree[leaves]
    if problem.n_classes:
        return problem.class_weights(sums, tree)
    hessian, gradient = criterion_of(problem).moments(problem, sums, tree)
    return np.maximum(np.stack((hessian + gradient, hessian - gradient)) / 2, 0.0)


def _mistakes(weights: Floats, tree: Ints, n_trees: int) -> tuple[Floats, Floats]:
    """(n_trees,) the weight that is not in leaves' largest classes, and all weight."""
    wrong, total = np.zeros(n_trees), np.zeros(n_trees)
    whole = over_classes(weights)
    np.add.at(wrong, tree, whole - weights.max(axis=0))
    np.add.at(total, tree, whole)
    return wrong, total
