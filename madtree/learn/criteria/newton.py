"""Newton's steps: gains and leaf values of boosted trees, from sums of gradients and hessians (Chen and Guestrin 2016).

The target of a row is the gradient of a loss, and its weight the hessian.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from madtree.learn.criteria.criterion import Criterion
from madtree.learn.criteria.judging import Nodes, NodeValues
from madtree.learn.criteria.leaf_terms import LeafTerms, bounded, leaf_terms, penalties
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero
from madtree.learn.losses import LEAST_HESSIAN, leaf_steps, newton_step
from madtree.learn.problem import Problem
from madtree.learn.requests import Program

_CHANNELS = 3  # rows, hessian and gradient
_DIGIT = float(np.finfo(np.float64).eps)


def newton_moments(problem: Problem, sums: Floats, tree: Ints) -> Floats:
    """(2, m) hessian and gradient."""
    return np.array((problem.weights(sums, tree), problem.events(sums, tree)))  # `np.stack` takes three times as long


def newton_gain(left: Floats, right: Floats) -> Floats:
    """G_l^2 / H_l + G_r^2 / H_r - G^2 / H, which is H_l H_r / H (G_l / H_l - G_r / H_r)^2: without half of it, as in
    scikit-learn and LightGBM. 0 where a side has too little hessian.
    """
    (left_hessian, left_gradient), (right_hessian, right_gradient) = left, right
    gain: Floats
    with np.errstate(divide="ignore", invalid="ignore"):  # in place: half of the time went to new arrays
        difference, other = left_gradient / left_hessian, right_gradient / right_hessian
        difference -= other
        difference *= difference
        gain = left_hessian * right_hessian
        gain /= np.add(left_hessian, right_hessian, out=other)
        gain *= difference
    np.copyto(gain, 0.0, where=_lacks_hessian(left, right, other))
    return gain


def _units(problem: Problem, tree: Ints) -> tuple[Floats, Floats]:
    """(m,) of the first limbs of gradients and hessians in the trees (m,); (1,) of the only tree, as numbers are
    multiplied by a single one quicker.
    """
    assert problem.target_grid is not None
    assert problem.weight_grid is not None
    some = slice(1) if problem.n_trees == 1 else tree
    target, weight = problem.target_grid.exponents[some, 0], problem.weight_grid.exponents[some, 0]
    return np.ldexp(1.0, target), np.ldexp(1.0, weight)


def with_penalties(criterion: Criterion, problem: Problem) -> Criterion:
    """With an l2 penalty of leaves' values, a gain that each split must exceed, and what leaves must keep to."""
    # Where leaves may have any value, and a hessian and a gradient are single numbers.
    by_bins = problem.channels.count == _CHANNELS and not problem.parameters.monotone
    return _penalized(criterion, problem.parameters.l2, problem.parameters.min_gain, by_bins)


@lru_cache(maxsize=8)
def _penalized(criterion: Criterion, l2: float, least: float, by_bins: bool) -> Criterion:
    def gain(left: Floats, right: Floats, possible: Bools | bool = True) -> Floats:
        found = penalized_gain(left, right, l2)
        np.copyto(found, 0.0, where=~((found > least) & possible))
        return found

    def gain_by_terms(left: Floats, right: Floats, terms: LeafTerms) -> Floats:
        found = bounded_gain(left, right, l2, terms)
        return np.where(found > least, found, 0.0)

    def bin_gains(problem: Problem, tree: Ints, upto: Array, min_bucket: int) -> Floats:
        """Behind all bins they take a third of the time that it takes to find those that have rows."""
        rows, left = upto[0], upto[1:].astype(np.float64)
        left *= np.array(_units(problem, tree)[::-1])[:, :, None]
        possible = (rows >= min_bucket) & (rows <= rows[:, -1:] - min_bucket)
        return gain(left, left[:, :, -1:] - left, possible)

    return replace(criterion, gain=gain, gain_by_terms=gain_by_terms, bin_gains=bin_gains if by_bins else None)


def penalized_gain(left: Floats, right: Floats, l2: float, of_sides: Floats | float = 0.0) -> Floats:
    """(m,) as `newton_gain`, with the penalty `l2` of all values, and one more of those of the two sides (m,).

    Each gain is that which the split would have alone, to the bit: where nothing is penalized, `newton_gain`.
    """
    if l2 == 0.0:
        found, own = newton_gain(left, right), np.asarray(of_sides)
        if len(some := flat_nonzero(own)):
            found[some] = _gain_of_squares(left[:, some], right[:, some], l2, own[some])
        return found
    return _gain_of_squares(left, right, l2, of_sides)


def _gain_of_squares(left: Floats, right: Floats, l2: float, of_sides: Floats | float) -> Floats:
    sides = sum_of_squares(left, l2 + of_sides) + sum_of_squares(right, l2 + of_sides)
    return np.where(_lacks_hessian(left, right), 0.0, sides - sum_of_squares(left + right, l2))


