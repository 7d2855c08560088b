"""Forests for numbers in scikit-learn's manner."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from madtree.client.calls import Names
from madtree.client.estimators.forest_base import BaseForest, with_defaults
from madtree.client.estimators.outcomes import LearnsNumbers
from madtree.client.estimators.tables import TableInPlace, outcome_of
from madtree.client.frames import Array


class ForestRegressor(LearnsNumbers, BaseForest):
    """What the two regressors share."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train the forest; arguments and errors as for `RandomForestClassifier.fit`, but that `y` holds numbers."""
        self._fit_numbers(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Array:
        """Means of the trees' means, shape (n_rows,); `X` as for `RandomForestClassifier.predict`."""
        return self._mean_values(X)[:, 0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R², the share of variance explained; arguments as for `fit`."""
        self._require_target(y)
        if not isinstance(X, str):
            return float(super().score(X, y, sample_weight))
        with self._client() as client, client.work():
            table = TableInPlace.find(client.host, X)
            numbers = table.plain(client.host, outcome_of(y), sample_weight or "1")
            others = [f"({each})::pg_catalog.float8" for each in numbers]
            leaves, columns = self._leaves_of_table(client, table, others)
        actual, weights = (np.array(column, np.float64) for column in columns)  # NaN where NULL
        counts = ~np.isnan(actual) & (weights > 0)
        if not counts.any():
            return float("nan")
        said = self._means_of(leaves)[:, 0]
        return float(r2_score(actual[counts], said[counts], sample_weight=weights[counts]))


class RandomForestRegressor(ForestRegressor):
    """A random forest for numbers, trained in the database.

    Parameters and attributes are those of `RandomForestClassifier`, but for what is about classes. As in scikit-learn
    all features are looked at for each node; `forest_train` draws a third of them, which is ``max_features=1/3``.
    ``oob_score_`` is R².
    """

    def __init__(
        self,
        connection: Any = None,
        *,
        n_estimators: int = 100,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float | None = 2,
        min_samples_leaf: float | None = 1,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        random_state: Any = None,
        max_samples: Any = None,
        num_permutations: int = 0,
        model: str | None = None,
        replace: bool = False,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        n_bins: int = 100,
        max_surrogates: int = 0,
        null_as_category: bool = False,
        surrogate_style: int = 0,
        verbose: bool = False,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
        strategy: str = "auto",
    ) -> None:
        self._keep(locals())


class ExtraTreesRegressor(ForestRegressor):
    """A forest of extremely randomized trees for numbers: one random threshold for each feature.

    Parameters and attributes are those of `RandomForestRegressor`; by default each tree learns from all rows.
    """

    _split_rule = "random"

    __init__ = with_defaults(RandomForestRegressor.__init__, bootstrap=False)
