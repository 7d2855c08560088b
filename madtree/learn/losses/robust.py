"""Losses by which a few outcomes far off do not count for more than their number: their leaves add quantiles of
residuals, and not Newton's steps, as the hessian is 0 almost everywhere (Friedman 2001, section 4; the hessian 1 of
each row, as in scikit-learn and LightGBM, makes gains those of squares).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from madtree.learn.data import Floats
from madtree.learn.losses.losses import Loss, OutcomeRange, of_squares, spread

MEDIAN = 0.5
ROBUST = ("absolute_error", "quantile", "huber")


def robust_loss(name: str, quantile: float | None, threshold: Floats | float) -> Loss:
    """That of `ROBUST`; `quantile` is asked for by the loss of that name alone, and `threshold` by huber."""
    if name == "quantile":
        assert quantile is not None
        return _quantile(quantile)
    return _huber(threshold) if name == "huber" else _absolute_error()


def _absolute_error() -> Loss:
    """The size of the error."""
    return Loss(
        lambda outcomes, scores: (*_signs(MEDIAN, 2.0, outcomes, scores), np.abs(outcomes - scores)),
        _none,
        partial(_of_signs, 1.0),
        is_bounded=True,
    )


def _quantile(level: float) -> Loss:
    """The error times the quantile's level where it is positive, else times that less 1: least at the quantile."""

    def of_rows(outcomes: Floats, scores: Floats) -> tuple[Floats, Floats, Floats]:
        error = outcomes - scores
        return *_signs(level, 1.0, outcomes, scores), np.maximum(level * error, (level - 1) * error)

    return Loss(of_rows, _none, partial(_of_signs, max(level, 1 - level)), is_bounded=True)


def _huber(threshold: Floats | float) -> Loss:
    """Half the squared error up to the threshold (n_rows,), and linear beyond it (Huber 1964)."""

    def of_rows(outcomes: Floats, scores: Floats) -> tuple[Floats, Floats, Floats]:
        error = np.abs(outcomes - scores)
        found = np.where(error <= threshold, np.square(error) / 2, threshold * (error - threshold / 2))
        return np.clip(scores - outcomes, -threshold, threshold), np.ones(len(scores)), found

    return Loss(of_rows, _none, of_squares)


def _signs(level: float, scale: float, outcomes: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Of a row that is on its score, the derivative from below."""
    return np.where(outcomes >= scores, -level * scale, (1 - level) * scale), np.ones(len(scores))


def _none(mean: Floats) -> Floats:
    return np.zeros_like(mean)


def _of_signs(largest: float, known: OutcomeRange) -> tuple[Floats, Floats, Floats]:
    widest = spread(known)
    return np.full_like(widest, largest), np.ones_like(widest), largest * widest
