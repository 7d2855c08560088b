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

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from madtree.learn.data import Array, Floats, Ints
from madtree.learn.problem import Problem, over_classes
from madtree.learn.split.losses import Losses
from madtree.learn.split.margins import rough_type

RoughBest = Callable[[Array, int], tuple[Floats, Floats]]
RoughGain = Callable[[Sequence[Floats]], Floats]


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
        rough_best: for `shortlist`: the best gain of each segment, 0 where no split is possible, and the segment's
            rows, both (m,); from row counts (K, m, n_bins) as integers, the bin of missing values left out, and from
            the rows that either side must keep. Differs from the best `gain` by rounding only, where
            products of two counts are exact.
        rough_gain: for `row_tables`: the same as gains (n_rows, m) behind each row, from the row counts (n_rows, m) of
            each class up to it, whole numbers in single or double precision; those of the last row are the node's. 0
            where nothing goes right.
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
    rough_best: RoughBest | None = None
    rough_gain: RoughGain | None = None


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
        criterion, risk=losses.risk, prediction=losses.prediction, quick_gain=None, rough_best=None, rough_gain=None
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


# What all criteria of classification share.


def majority_class(weights: Floats) -> Array:
    """The class with most weight; the first of several."""
    return np.asarray(weights.argmax(axis=0))


def minority_weight(weights: Floats) -> Floats:
    """Weight (m,) that the majority class of class weights (K, m) gets wrong."""
    risk: Array = over_classes(weights) - weights.max(axis=0)
    return np.asarray(risk, np.float64)


# Gini


def gini_gain(left: Floats, right: Floats) -> Floats:
    """W_l W_r / W * sum_k (p_lk - p_rk)**2, which equals W i(t) - W_l i(l) - W_r i(r) with i = 1 - sum p**2.

    Args:
        left, right: (K, m) class weights on either side; no side without weight.
    """
    left_weight, right_weight = over_classes(left), over_classes(right)
    difference = left / left_weight - right / right_weight
    gain: Floats = left_weight * right_weight / (left_weight + right_weight) * over_classes(np.square(difference))
    return gain


def gini_impurity(weights: Floats) -> Floats:
    """sum p (1 - p): the same as 1 - sum p**2, but exactly zero for a pure node."""
    shares = weights / over_classes(weights)
    return over_classes(shares * (1 - shares))


def _gini_quick_gain(upto: Floats, exact: bool) -> Floats:
    """sum_k l_k**2 / W_l + sum_k r_k**2 / W_r - sum_k t_k**2 / W."""
    left, total = upto, upto[:, :, -1]
    squares = np.einsum("fswk,fswk->fsw", left, left)
    if exact:
        right = squares - 2 * np.einsum("fswk,fsk->fsw", left, total) + squares[:, :, -1:]
    else:
        rest = total[:, :, None] - left
        right = np.einsum("fswk,fswk->fsw", rest, rest)
    weight = np.einsum("fswk->fsw", left)
    gain: Floats = squares / weight + right / (weight[:, :, -1:] - weight) - squares[:, :, -1:] / weight[:, :, -1:]
    return gain


def _gini_two_class_gain(left: Floats, right: Floats) -> Floats:
    """As `gini_gain`, whose sum has two equal terms here."""
    left_weight, right_weight = left[0] + left[1], right[0] + right[1]
    across = left[0] * right[1] - left[1] * right[0]
    gain: Floats = 2 * across * across / (left_weight * right_weight * (left_weight + right_weight))
    return gain


def _gini_rough_best(counts: Array, min_bucket: int) -> tuple[Floats, Floats]:
    """After multiplying out, the gain behind a bin is sum_k (L_k W - L W_k)**2 / (W L (W - L)), where L of the W known
    rows go left, L_k of the W_k of class k. That takes a quarter of the time that `gini_gain` takes, and differs by
    rounding only where the products of two counts are exact.
    """
    if counts.shape[2] == 0:
        return np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
    rows = counts[0]
    for of_class in counts[1:]:
        rows = rows + of_class
    whole = _running(rows)
    kind = rough_type(int(whole[:, -1].max(initial=0)), len(counts))
    left: Floats = whole.astype(kind)
    weight = left[:, -1:].copy()
    right = weight - left
    # Of two classes the one's difference is the other's with its sign changed.
    of_classes: Iterable[Floats] = (_running(own).astype(kind) for own in counts[: 1 if len(counts) == 2 else None])
    squares = _squared_differences(left, weight, ((own, own[:, -1:]) for own in of_classes))
    if min_bucket > 1:  # where nothing goes to one side the squares are 0
        squares *= np.minimum(left, right) >= min_bucket
    left *= right
    np.maximum(left, 1.0, out=left)
    squares /= left
    # A maximum along the lines of a matrix takes several times as long.
    best = np.maximum.reduceat(squares.ravel(), np.arange(0, squares.size, squares.shape[1]))
    total = weight[:, 0].astype(np.float64)
    best = best * (2.0 if len(counts) == 2 else 1.0)
    return np.divide(best, total, out=np.zeros(len(total)), where=total > 0), total


