"""Split criteria: how much a split lowers impurity, and the impurity, risk and prediction of a node.

A criterion is an object with a few functions, as in rpart, where it is a row in a table of functions. All that they
see of some rows is a column of *moments* (`Problem.moments`): the class weights (K, m); for regression weight and mean
(2, m), for counts exposure and rate. Risk and prediction of classes see `Problem.class_weights`, which take no account
of losses. Gains are sums over rows, not means (semantics, section 3), in forms that are exactly zero where both sides
look alike, so that rounding never makes a split.

To add a criterion, make a `Criterion` and put it into `CRITERIA`. The functions for the pruners are optional: a pruner
that finds none does not apply, and all candidates are searched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from madtree.learn.data import Array, Floats, Ints
from madtree.learn.problem import Problem
from madtree.learn.split.class_gains import (
    ENTROPY_ROUNDING,
    entropy_gain,
    entropy_impurity,
    entropy_quick_gain,
    gain_ratio,
    majority_class,
    minority_weight,
    misclassification_gain,
    misclassification_impurity,
    misclassification_quick_gain,
)
from madtree.learn.split.gini import (
    gini_gain,
    gini_impurity,
    gini_quick_gain,
    gini_rough_bin_gains,
    gini_rough_row_gains,
    gini_two_class_gain,
)
from madtree.learn.split.losses import Losses
from madtree.learn.split.number_gains import known_prediction, known_risk, mean_risk, mse_gain, poisson_gain

RoughBinGains = Callable[[Array, Array, int], tuple[Floats, Floats]]
RoughRowGains = Callable[[Sequence[Floats]], Floats]


@dataclass(frozen=True)
class Criterion:
    """The functions of a split criterion.

    Attributes:
        name: as in `Parameters.criterion`.
        for_classes: whether moments are class weights; else weight and mean.
        gain: (m,) of splits with the moments `left` and `right`; no side is without weight.
        impurity: (m,) of nodes.
        risk: (m,) of nodes, which pruning weighs against the number of leaves. A classification node whose risk is 0
            is pure and is not split.
        prediction: (m,) class index; for regression the mean less the problem's centre.
        rounding: gains a unit of weight that may be rounding alone: no split is worth so little.

    For regression and counts, impurity, risk and prediction see three moments: weight, prediction (less the centre) and
    risk, which is the sum of squares about the mean, or the deviance.

    For the pruners, None where there is no such function:
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
            one left out, those of each class (K, m, n_bins), and from the rows that either side must keep. Differ from
            `gain` by rounding only, where products of two counts are exact.
        rough_row_gains: for `row_tables`: the same as gains (n_rows, m) behind each row, from the row counts (n_rows,
            m) of each class up to it, whole numbers in single or double precision; those of the last row are the
            node's. 0 where nothing goes right.
    """

    name: str
    for_classes: bool
    gain: Callable[[Floats, Floats], Floats]
    impurity: Callable[[Floats], Floats]
    risk: Callable[[Floats], Floats]
    prediction: Callable[[Floats], Array]
    rounding: float = 0.0
    quick_gain: Callable[[Floats, bool], Floats] | None = None
    quick_is_exact: bool = False
    two_class_gain: Callable[[Floats, Floats], Floats] | None = None
    rough_bin_gains: RoughBinGains | None = None
    rough_row_gains: RoughRowGains | None = None


def criterion_of(problem: Problem) -> Criterion:
    """The criterion that a problem's parameters name; risk and prediction are those that its `class_params` ask for.

    With these, class weights are no whole numbers, and the pruners that count on it do not apply.
    """
    criterion = CRITERIA[problem.parameters.criterion]
    if criterion.for_classes != (problem.n_classes > 0):
        raise ValueError(f"the criterion {criterion.name} does not fit a target with {problem.n_classes} classes")
    if problem.parameters.class_params is None:
        return criterion
    losses = Losses.of_problem(problem)
    return replace(
        criterion,
        risk=losses.risk,
        prediction=losses.prediction,
        quick_gain=None,
        rough_bin_gains=None,
        rough_row_gains=None,
    )


def gains(problem: Problem, criterion: Criterion, left: Floats, right: Floats, tree: Ints) -> Floats:
    """(m,) gains of splits with the sums `left` and `right` (n_channels, m), in the trees `tree` (m,)."""
    left, right = problem.moments(left, tree), problem.moments(right, tree)
    if not problem.n_classes and not (problem.weight_grid is None and problem.exposure_grid is None):
        # Weighted values are rounded row by row, so means of equal values may differ in their last bits.
        close = np.abs(left[1] - right[1]) <= 1e-13 * np.maximum(np.abs(left[1]), np.abs(right[1]))
        right[1] = np.where(close, left[1], right[1])
    gain = criterion.gain(left, right)
    if criterion.rounding == 0.0:
        return gain
    weight = left.sum(axis=0) + right.sum(axis=0) if problem.n_classes else left[0] + right[0]
    return np.where(gain > criterion.rounding * weight, gain, 0.0)


GINI = Criterion(
    name="gini",
    for_classes=True,
    gain=gini_gain,
    impurity=gini_impurity,
    risk=minority_weight,
    prediction=majority_class,
    rounding=1e-24,
    quick_gain=gini_quick_gain,
    two_class_gain=gini_two_class_gain,
    rough_bin_gains=gini_rough_bin_gains,
    rough_row_gains=gini_rough_row_gains,
)
ENTROPY = Criterion(
    name="entropy",
    for_classes=True,
    gain=entropy_gain,
    impurity=entropy_impurity,
    risk=minority_weight,
    prediction=majority_class,
    rounding=ENTROPY_ROUNDING,
    quick_gain=entropy_quick_gain,
    two_class_gain=entropy_gain,
)
# Its ratio is not a convex function of the weights on the left, and small split informations make much of rounding: no
# pruner applies.
GAIN_RATIO = Criterion(
    name="gain_ratio",
    for_classes=True,
    gain=gain_ratio,
    impurity=entropy_impurity,
    risk=minority_weight,
    prediction=majority_class,
)
MISCLASSIFICATION = Criterion(
    name="misclassification",
    for_classes=True,
    gain=misclassification_gain,
    impurity=misclassification_impurity,
    risk=minority_weight,
    prediction=majority_class,
    rounding=1e-15,
    quick_gain=misclassification_quick_gain,
    quick_is_exact=True,
    two_class_gain=misclassification_gain,
)
MSE = Criterion(
    name="mse",
    for_classes=False,
    gain=mse_gain,
    impurity=mean_risk,
    risk=known_risk,
    prediction=known_prediction,
)
POISSON = Criterion(
    name="poisson",
    for_classes=False,
    gain=poisson_gain,
    impurity=mean_risk,
    risk=known_risk,
    prediction=known_prediction,
)

CRITERIA = {criterion.name: criterion for criterion in (GINI, ENTROPY, GAIN_RATIO, MISCLASSIFICATION, MSE, POISSON)}
