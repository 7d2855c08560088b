"""The predictions of a model of many trees for a sample of rows, counted: numbers, and the probability of the last of
two classes, by ranges; of more classes the most probable ones. For single trees the leaves are counted instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.learn.data import Floats, Ints
from madtree.model import ModelTables, NewData, casting
from madtree.records import dataclass
from madtree.score.conformal import conformal_type
from madtree.score.new_rows import scan_of
from madtree.score.rows_at_hand import PredictedNumbers, RowsAtHand
from madtree.sqltext.relation import Relation
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
    """

    counts: Sequence[int]
    ends: Sequence[float] | None

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


def sampled_predictions(
    host: Host,
    tables: ModelTables,
    model: Model,
    source: Relation,
    data: NewData,
    given: str,
    argument: str,
    n_rows: int,
) -> Floats:
    """(n_rows,) those of at most `SAMPLED` rows, drawn by their ids: numbers, or the places of classes from 0. Rows of
    groups that the model does not know have none.

    Args:
        data: with the id; given: the name of `source` as the user wrote it; argument: that it came in, for errors.
        n_rows: of the table.
    """
    classes = range(len(model.classes)) if has_class_numbers(model) else [len(model.classes) - 1] * bool(model.classes)
    choice = PredictedNumbers(conformal_type(model) if model.is_classification else "response", classes)
    scan, id_type = scan_of(host, tables, model, source, data, "", ""), data.types[model.id_column]
    share = 1.1 * SAMPLED / max(n_rows, 1)
    for part in [share, 1.0] if share < 1 else [1.0]:
        try:
            with casting(model, data.features, given, argument):
                rows = RowsAtHand.of(host, tables, model, choice, scan, id_type, SAMPLED, argument=argument, share=part)
        except MadtreeError as error:
            if error.sqlstate != _NO_ROWS:
                raise
            continue
        if part == 1 or rows.n_rows >= SAMPLED // 2:  # fewer where ids or groups are not as good as any
            break
    else:
        return np.zeros(0)
    predicted = rows.predicted(rows.numbers)
    found: Floats = predicted.argmax(axis=1).astype(np.float64) if has_class_numbers(model) else predicted[:, 0]
    return found
