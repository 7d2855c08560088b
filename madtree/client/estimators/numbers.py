"""Learning numbers: what all regressors have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from madtree.client.estimators.data import checked_columns
from madtree.client.estimators.in_database import FittedInDatabase
from madtree.client.frames import Array, FrameColumn


class LearnsNumbers(RegressorMixin, FittedInDatabase):  # type: ignore[misc]
    """The part of a regressor that is about its targets."""

    _learns_classes = False

    def _fit_numbers(self, X: Any, y: Any, sample_weight: Any) -> None:
        if isinstance(X, str):
            self._fit_table(X, y, sample_weight)
            return
        columns = checked_columns(self, X, reset=True)
        targets = self._checked_numbers(y, len(columns[0].values))
        self._fit_columns(X, columns, FrameColumn("y", "double precision", targets), sample_weight)

    def _checked_numbers(self, y: Any, n_rows: int) -> Array:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None")
        y = column_or_1d(y, warn=True)
        y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y", estimator=self)
        check_consistent_length(np.empty(n_rows), y)
        return np.asarray(y)
