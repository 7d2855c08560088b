"""A split criterion: how much a split lowers impurity, and what else is asked of it, in growing and in pruning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from madtree.learn.criteria.judging import Judging, Nodes
from madtree.learn.criteria.leaf_terms import LeafTerms
from madtree.learn.data import Array, Bools, Floats, Ints
from madtree.learn.problem import Problem
from madtree.records import dataclass

# Of some rows' sums (n_channels, m), in the trees (m,).
OfSums = Callable[[Problem, Floats, Ints], Floats]
# Of the sums on the left and on the right (n_channels, m, 2), in the trees (m,).
OfSides = Callable[[Problem, Floats, Ints], Bools]
OfFeatures = Callable[[Problem, Ints, Ints, Floats | None], LeafTerms | None]
BinGains = Callable[[Problem, Ints, Array, int], Floats]
RoughBinGains = Callable[[Array, Array, int], tuple[Floats, Floats]]
RoughRowGains = Callable[[Sequence[Floats]], Floats]

_MOST_TERMS = 64  # of a sum that is still as exact


@dataclass(frozen=True)
class Criterion:
    """The functions of a split criterion, as in rpart, where one is a row in a table of functions.

    Gains are sums over rows, not means (semantics, section 3), in forms that are exactly zero where both sides look
    alike, so that rounding never makes a split.

    Attributes:
        name: as declared in `madtree.trees.CRITERIA`, which says what it is for.
        gain: (m,) of splits with the moments `left` and `right`; no side is without rows. 0 where a split is not to
            be made.
        judging: what it says of the nodes of grown trees.
        moments: (n_moments, m) all that the gain sees of some rows: class weights (K, m), with losses taken into
            account; weight and mean; exposure and rate.
        weight: (m,) what gains are sums over: a gain that is divided by it is a mean.
        size: (m,) of either side: rows that cannot tell go to the larger one.
        category_scores: (m,) of the rows of some categories: the best split in two is one of a category's score from
            all that have a larger one. None where the best split may be another.
        rounding: gains a unit of weight that may be rounding alone: no split is worth so little. Of classes only.
        are_alike: (m,) whether the sides of splits differ by no more than rounding makes of sides that are alike: then
            there is none. None where no gain comes of that.
        finds_missing_side: whether rows without a value go to the side with which a split gains more; else, and where
            a node has none of them, to the larger one. Not with surrogates, by which such rows go their own ways. The
            split of these rows from all others is a candidate, too.
        leaf_terms: what the leaves of splits by each feature (m,) must keep to, in the trees (m,), with the bounds (2,
            m) of their nodes or None; None where they need not keep to anything.
        gain_by_terms: `gain` where they must; None where they need not.
        leaf_bounds: (2, n_nodes) between which the values of leaves below each node must lie, and of the node itself;
            None where they may be any.
        bin_gains: for `every_bin`: `gain` (m, n_bins) behind each bin of m segments, to the bit, 0 where no split is
            possible; from the segments' trees (m,), the sums of each channel (n_channels, m, n_bins) up to each bin,
            whole numbers, and from the rows that either side must keep. None where that is not quicker.
        for_problem: makes of it the criterion for a problem, where that depends on its parameters; None where not.

    For bounds that rule out candidates before their gains are computed, None where there is no such function:
        quick_gain: for `screen`: gains (n_features, n_slots, n_bins) behind every bin, from the class weights
            (n_features, n_slots, n_bins, K) of all bins up to it; those of the last bin are the node's. Differs from
            `gain` by rounding only (`margins`). What it gives where a side is empty is not used. Its second
            argument says whether weights are whole numbers and so small that products of two are exact.
        quick_is_exact: whether `quick_gain` is equal to `gain` for such whole numbers.
        two_class_gain: for `coarse`: `gain` of two classes, where a side may be empty: NaN or infinity then count as 0.
            With the node's weights fixed it must be a convex function of the weights on the left; that holds where an
            impurity times its weight is concave. A bound for all splits between two is then found at the corners.
        rough_bin_gains: for `shortlist`: gains (m, n_bins) behind each bin, 0 where no split is possible, which are to
            be multiplied by a factor for each segment (m,); from the row counts (m, n_bins) up to each bin, the missing
            one left out, those of each class (n_classes, m, n_bins), and from the rows that either side must keep.
            Differ from `gain` by rounding only where products of two counts are exact.
        rough_row_gains: for `row_tables`: the same as gains (n_rows, m) behind each row, from the row counts (n_rows,
            m) of each class up to it, whole numbers in single or double precision; those of the last row are the
            node's. 0 where nothing goes right.
    """

    name: str
    gain: Callable[[Floats, Floats], Floats]
    judging: Judging
    moments: OfSums = Problem.moments
    weight: OfSums = Problem.weights
    size: OfSums = Problem.weights
    category_scores: Callable[[Problem, Floats, Ints], Floats | None] = lambda problem, sums, tree: None
    rounding: float = 0.0
    are_alike: OfSides | None = None
    finds_missing_side: bool = False
    leaf_terms: OfFeatures = lambda problem, feature, tree, bounds: None
    gain_by_terms: Callable[[Floats, Floats, LeafTerms], Floats] | None = None
    leaf_bounds: Callable[[Problem, Nodes], Floats | None] = lambda problem, nodes: None
    bin_gains: BinGains | None = None
    for_problem: Callable[[Criterion, Problem], Criterion] | None = None
    quick_gain: Callable[[Floats, bool], Floats] | None = None
    quick_is_exact: bool = False
    two_class_gain: Callable[[Floats, Floats], Floats] | None = None
    rough_bin_gains: RoughBinGains | None = None
    rough_row_gains: RoughRowGains | None = None


def gains(
    problem: Problem, criterion: Criterion, left: Floats, right: Floats, tree: Ints, terms: LeafTerms | None = None
) -> Floats:
    """(m,) gains of splits with the sums `left` and `right` (n_channels, m), in the trees `tree` (m,).

    `terms`: of these splits, for a criterion that has a gain by them.
    """
    left, right = criterion.moments(problem, left, tree), criterion.moments(problem, right, tree)
    if terms is not None:
        assert criterion.gain_by_terms is not None
        return criterion.gain_by_terms(left, right, terms)
    gain = criterion.gain(left, right)
    if criterion.rounding == 0.0:
        return gain
    return np.where(gain > criterion.rounding * (left.sum(axis=0) + right.sum(axis=0)), gain, 0.0)


def rough_type(most_rows: int, n_classes: int) -> type[np.float32] | type[np.float64]:
    """In which numbers rough gains are worked out of nodes of so many rows at most. Single precision takes half the
    time, where products of two row counts are exact.
    """
    exact = most_rows**2 < 2 ** (np.finfo(np.float32).nmant + 1)
    return np.float32 if exact and n_classes <= _MOST_TERMS else np.float64
