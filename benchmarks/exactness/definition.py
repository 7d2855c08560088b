"""Boosting by definition: trees, and the gradients and first scores of losses. Nothing of madtree's is used.

Trees come as sets of rows, so that it does not matter how a program says where it splits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactness.problems import LEVELS, Floats, Problem

Rows = NDArray[np.bool_]  # (n_rows,) which are meant


@dataclass(frozen=True)
class Node:
    """A node of a grown tree: its rows, and those of its left child and by which feature, where it is split."""

    rows: Rows
    value: float
    left: Rows | None = None
    children: tuple[int, int] = (-1, -1)
    feature: int = -1


Tree = dict[int, Node]  # by any ids; the root's is 0


@dataclass(frozen=True)
class Round:
    """What the tree of a round and score was grown on: (n_rows,) each; `threshold` of huber."""

    gradient: Floats
    hessian: Floats
    residual: Floats
    threshold: float


def derivatives(problem: Problem, scores: Floats, score: int, threshold: float) -> tuple[Floats, Floats]:
    """Gradients and hessians (n_rows,) at `scores` (n_rows, n_scores), weights and all."""
    y, f, loss = problem.outcome, scores[:, score], problem.loss
    one = np.ones_like(y)
    if loss == "log_loss":
        p = 1 / (1 + np.exp(-f))
        g, h = p - y, p * (1 - p)
    elif loss == "log_loss of 3":
        p = np.exp(f - scores.max(axis=1)) / np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1)
        g, h = p - (y == score), p * (1 - p)
    elif loss == "exponential":
        sign = 2 * y - 1
        g, h = -sign * np.exp(-sign * f), np.exp(-sign * f)
    elif loss == "squared_error":
        g, h = f - y, one
    elif loss == "poisson":
        g, h = np.exp(f) - y, np.exp(f)
    elif loss == "gamma":
        g, h = 1 - y * np.exp(-f), y * np.exp(-f)
    elif loss == "absolute_error":
        g, h = np.where(y >= f, -1.0, 1.0), one
    elif loss == "quantile":
        g, h = np.where(y >= f, -LEVELS[loss], 1 - LEVELS[loss]), one
    else:
        g, h = np.clip(f - y, -threshold, threshold), one
    return g * problem.weights, h * problem.weights


def base_scores(problem: Problem) -> Floats:
    """(n_scores,)"""
    y, w, loss = problem.outcome, problem.weights, problem.loss
    if problem.is_of_quantiles:
        return np.array([middle_quantile(y, w, LEVELS[loss] if loss == "quantile" else 0.5)])
    if problem.n_scores > 1:
        logs = np.log([w[y == k].sum() / w.sum() for k in range(problem.n_scores)])
        return np.asarray(logs - logs.mean())
    mean = (w * y).sum() / w.sum()
    if loss in ("log_loss", "exponential"):
        return np.array([np.log(mean / (1 - mean)) / (2 if loss == "exponential" else 1)])
    return np.array([np.log(mean) if loss in ("poisson", "gamma") else mean])


def middle_quantile(values: Floats, weights: Floats, level: float) -> float:
    """The least value up to which the weights have that share; where they have exactly that, the mean of it and of the
    next larger one (Hyndman and Fan 1996, definition 2).
    """
    order = np.argsort(values, kind="stable")
    values, share = values[order], weights[order].cumsum()
    low, high = (np.searchsorted(share, (level + sign * 1e-12) * share[-1], "right") for sign in (-1, 1))
    last = len(values) - 1
    return float(values[min(low, last)] + values[min(high, last)]) / 2
