"""Forests for classes in scikit-learn's manner."""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.client.calls import Names
from madtree.client.estimators.forest_base import BaseForest, with_defaults
from madtree.client.estimators.outcomes import LearnsClasses
from madtree.client.estimators.tables import TableInPlace, outcome_of
from madtree.client.frames import Array
from madtree.request import find_class_writer
from madtree.sqltext.cells import actual_class


class ForestClassifier(LearnsClasses, BaseForest):
    """What the two classifiers share."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train the forest.

        Parameters
        ----------
        X, y, sample_weight
            As for `DecisionTreeClassifier.fit`. The trees' samples are drawn by the rows' ids: of a table its key
            (or `id_col_name`, or the rows' places in it), of data that are copied the rows' numbers.

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
        """Classes, shape (n_rows,): those with the greatest mean share, as in scikit-learn; the first of several.

        Parameters
        ----------
        X : str, data frame or array-like of shape (n_rows, n_features)
            Name of a table, whose rows come in the order of their ids; or data as for `fit`. The features that the
            trees ask are fetched, and rows are scored here, to the same leaves as in the database. To score a table
            where it is, keep the `model` and call `madtree.Forest.predict`; its response is the class with most votes.
        """
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def predict_proba(self, X: Any) -> Array:
        """Means of the leaves' shares, shape (n_rows, n_classes), in the order of ``classes_``; `X` as for `predict`.
        """  # fmt: skip
        return self._shares(self._mean_values(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy; arguments as for `fit`."""
        self._require_target(y)
        if not isinstance(X, str):
            return float(super().score(X, y, sample_weight))
        with self._client() as client, client.work():
            table = TableInPlace.find(client.host, X)
            y, weight = table.plain(client.host, outcome_of(y), sample_weight or "1")
            writer = find_class_writer(client.host, self.model_.dependent_type)
            # As the model knows it; a class that is known by its number only is compared as what it is.
            actual = y if self._labels is None else actual_class(y, self.model_.dependent_type, writer)
            others = [actual, f"({weight})::pg_catalog.float8"]
            leaves, (outcomes, weights) = self._leaves_of_table(client, table, others)
        known: Any = self.classes_ if self._labels is None else self._labels
        said = self._shares(self._means_of(leaves)).argmax(axis=1).tolist()
        right = total = 0.0
        for place, outcome, counts in zip(said, outcomes, weights, strict=True):
            if outcome is not None and counts is not None and counts > 0:
                total += counts
                right += counts if known[place] == outcome else 0.0
        return right / total if total else float("nan")

    def _shares(self, of_model: Array) -> Array:
        """(n_rows, n_classes), where the model may know fewer."""
        shares = np.zeros((len(of_model), self.n_classes_))
        shares[:, self._known] = of_model
        return shares


class RandomForestClassifier(ForestClassifier):
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


class ExtraTreesClassifier(ForestClassifier):
    """A forest of extremely randomized trees for classes: one random threshold for each feature that is drawn.

    Parameters and attributes are those of `RandomForestClassifier`; by default each tree learns from all rows.
    """

    _split_rule = "random"

    __init__ = with_defaults(RandomForestClassifier.__init__, bootstrap=False)
