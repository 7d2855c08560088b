"""Folds that are held out of boosting one after the other, and what the scores of their rows are worth by a metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from madtree.learn.columns.boosted import row_loss_of, scores_of
from madtree.learn.columns.changing import ChangingRows
from madtree.learn.data import CACHED_ROWS, Array, Floats, Grid, Values, flat_nonzero, pieces_of, portable, require
from madtree.learn.losses import RowLoss, sigmoid
from madtree.learn.problem import LeftOut, Problem, Sampled
from madtree.trees import LOSSES, MOST_FOLDS, Link

_LEAST = float(np.finfo(np.float64).eps)  # that probabilities are kept from 0


def one_fold(rows: ChangingRows, values: Mapping[str, Any]) -> dict[str, Array]:
    """Which rows are in training, held out or left aside. `values`: the fold that is held out, of n_folds; and of which
    share of the rows, by a hash with that seed.
    """
    require(rows.block.fold is not None, "fold", "there")
    one = LeftOut(values["n_folds"], kept=values["share"], seed=values["seed"])
    found = np.full(rows.block.codes.n_rows, Sampled.LEFT_OUT, np.uint8)
    in_training = one.multiplicity(rows.block, values["fold"])
    assert in_training is not None
    found[in_training > 0] = Sampled.IN_SAMPLE
    found[one.held_out(rows.block, values["fold"])] = Sampled.HELD_OUT
    return {"fold": found}


def values_of_one_fold(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values of `one_fold` as they have come."""
    n_folds, share = given.integer("n_folds", 2, MOST_FOLDS), given.number("share", 0.0, 1.0)
    require(share > 0, "share", "above 0")
    return {
        "n_folds": n_folds,
        "fold": given.integer("fold", 0, n_folds - 1),
        "share": share,
        "seed": given.integer("seed", -(2**63), 2**63 - 1),
    }


def metric_sums(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    """(n_lines, 1) rows that are held out, limbs of what the metric is a weighted mean of, and of their weights where
    they have some. `values`: metric, row_loss, metric_grid, weight_grid or None.
    """
    loss: RowLoss = values["row_loss"]
    total, grid = no_metric(values), values["metric_grid"]
    for piece in pieces_of(rows.block.codes.n_rows, CACHED_ROWS):
        some = rows.piece(piece)
        assert some.block.fold is not None
        held_out = flat_nonzero(some.block.fold == Sampled.HELD_OUT)
        lines = scores_of(some, loss)[:, held_out]
        found = METRICS_OF_ROWS[values["metric"]](lines, loss)
        own = [np.ones(len(held_out)), *grid.split(found * lines[1] if loss.weighted else found)]
        if loss.weighted:
            own += list(values["weight_grid"].split(lines[1]))
        total[:, 0] += [each.sum() for each in own]
    return total


def no_metric(values: Mapping[str, Any]) -> Array:
    """`metric_sums` of no rows."""
    weight: Grid | None = values["weight_grid"]
    return np.zeros((1 + values["metric_grid"].limbs + (weight.limbs if weight else 0), 1))


def values_of_metric_sums(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values of `metric_sums` as they have come."""
    require(problem is not None and problem.n_trees == 1, "problem", "of one tree")
    grids = {name: Grid.from_values(given, f"sum_{name}_exponents", 1) for name in ("metric", "weight")}
    loss = row_loss_of(given)
    require(grids["metric"] is not None, "sum_metric_exponents", "there")
    require(loss.weighted == (grids["weight"] is not None), "sum_weight_exponents", "there where rows have weights")
    metric = given.text("metric", METRICS_OF_ROWS)
    return {"row_loss": loss, "metric": metric, **{f"{name}_grid": grid for name, grid in grids.items()}}


def _own_scores(lines: Floats, loss: RowLoss) -> Floats:
    return lines[loss.first : loss.first + loss.n_scores]


def _is_right(lines: Floats, loss: RowLoss) -> Floats:
    """Whether the class is the likeliest one, the first of several."""
    scores = _own_scores(lines, loss)
    link = LOSSES[loss.loss].link
    predicted = scores.argmax(axis=0) if loss.n_scores > 1 else scores[0] > link.even_score
    return np.asarray(predicted == lines[0], np.float64)


def _log_loss(lines: Floats, loss: RowLoss) -> Floats:
    if loss.n_scores > 1:
        found = loss.softmax_losses(lines)
    elif LOSSES[loss.loss].link is Link.HALF_LOGIT:
        share = sigmoid(np.where(lines[0] == 1, 2.0, -2.0) * _own_scores(lines, loss)[0])
        return np.asarray(-portable.log(np.maximum(share, _LEAST)))
    else:
        found = loss.losses(lines)
    return np.asarray(np.minimum(found, -portable.log(np.array([_LEAST]))))


def _predicted(lines: Floats, loss: RowLoss) -> Floats:
    (score,) = _own_scores(lines, loss)
    return portable.exp(score) if LOSSES[loss.loss].link is Link.LOG else score


def _squares(lines: Floats, loss: RowLoss) -> Floats:
    return np.asarray(np.square(lines[0] - _predicted(lines, loss)))


def _deviance(lines: Floats, loss: RowLoss) -> Floats:
    """Of counts, the Poisson deviance."""
    counts, means = lines[0], _predicted(lines, loss)
    ratio = np.where(counts > 0, counts / means, 1.0)
    return np.asarray(2 * (counts * portable.log(ratio) - counts + means))


# What each metric is the mean of, or the root of the mean.
METRICS_OF_ROWS: dict[str, Callable[[Floats, RowLoss], Floats]] = {
    "accuracy": _is_right,
    "log_loss": _log_loss,
    "rmse": _squares,
    "poisson_deviance": _deviance,
}