def bounded_gain(left: Floats, right: Floats, l2: float, terms: LeafTerms) -> Floats:
    """(m,) as `penalized_gain`, for leaves that must keep to `terms`: where one of the values V is cut off at its
    bound, G_l (V - V_l) + G_r (V - V_r), as in scikit-learn; 0 where the values of the sides are in the wrong order.
    """
    steps = [newton_step(*each) for each in ((left + right, l2), (left, l2 + terms.l2), (right, l2 + terms.l2))]
    of_node, of_left, of_right = cut = [np.clip(step, terms.lower, terms.upper) for step in steps]
    is_cut = np.any([step != value for step, value in zip(steps, cut, strict=True)], axis=0)
    with np.errstate(over="ignore", invalid="ignore"):  # of sides without hessian
        of_cut = left[1] * (of_node - of_left) + right[1] * (of_node - of_right)
    of_cut[_lacks_hessian(left, right)] = 0.0
    found = np.where(is_cut, of_cut, penalized_gain(left, right, l2, terms.l2))
    return np.where(terms.direction * of_right < terms.direction * of_left, 0.0, found)


def _lacks_hessian(left: Floats, right: Floats, room: Floats | None = None) -> Bools:
    """(m,) whether one of the sides has too little hessian; `room` (m,) may be written to."""
    return np.asarray(np.minimum(left[0], right[0], out=room) < LEAST_HESSIAN)


def sum_of_squares(moments: Floats, l2: Floats | float) -> Floats:
    """(m,) G^2 / (H + l2)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.square(moments[1]) / (moments[0] + l2))


def are_alike(problem: Problem, sides: Floats, tree: Ints) -> Bools:
    """(m,) whether G_l / H_l and G_r / H_r differ by no more than their rounding. Then no split gains: the form of
    `newton_gain` is 0 of equal ones, and with a penalty less than that.

    A row's gradient and hessian are on the grid, so each is wrong by half of a unit at most, and by some last digits of
    its own computation, which are less than the other half where outcomes are not far from 0 beside their range. Sums
    are exact, and each quotient is rounded once. Not of trees whose gradients are rounded up or down at random: they
    are wrong by much more, but not in the mean.
    """
    assert problem.target_grid is not None
    is_exact: Bools | None = None  # their trees' gradients
    if problem.rounding is not None:
        is_exact = np.asarray((problem.rounding.target.exponents == problem.target_grid.exponents)[tree, 0])
        if not is_exact.any():
            return is_exact
    both, trees = sides.reshape(len(sides), -1), tree.repeat(2)
    target, weight = _units(problem, trees)
    hessian, gradient = problem.weights(both, trees), problem.events(both, trees)
    with np.errstate(divide="ignore", invalid="ignore"):  # of sides without hessian, which are not split
        step = gradient / hessian
        size = np.abs(step)
        wrong = problem.row_counts(both) * (target + size * weight) / hessian + _DIGIT * size
        found: Bools = np.abs(step[::2] - step[1::2]) <= wrong[::2] + wrong[1::2]
    return found if is_exact is None else np.asarray(found & is_exact)


def smoothed_steps(problem: Problem, sums: Floats, tree: Ints) -> Floats:
    """(m,) gradient over hessian of categories, drawn to 0 where they have few rows (LightGBM's cat_smooth)."""
    hessian, gradient = newton_moments(problem, sums, tree)
    return np.asarray(gradient / (hessian + problem.parameters.cat_smooth))


def row_counts(problem: Problem, sums: Floats, tree: Ints) -> Floats:
    """(m,) rows of either side: the larger side takes rows whose value training has not seen."""
    return problem.row_counts(sums).astype(np.float64)


def steps_of(problem: Problem, nodes: Nodes) -> Floats:
    """(n_nodes,) what nodes add to the scores of their rows, before bounds and learning rate."""
    own, parent = problem.parameters, nodes.parent
    feature = np.where(parent < 0, -1, nodes.feature[parent])
    l2 = own.l2 + penalties(problem, feature, nodes.tree)
    moments = newton_moments(problem, nodes.sums, nodes.tree)
    return leaf_steps(moments, l2, parent < 0, own.learning_rate if own.limits_steps else None)


def leaf_bounds(problem: Problem, nodes: Nodes) -> Floats | None:
    """(2, n_nodes) between which the values of leaves below each node must lie; None where they may be any."""
    return bounded(problem, nodes, steps_of(problem, nodes))[1] if problem.parameters.monotone else None


class ByNewton:
    """Nodes predict what they add to the scores of their rows; they are not judged."""

    needs_rows = False

    def predictions(self, problem: Problem, nodes: Nodes) -> Array:
        """The learning rate times -G / (H + l2), within the bounds of each node."""
        return np.asarray(problem.parameters.learning_rate * bounded(problem, nodes, steps_of(problem, nodes))[0])

    def may_be_split(self, problem: Problem, sums: Floats, tree: Ints) -> Bools:
        return np.ones(len(tree), np.bool_)

    def values(self, problem: Problem, nodes: Nodes) -> Program[NodeValues]:
        yield from ()
        none = np.zeros(len(nodes.tree))
        hessian = problem.weights(nodes.sums, nodes.tree)
        return NodeValues(hessian, none, none, self.predictions(problem, nodes))

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
    are_alike=are_alike,
    finds_missing_side=True,
    leaf_terms=leaf_terms,
    leaf_bounds=leaf_bounds,
    for_problem=with_penalties,
)
