"""Forests in scikit-learn's manner."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from madtree.client.calls import CallError, as_argument
from madtree.client.client import Client
from madtree.client.estimators.ensemble_base import BaseEnsemble
from madtree.client.estimators.ensemble_outcomes import EnsembleClassifier, EnsembleRegressor
from madtree.client.estimators.options import (
    ExtraTreesClassifierOptions,
    ExtraTreesRegressorOptions,
    ForestClassifierOptions,
    ForestRegressorOptions,
)
from madtree.client.estimators.parameters import count_or_share, criterion, rows, shared_arguments, whole, without_none
from madtree.client.forests import Forest
from madtree.client.frames import Array
from madtree.client.sklearn_forest import sklearn_of
from madtree.client.tree_arrays import EnsembleArrays, mean_values
from madtree.model import OpenModel
from madtree.request import CHECKS
from madtree.trees import FOREST

_BY_NAME: dict[str, Callable[[int], int]] = {"sqrt": math.isqrt, "log2": lambda n: int(math.log2(n))}


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
            task = CHECKS[FOREST.trains](
                client.host, output_table_name=name, replace=True, classification=self._learns_classes, **given
            )
            return len(task.features)

        return forest_arguments(self, n_rows, n_features)

    def _take_trees(self, client: Client, opened: OpenModel) -> None:
        self._trees = EnsembleArrays.read(opened)
        (group,) = Forest(client, opened.tables.given).groups
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

    It predicts the class with the greatest mean probability, as scikit-learn; `forest_predict` by the model in the
    database the class with most votes.

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


def forest_arguments(
    estimator: Any, count_rows: Callable[[], int], count_features: Callable[[], int]
) -> dict[str, Any]:
    """What an estimator's parameters are to forest_train, without those that are None there.

    Args:
        count_rows, count_features: of the training table; asked only for a share of them.

    Raises:
        CallError: a parameter has no valid value, or one that asks for what madtree's forests do not do.
    """
    if not isinstance(estimator.oob_score, bool):
        raise CallError(f"oob_score must be True or False, not {estimator.oob_score!r}")
    if estimator.oob_score and not estimator.bootstrap:
        raise CallError("oob_score needs rows that are out of bag", "They are with bootstrap=True.")
    if estimator.max_samples is not None and not estimator.bootstrap:
        raise CallError("max_samples is about bootstrap samples", "Set bootstrap=True, or max_samples=None.")
    return without_none(
        {
            **estimator._plain_arguments(),
            "num_trees": whole(estimator, "n_estimators", 1),
            "num_random_features": _drawn(estimator.max_features, count_features),
            "importance": whole(estimator, "num_permutations", 0) > 0,
            "num_permutations": estimator.num_permutations or None,
            "min_split": rows(estimator, "min_samples_split", 2, count_rows),
            "sample_ratio": _kept(estimator.max_samples, count_rows),
            "sampling": None if estimator.bootstrap else "none",
            "split_rule": None if estimator._split_rule == "best" else estimator._split_rule,
            "split_criterion": criterion(estimator.criterion),
            **shared_arguments(estimator, count_rows),
        }
    )


def _drawn(value: Any, count_features: Callable[[], int]) -> int:
    """How many features are drawn for a node, as scikit-learn counts them."""
    if value is None:
        return count_features()
    if isinstance(value, str) and value in _BY_NAME:
        return max(1, _BY_NAME[value](count_features()))
    found = count_or_share(value)
    if found is not None:
        return found if isinstance(found, int) else max(1, int(found * count_features()))
    raise CallError(
        "max_features must be 'sqrt', 'log2', None for all features, an integer of at least 1, or a share of them in "
        f"(0, 1] as a float, not {value!r}"
    )


def _kept(value: Any, count_rows: Callable[[], int]) -> float | None:
    """The share of the rows that a tree's sample is drawn from."""
    if value is None:
        return None
    found = count_or_share(value)
    if found is not None:
        return min(1.0, found / max(count_rows(), 1)) if isinstance(found, int) else found
    raise CallError(
        "max_samples must be None, an integer of at least 1, or a share of the rows in (0, 1] as a float, not "
        f"{value!r}"
    )
