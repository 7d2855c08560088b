"""What each loss asks of rows: gradient, hessian, the loss itself, and the score to begin with.

A loss is a function of an outcome y and of scores F, one number a row, or one for each of more than two classes. The
gradient is its derivative by F, and the hessian the second one (Friedman 2001; Chen and Guestrin 2016). Each row's are
multiplied by its weight.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from madtree.learn.data import Bools, Floats, portable
from madtree.records import dataclass

_MOST_EXPONENT = 700.0  # exp of more is no float64
# The least hessian of a side, as in scikit-learn's HistGradientBoosting and LightGBM.
LEAST_HESSIAN = 1e-3
_USUAL_STEP = 4.0  # of scores that are logarithms of means: by a factor of 55
LEAST_SHARE = 1e-15  # of a class, and of a mean by the largest outcome: log of less is not looked for


@dataclass(frozen=True)
class OutcomeRange:
    """What is known of the outcomes of each tree's rows: (n_trees,) each.

    Attributes:
        least, largest: of the outcomes.
        mean: weighted, of the rows in training.
        width: how far rows' offsets are from each other; 0 where they have none.
    """

    least: Floats
    largest: Floats
    mean: Floats
    width: Floats


@dataclass(frozen=True)
class Loss:
    """A loss of one score a row. All functions take rows (n_rows,) and give (n_rows,).

    Attributes:
        of_rows: gradient, hessian and the loss itself, of outcomes and scores.
        base: (n_trees,) the score to begin with, of the mean outcome; of no meaning where leaves add quantiles.
        largest: how large gradient, hessian and loss may be, of a tree's outcomes: their sums are exact up to as many
            times that as there are rows.
        is_bounded: whether no row's gradient and hessian are ever larger than that.
        to_best: (n_trees,) what is to be added to all scores so that the loss is the least, by the sums of gradients
            and hessians of the rows: at once, or nearer and nearer without going beyond.
        is_steep: whether scores are logarithms of means, so that leaves' values are limited (`leaf_steps`).
        anchor: of the offsets between the least, 0, and the largest one, 1, that by which scores begin lower: so that
            no row's hessian is much larger than that of a row without offset, where that is possible.
    """

    of_rows: Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]
    base: Callable[[Floats], Floats]
    largest: Callable[[OutcomeRange], tuple[Floats, Floats, Floats]]
    is_bounded: bool = False
    to_best: Callable[[Floats, Floats], Floats] = lambda gradient, hessian: -gradient / hessian
    is_steep: bool = False
    anchor: float = 0.5


def sigmoid(scores: Floats) -> Floats:
    """1 / (1 + exp(-score))."""
    return np.asarray(1.0 / (1.0 + portable.exp(-scores)))


def newton_step(moments: Floats, l2: Floats | float) -> Floats:
    """(m,) -G / (H + l2), of moments (2, m), hessians H and gradients G; 0 of nothing."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        step = -moments[1] / np.maximum(moments[0] + l2, np.finfo(np.float64).tiny)
    return np.asarray(np.nan_to_num(step))


def leaf_steps(moments: Floats, l2: Floats | float, alone: Bools, limited_by: float | None) -> Floats:
    """(m,) Newton's steps of nodes, as `newton_step` has them, before they are multiplied by the learning rate.

    A tree of one node says nothing where it has less hessian than each side of a split must keep: a step over next to
    no curvature would end anywhere, and each one from there farther off.

    Where scores are logarithms of means, a leaf whose mean outcome is many times what its rows are predicted has a step
    s of about so many, as log(1 + s) would do: with Poisson's loss -G / H is outcome / prediction - 1, and with gamma's
    G / H is prediction / outcome - 1. So scores change by that at most, or by `_USUAL_STEP` where it is less: usual
    steps are those of others, and what one overshoots by so little the next ones take back.

    Args:
        alone: (m,) the only nodes of their trees.
        limited_by: the learning rate, where scores are such logarithms; else None.
    """
    step = np.where(alone & (moments[0] < LEAST_HESSIAN), 0.0, newton_step(moments, l2))
    if limited_by is None:
        return step
    most = np.maximum(portable.log(1 + np.abs(step)), _USUAL_STEP) / limited_by
    return np.asarray(np.clip(step, -most, most))


def _logit(mean: Floats) -> Floats:
    share = np.clip(mean, LEAST_SHARE, 1 - LEAST_SHARE)
    return portable.log(share) - portable.log(1 - share)


def _log(mean: Floats) -> Floats:
    return portable.log(np.maximum(mean, LEAST_SHARE))


