"""The predictions of a model of many trees for a sample of rows, counted: numbers, and the probability of the last of
two classes, by ranges; of more classes the most probable ones. For single trees the leaves are counted instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Floats, Ints
from madtree.model import UsableModel
from madtree.records import dataclass
from madtree.score.conformal import conformal_type
from madtree.score.new_rows import NewRows
from madtree.score.predictor import PredictedNumbers, Predictor
from madtree.score.rows_at_hand import RowsAtHand
from madtree.score.value_counts import ends_of_ranges
from madtree.trees import Joining, Model

SAMPLED = 20_000  # rows
_MOST_CLASSES = 1_000
_NO_ROWS = "P0002"


@dataclass(frozen=True)
class KeptPredictions:
    """Those of the training, counted.

    Attributes:
        counts: (n,) rows of each range, or of each of the model's classes.
        ends: (n - 1,) the largest prediction of each range but the last; None of classes.
        classes: (n,) none where predictions are numbers.
    """

    counts: Sequence[int]
    ends: Sequence[float] | None
    classes: Sequence[str] = ()

    def counts_of(self, predicted: Floats) -> Ints:
        """(n,) of the predictions of other rows."""
        place = predicted.astype(np.int64) if self.ends is None else np.searchsorted(np.array(self.ends), predicted)
        return np.bincount(place, minlength=len(self.counts))


def has_class_numbers(model: Model) -> bool:
    """Whether its predictions are numbers of classes, the most probable ones."""
    return len(model.classes) > 2


def has_prediction_statistics(model: Model) -> bool:
    """Whether the statistics of a model tell of its predictions, too."""
    return model.kind.joining is not Joining.NONE and len(model.classes) <= _MOST_CLASSES


def sampled_predictions(table: NewRows, n_rows: int) -> Floats:
    """(n_rows,) those of at most `SAMPLED` rows, drawn by their ids: numbers, or the places of classes from 0. Rows of
    groups that the model does not know have none.

    Args:
        n_rows: of the table.
    """
    model = table.opened.model
    choice = _choice(model)
    share = 1.1 * SAMPLED / max(n_rows, 1)
    for part in [share, 1.0] if share < 1 else [1.0]:
        try:
            rows = RowsAtHand.of(table, choice, SAMPLED, share=part)
        except MadtreeError as error:
            if error.sqlstate != _NO_ROWS:
                raise
            continue
        if part == 1 or rows.n_rows >= SAMPLED // 2:  # fewer where ids or groups are not as good as any
            break
    else:
        return np.zeros(0)
    return _numbers_of(model, rows.predicted(rows.numbers))


def counted_predictions(model: Model, predicted: Floats) -> KeptPredictions | None:
    """Of the predictions of the training (n_rows,); None where there are none."""
    if not len(predicted):
        return None
    if has_class_numbers(model):
        counts = np.bincount(predicted.astype(np.int64), minlength=len(model.classes))
        return KeptPredictions(counts.tolist(), None, model.classes)
    ends = ends_of_ranges(predicted)
    none = KeptPredictions([0] * (len(ends) + 1), ends.tolist())
    return KeptPredictions(none.counts_of(predicted).tolist(), none.ends)


def predictions_of(opened: UsableModel, rows: Floats) -> KeptPredictions | None:
    """Those of `rows` (n_rows, n_numbers): the group, where there are groups, all features, and the offset, where there
    are offsets. None where they are not kept.
    """
    model = opened.model
    if not has_prediction_statistics(model):
        return None
    predictor = Predictor.made(opened, _choice(model))
    n_groups = int(bool(model.grouping_columns))
    asked = [*range(n_groups), *(n_groups + predictor.used), *range(n_groups + len(model.features), rows.shape[1])]
    predicted = predictor.predicted(opened.host, rows.take(asked, axis=1))
    return counted_predictions(model, _numbers_of(model, predicted[~np.isnan(predicted[:, 0])]))


def _choice(model: Model) -> PredictedNumbers:
    classes = range(len(model.classes)) if has_class_numbers(model) else [len(model.classes) - 1] * bool(model.classes)
    return PredictedNumbers(conformal_type(model) if model.is_classification else "response", classes)


def _numbers_of(model: Model, predicted: Floats) -> Floats:
    """(n_rows,) what is counted of predictions (n_rows, n_outputs): places of classes, or numbers."""
    return np.asarray(predicted.argmax(axis=1).astype(np.float64) if has_class_numbers(model) else predicted[:, 0])