def _gini_rough_gain(upto: Sequence[Floats]) -> Floats:
    left = upto[0]
    for of_class in upto[1:]:
        left = left + of_class
    weight = left[-1]
    gain = _squared_differences(left, weight, ((own, own[-1]) for own in (upto[:1] if len(upto) == 2 else upto)))
    sides = weight - left
    sides *= left
    np.maximum(sides, 1.0, out=sides)
    gain /= sides
    gain *= (2.0 if len(upto) == 2 else 1.0) / np.maximum(weight, 1.0)
    return gain


def _squared_differences(left: Floats, weight: Floats, classes: Iterable[tuple[Floats, Floats]]) -> Floats:
    """sum_k (L_k W - L W_k)**2 of some classes, from the rows L up to a bin or row, and all of them, W, and the same of
    each class; L are matrices, W match one of their lines.
    """
    squares = None
    for own, total in classes:
        difference = own * weight
        difference -= left * total
        difference *= difference
        squares = difference if squares is None else np.add(squares, difference, out=squares)
    assert squares is not None
    return squares


def _running(counts: Array) -> Array:
    """(m, D) running sums along the lines of `counts`; of integers they are added up many times quicker."""
    return np.cumsum(counts, axis=1, dtype=np.int32)


# Entropy


def entropy_gain(left: Floats, right: Floats) -> Floats:
    """sum_k l_k log2(p_lk / p_k) + r_k log2(p_rk / p_k): the information gain in bits, times the weight."""
    total = left + right
    share = total / over_classes(total)
    gain = np.zeros(left.shape[1])
    for side in (left, right):
        ratio = np.divide(side / over_classes(side), share, out=np.ones_like(side), where=side > 0)
        gain += over_classes(side * np.log2(ratio))
    return np.maximum(gain, 0.0)


def entropy_impurity(weights: Floats) -> Floats:
    """-sum p log2 p."""
    shares = weights / over_classes(weights)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(np.abs(over_classes(shares * logs)))


def _entropy_quick_gain(upto: Floats, exact: bool) -> Floats:
    """The sum of x log2 x over the classes of both sides and the sides of the whole, less those of their sums."""
    del exact
    whole = upto[:, :, -1].sum(axis=2)[:, :, None, None]

    def terms(weights: Floats) -> Floats:
        share = np.maximum(weights / whole, 0.0)
        logs = np.log2(share + 1e-300)
        return np.asarray(np.einsum("fswk,fswk->fsw", share, logs))

    right = upto[:, :, -1:] - upto
    by_class = terms(upto) + terms(right) - terms(upto[:, :, -1:])
    by_side = [terms(side.sum(axis=3, keepdims=True)) for side in (upto, right)]
    return np.asarray((by_class - by_side[0] - by_side[1]) * whole[:, :, :, 0])


# Gain ratio


def gain_ratio(left: Floats, right: Floats) -> Floats:
    """The weight times the information gain over the split information, the entropy of the shares that go left and
    right (Quinlan 1993, C4.5, for splits in two).

    A gain that may be rounding alone is none: it would be divided by as little as the share of a single row.
    """
    left_weight, right_weight = over_classes(left), over_classes(right)
    weight = left_weight + right_weight
    gain = entropy_gain(left, right)
    ratio: Floats = gain / entropy_impurity(np.stack((left_weight, right_weight)))
    return np.where(gain > ENTROPY.rounding * weight, ratio, 0.0)


# Misclassification


def misclassification_gain(left: Floats, right: Floats) -> Floats:
    """max_k l_k + max_k r_k - max_k (l_k + r_k): the weight that is predicted right thanks to the split."""
    gain: Floats = left.max(axis=0) + right.max(axis=0) - (left + right).max(axis=0)
    return gain


