"""Split criteria: how much a split lowers impurity, and the impurity and risk of a node.

Each criterion works on class weights (K, m) or, for regression, on weight and mean. Gains are sums over rows, not means
(semantics, section 3), in forms that are exactly zero where both sides look alike, so that rounding never makes a
split.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from madtree.learn.data.types import Array, Floats
from madtree.learn.problem.channels import over_classes

Gain = Callable[[Floats, Floats], Floats]


def gini_gain(left: Floats, right: Floats) -> Floats:
    """W_l W_r / W * sum_k (p_lk - p_rk)**2, which equals W i(t) - W_l i(l) - W_r i(r) with i = 1 - sum p**2.

    Args:
        left, right: (K, m) class weights on either side; no side without weight.
    """
    left_weight, right_weight = over_classes(left), over_classes(right)
    difference = left / left_weight - right / right_weight
    gain: Floats = left_weight * right_weight / (left_weight + right_weight) * over_classes(np.square(difference))
    return gain


def entropy_gain(left: Floats, right: Floats) -> Floats:
    """sum_k l_k log2(p_lk / p_k) + r_k log2(p_rk / p_k): the information gain in bits, times the weight."""
    total = left + right
    share = total / over_classes(total)
    gain = np.zeros(left.shape[1])
    for side in (left, right):
        ratio = np.divide(side / over_classes(side), share, out=np.ones_like(side), where=side > 0)
        gain += over_classes(side * np.log2(ratio))
    return np.maximum(gain, 0.0)


def misclassification_gain(left: Floats, right: Floats) -> Floats:
    """max_k l_k + max_k r_k - max_k (l_k + r_k): the weight that is predicted right thanks to the split."""
    gain: Floats = left.max(axis=0) + right.max(axis=0) - (left + right).max(axis=0)
    return gain


def variance_gain(left_weight: Floats, left_mean: Floats, right_weight: Floats, right_mean: Floats) -> Floats:
    """W_l W_r / W * (m_l - m_r)**2: the sum of squares removed by the split."""
    gain: Floats = left_weight * right_weight / (left_weight + right_weight) * np.square(left_mean - right_mean)
    return gain


CLASSIFICATION_GAINS: dict[str, Gain] = {
    "gini": gini_gain,
    "entropy": entropy_gain,
    "misclassification": misclassification_gain,
}

# Gains a unit of weight below which only rounding of fractional weights can have made them: no split is worth so
# little.
ROUNDING = {"gini": 1e-24, "entropy": 1e-15, "misclassification": 1e-15}


def class_impurity(criterion: str, weights: Floats) -> Floats:
    """Impurity (m,) of nodes with class weights (K, m): gini 1 - sum p**2; entropy -sum p log2 p; else 1 - max p."""
    shares = weights / over_classes(weights)
    if criterion == "gini":
        # sum p (1 - p) rather than 1 - sum p**2: exactly zero for a pure node.
        return over_classes(shares * (1 - shares))
    if criterion == "entropy":
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        return np.asarray(np.abs(over_classes(shares * logs)))
    return np.asarray(1 - shares.max(axis=0))


def class_risk(weights: Floats) -> Floats:
    """Weight (m,) that the majority class of class weights (K, m) gets wrong."""
    risk: Array = over_classes(weights) - weights.max(axis=0)
    return np.asarray(risk, np.float64)
