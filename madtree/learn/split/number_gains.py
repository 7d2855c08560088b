"""The variance of numbers and the Poisson deviance of counts."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Floats

# Below this size the terms of the gain come from a series, whose next term is no longer seen in double precision.
_SMALL = 0.01
_N_TERMS = 10


def variance_gain(left_weight: Floats, left_mean: Floats, right_weight: Floats, right_mean: Floats) -> Floats:
    """W_l W_r / W * (m_l - m_r)**2: the sum of squares removed by the split."""
    gain: Floats = left_weight * right_weight / (left_weight + right_weight) * np.square(left_mean - right_mean)
    return gain


def mse_gain(left: Floats, right: Floats) -> Floats:
    return variance_gain(left[0], left[1], right[0], right[1])


def mean_risk(moments: Floats) -> Floats:
    impurity: Floats = moments[2] / moments[0]
    return impurity


def known_risk(moments: Floats) -> Floats:
    return np.asarray(moments[2])


def known_prediction(moments: Floats) -> Array:
    return np.asarray(moments[1])


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
