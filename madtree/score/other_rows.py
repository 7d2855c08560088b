"""What other rows than those of its training make of a model of classes: maps from what it says to probabilities."""

from __future__ import annotations

import numpy as np

from madtree.errors import MadtreeError
from madtree.model import UsableModel
from madtree.score.calibration import METHODS, fitted_maps
from madtree.score.predictor import PredictedNumbers
from madtree.score.rows_at_hand import RowsAtHand
from madtree.score.tested_rows import tested_rows
from madtree.trees import FittedMaps, Joining

MOST_ROWS = 1_000_000
_TABLE = "calibration_table"
_ASKED = {Joining.NONE: "prob", Joining.VOTE_OR_MEAN: "prob_mean", Joining.SUM: "raw"}


def check_method(method: str | None) -> str:
    """The name of a method, in lower case; raises MadtreeError where there is none of that name."""
    wanted = (method or "").strip().lower()
    if wanted not in METHODS:
        shown = "NULL" if method is None else repr(method)
        raise MadtreeError(f"method must be one of {', '.join(METHODS)}, not {shown}")
    return wanted


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
