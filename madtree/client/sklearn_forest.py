"""A forest as a forest of scikit-learn's that predicts the same, to the bit.

As for single trees (`sklearn_tree`): where all features are numbers and there are no surrogates, scikit-learn's trees
have the same splits, and a row's leaves are found in float64. Else a pipeline is made: `LeafEncoder` finds the leaf of
each row in each tree, a column for each tree; leaves are numbered from left to right, so each split of scikit-learn's
tree is a threshold on that column, and its structure is still the tree's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from madtree.client.feature_values import column_name, read_features
from madtree.client.frames import Array
from madtree.client.sklearn_tree import (
    LeafEncoder,
    criterion_of,
    is_plain,
    node_indicator,
    structure_of,
    tree_to_sklearn,
)
from madtree.client.tree_arrays import EnsembleArrays, NodeArrays, class_values, mean_values, votes
from madtree.trees import Feature, Joining, Model, Tree

try:
    from sklearn.ensemble import RandomForestClassifier as SklearnForestClassifier
    from sklearn.ensemble import RandomForestRegressor as SklearnForestRegressor
    from sklearn.pipeline import Pipeline
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError("this needs scikit-learn: pip install scikit-learn") from error

VOTINGS = ("hard", "soft")


def to_sklearn(model: Model, tree_id: int | None = None) -> Any:
    """One tree, or a whole forest, as a fitted estimator of scikit-learn's.

    Parameters
    ----------
    model
        As `Model.read` of the client gives it.
    tree_id
        Which tree; may be left out where the model has one only, and for a forest, which is then taken as a whole.

    Returns
    -------
    ExactDecisionTreeClassifier, ExactDecisionTreeRegressor, their likes for forests, or Pipeline
        Subclasses of scikit-learn's classes, or, where scikit-learn's tree cannot hold the splits, a pipeline of a
        `SplitEncoder` and one of them. It takes an array whose columns are the model's features in their order, or a
        frame with columns of their names. ``classes_`` are of the dependent's type: bool, int64 or str.

    Raises
    ------
    ValueError
        The model has several trees and `tree_id` does not name one, or the tree could not be trained. Everything else
        that a tree of madtree's can hold is reproduced.

    Notes
    -----
    The criterion misclassification, which scikit-learn does not know, is kept in the nodes' impurities only.
    """
    if tree_id is None and model.kind.joining is Joining.VOTE_OR_MEAN:
        if len({tree.group for tree in model.trees}) > 1:
            raise ValueError(f"{model.name} has a forest for each group: Forest.to_sklearn takes the gid of one")
        return forest_to_sklearn(model, model.trees)
    if tree_id is None and model.kind.joining is Joining.SUM:
        raise ValueError(f"{model.name} is {model.kind.in_words}: BoostedModel.to_sklearn takes it as a whole")
    return tree_to_sklearn(model, tree_id)


def forest_to_sklearn(model: Model, trees: Sequence[Tree], voting: str = "hard") -> Any:
    """The trees of one forest as a fitted estimator of scikit-learn's.

    Args:
        model: as `Model.read` of the client gives it; its own trees are not looked at.
        trees: of one group, in their order.
        voting: of classes, what `predict` says: hard, the class that most trees vote for, as forest_predict has it; or
            soft, the one whose mean share is the greatest, as scikit-learn has it.

    Returns:
        ExactRandomForestClassifier, ExactRandomForestRegressor, or a Pipeline of a `LeafEncoder` and one of them.

    Raises:
        ValueError: `voting` is neither, or the group's forest could not be trained.
    """
    return sklearn_of(model, EnsembleArrays.of(model, trees), voting)


def sklearn_of(model: Model, forest: EnsembleArrays, voting: str) -> Any:
    """As `forest_to_sklearn`, of trees that have been read."""
    if voting not in VOTINGS:
        raise ValueError(f"voting must be one of {', '.join(VOTINGS)}, not {voting!r}")
    estimator: Any = (ExactRandomForestClassifier if model.is_classification else ExactRandomForestRegressor)()
    if forest.is_plain and all(map(is_plain, forest.used)):
        estimator._take(model, forest, voting, len(model.features))
        estimator.feature_names_in_ = np.array([column_name(feature) for feature in model.features], dtype=object)
        estimator._exact_features = tuple(model.features)
        return estimator
    estimator._take(model, forest, voting, None)
    return Pipeline([("leaves", LeafEncoder(model, forest).fit()), ("forest", estimator)])


class _ExactForest:
    """What the two forests share: their leaves are found in float64, as the database finds them."""

    _exact_features: tuple[Feature, ...] = ()  # of the model; none where X has the leaves

    def _take(self, model: Model, forest: EnsembleArrays, voting: str, n_columns: int | None) -> None:
        """Become a fitted estimator; `n_columns` of X are the model's features, or, where None, the trees' leaves."""
        self._forest, self._voting = forest, voting
        self.n_outputs_, self.n_features_in_ = 1, forest.n_trees if n_columns is None else n_columns
        if model.is_classification:
            self.classes_ = class_values(model)
            self.n_classes_ = len(self.classes_)
        self.set_params(n_estimators=forest.n_trees, criterion=criterion_of(model))  # type: ignore[attr-defined]
        kind = DecisionTreeClassifier if model.is_classification else DecisionTreeRegressor
        self.estimator_ = kind(criterion=criterion_of(model))
        self.estimators_ = [
            self._tree(kind, model, forest.tree(number), None if n_columns else number)
            for number in range(forest.n_trees)
        ]

    def _tree(self, kind: Any, model: Model, nodes: NodeArrays, column: int | None) -> Any:
        """One tree; where `column` is given, it has the places of the tree's leaves."""
        is_leaf = nodes.left < 0
        features = np.where(is_leaf, -2, nodes.feature if column is None else column)
        # Whatever lies below the left child comes before the right one.
        thresholds = np.where(is_leaf, -2.0, nodes.threshold if column is None else nodes.right - 0.5)
        fitted = kind(criterion=criterion_of(model))
        n = self.n_features_in_
        fitted.tree_ = structure_of(nodes, features, thresholds, n, of_counts=model.of_counts)
        fitted.n_features_in_, fitted.n_outputs_, fitted.max_features_ = n, 1, n
        if model.is_classification:  # scikit-learn's forests number the classes
            fitted.classes_, fitted.n_classes_ = np.arange(self.n_classes_, dtype=np.float64), self.n_classes_
        return fitted

    def apply(self, X: Any) -> Array:
        """The place of the leaf that each row ends in among each tree's nodes, shape (n_rows, n_trees)."""
        return self._places(X) - self._forest.roots[:-1]

    def decision_path(self, X: Any) -> tuple[Any, Array]:
        """The nodes that each row goes through as a sparse indicator matrix, and where each tree's columns begin."""
        from scipy.sparse import hstack

        leaves = self.apply(X)
        trees = [estimator.tree_ for estimator in self.estimators_]
        paths = [node_indicator(tree.children_left, tree.children_right, leaves[:, n]) for n, tree in enumerate(trees)]
        return hstack(paths).tocsr(), self._forest.roots.copy()

    def _places(self, X: Any) -> Array:
        """(n_rows, n_trees) leaves, by their places among all nodes."""
        check_is_fitted(self)
        if not self._exact_features:
            return np.asarray(X, np.int64) + self._forest.roots[:-1]
        values, n_rows = read_features(self._exact_features, self._forest.used, X)
        return self._forest.apply(values, n_rows)


class ExactRandomForestClassifier(_ExactForest, SklearnForestClassifier):  # type: ignore[misc]
    """scikit-learn's forest with trees of madtree's, which compares features as float64."""

    def predict(self, X: Any) -> Array:
        """Classes, shape (n_rows,)."""
        leaves = self._places(X)
        of_classes = mean_values(self._forest, leaves) if self._voting == "soft" else votes(self._forest, leaves)
        return np.asarray(self.classes_[of_classes.argmax(axis=1)])

    def predict_proba(self, X: Any) -> Array:
        """Means of the leaves' shares, shape (n_rows, n_classes), in the order of `classes_`."""
        return mean_values(self._forest, self._places(X))


class ExactRandomForestRegressor(_ExactForest, SklearnForestRegressor):  # type: ignore[misc]
    """scikit-learn's forest with trees of madtree's, which compares features as float64."""

    def predict(self, X: Any) -> Array:
        """Means of the trees' means, shape (n_rows,)."""
        return mean_values(self._forest, self._places(X))[:, 0]
