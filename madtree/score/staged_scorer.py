"""What a boosted model loses on a block's rows, whose outcome is known, for each number of its rounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from madtree.learn.data import Bools, Coroutine, Floats, Ints
from madtree.learn.losses import RowLoss
from madtree.learn.walk import Walk
from madtree.model.arrays import expected, probabilities
from madtree.score.routed_rows import RoutedRows
from madtree.trees import LOSSES

# What is said of a group's rows: the group's number; how many have an outcome that the loss is not for, how many an
# unfit weight, how many count, and their weight; and for each number of rounds, from none on, the sums of their losses,
# and of what the metric is the mean of.
GROUP, BAD_ACTUALS, BAD_WEIGHTS, ROWS, WEIGHT, FIRST_SUM = range(6)


def n_sums(n_rounds: int) -> int:
    """Numbers that are said of a group's rows."""
    return FIRST_SUM + 2 * (n_rounds + 1)


def staged_sums(routed: RoutedRows, outcomes: Floats, weights: Floats) -> Coroutine[bytes]:
    """The sums (n_groups, `n_sums`) over some rows; a group with fewer rounds stays as it is after its last one.

    Args:
        outcomes: (n_rows,) numbers, or places of classes from 0; NaN of rows without one.
        weights: (n_rows,), NaN of rows without one.
    """
    if routed.known is not None:
        rows = np.flatnonzero(routed.known)
        routed, outcomes, weights = routed.of(rows), outcomes.take(rows), weights.take(rows)
    model, place = routed.model, routed.place
    walk: Walk = model["walk"]
    here, group = np.unique(place, return_inverse=True)
    group = group.ravel()
    fit = fit_outcomes(model["loss"], model["n_classes"], outcomes)
    fit_weight = (weights >= 0) & np.isfinite(weights)
    counted = fit & fit_weight & (weights > 0)
    found = np.zeros((len(here), n_sums(model["members"] // model["base"].shape[1])))
    found[:, GROUP] = walk.groups.take(here)
    bad = (BAD_ACTUALS, ~fit & ~np.isnan(outcomes)), (BAD_WEIGHTS, ~fit_weight & ~np.isnan(weights))
    for column, which in (*bad, (ROWS, counted)):
        found[:, column] = np.bincount(group[which], minlength=len(here))
    found[:, WEIGHT] = np.bincount(group[counted], weights[counted], len(here))
    counts = None if walk.counts is None else walk.counts.take(place)
    for count in [model["members"]] if counts is None else np.unique(counts).tolist():
        rows = np.flatnonzero(counted if counts is None else counted & (counts == count))
        own = replace(routed.of(rows), model={**model, "members": count})
        yield from _add_rounds(own, group.take(rows), outcomes.take(rows), weights.take(rows), found[:, FIRST_SUM:])
    return found.tobytes()


def fit_outcomes(loss: str, n_classes: int, outcomes: Floats) -> Bools:
    """(n_rows,) whether a loss, by its name, is for an outcome."""
    declared, fit = LOSSES[loss], np.isfinite(outcomes)
    if declared.of_classes:
        return np.isin(outcomes, np.arange(n_classes, dtype=np.float64))
    if declared.is_positive:
        return np.asarray(fit & (outcomes > 0))
    return np.asarray(fit & (outcomes >= 0)) if declared.is_count else fit


def _add_rounds(routed: RoutedRows, group: Ints, outcomes: Floats, weights: Floats, sums: Floats) -> Coroutine[None]:
    """Add rows, whose groups have `members` trees, to the sums (n_groups, ...) of the groups (n_rows,)."""
    model, leaves = routed.model, routed.leaves()
    base, values = model["base"], model["values"][:, 0]
    n_scores, n_groups = base.shape[1], len(sums)
    of_rows = RowLoss(model["loss"], base.shape[1], weighted=False, quantile=model["quantile"])
    of_group = model["walk"].groups.take(routed.place) - 1
    threshold = None if model["thresholds"] is None else model["thresholds"].take(of_group)
    offset = 0.0 if routed.offset is None else routed.offset
    lines = of_rows.begun(outcomes, None, base.take(of_group, axis=0).T + offset)
    scores = lines[of_rows.first : of_rows.first + n_scores]
    for number in range(sums.shape[1] // 2):
        if number * n_scores < model["members"] + n_scores:
            if number:
                for score in range(n_scores):
                    leaf = yield from leaves((number - 1) * n_scores + score)
                    scores[score] += values.take(leaf)
            of_rows.end_round(lines)
            lost = of_rows.losses(lines, threshold)
            sums_now = [
                np.bincount(group, each * weights, n_groups)
                for each in (lost, _metric_of_rows(model, scores.T, outcomes))
            ]
        sums[:, 2 * number] += sums_now[0]
        sums[:, 2 * number + 1] += sums_now[1]


def _metric_of_rows(model: dict[str, Any], scores: Floats, outcomes: Floats) -> Floats:
    """(n_rows,) what the metric is the mean of: whether the class is right, or the square of the error; `scores`
    (n_rows, n_scores).
    """
    if not LOSSES[model["loss"]].of_classes:
        return np.square(expected(scores, model["link"])[:, 0] - outcomes)
    if model["n_classes"] == 2:  # what is more probable, without the exponentials
        return np.asarray((scores[:, 0] > model["link"].even_score) == outcomes, np.float64)
    likeliest = probabilities(scores, model["link"], model["n_classes"]).argmax(axis=1)
    return np.asarray(likeliest == outcomes, np.float64)
