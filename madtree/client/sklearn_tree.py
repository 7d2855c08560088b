"""A tree as an estimator of scikit-learn's that predicts the same, to the bit.

scikit-learn reads every feature as float32, splits by thresholds only, and has no surrogates. So:

- Where all features of the tree are numbers and it has no surrogates, scikit-learn's own tree structure says the whole
  truth: the same splits, thresholds, counts, impurities and, for missing values, directions. Only its reading of
  float64 features as float32 is not exact; the estimators here find a row's leaf in float64 instead.
- Else (unordered features, enums, dates and times, surrogates, NULL as a category) a pipeline is made: `SplitEncoder`
  answers each split for each row (surrogates and the majority included) as a column of zeros and ones, and
  scikit-learn's tree splits these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from madtree.client.feature_values import NUMERIC, column_name, read_features
from madtree.client.frames import Array
from madtree.client.tree_arrays import EnsembleArrays, NodeArrays, class_values
from madtree.client.walked_trees import FlatTree, used_features
from madtree.render.labels import split_text
from madtree.trees import CRITERIA, Feature, FeatureKind, Model, Tree

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.pipeline import Pipeline
    from sklearn.tree import DecisionTreeClassifier as SklearnClassifier
    from sklearn.tree import DecisionTreeRegressor as SklearnRegressor
    from sklearn.tree._tree import Tree as SklearnTree
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError("this needs scikit-learn: pip install scikit-learn") from error

# scikit-learn's impurity of counts is half the mean deviance.
DEVIANCE_PER_IMPURITY = 2.0


def tree_to_sklearn(model: Model, tree_id: int | None = None) -> Any:
    """One tree, as `madtree.to_sklearn` describes it."""
    tree = _one_tree(model, tree_id)
    flat = FlatTree.of(tree)
    used = used_features(model, flat)
    if all(map(is_plain, used)) and not any(node.surrogates for node in flat.nodes):
        estimator: Any = _Exact[model.is_classification]()
        places = {feature.name: place for place, feature in enumerate(model.features)}
        split_features = [places.get(str(node.feature), -2) for node in flat.nodes]
        thresholds = [-2.0 if node.threshold is None else node.threshold for node in flat.nodes]
        estimator._take(model, flat, split_features, thresholds, len(model.features))
        estimator.feature_names_in_ = np.array([column_name(feature) for feature in model.features], dtype=object)
        estimator._exact_features, estimator._exact_used = tuple(model.features), tuple(used)
        return estimator
    encoder = SplitEncoder(model=model, tree_id=tree.tree_id).take(flat)
    tested = {at: column for column, at in enumerate(encoder.nodes_)}
    estimator = _Exact[model.is_classification]()
    split_features = [tested.get(at, -2) for at in range(len(flat.nodes))]
    thresholds = [0.5 if at in tested else -2.0 for at in range(len(flat.nodes))]
    estimator._take(model, flat, split_features, thresholds, len(tested))
    return Pipeline([("splits", encoder), ("tree", estimator)])


def is_plain(feature: Feature) -> bool:
    """Whether scikit-learn can compare a feature's values as they are."""
    return feature.kind is not FeatureKind.UNORDERED and feature.type in NUMERIC and not feature.null_last


def _one_tree(model: Model, tree_id: int | None) -> Tree:
    known = [tree.tree_id for tree in model.trees]
    if tree_id is None and len(known) == 1:
        return model.trees[0]
    if tree_id is None:
        raise ValueError(
            f"{model.name} has {len(known)} trees, one for each group of {', '.join(model.grouping_columns)}: tree_id "
            "must say which one"
        )
    if tree_id not in known:
        raise ValueError(f"{model.name} has no tree {tree_id}")
    return model.trees[known.index(tree_id)]


