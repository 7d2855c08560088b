"""Entropy, gain ratio and misclassification, and what all criteria of classification share."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Floats
from madtree.learn.problem import over_classes

ENTROPY_ROUNDING = 1e-15  # as `Criterion.rounding`


def majority_class(weights: Floats) -> Array:
    """The class with most weight; the first of several."""
    return np.asarray(weights.argmax(axis=0))


def minority_weight(weights: Floats) -> Floats:
    """Weight (m,) that the majority class of class weights (K, m) gets wrong."""
    risk: Array = over_classes(weights) - weights.max(axis=0)
    return np.asarray(risk, np.float64)


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


def entropy_quick_gain(upto: Floats, exact: bool) -> Floats:
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


def gain_ratio(left: Floats, right: Floats) -> Floats:
    """The weight times the information gain over the split information, the entropy of the shares that go left and
    right (Quinlan 1993, C4.5, for splits in two).

    A gain that may be rounding alone is none: it would be divided by as little as the share of a single row.
    """
    left_weight, right_weight = over_classes(left), over_classes(right)
    weight = left_weight + right_weight
    gain = entropy_gain(left, right)
    ratio: Floats = gain / entropy_impurity(np.stack((left_weight, right_weight)))
    return np.where(gain > ENTROPY_ROUNDING * weight, ratio, 0.0)


def misclassification_gain(left: Floats, right: Floats) -> Floats:
    """max_k l_k + max_k r_k - max_k (l_k + r_k): the weight that is predicted right thanks to the split."""
    gain: Floats = left.max(axis=0) + right.max(axis=0) - (left + right).max(axis=0)
    return gain


def misclassification_impurity(weights: Floats) -> Floats:
    """1 - max p."""
    shares = weights / over_classes(weights)
    return np.asarray(1 - shares.max(axis=0))


def misclassification_quick_gain(upto: Floats, exact: bool) -> Floats:
    del exact
    total = upto[:, :, -1]
    gain: Floats = upto.max(axis=3) + (total[:, :, None] - upto).max(axis=3) - total.max(axis=2)[:, :, None]
    return gain
