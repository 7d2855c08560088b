"""What the leaves of AdaBoost's trees add to the scores of their rows (Freund and Schapire 1997; Friedman, Hastie and
Tibshirani 2000, algorithms 1 and 2).

A row whose outcome y is -1 or 1 has at the score F the weight w = exp(-y F), which is the hessian of the exponential
loss; its gradient is -y w. So a split by Newton's steps is one by the weighted Gini impurity, and minus gradient over
hessian is a node's weighted mean of y, from which its classes' shares follow.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.criteria import KnownNodes
from madtree.learn.criteria.newton import newton_moments, newton_step
from madtree.learn.data import Floats, Ints, portable
from madtree.learn.ensemble.leaf_values import leaves_of, with_values
from madtree.learn.grow import GrowingTrees
from madtree.learn.problem import Problem
from madtree.trees import MOST_ROUNDS, LeafValue

_LEAST_SHARE = float(np.finfo(np.float64).eps)  # of a class in a leaf
_PERFECT = 0.5  # what a tree without a mistake adds: half the weight that scikit-learn gives it


def class_values(problem: Problem, growing: GrowingTrees, leaf: LeafValue) -> tuple[KnownNodes, Ints]:
    """What the nodes of grown trees say, by the shares of classes in their leaves; and (n_trees,) how many trees more
    the model has, this one counted: 1 where it makes no mistake, 0 where it makes as many as chance would and so adds
    nothing. Neither changes the weights, and so no tree can follow.
    """
    leaves = leaves_of(problem, growing)
    tree = growing.tree[leaves]
    moments = newton_moments(problem, growing.sums[:, leaves], tree)
    mean = np.clip(newton_step(moments, 0.0), -1.0, 1.0)
    if leaf is LeafValue.LOGIT:
        share = np.clip((1 + mean) / 2, _LEAST_SHARE, 1 - _LEAST_SHARE)
        values = (portable.log(share) - portable.log(1 - share)) / 2
        return with_values(problem, growing, leaves, values), np.full(problem.n_trees, MOST_ROUNDS)
    error = _error(moments[0], mean, tree, problem.n_trees)
    is_perfect, is_useless = error <= 0, ~(error < 0.5)
    known = np.clip(error, _LEAST_SHARE, 0.5)
    say = (portable.log(1 - known) - portable.log(known)) / 2
    say = np.where(is_perfect, _PERFECT / problem.parameters.learning_rate, say)
    vote = np.where(mean > 0, 1.0, -1.0)  # of as many of both, the first class
    vote[moments[0] <= 0] = 0.0
    more = np.select([is_perfect, is_useless], [1, 0], MOST_ROUNDS)
    return with_values(problem, growing, leaves, vote * say[tree]), more


def _error(weight: Floats, mean: Floats, tree: Ints, n_trees: int) -> Floats:
    """(n_trees,) the share of the weight that is in leaves' smaller classes; NaN of trees without rows."""
    wrong, total = np.zeros(n_trees), np.zeros(n_trees)
    np.add.at(wrong, tree, weight * (1 - np.abs(mean)) / 2)
    np.add.at(total, tree, weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(wrong / total)
