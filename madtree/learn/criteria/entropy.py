"""Entropy, and its gain ratio."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.learn.criteria.classes import of_classes
from madtree.learn.data import Floats
from madtree.learn.problem import over_classes

_ROUNDING = 1e-15  # as `Criterion.rounding`


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
    return np.where(gain > _ROUNDING * weight, ratio, 0.0)


ENTROPY = replace(
    of_classes("entropy", entropy_gain, entropy_impurity, rounding=_ROUNDING),
    quick_gain=entropy_quick_gain,
    two_class_gain=entropy_gain,
)
# The ratio is not a convex function of the weights on the left, and small split informations make much of rounding: no
# bound applies.
GAIN_RATIO = of_classes("gain_ratio", gain_ratio, entropy_impurity)
