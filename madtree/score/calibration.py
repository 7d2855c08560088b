"""From what a model says to probabilities: by isotonic regression, or by a sigmoid (Platt 1999; Zadrozny and Elkan
2002), fitted to rows that training has not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Bools, Floats, Ints, portable
from madtree.model import UsableModel
from madtree.score.predictor import PredictedNumbers
from madtree.score.rows_at_hand import RowsAtHand
from madtree.score.tested_rows import tested_rows
from madtree.trees import ISOTONIC, CalibrationMap, FittedMaps, IsotonicFunction, Joining, SigmoidFunction

MOST_ROWS = 1_000_000
_TABLE = "calibration_table"
_ASKED = {Joining.NONE: "prob", Joining.VOTE_OR_MEAN: "prob_mean", Joining.SUM: "raw"}
_MOST_STEPS, _MOST_HALVINGS = 100, 60  # of Newton's method
_ROUNDING = 2e-12  # of a sum of losses
_TINY = 1e-12  # what lowers the loss by less, of a row's weight, is no step


def calibration_maps(opened: UsableModel, table: str | None, method: str) -> FittedMaps:
    """The maps from what a model of classes says, by the rows of a table whose outcomes are known, at most `MOST_ROWS`
    of them: of one tree from probabilities, of many from mean ones, of a boosted model from scores.

    Raises:
        MadtreeError: there is no such table, it lacks a column, a weight in it is out of range, or no rows, or rows of
            one class only, count.
    """
    model = opened.model
    tested = tested_rows(opened, table, with_id=True, argument=_TABLE)
    n_classes = len(model.classes)
    classes = [n_classes - 1] if n_classes == 2 else range(n_classes)
    choice = PredictedNumbers(_ASKED[model.kind.joining], classes)
    rows = RowsAtHand.of(tested, choice, MOST_ROWS, tested.outcome_and_weight())
    actual, weight = rows.others.T
    fit = np.isfinite(weight) & (weight >= 0)
    tested.checked([{"bad_weights": int((~fit & ~np.isnan(weight)).sum())}])
    counted = fit & (weight > 0) & np.isfinite(actual)
    seen = np.unique(actual[counted]).astype(np.int64).tolist()
    if len(seen) < 2:
        of_one = f"has rows of the class {model.classes[seen[0]]} only" if seen else "has no row that counts"
        raise MadtreeError(
            f"{_TABLE}: {table} {of_one}; calibration needs rows of {'both' if n_classes == 2 else 'two'} classes",
            hint="Take rows that training has not seen, drawn as the new ones will be.",
            sqlstate="P0002",
        )
    opened.host.let_in()
    rows = rows.only(counted)
    scores = rows.predicted(rows.numbers)
    group = rows.numbers[:, 0] if model.grouping_columns else np.zeros(rows.n_rows)
    own = scores, actual[counted].astype(np.int64), weight[counted], group.astype(np.int64)
    return fitted_maps(method, *own, opened.host.let_in)


def isotonic(scores: Floats, is_class: Bools, weights: Floats, between: Callable[[], None]) -> IsotonicFunction:
    """The function that never falls whose squared error is the least: blocks of neighbours that would fall are merged
    (Ayer et al. 1955).

    Args:
        scores, is_class, weights: (n_rows,) of rows that count, one at least.
        between: called now and then, for cancels to be let in.
    """
    points, weight, share = _by_score(scores, is_class, weights, between)
    means: list[float] = []
    sums: list[float] = []
    starts: list[int] = []
    for place, (own, mean) in enumerate(zip(weight.tolist(), share.tolist(), strict=True)):
        if place % 4096 == 0:
            between()
        start = place
        while means and means[-1] >= mean:
            before = sums.pop()
            mean = (means.pop() * before + mean * own) / (before + own)
            own += before
            start = starts.pop()
        means.append(mean)
        sums.append(own)
        starts.append(start)
    between()
    ends = np.array([*starts[1:], len(points)]) - 1
    # A block is level from its first point to its last one.
    kept = np.unique(np.concatenate((starts, ends)))
    block = np.searchsorted(starts, kept, side="right") - 1
    probability = np.maximum.accumulate(np.array(means).clip(0, 1)).take(block)
    return IsotonicFunction(tuple(points[kept].tolist()), tuple(probability.tolist()))


def sigmoid(scores: Floats, is_class: Bools, weights: Floats, between: Callable[[], None]) -> SigmoidFunction:
    """The one that is the most likely, where outcomes are drawn in a little from 0 and 1, as Platt has it, by Newton's
    method with halved steps (Lin, Lin and Weng 2007); arguments as of `isotonic`.
    """
    points, weight, share = _by_score(scores, is_class, weights, between)
    positive, negative = _sum(weight * share), _sum(weight * (1 - share))
    high, low = (positive + 1) / (positive + 2), 1 / (negative + 2)
    target = share * high + (1 - share) * low
    centre = _sum(points) / len(points)
    scale = math.sqrt(_sum((points - centre) ** 2) / len(points)) or 1.0
    x = (points - centre) / scale
    found = 0.0, float(portable.log(np.array([(positive + 1) / (negative + 1)]))[0])
    total = _sum(weight)
    lost = _lost(found, x, target, weight)
    for _ in range(_MOST_STEPS):
        between()
        p = 1.0 / (1.0 + portable.exp(-_scores(found, x)))
        error, curve = weight * (p - target), weight * p * (1 - p)
        by_x, by_1 = _sum(error * x), _sum(error)
        # As much as keeps it solvable where all scores are one.
        ridge = _TINY * max(_sum(curve), _TINY)
        of_x, of_both, of_1 = _sum(curve * (x * x)) + ridge, _sum(curve * x), _sum(curve) + ridge
        determinant = of_x * of_1 - of_both * of_both
        step = (by_x * of_1 - by_1 * of_both) / determinant, (by_1 * of_x - by_x * of_both) / determinant
        size = 1.0
        for _ in range(_MOST_HALVINGS):
            between()
            tried = found[0] - size * step[0], found[1] - size * step[1]
            loss = _lost(tried, x, target, weight)
            if loss <= lost * (1 + _ROUNDING):  # near the least one a step gains less than sums are exact to
                break
            size /= 2
        else:
            break
        gained, found, lost = lost - loss, tried, loss
        if gained <= _TINY * _TINY * total or max(map(abs, step)) * size < _TINY:
            break
    factor = found[0] / scale
    return SigmoidFunction(factor, found[1] - factor * centre)


def _sum(values: Floats) -> float:
    """One after the other: so it has the same digits with any library that numpy calculates by."""
    return float(np.cumsum(values)[-1])


def _scores(parameters: tuple[float, float], x: Floats) -> Floats:
    return parameters[0] * x + parameters[1]


def _lost(parameters: tuple[float, float], x: Floats, target: Floats, weight: Floats) -> float:
    score = _scores(parameters, x)
    return _sum(weight * (portable.logistic(score / 2)[0] - target * score))


def _by_score(
    scores: Floats, is_class: Bools, weights: Floats, between: Callable[[], None]
) -> tuple[Floats, Floats, Floats]:
    """(n_scores,) each score once, ascending, its weight, and the share of it that is of the class.

    Sums are over rows in an order that follows from the rows themselves.
    """
    order = np.lexsort((weights, is_class, scores))
    between()
    points, place = np.unique(scores[order], return_inverse=True)
    between()
    place = place.ravel()
    weight = np.bincount(place, weights[order], len(points))
    of_class = np.bincount(place, weights[order] * is_class[order], len(points))
    return points, np.asarray(weight, np.float64), of_class / weight


METHODS: dict[str, Callable[[Floats, Bools, Floats, Callable[[], None]], CalibrationMap]] = {
    ISOTONIC: isotonic,
    "sigmoid": sigmoid,
}


def fitted_maps(
    method: str, scores: Floats, actual: Ints, weights: Floats, group: Ints, between: Callable[[], None]
) -> FittedMaps:
    """Fit all maps.

    Args:
        method: one of `METHODS`.
        scores: (n_rows, n_maps).
        actual: (n_rows,) places of the classes.
        group: (n_rows,) numbers of the groups; one number of a model without groups.
    """
    fit, n_maps = METHODS[method], scores.shape[1]

    def maps(rows: Ints) -> list[CalibrationMap]:
        classes = [1] if n_maps == 1 else range(n_maps)
        own = scores[rows].T, actual[rows], weights[rows]
        return [fit(column, own[1] == class_, own[2], between) for column, class_ in zip(own[0], classes, strict=True)]

    numbers = np.unique(group).tolist()
    pooled = maps(np.arange(len(actual)))
    if len(numbers) == 1:
        return FittedMaps({}, pooled, len(actual))
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], numbers)
    parts = np.split(order, starts[1:])
    found = {number: maps(rows) for number, rows in zip(numbers, parts, strict=True) if np.ptp(actual[rows])}
    return FittedMaps(found, pooled, len(actual))
