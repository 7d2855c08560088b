"""A boosted model as one of scikit-learn's that predicts the same, to the bit.

Where all splits are by numbers, scikit-learn's `HistGradientBoosting` estimators can hold the trees: they compare
float64, and know a direction for missing values. Else a pipeline is made:
`LeafEncoder` finds the leaf of each row in each tree, and the trees split by its place among the leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from madtree.client.boosted_arrays import BoostedArrays
from madtree.client.feature_values import column_name, read_features
from madtree.client.frames import Array
from madtree.client.sklearn_tree import LeafEncoder, is_plain
from madtree.client.tree_arrays import NodeArrays, class_values
from madtree.trees import Feature, Model

try:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE, X_BITSET_INNER_DTYPE
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError("this needs scikit-learn: pip install scikit-learn") from error


def sklearn_of_boosted(model: Model, boosted: BoostedArrays) -> Any:
    """A boosted model of one group as a fitted estimator of scikit-learn's.

    Args:
        model: its own trees are not looked at.

    Returns:
        ExactBoostingClassifier, ExactBoostingRegressor, or a Pipeline of a `LeafEncoder` and one of them.
    """
    estimator: Any = (ExactBoostingClassifier if model.is_classification else ExactBoostingRegressor)()
    if boosted.trees.is_plain and all(map(is_plain, boosted.trees.used)):
        estimator._take(model, boosted, len(model.features))
        estimator.feature_names_in_ = np.array([column_name(feature) for feature in model.features], dtype=object)
        estimator._exact_features = tuple(model.features)
        return estimator
    estimator._take(model, boosted, None)
    return Pipeline([("leaves", LeafEncoder(model, boosted.trees).fit()), ("boosting", estimator)])


def _loss_of(model: Model) -> str:
    """scikit-learn's name of the loss; of one that its estimator lacks, that of one whose scores mean the same."""
    return "squared_error" if model.loss.name == "huber" else model.loss.name


class _ExactBoosting:
    """What the two estimators share: scores are added up as the database adds them up."""

    _exact_features: tuple[Feature, ...] = ()  # of the model; none where X has the leaves

    def _take(self, model: Model, boosted: BoostedArrays, n_columns: int | None) -> None:
        """Become a fitted estimator; `n_columns` of X are the model's features, or, where None, the trees' leaves."""
        trees, n_scores = boosted.trees, boosted.n_scores
        self._boosted = boosted
        self.n_features_in_ = self._n_features = trees.n_trees if n_columns is None else n_columns
        self.n_trees_per_iteration_ = n_scores
        losses: dict[str, Any] = {} if model.is_classification else {"loss": _loss_of(model)}
        if model.loss.name == "quantile":
            losses["quantile"] = model.loss_quantile
        settings = {name: model.summary.get(name) for name in ("learning_rate", "max_leaf_nodes", "l2_regularization")}
        known = {name: value for name, value in settings.items() if value is not None}
        self.set_params(max_iter=boosted.n_rounds, early_stopping=False, **losses, **known)  # type: ignore[attr-defined]
        if model.is_classification:
            self.classes_ = class_values(model)
        self._loss = self._get_loss(sample_weight=None)  # type: ignore[attr-defined]
        self._preprocessor, self.is_categorical_ = None, None
        self._bin_mapper = _BinMapper()
        self._bin_mapper.is_categorical_ = np.zeros(self.n_features_in_, np.uint8)
        self._bin_mapper.bin_thresholds_ = []
        self._baseline_prediction = boosted.base[None, :]
        predictors = [_predictor(trees.tree(n), None if n_columns else n) for n in range(trees.n_trees)]
        self._predictors = [predictors[at : at + n_scores] for at in range(0, trees.n_trees, n_scores)]
        self.do_early_stopping_, self.train_score_, self.validation_score_ = False, np.zeros(0), np.zeros(0)

    def _raw_predict(self, X: Any, n_threads: int | None = None) -> Array:
        check_is_fitted(self)
        if self._exact_features:
            return self._boosted.scores(*read_features(self._exact_features, self._boosted.trees.used, X))
        *_, last = self._staged_raw_predict(X)
        return last

    def _staged_raw_predict(self, X: Any) -> Iterator[Array]:
        check_is_fitted(self)
        if self._exact_features:
            yield from self._boosted.staged_scores(*read_features(self._exact_features, self._boosted.trees.used, X))
            return
        boosted = self._boosted
        added = boosted.leaf_values.take(np.asarray(X, np.int64) + boosted.trees.roots[:-1])
        scores = np.tile(boosted.base, (len(added), 1))
        for first in range(0, added.shape[1], boosted.n_scores):
            scores += added[:, first : first + boosted.n_scores]
            yield scores.copy()


class ExactBoostingClassifier(_ExactBoosting, HistGradientBoostingClassifier):  # type: ignore[misc]
    """scikit-learn's boosted trees with those of a model of madtree's. `decision_function` has the model's scores."""

    def predict(self, X: Any) -> Array:
        """Classes, shape (n_rows,)."""
        return np.asarray(self.classes_[self._boosted.likeliest(self._raw_predict(X))])

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """What `predict` says after each round."""
        for scores in self._staged_raw_predict(X):
            yield np.asarray(self.classes_[self._boosted.likeliest(scores)])

    def predict_proba(self, X: Any) -> Array:
        """Probabilities, shape (n_rows, n_classes), in the order of `classes_`."""
        return self._boosted.responses(self._raw_predict(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """What `predict_proba` says after each round."""
        yield from map(self._boosted.responses, self._staged_raw_predict(X))


class ExactBoostingRegressor(_ExactBoosting, HistGradientBoostingRegressor):  # type: ignore[misc]
    """scikit-learn's boosted trees with those of a model of madtree's."""

    def predict(self, X: Any) -> Array:
        """Numbers, shape (n_rows,)."""
        return self._boosted.responses(self._raw_predict(X))[:, 0]

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """What `predict` says after each round."""
        for scores in self._staged_raw_predict(X):
            yield self._boosted.responses(scores)[:, 0]


def _predictor(nodes: NodeArrays, column: int | None) -> TreePredictor:
    """One tree as scikit-learn has it; where `column` is given, that has the places of the tree's leaves."""
    is_leaf = nodes.left < 0
    rows = np.zeros(len(nodes.left), PREDICTOR_RECORD_DTYPE)
    rows["value"], rows["count"], rows["depth"] = nodes.prediction, nodes.n_rows, nodes.depth
    rows["gain"], rows["is_leaf"] = nodes.improvement, is_leaf
    rows["left"], rows["right"] = np.where(is_leaf, 0, nodes.left), np.where(is_leaf, 0, nodes.right)
    rows["feature_idx"] = np.where(is_leaf, 0, nodes.feature if column is None else column)
    # Whatever lies below the left child comes before the right one.
    rows["num_threshold"] = np.where(is_leaf, 0.0, nodes.threshold if column is None else nodes.right - 0.5)
    rows["missing_go_to_left"] = ~is_leaf & nodes.majority_left
    none = np.zeros((0, 8), X_BITSET_INNER_DTYPE)
    return TreePredictor(rows, none, none)
