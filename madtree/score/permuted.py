"""permutation_importance: how much worse a model predicts a table's rows where values of a feature are exchanged among
them (Breiman 2001, Machine Learning 45), of features alone or together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import fsum, sqrt

import numpy as np

from madtree.host import Host, Row, watched
from madtree.interface import FUNCTIONS
from madtree.learn.data import Floats, Ints, portable
from madtree.model import find_to_use, no_row_counts
from madtree.score.predictor import PredictedNumbers
from madtree.score.rows_at_hand import RowsAtHand, feature_places, word_of
from madtree.score.tested_rows import tested_rows
from madtree.sqltext.split import split_list
from madtree.trees import Joining, Model

_LEAST = float(np.finfo(np.float64).eps)  # that a probability is kept away from 0 and 1, as by tree_evaluate
_LOG_LOSS, _ACCURACY, _RMSE, _MAE = "log_loss", "accuracy", "rmse", "mae"


def permutation_importance(
    host: Host,
    model_name: str | None,
    test_table: str | None,
    features: str | None = None,
    metric: str | None = None,
    n_repeats: int | None = 5,
    seed: int | None = 1,
    max_rows: int | None = 10_000,
    trust_owner: bool | None = False,
) -> list[Row]:
    """A row for each feature, or for those that are taken together, the most important first; see its usage text.

    Args:
        trust_owner: that of `find_model`.

    Raises:
        MadtreeError: an argument is NULL or not valid, the table lacks a column or has no row that counts, or a weight
            or outcome in it is out of range.
    """
    declared = FUNCTIONS["permutation_importance"]
    given = {"n_repeats": n_repeats, "seed": seed, "max_rows": max_rows}
    checked_ = {name: declared.checked(name, value) for name, value in given.items()}
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    valid = (_LOG_LOSS, _ACCURACY) if model.is_classification else (_RMSE, _MAE)
    mean_loss = word_of(model, "metric", valid, metric)
    together = _together(model, features)
    tested = tested_rows(opened, test_table, with_id=True, argument="test_table")
    choice = _numbers_of_metric(model, mean_loss)
    rows = RowsAtHand.of(tested, choice, checked_["max_rows"], tested.outcome_and_weight())
    actual, weight = rows.others.T
    fit = np.isfinite(weight) & (weight >= 0)
    bad = {"bad_weights": int((~fit & ~np.isnan(weight)).sum()), "bad_actuals": int(np.isinf(actual).sum())}
    tested.checked([bad])
    counted = fit & (weight > 0) & np.isfinite(actual)
    if not counted.any():
        raise no_row_counts("test_table", test_table)
    found = _importances(rows.only(counted), model, mean_loss, together, checked_["n_repeats"], checked_["seed"])
    return sorted(watched(host, found), key=lambda row: -row["importance"])


def _together(model: Model, features: str | None) -> list[tuple[str, list[int]]]:
    """The name and the places of the features that are exchanged at once; of all one by one, if none is named."""
    if features is None:
        return [(feature.name, [place]) for place, feature in enumerate(model.features)]
    texts, lists = split_list(features, "features"), []
    for text in texts:
        is_group = text.startswith("[") and text.endswith("]") and text[1:-1].strip()
        lists.append(split_list(text[1:-1], "features") if is_group else [text])
    return [*zip(texts, feature_places(model, lists, "features"), strict=True)]


def _numbers_of_metric(model: Model, metric: str) -> PredictedNumbers:
    """The predictions by which tree_evaluate judges, too."""
    if not model.is_classification:
        return PredictedNumbers("response", [])
    asked = "prob"
    if metric == _LOG_LOSS and "prob_mean" in model.kind.class_types:
        asked = "prob_mean"
    elif metric == _ACCURACY and model.kind.joining is Joining.NONE:
        asked = "response"  # by losses that is not the most probable class
    return PredictedNumbers(asked, range(len(model.classes)))


def _importances(
    rows: RowsAtHand, model: Model, metric: str, together: Sequence[tuple[str, list[int]]], n_repeats: int, seed: int
) -> Iterator[Row]:
    actual, weight = rows.others.T
    lost = _LOSSES[metric]

    def mean_loss(outputs: Floats) -> float:
        return lost(outputs, actual, weight / fsum(weight))

    group = rows.numbers[:, 0] if model.grouping_columns else np.zeros(rows.n_rows)
    as_is = mean_loss(rows.predicted(rows.numbers))
    at_once = rows.times_at_once  # repeats whose rows are predicted together
    worse = -1 if metric == _ACCURACY else 1
    for name, places in together:
        columns = np.array([rows.column[place] for place in places if place in rows.column], np.int64)
        found = np.zeros(n_repeats)
        for first in range(0, n_repeats if len(columns) else 0, at_once):
            repeats = range(first, min(first + at_once, n_repeats))
            numbers = np.tile(rows.numbers, (len(repeats), 1))
            order = np.concatenate([_exchanged(group, [seed, number, *places]) for number in repeats])
            numbers[:, columns] = rows.numbers[np.ix_(order, columns)]
            for number, outputs in zip(repeats, np.split(rows.predicted(numbers), len(repeats)), strict=True):
                found[number] = worse * (mean_loss(outputs) - as_is)
        yield {
            "features": name,
            "metric": metric,
            "value": as_is,
            "importance": float(found.mean()),
            "stddev": float(found.std()),
            "n": rows.n_rows,
        }


def _exchanged(group: Floats, entropy: Sequence[int]) -> Ints:
    """(n_rows,) whose values each row gets: those of another one of its group, by chance."""
    by_chance = np.random.PCG64(np.random.SeedSequence(entropy)).random_raw(len(group))
    order = np.empty(len(group), np.int64)
    order[np.argsort(group, kind="stable")] = np.lexsort((by_chance, group))
    return order


def _log_loss(outputs: Floats, actual: Floats, weight: Floats) -> float:
    own = np.take_along_axis(outputs, actual.astype(np.int64)[:, None], axis=1)[:, 0]
    return -fsum(weight * portable.log(own.clip(_LEAST, 1 - _LEAST)))


# By metric: of predictions (n_rows, n_outputs), what was (n_rows,) and weights (n_rows,) that add up to 1.
_LOSSES: dict[str, Callable[[Floats, Floats, Floats], float]] = {
    _LOG_LOSS: _log_loss,
    _ACCURACY: lambda outputs, actual, weight: fsum(weight * (outputs.argmax(axis=1) == actual)),
    _RMSE: lambda outputs, actual, weight: sqrt(fsum(weight * np.square(outputs[:, 0] - actual))),
    _MAE: lambda outputs, actual, weight: fsum(weight * np.abs(outputs[:, 0] - actual)),
}
