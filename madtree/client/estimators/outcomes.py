"""Learning classes, and learning numbers: what all classifiers, and all regressors, have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length

from madtree.client.client import Client
from madtree.client.estimators.data import checked_columns, class_column
from madtree.client.estimators.in_database import FittedInDatabase
from madtree.client.estimators.tables import TableInPlace, outcome_of, weights_of_classes
from madtree.client.frames import Array, FrameColumn, is_missing
from madtree.client.tree_arrays import class_values
from madtree.sqltext.cells import actual_class
from madtree.sqltext.values import parts_of_equal


class _JudgedInDatabase:
    def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy, or R², the share of variance explained; arguments as for `fit`."""
        self._require_target(y)
        if not isinstance(X, str):
            return float(super().score(X, y, sample_weight))  # type: ignore[misc]
        with self._client() as client, client.work():
            table = TableInPlace.find(client.host, X)
            outcome, weight = table.plain(client.host, outcome_of(y), sample_weight or "1")
            return float(self._score_of_table(client, table, outcome, weight))


class LearnsClasses(_JudgedInDatabase, ClassifierMixin, FittedInDatabase):  # type: ignore[misc]
    """The part of a classifier that is about classes, their labels and their weights."""

    class_weight: Any
    _labels: list[str] | None  # the classes' texts in the database, where these are not their places

    _learns_classes = True

    def _fit_classes(self, X: Any, y: Any, sample_weight: Any) -> dict[str, int]:
        """Fit, and know the classes; returns the place of each by its text in the database.

        A class whose rows all have the weight 0 is known to y, but not to the model.
        """
        if isinstance(X, str):
            self._fit_table(X, y, sample_weight)
            self.classes_ = class_values(self.model_)
            labels = list(self.model_.classes)
            self._labels = labels
        else:
            columns = checked_columns(self, X, reset=True)
            y = self._checked_classes(y, len(columns[0].values))
            target, self.classes_, labels = class_column("y", y)
            self._labels = None if labels == [str(code) for code in range(len(labels))] else labels
            if self.class_weight is not None:
                of_class = compute_sample_weight(self.class_weight, y)
                sample_weight = of_class if sample_weight is None else of_class * np.asarray(sample_weight)
            self._fit_columns(X, columns, target, sample_weight)
        self.n_classes_ = len(self.classes_)
        return {label: number for number, label in enumerate(labels)}

    def predict_proba(self, X: Any) -> Array:
        raise NotImplementedError

    def predict_log_proba(self, X: Any) -> Array:
        """Natural logarithms of the probabilities, shape (n_rows, n_classes)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _actual(self, y: str) -> str:
        """SQL of the class of a row as the model knows it; one that it knows by number only is compared as it is."""
        if self._labels is None:
            return y
        before, _, after = parts_of_equal(self.model_.dependent)
        return actual_class(f"{before}{y}{after}", self.model_.dependent_type)

    @property
    def _known_classes(self) -> Any:
        """The classes in the words of `_actual`."""
        return self.classes_ if self._labels is None else self._labels

    def _weights_of_table(self, client: Client, table: TableInPlace, y: str, sample_weight: str | None) -> str | None:
        if self.class_weight is None:
            return sample_weight
        return weights_of_classes(client, table, y, self.class_weight, sample_weight)

    def _checked_classes(self, y: Any, n_rows: int) -> Array:
        y = self._one_column(y)
        check_consistent_length(np.empty(n_rows), y)
        if y.dtype == object and any(map(is_missing, y)):
            raise ValueError("Input y contains NaN or None: leave out the rows whose class is not known.")
        check_classification_targets(y)
        return np.asarray(y)


class LearnsNumbers(_JudgedInDatabase, RegressorMixin, FittedInDatabase):  # type: ignore[misc]
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
        y = self._one_column(y)
        y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y", estimator=self)
        check_consistent_length(np.empty(n_rows), y)
        return np.asarray(y)
