"""Ensembles for classes and for numbers: fitting, predicting and judging, however the trees make a prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from madtree.client.client import Client
from madtree.client.estimators.ensemble_base import BaseEnsemble
from madtree.client.estimators.outcomes import LearnsClasses, LearnsNumbers
from madtree.client.estimators.tables import TableInPlace
from madtree.client.frames import Array


class EnsembleClassifier(LearnsClasses, BaseEnsemble):
    """What all classifiers of many trees share."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train the trees.

        Parameters
        ----------
        X, y, sample_weight
            As for `DecisionTreeClassifier.fit`. Rows are drawn by their ids: of a table its key (or `id_col_name`, or
            the rows' places in it), of data that are copied the rows' numbers.

        Raises
        ------
        MadtreeError
            The server refused: what it says.
        ValueError, TypeError
            Arrays do not go together, or hold what can be no feature or class.
        """
        place = self._fit_classes(X, y, sample_weight)
        self._known = np.array([place[label] for label in self.model_.classes], np.int64)
        return self

    def predict(self, X: Any) -> Array:
        """Classes, shape (n_rows,): the most probable ones, as in scikit-learn; the first of several.

        Parameters
        ----------
        X : str, data frame or array-like of shape (n_rows, n_features)
            Name of a table, whose rows come in the order of their ids; or data as for `fit`. The features that the
            trees ask are fetched, and rows are scored here, to the same leaves as in the database. To score a table
            where it is, keep the `model` and predict by it.
        """
        return self._likeliest(self.predict_proba(X))

    def predict_proba(self, X: Any) -> Array:
        """Probabilities, shape (n_rows, n_classes), in the order of ``classes_``; `X` as for `predict`."""
        return self._shares(self._predicted(*self._values(X)))

    def _score_of_table(self, client: Client, table: TableInPlace, y: str, weight: str) -> float:
        others = [self._actual(y), f"({weight})::pg_catalog.float8"]
        values, n_rows, (outcomes, weights) = self._values_of_table(client, table, others)
        known = self._known_classes
        predicted = self._shares(self._predicted(values, n_rows)).argmax(axis=1).tolist()
        right = total = 0.0
        for place, outcome, counts in zip(predicted, outcomes, weights, strict=True):
            if outcome is not None and counts is not None and counts > 0:
                total += counts
                right += counts if known[place] == outcome else 0.0
        return right / total if total else float("nan")

    def _likeliest(self, shares: Array) -> Array:
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def _shares(self, of_model: Array) -> Array:
        """(n_rows, n_classes), where the model may know fewer."""
        shares = np.zeros((len(of_model), self.n_classes_))
        shares[:, self._known] = of_model
        return shares


class EnsembleRegressor(LearnsNumbers, BaseEnsemble):
    """What all regressors of many trees share."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train the trees; arguments and errors as for classifiers, but that `y` holds numbers."""
        self._fit_numbers(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Array:
        """Numbers, shape (n_rows,); `X` as for classifiers."""
        return self._predicted(*self._values(X))[:, 0]

    def _score_of_table(self, client: Client, table: TableInPlace, y: str, weight: str) -> float:
        others = [f"({each})::pg_catalog.float8" for each in (y, weight)]
        values, n_rows, columns = self._values_of_table(client, table, others)
        actual, weights = (np.array(column, np.float64) for column in columns)  # NaN where NULL
        counts = ~np.isnan(actual) & (weights > 0)
        if not counts.any():
            return float("nan")
        predicted = self._predicted(values, n_rows)[:, 0]
        return float(r2_score(actual[counts], predicted[counts], sample_weight=weights[counts]))
