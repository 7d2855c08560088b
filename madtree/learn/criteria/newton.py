"""Newton's steps: gains and leaf values of boosted trees, from sums of gradients and hessians (Chen and Guestrin 2016).

The target of a row is the gradient of a loss, and its weight the hessian.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.learn.criteria.criterion import Criterion
from madtree.learn.criteria.judging import Nodes, NodeValues
from madtree.learn.data import Array, Bools, Floats, Ints
from madtree.learn.problem import Problem
from madtree.learn.requests import Program

# The least hessian of a side, as in scikit-learn's HistGradientBoosting and LightGBM.
LEAST_HESSIAN = 1e-3


def newton_moments(problem: Problem, sums: Floats, tree: Ints) -> Floats:
    """(2, m) hessian and gradient."""
    return np.stack((problem.weights(sums, tree), problem.events(sums, tree)))


def newton_gain(left: Floats, right: Floats) -> Floats:
    """G_l^2 / H_l + G_r^2 / H_r - G^2 / H, which is H_l H_r / H (G_l / H_l - G_r / H_r)^2: without half of it, as in
    scikit-learn and LightGBM. 0 where a side has too little hessian.
    """
    (left_hessian, left_gradient), (right_hessian, right_gradient) = left, right
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = left_gradient / left_hessian - right_gradient / right_hessian
        gain = left_hessian * right_hessian / (left_hessian + right_hessian) * np.square(difference)
    return np.where(np.minimum(left_hessian, right_hessian) < LEAST_HESSIAN, 0.0, gain)


def with_penalties(criterion: Criterion, problem: Problem) -> Criterion:
    """With an l2 penalty of leaves' values, and a gain that each split must exceed."""
    l2, least = problem.parameters.l2, problem.parameters.min_gain

    def gain(left: Floats, right: Floats) -> Floats:
        if l2 == 0.0:
            found = newton_gain(left, right)
        else:
            whole = left + right
            found = sum_of_squares(left, l2) + sum_of_squares(right, l2) - sum_of_squares(whole, l2)
            found = np.where(np.minimum(left[0], right[0]) < LEAST_HESSIAN, 0.0, found)
        return np.where(found > least, found, 0.0)

    return replace(criterion, gain=gain)


def sum_of_squares(moments: Floats, l2: float) -> Floats:
    """(m,) G^2 / (H + l2)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.square(moments[1]) / (moments[0] + l2))


def smoothed_steps(problem: Problem, sums: Floats, tree: Ints) -> Floats:
    """(m,) gradient over hessian of categories, drawn to 0 where they have few rows (LightGBM's cat_smooth)."""
    hessian, gradient = newton_moments(problem, sums, tree)
    return np.asarray(gradient / (hessian + problem.parameters.cat_smooth))


def row_counts(problem: Problem, sums: Floats, tree: Ints) -> Floats:
    """(m,) rows of either side: the larger side takes rows whose value training has not seen."""
    return problem.row_counts(sums).astype(np.float64)


class ByNewton:
    """Nodes predict what they add to the scores of their rows; they are not judged."""

    needs_rows = False

    def predictions(self, problem: Problem, sums: Floats, tree: Ints) -> Array:
        """The learning rate times -G / (H + l2)."""
        hessian, gradient = newton_moments(problem, sums, tree)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = -gradient / np.maximum(hessian + problem.parameters.l2, np.finfo(np.float64).tiny)
        return np.asarray(np.nan_to_num(problem.parameters.learning_rate * step))

    def may_be_split(self, problem: Problem, sums: Floats, tree: Ints) -> Bools:
        return np.ones(len(tree), np.bool_)

    def values(self, problem: Problem, nodes: Nodes) -> Program[NodeValues]:
        yield from ()
        none = np.zeros(len(nodes.tree))
        hessian = problem.weights(nodes.sums, nodes.tree)
        return NodeValues(hessian, none, none, self.predictions(problem, nodes.sums, nodes.tree))

    def held_out_errors(
        self, problem: Problem, nodes: Nodes, values: NodeValues, held_out: Floats
    ) -> Program[tuple[Floats, Floats]]:
        raise NotImplementedError("boosted trees are not pruned")

    def fold_error(self, mean_error: Floats) -> Floats:
        return mean_error


NEWTON = Criterion(
    "newton",
    newton_gain,
    ByNewton(),
    moments=newton_moments,
    size=row_counts,
    category_scores=smoothed_steps,
    finds_missing_side=True,
    for_problem=with_penalties,
)
