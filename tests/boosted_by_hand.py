"""Boosting by quantiles of residuals, step by step, for tests: every split of every value is tried, with sums of
float64. Nothing of the library is used.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Values = np.ndarray
# Of values, their weights and a level.
Quantile = Callable[[Values, Values, float], float]


class Model(NamedTuple):
    """How trees are grown."""

    loss: str
    level: float
    n_rounds: int
    rate: float
    leaves: int
    min_bucket: int
    l2: float = 0.0


def middle_quantile(values: Values, weights: Values, level: float) -> float:
    """The least value up to which the weights have that share; where they have exactly that, the mean of it and of the
    next larger one (Hyndman and Fan 1996, definition 2).
    """
    order = np.argsort(values, kind="stable")
    values, share = values[order], weights[order].cumsum()
    last, wanted = len(values) - 1, level * share[-1]
    low, high = (np.searchsorted(share, wanted + sign * 1e-12 * share[-1], "right") for sign in (-1, 1))
    lower, upper = values[min(low, last)], values[min(high, last)]
    return float(lower if lower == upper else (lower + upper) / 2)


def scores_by_hand(features: Values, outcome: Values, weight: Values, model: Model, quantile: Quantile) -> Values:
    """(n_rows,) raw scores, of features (n_rows, n_features) with NaN where a value is missing."""
    scores = np.full(len(outcome), quantile(outcome, weight, model.level))
    times = 2 if model.loss == "absolute_error" else 1
    for _ in range(model.n_rounds):
        gradient = times * np.where(outcome >= scores, -model.level, 1 - model.level) * weight
        residual = outcome - scores
        for rows in leaves_by_hand(features, gradient, weight, model):
            scores[rows] += model.rate * quantile(residual[rows], weight[rows], model.level)
    return scores


def leaves_by_hand(features: Values, gradient: Values, hessian: Values, model: Model) -> list[Values]:
    """The rows of each leaf: the splits that gain most are made first."""
    leaves = {1: np.arange(len(gradient))}
    waiting: list[tuple[float, int, Values]] = []

    def wait(node: int) -> None:
        gain, goes_left = best_split(features[leaves[node]], gradient[leaves[node]], hessian[leaves[node]], model)
        if gain > 1e-12:
            heapq.heappush(waiting, (-gain, node, goes_left))

    wait(1)
    while waiting and len(leaves) < model.leaves:
        _, node, goes_left = heapq.heappop(waiting)
        rows = leaves.pop(node)
        leaves[2 * node], leaves[2 * node + 1] = rows[goes_left], rows[~goes_left]
        wait(2 * node)
        wait(2 * node + 1)
    return list(leaves.values())


def best_split(features: Values, gradient: Values, hessian: Values, model: Model) -> tuple[float, Values]:
    """The gain, and (n_rows,) which rows go left; of splits that gain alike the first feature's, by the least value."""
    best, chosen = 0.0, np.zeros(len(gradient), bool)
    for values in features.T:
        missing = np.isnan(values)
        for value in np.unique(values[~missing]):
            for way in (False, True)[: 1 + missing.any()]:
                goes_left = np.where(missing, way, values <= value)
                gain = gain_of(goes_left, gradient, hessian, model)
                if gain > best * (1 + 1e-11):
                    best, chosen = gain, goes_left
    return best, chosen


def gain_of(goes_left: Values, gradient: Values, hessian: Values, model: Model) -> float:
    """0 where a side has too few rows."""
    gain = -(gradient.sum() ** 2) / (hessian.sum() + model.l2)
    for side in (goes_left, ~goes_left):
        if side.sum() < model.min_bucket or hessian[side].sum() < 1e-3:
            return 0.0
        gain += gradient[side].sum() ** 2 / (hessian[side].sum() + model.l2)
    return float(gain)
