"""Settings that are tried, and what becomes of them, as values."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from madtree.learn.data import Floats, Ints
from madtree.learn.problem import Problem
from madtree.learn.requests import Program
from madtree.records import dataclass
from madtree.trees import METRICS, TREE, EnsembleParameters, Metric, ModelKind, Parameters

_FACTOR = 3  # of successive halving: by so much rows become more, and settings fewer
_LEAST_ROWS = 1_000  # of all folds, that settings are compared by


@dataclass(frozen=True)
class Trial:
    """Parameters that are tried.

    Attributes:
        number: by which it is told of, from 1.
        parameters: of trees.
        ensemble: how a model of many trees is grown; None for single trees.
    """

    number: int
    parameters: Parameters
    ensemble: EnsembleParameters | None = None


@dataclass(frozen=True)
class TrialScores:
    """What a setting has reached.

    Attributes:
        trial: its number.
        scores: (n_folds,) of the rows of each fold; NaN where there is none.
        seconds: that it took: of settings that share their work, each has the same part.
        share: of the rows that it was tried on.
    """

    trial: int
    scores: Floats
    seconds: float
    share: float = 1.0

    @property
    def mean(self) -> float:
        """Over the folds that have a score."""
        known = self.scores[~np.isnan(self.scores)]
        return float(known.mean()) if len(known) else float("nan")


@dataclass(frozen=True)
class Search:
    """What is to be tried.

    Attributes:
        trials: at least one, all for rows that are packed alike.
        metric: name of one of `METRICS`.
        n_folds: 0 where a column tells them.
        halving: whether all but the best settings are left out after they have been tried on a part of the rows.
        kind: of model that the settings are of.
    """

    trials: Sequence[Trial]
    metric: str
    n_folds: int
    halving: bool = False
    kind: ModelKind = TREE

    @property
    def metric_used(self) -> Metric:
        return METRICS[self.metric]


class Clock:
    """Tells how long something took."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._since


Report = Callable[[TrialScores], None]
# Tries some settings of a kind of model: of the problem, of the search these, on a share of the rows; whether these are
# at hand.
Attempt = Callable[[Problem, Search, Sequence[Trial], float, bool, Report], Program[None]]


def ranked(scored: Sequence[TrialScores], metric: Metric) -> list[TrialScores]:
    """The best one first, of those that were tried on most rows; of those that are alike the one that was listed first.
    Those without a score come last.
    """
    worse = np.array([each.mean for each in scored]) * (1 if metric.is_error else -1)
    numbers, shares = np.array([[each.trial, each.share] for each in scored]).T
    order: Ints = np.lexsort((numbers, np.where(np.isnan(worse), np.inf, worse), -shares))
    return [scored[place] for place in order.tolist()]


def rungs(n_trials: int, n_rows: int, *, halving: bool) -> list[tuple[float, int]]:
    """The shares of the rows that settings are tried on one after the other, and how many of the best ones are each
    time (Jamieson and Talwalkar 2016): a third of them on three times as many rows.
    """
    if not halving:
        return [(1.0, n_trials)]
    n = 0
    while n_trials >= _FACTOR ** (n + 1) and n_rows >= _LEAST_ROWS * _FACTOR ** (n + 1):
        n += 1
    return [(_FACTOR ** -float(n - i), max(1, -(-n_trials // _FACTOR**i))) for i in range(n + 1)]
