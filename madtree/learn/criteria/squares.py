"""The variance of numbers: sums of squares about the means, from passes over the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.learn.counting import CountRequest
from madtree.learn.criteria.criterion import Criterion
from madtree.learn.criteria.judging import Nodes, NodeValues, pairs_upwards
from madtree.learn.data import Array, Bools, Floats, Ints
from madtree.learn.leaf_sums import SQUARES, UP_TO_FOURTH, join_powers
from madtree.learn.problem import Problem
from madtree.learn.requests import Program


def variance_gain(left_weight: Floats, left_mean: Floats, right_weight: Floats, right_mean: Floats) -> Floats:
    """W_l W_r / W * (m_l - m_r)**2: the sum of squares removed by the split."""
    gain: Floats = left_weight * right_weight / (left_weight + right_weight) * np.square(left_mean - right_mean)
    return gain


def mse_gain(left: Floats, right: Floats) -> Floats:
    return variance_gain(left[0], left[1], right[0], right[1])


def with_close_means(criterion: Criterion, problem: Problem) -> Criterion:
    """Weighted values are rounded row by row, so means of equal values may differ in their last bits: those are made
    equal where rows have weights or exposures.
    """
    if problem.weight_grid is None and problem.exposure_grid is None:
        return criterion

    def gain(left: Floats, right: Floats) -> Floats:
        close = np.abs(left[1] - right[1]) <= 1e-13 * np.maximum(np.abs(left[1]), np.abs(right[1]))
        return criterion.gain(left, np.stack((right[0], np.where(close, left[1], right[1]))))

    return replace(criterion, gain=gain)


class OfNumbers:
    """What nodes of numbers and of counts share: they predict the mean, and any of them may be split."""

    needs_rows = True

    def predictions(self, problem: Problem, nodes: Nodes) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.nan_to_num(problem.means(nodes.sums, nodes.tree)) + problem.centre[nodes.tree])

    def may_be_split(self, problem: Problem, sums: Floats, tree: Ints) -> Bools:
        return np.ones(len(tree), np.bool_)


class BySquares(OfNumbers):
    """Nodes of numbers, whose risk is the weighted sum of squares about the mean."""

    def values(self, problem: Problem, nodes: Nodes) -> Program[NodeValues]:
        with np.errstate(divide="ignore", invalid="ignore"):  # a fold may have held out all rows of a group
            weight = problem.weights(nodes.sums, nodes.tree)
            means = np.nan_to_num(problem.means(nodes.sums, nodes.tree))
        (about_means,) = yield from _powers(problem, nodes, means, SQUARES)
        with np.errstate(divide="ignore", invalid="ignore"):
            risk = _sums_of_squares(nodes, about_means, weight, means)
            return NodeValues(weight, risk / weight, risk, means + problem.centre[nodes.tree], means)

    def held_out_errors(
        self, problem: Problem, nodes: Nodes, values: NodeValues, held_out: Floats
    ) -> Program[tuple[Floats, Floats]]:
        means = values.mean
        assert means is not None
        distances = yield from _powers(problem, nodes, means, UP_TO_FOURTH, held_out=True)
        sums = np.vstack((problem.weights(held_out, nodes.tree), distances))
        for left, parents in pairs_upwards(nodes):
            sums[:, parents] = 0.0
            for side in (left, left + 1):
                sums[:, parents] += _shifted(sums[:, side], means[side] - means[parents])
        return sums[2], sums[4]

    def fold_error(self, mean_error: Floats) -> Floats:
        return np.sqrt(mean_error)


def _powers(
    problem: Problem, nodes: Nodes, means: Floats, powers: tuple[int, ...], *, held_out: bool = False
) -> Program[Floats]:
    """(n_powers, n_nodes) weighted sums of powers of the distance to `means` (n_nodes,), of the rows in each leaf.

    `held_out`: of the rows that each fold's tree is tested on, instead of those that it is grown on.
    """
    state = yield CountRequest("powers", problem, nodes.routing, means=means, powers=powers, held_out=held_out)
    return join_powers(problem, powers, state, nodes.tree)


def _sums_of_squares(nodes: Nodes, leaf_squares: Floats, weight: Floats, means: Floats) -> Floats:
    """(n_nodes,) sums of squares about the node's mean: within the children, and between them.

    All terms are positive, so nothing cancels: S = S_l + S_r + W_l W_r / W * (m_l - m_r)**2.
    """
    squares: Floats = leaf_squares.copy()
    for left, parents in pairs_upwards(nodes):
        right = left + 1
        between = variance_gain(weight[left], means[left], weight[right], means[right])
        squares[parents] = squares[left] + squares[right] + between
    return squares


def _shifted(moments: Floats, shift: Floats) -> Floats:
    """Moments 0 to 4 (5, m) of values that are each larger by `shift` (m,), by the binomial theorem."""
    m0, m1, m2, m3, m4 = moments
    s = shift
    return np.stack(
        [
            m0,
            m1 + s * m0,
            m2 + s * (2 * m1 + s * m0),
            m3 + s * (3 * m2 + s * (3 * m1 + s * m0)),
            m4 + s * (4 * m3 + s * (6 * m2 + s * (4 * m1 + s * m0))),
        ]
    )


MSE = Criterion("mse", mse_gain, BySquares(), category_scores=Problem.means, for_problem=with_close_means)