def misclassification_impurity(weights: Floats) -> Floats:
    """1 - max p."""
    shares = weights / over_classes(weights)
    return np.asarray(1 - shares.max(axis=0))


def _misclassification_quick_gain(upto: Floats, exact: bool) -> Floats:
    del exact
    total = upto[:, :, -1]
    gain: Floats = upto.max(axis=3) + (total[:, :, None] - upto).max(axis=3) - total.max(axis=2)[:, :, None]
    return gain


# Variance


def variance_gain(left_weight: Floats, left_mean: Floats, right_weight: Floats, right_mean: Floats) -> Floats:
    """W_l W_r / W * (m_l - m_r)**2: the sum of squares removed by the split."""
    gain: Floats = left_weight * right_weight / (left_weight + right_weight) * np.square(left_mean - right_mean)
    return gain


def _mse_gain(left: Floats, right: Floats) -> Floats:
    return variance_gain(left[0], left[1], right[0], right[1])


def _mean_risk(moments: Floats) -> Floats:
    impurity: Floats = moments[2] / moments[0]
    return impurity


def _known_risk(moments: Floats) -> Floats:
    return np.asarray(moments[2])


def _known_prediction(moments: Floats) -> Array:
    return np.asarray(moments[1])


# Poisson deviance

# Below this size the terms of the gain come from a series, whose next term is no longer seen in double precision.
_SMALL = 0.01
_N_TERMS = 10


def poisson_gain(left: Floats, right: Floats) -> Floats:
    """2 (D_l log(r_l / r) + D_r log(r_r / r)): the Poisson deviance removed by the split, at rates without a prior.

    D is the events, t the exposure, r = D / t the rate (rpart, src/poisson.c). With x = r_l / r - 1 on the left, and so
    on the right, this is 2 r times the sum of t ((1 + x) log(1 + x) - x) over both sides, and no term is negative.

    Args:
        left, right: (2, m) exposure and rate on either side; no side without exposure.
    """
    (left_exposure, left_rate), (right_exposure, right_rate) = left, right
    left_share = left_exposure / (left_exposure + right_exposure)
    right_share = right_exposure / (left_exposure + right_exposure)
    rate = left_share * left_rate + right_share * right_rate
    difference = np.divide(left_rate - right_rate, rate, out=np.zeros_like(rate), where=rate > 0)
    left_term = left_exposure * _excess(right_share * difference)
    right_term = right_exposure * _excess(-left_share * difference)
    gain: Floats = 2 * rate * (left_term + right_term)
    return gain


def _excess(x: Floats) -> Floats:
    """(1 + x) log(1 + x) - x of numbers from -1 on."""
    x = np.maximum(x, -1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = np.where(x > -1, (1 + x) * np.log1p(x) - x, 1.0)
    series = np.zeros_like(x)
    for n in range(_N_TERMS, 1, -1):
        series = series * -x + 1 / (n * (n - 1))
    return np.where(np.abs(x) < _SMALL, series * x * x, plain)


GINI = Criterion(
    name="gini",
    for_classes=True,
    gain=gini_gain,
    impurity=gini_impurity,
    risk=minority_weight,
    prediction=majority_class,
    rounding=1e-24,
    quick_gain=_gini_quick_gain,
    two_class_gain=_gini_two_class_gain,
    rough_best=_gini_rough_best,
    rough_gain=_gini_rough_gain,
)
ENTROPY = Criterion(
    name="entropy",
    for_classes=True,
    gain=entropy_gain,
    impurity=entropy_impurity,
    risk=minority_weight,
    prediction=majority_class,
    rounding=1e-15,
    quick_gain=_entropy_quick_gain,
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
    quick_gain=_misclassification_quick_gain,
    quick_is_exact=True,
    two_class_gain=misclassification_gain,
)
MSE = Criterion(
    name="mse",
    for_classes=False,
    gain=_mse_gain,
    impurity=_mean_risk,
    risk=_known_risk,
    prediction=_known_prediction,
)
POISSON = Criterion(
    name="poisson",
    for_classes=False,
    gain=poisson_gain,
    impurity=_mean_risk,
    risk=_known_risk,
    prediction=_known_prediction,
)

CRITERIA = {criterion.name: criterion for criterion in (GINI, ENTROPY, GAIN_RATIO, MISCLASSIFICATION, MSE, POISSON)}
