"""Forests in scikit-learn's manner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from madtree.client.calls import as_argument
from madtree.client.client import Client
from madtree.client.estimators.ensemble_base import BaseEnsemble
from madtree.client.estimators.ensemble_outcomes import EnsembleClassifier, EnsembleRegressor
from madtree.client.estimators.forest_parameters import forest_arguments
from madtree.client.estimators.options import (
    ExtraTreesClassifierOptions,
    ExtraTreesRegressorOptions,
    ForestClassifierOptions,
    ForestRegressorOptions,
)
from madtree.client.forests import Forest
from madtree.client.frames import Array
from madtree.client.sklearn_forest import sklearn_of
from madtree.client.tree_arrays import EnsembleArrays, mean_values
from madtree.model import ModelTables
from madtree.request import check_forest_arguments
from madtree.trees import FOREST


class BaseForest(BaseEnsemble):
    """A forest that is trained in the database."""

    _kind = FOREST
    _learns_classes: bool
    _split_rule = "best"

    n_estimators: int
    bootstrap: bool
    criterion: str
    oob_score: bool
    num_permutations: int

    @property
    def _drawn_by_id(self) -> str:
        return "the trees' samples"

    def _arguments(self, client: Client, name: str, data: dict[str, Any], n_rows: Callable[[], int]) -> dict[str, Any]:
        def n_features() -> int:
            given = {key: as_argument(key, value) for key, value in data.items() if value is not None}
            task = check_forest_arguments(
                client.host, output_table_name=name, replace=True, classification=self._learns_classes, **given
            )
            return len(task.features)

        return forest_arguments(self, n_rows, n_features)

    def _take_trees(self, client: Client, tables: ModelTables) -> None:
        self._trees = EnsembleArrays.read(client.host, tables, self.model_)
        (group,) = Forest(client, tables.given).groups
        if self.oob_score:
            self.oob_score_ = float("nan") if group.oob_score is None else float(group.oob_score)
        if self.num_permutations:
            self.oob_importances_: Array = np.array(group.oob_var_importance, np.float64)
            self.oob_importances_std_: Array = np.array(group.oob_var_importance_sd, np.float64)
        self.feature_importances_: Array = _mean_importance(self._trees.importance)

    def apply(self, X: Any) -> Array:
        """The leaf that each row ends in, by its place among each tree's nodes, which stand in depth-first order.

        Parameters
        ----------
        X
            As for ``predict``.

        Returns
        -------
        ndarray of int64, shape (n_rows, n_estimators)
        """
        values, n_rows = self._values(X)
        return self._trees.apply(values, n_rows) - self._trees.roots[:-1]

    def to_sklearn(self) -> Any:
        """The forest as one of scikit-learn's that predicts the same, to the bit; see `madtree.to_sklearn`."""
        check_is_fitted(self)
        return sklearn_of(self.model_, self._trees, "soft")

    def _predicted(self, values: Mapping[str, Array], n_rows: int) -> Array:
        """Means over the trees."""
        return mean_values(self._trees, self._trees.apply(values, n_rows))


class RandomForestClassifier(ForestClassifierOptions, BaseForest, EnsembleClassifier):
    """A random forest for classes, trained in the database.

    Parameters
    ----------
    n_estimators, max_features, bootstrap, oob_score
        As in scikit-learn. `oob_score` is True or False.
    max_samples
        The share of the rows, or their number, that each tree's sample is drawn from. The rows that are left out are
        not out of bag.
    num_permutations
        How often each feature is permuted among the out-of-bag rows of each tree, for ``oob_importances_``; 0: never.
    connection, model, replace, id_col_name, list_of_features, list_of_features_to_exclude
        As for `DecisionTreeClassifier`.
    criterion, max_depth, min_samples_split, min_samples_leaf, class_weight, random_state
        As for `DecisionTreeClassifier`, but that trees are grown out unless `max_depth` is given.
    n_bins, max_surrogates, null_as_category, surrogate_style, parallel_workers, memory_mb, verbose, strategy
        As for `DecisionTreeClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_, n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        For tables, and for frames whose columns' names are texts.
    feature_importances_ : ndarray of shape (n_features,)
        Impurity decrease by feature (surrogates included), a mean over the trees, scaled to 1.
    oob_score_ : float
        With `oob_score`: the accuracy on out-of-bag rows, by votes.
    oob_importances_, oob_importances_std_ : ndarray of shape (n_features,)
        With `num_permutations`: what the trees lose where a feature is permuted, and its standard deviation over them,
        NaN where fewer than two have out-of-bag rows.
    model_ : madtree.trees.Model
        The model without its trees.
    """


class ExtraTreesClassifier(ExtraTreesClassifierOptions, BaseForest, EnsembleClassifier):
    """A forest of extremely randomized trees for classes: one random threshold for each feature that is drawn.

    Parameters and attributes are those of `RandomForestClassifier`; by default each tree learns from all rows.
    """

    _split_rule = "random"


class RandomForestRegressor(ForestRegressorOptions, BaseForest, EnsembleRegressor):
    """A random forest for numbers, trained in the database.

    Parameters and attributes are those of `RandomForestClassifier`, but for what is about classes. As in scikit-learn
    all features are looked at for each node; `forest_train` draws a third of them, which is ``max_features=1/3``.
    ``oob_score_`` is R².
    """


class ExtraTreesRegressor(ExtraTreesRegressorOptions, BaseForest, EnsembleRegressor):
    """A forest of extremely randomized trees for numbers: one random threshold for each feature.

    Parameters and attributes are those of `RandomForestRegressor`; by default each tree learns from all rows.
    """

    _split_rule = "random"


def _mean_importance(of_trees: Array) -> Array:
    """(n_features,) as in scikit-learn: each tree's importances scaled to 1, those of single leaves left out."""
    totals = of_trees.sum(axis=1)
    grown = totals > 0
    if not grown.any():
        return np.zeros(of_trees.shape[1])
    mean: Array = (of_trees[grown] / totals[grown, None]).mean(axis=0)
    scaled: Array = mean / mean.sum()
    return scaled