def node_indicator(left: Array, right: Array, leaves: Array) -> Any:
    """The nodes on the rows' ways as a sparse matrix of ones, shape (n_rows, n_nodes).

    Args:
        left, right: (n_nodes,) places of the children, which stand behind their parents; below 0 for a leaf.
        leaves: (n_rows,) place of the leaf that each row ends in.
    """
    from scipy.sparse import csr_matrix

    paths: list[list[int]] = [[0]] * len(left)
    for at in range(len(left)):
        for child in (left[at], right[at]):
            if child >= 0:
                paths[child] = [*paths[at], int(child)]
    of_rows = [paths[leaf] for leaf in leaves]
    ends = np.cumsum([0, *map(len, of_rows)])
    places = np.concatenate([np.asarray(path) for path in of_rows]) if of_rows else np.zeros(0, np.int64)
    return csr_matrix((np.ones(len(places), np.int64), places, ends), shape=(len(of_rows), len(left)))


def structure_of(
    nodes: NodeArrays, features: Sequence[int] | Array, thresholds: Sequence[float] | Array, n: int, *, of_counts: bool
) -> SklearnTree:
    """The tree as scikit-learn's own structure.

    Args:
        features, thresholds: (n_nodes,) of scikit-learn's tree, -2 for a leaf.
        n: number of columns of X.
        of_counts: whether impurities are mean deviances.
    """
    fitted = SklearnTree(n, np.array([nodes.values.shape[1]], np.intp), 1)
    state = fitted.__getstate__()
    rows = np.zeros(len(nodes.node_id), state["nodes"].dtype)
    rows["left_child"], rows["right_child"] = nodes.left, nodes.right
    rows["feature"], rows["threshold"] = features, thresholds
    rows["impurity"] = nodes.impurity / (DEVIANCE_PER_IMPURITY if of_counts else 1.0)
    rows["n_node_samples"], rows["weighted_n_node_samples"] = nodes.n_rows, nodes.weight
    rows["missing_go_to_left"] = nodes.majority_left
    state["nodes"], state["values"] = rows, np.ascontiguousarray(nodes.values[:, None, :])
    state["node_count"], state["max_depth"] = len(rows), int(nodes.depth.max())
    fitted.__setstate__(state)
    return fitted


def criterion_of(model: Model) -> str:
    """What scikit-learn calls the model's criterion."""
    criterion = CRITERIA.get(str(model.summary.get("split_criterion")))
    usual = "gini" if model.is_classification else "squared_error"
    return (criterion.in_sklearn if criterion else None) or usual


class _ExactTree:
    """What the two estimators share: their leaves are found in float64, as the database finds them."""

    def _take(self, model: Model, flat: FlatTree, features: Sequence[int], thresholds: Sequence[float], n: int) -> None:
        """Become a fitted estimator.

        Args:
            features, thresholds: (n_nodes,) of scikit-learn's tree, -2 for a leaf.
            n: number of columns of X.
        """
        classes = class_values(model)
        n_classes = len(classes) if model.is_classification else 1
        fitted = structure_of(
            NodeArrays.of(model, flat.nodes, flat.walked), features, thresholds, n, of_counts=model.of_counts
        )
        self.tree_, self.n_features_in_, self.n_outputs_ = fitted, n, 1
        self.max_features_ = n
        self._exact_features: tuple[Feature, ...] = ()  # of the model; none where X has columns of zeros and ones
        self._exact_used: tuple[Feature, ...] = ()
        self._exact_tree = flat
        if model.is_classification:
            self.classes_, self.n_classes_ = classes, n_classes
            labels = {label: place for place, label in enumerate(model.classes)}
            self._prediction = np.array([labels[str(node.prediction)] for node in flat.nodes], np.int64)
        self.set_params(criterion=criterion_of(model))  # type: ignore[attr-defined]

    def apply(self, X: Any, check_input: bool = True) -> Array:
        """The place in `tree_` of the leaf that each row ends in, shape (n_rows,)."""
        check_is_fitted(self)
        if not self._exact_features:
            return np.asarray(super().apply(np.asarray(X, np.float32), check_input=check_input))  # type: ignore[misc]
        values, n_rows = read_features(self._exact_features, self._exact_used, X)
        return self._exact_tree.apply(values, n_rows)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """The nodes that each row goes through: a sparse indicator matrix of shape (n_rows, n_nodes)."""
        return node_indicator(self.tree_.children_left, self.tree_.children_right, self.apply(X))


