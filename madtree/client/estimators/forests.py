"""Forests in scikit-learn's manner."""

from __future__ import annotations

from typing import Any

from madtree.client.calls import Names
from madtree.client.estimators.ensemble_outcomes import EnsembleClassifier, EnsembleRegressor
from madtree.client.estimators.forest_base import BaseForest, with_defaults


class RandomForestClassifier(BaseForest, EnsembleClassifier):
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

    def __init__(
        self,
        connection: Any = None,
        *,
        n_estimators: int = 100,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float | None = 2,
        min_samples_leaf: float | None = 1,
        max_features: Any = "sqrt",
        bootstrap: bool = True,
        oob_score: bool = False,
        random_state: Any = None,
        class_weight: Any = None,
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


class ExtraTreesClassifier(BaseForest, EnsembleClassifier):
    """A forest of extremely randomized trees for classes: one random threshold for each feature that is drawn.

    Parameters and attributes are those of `RandomForestClassifier`; by default each tree learns from all rows.
    """

    _split_rule = "random"

    __init__ = with_defaults(RandomForestClassifier.__init__, bootstrap=False)


class RandomForestRegressor(BaseForest, EnsembleRegressor):
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


class ExtraTreesRegressor(BaseForest, EnsembleRegressor):
    """A forest of extremely randomized trees for numbers: one random threshold for each feature.

    Parameters and attributes are those of `RandomForestRegressor`; by default each tree learns from all rows.
    """

    _split_rule = "random"

    __init__ = with_defaults(RandomForestRegressor.__init__, bootstrap=False)