def _binomial(outcomes: Floats, scores: Floats) -> tuple[Floats, Floats, Floats]:
    half = np.subtract(0.5, outcomes)  # of 1, or of -1 for the second class
    halves = half * scores
    found, tanh = portable.logistic(halves)
    hessian = np.square(tanh, out=halves)
    np.subtract(1.0, hessian, out=hessian)
    hessian *= 0.25
    tanh += 1.0  # twice the share of the other class
    tanh *= half
    return tanh, hessian, found


def _exponential(outcomes: Floats, scores: Floats) -> tuple[Floats, Floats, Floats]:
    side = 1 - 2 * outcomes
    found = portable.exp(side * scores)
    return side * found, found, found


def _squares(outcomes: Floats, scores: Floats) -> tuple[Floats, Floats, Floats]:
    error = scores - outcomes
    return error, np.ones(len(scores)), 0.5 * np.square(error)


def _poisson(outcomes: Floats, scores: Floats) -> tuple[Floats, Floats, Floats]:
    mean = portable.exp(scores)
    return mean - outcomes, mean, mean - outcomes * scores


def _gamma(outcomes: Floats, scores: Floats) -> tuple[Floats, Floats, Floats]:
    ratio = outcomes * portable.exp(-scores)
    return 1 - ratio, ratio, scores + ratio


def spread(known: OutcomeRange) -> Floats:
    """How far scores may be from outcomes, about: twice as far as these, less their offsets, are from each other."""
    widest = known.largest - known.least + known.width
    return np.asarray(np.maximum(2 * widest, np.finfo(np.float64).tiny))


def _to_best_of_classes(gradient: Floats, hessian: Floats) -> Floats:
    """The hessian changes by a factor of exp(d) at most where scores change by d. So the best score is at least
    log(1 + |G| / H) away, and that comes down to Newton's step near it.
    """
    return np.asarray(np.sign(-gradient) * portable.log(1 + np.abs(gradient) / hessian))


def _alike(n: Floats, *factors: float) -> tuple[Floats, Floats, Floats]:
    gradient, hessian, loss = (np.full(len(n), factor) for factor in factors)
    return gradient, hessian, loss


def of_squares(known: OutcomeRange) -> tuple[Floats, Floats, Floats]:
    widest = spread(known)
    return widest, np.ones_like(widest), np.square(widest)


def _of_counts(known: OutcomeRange) -> tuple[Floats, Floats, Floats]:
    most = 2 * np.maximum(known.largest, LEAST_SHARE)
    return most, most, most * _MOST_EXPONENT


def _of_exponentials(known: OutcomeRange) -> tuple[Floats, Floats, Floats]:
    """Offsets in the middle of their range multiply no row's by more than the exponential of half of it."""
    most = 4 * portable.exp(np.minimum(known.width / 2, _MOST_EXPONENT))
    return most, most, most


def _of_ratios(known: OutcomeRange) -> tuple[Floats, Floats, Floats]:
    """Of rows that are predicted as the mean; sums over leaves stay as close to it as leaves are to their outcomes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.maximum(2 * np.nan_to_num(known.largest / known.mean, posinf=1.0), 4.0)
    return most, most, np.full(len(most), _MOST_EXPONENT) + most


SMOOTH: dict[str, Loss] = {
    "log_loss": Loss(
        _binomial,
        _logit,
        lambda known: _alike(known.mean, 1.0, 0.25, _MOST_EXPONENT),
        is_bounded=True,
        to_best=_to_best_of_classes,
    ),
    # Outcomes -1 and 1 in the place of 0 and 1: exp(-y F), at half the logit (Friedman, Hastie, Tibshirani 2000).
    "exponential": Loss(
        _exponential,
        lambda mean: _logit(mean) / 2,
        _of_exponentials,
        to_best=lambda gradient, hessian: (portable.log(hessian - gradient) - portable.log(hessian + gradient)) / 2,
    ),
    "squared_error": Loss(_squares, lambda mean: mean, of_squares),
    # exp(F) - y F and F + y exp(-F): half the deviances, but for what does not depend on F.
    "poisson": Loss(
        _poisson,
        _log,
        _of_counts,
        to_best=lambda gradient, hessian: portable.log(1 - gradient / hessian),
        is_steep=True,
        anchor=1.0,
    ),
    "gamma": Loss(
        _gamma,
        _log,
        _of_ratios,
        to_best=lambda gradient, hessian: -portable.log(1 + gradient / hessian),
        is_steep=True,
        anchor=0.0,
    ),
}