class ExactDecisionTreeClassifier(_ExactTree, SklearnClassifier):  # type: ignore[misc]
    """scikit-learn's classifier with a tree of madtree's, which compares features as float64."""

    def predict(self, X: Any, check_input: bool = True) -> Array:
        """Classes, shape (n_rows,)."""
        return np.asarray(self.classes_[self._prediction[self.apply(X, check_input)]])

    def predict_proba(self, X: Any, check_input: bool = True) -> Array:
        """Probabilities, shape (n_rows, n_classes), in the order of `classes_`."""
        return np.asarray(self.tree_.value[self.apply(X, check_input), 0, :])


class ExactDecisionTreeRegressor(_ExactTree, SklearnRegressor):  # type: ignore[misc]
    """scikit-learn's regressor with a tree of madtree's, which compares features as float64."""

    def predict(self, X: Any, check_input: bool = True) -> Array:
        """Means, shape (n_rows,)."""
        return np.asarray(self.tree_.value[self.apply(X, check_input), 0, 0])


class SplitEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Answers each split of a tree for each row: 0 where it goes left, 1 where it goes right.

    Parameters
    ----------
    model, tree_id
        The model as plain values, and which of its trees.

    Attributes
    ----------
    nodes_
        Places of the inner nodes, one for each column that `transform` gives.
    used_
        The features that the splits and surrogates ask.
    """

    def __init__(self, model: Model, tree_id: int | None = None) -> None:
        self.model, self.tree_id = model, tree_id

    def fit(self, X: Any = None, y: Any = None) -> SplitEncoder:
        """Take the tree apart; nothing is learned from `X`."""
        return self.take(FlatTree.of(_one_tree(self.model, self.tree_id)))

    def take(self, flat: FlatTree) -> SplitEncoder:
        """Become fitted by the tree, which has been taken apart."""
        self.tree_, self.used_ = flat, used_features(self.model, flat)
        self.nodes_ = np.flatnonzero(flat.left >= 0).tolist()
        self.n_features_in_ = len(self.model.features)
        return self

    def transform(self, X: Any) -> Array:
        """Zeros and ones, shape (n_rows, n_inner_nodes), float32."""
        check_is_fitted(self)
        values, n_rows = read_features(self.model.features, self.used_, X)
        return self.tree_.walked.goes_right(np.array(self.nodes_, np.int64), values, n_rows).astype(np.float32)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The splits as text, each with its node's number in madtree, shape (n_inner_nodes,)."""
        names = []
        for at in self.nodes_:
            node = self.tree_.nodes[at]
            feature = self.model.feature(str(node.feature))
            names.append(f"not {node.node_id}: {split_text(node, feature)}")
        return np.array(names, dtype=object)


_Exact: dict[bool, Any] = {True: ExactDecisionTreeClassifier, False: ExactDecisionTreeRegressor}


class LeafEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Finds the leaf that each row ends in, in each tree.

    Parameters
    ----------
    model, trees
        The model as plain values, and its trees as arrays.
    """

    def __init__(self, model: Model, trees: EnsembleArrays) -> None:
        self.model, self.trees = model, trees

    def fit(self, X: Any = None, y: Any = None) -> LeafEncoder:
        """Nothing is learned from `X`."""
        self.n_features_in_ = len(self.model.features)
        return self

    def transform(self, X: Any) -> Array:
        """Places of the leaves among the nodes of each tree, shape (n_rows, n_trees)."""
        check_is_fitted(self)
        values, n_rows = read_features(self.model.features, self.trees.used, X)
        return self.trees.apply(values, n_rows) - self.trees.roots[:-1]

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """A name for each tree's column."""
        return np.array([f"leaf in tree {number}" for number in range(1, self.trees.n_trees + 1)], dtype=object)
