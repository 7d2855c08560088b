"""Gradient boosting in scikit-learn's manner."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from madtree.client.boosted import BoostedModel
from madtree.client.boosted_arrays import BoostedArrays
from madtree.client.calls import CallError, Names
from madtree.client.client import Client
from madtree.client.estimators.ensemble_base import BaseEnsemble
from madtree.client.estimators.ensemble_outcomes import EnsembleClassifier, EnsembleRegressor
from madtree.client.estimators.options import BoostingClassifierOptions, BoostingRegressorOptions
from madtree.client.estimators.parameters import count_or_share, shared_arguments, whole, without_none
from madtree.client.frames import Array
from madtree.client.lightgbm_text import booster_of
from madtree.client.sklearn_boosting import sklearn_of_boosted
from madtree.model import OpenModel
from madtree.sqltext.quote import ident
from madtree.trees import BOOSTED

_FEW_ROWS = 10_000  # up to which "auto" does not stop early, as in scikit-learn
_ANY_LEAVES = 2**31 - 1


class BaseBoosting(BaseEnsemble):
    """A boosted model that is trained in the database."""

    _kind = BOOSTED

    early_stopping: Any
    subsample: float
    top_rate: float

    @property
    def _drawn_by_id(self) -> str | None:
        drawn = self.early_stopping is not False or self.subsample != 1 or self.top_rate != 1
        return "the rows that are held out, and those of each round," if drawn else None

    def _arguments(self, client: Client, name: str, data: dict[str, Any], n_rows: Callable[[], int]) -> dict[str, Any]:
        return boost_arguments(self, n_rows, data["list_of_features"])

    def _take_trees(self, client: Client, opened: OpenModel) -> None:
        self._boosted = BoostedArrays.read(opened)
        self._trees = self._boosted.trees
        self.n_iter_ = self._boosted.n_rounds
        rounds = BoostedModel(client, opened.tables.given).rounds
        self.train_score_: Array = -np.array(rounds.column("training_loss"), np.float64)
        held_out = rounds.column("validation_loss")
        self.validation_score_: Array = -np.array([loss for loss in held_out if loss is not None], np.float64)
        gained = self._trees.importance.sum(axis=0)
        total = gained.sum()
        self.feature_importances_: Array = gained / total if total > 0 else gained

    def to_sklearn(self) -> Any:
        """The model as one of scikit-learn's that predicts the same; see `BoostedModel.to_sklearn`."""
        check_is_fitted(self)
        return sklearn_of_boosted(self.model_, self._boosted)

    def to_lightgbm(self) -> Any:
        """The model as a ``lightgbm.Booster``; see `BoostedModel.to_lightgbm`."""
        check_is_fitted(self)
        return booster_of(self.model_, self._boosted)

    def _predicted(self, values: Mapping[str, Array], n_rows: int) -> Array:
        return self._boosted.responses(self._boosted.scores(values, n_rows))

    def _staged_scores(self, X: Any) -> Iterator[Array]:
        """(n_rows, n_scores) after each round."""
        values, n_rows = self._values(X)
        yield from self._boosted.staged_scores(values, n_rows)

    def _staged(self, X: Any) -> Iterator[Array]:
        """As `_predicted`, after each round."""
        for scores in self._staged_scores(X):
            yield self._boosted.responses(scores)


class GradientBoostingClassifier(BoostingClassifierOptions, BaseBoosting, EnsembleClassifier):
    """Gradient boosted trees for classes, trained in the database.

    Parameters
    ----------
    loss
        log_loss or, for two classes, exponential.
    learning_rate, max_iter, max_leaf_nodes, max_depth, min_samples_leaf, l2_regularization, max_bins
        As in scikit-learn's `HistGradientBoostingClassifier`. `min_samples_leaf` as a float is a share of the rows.
    monotonic_cst
        Numbers 1, -1 or 0 by feature or by its name, as there; or a text, as `monotone` in `Client.boost_train`.
    interaction_cst
        Groups of features, by number or by name, "pairwise" or "no_interactions", as there; or another text, as
        `interaction_constraints` in `Client.boost_train`.
    early_stopping, validation_fraction, n_iter_no_change, tol
        As there: "auto" stops early with more than 10,000 rows. Rows are held out by their ids, and the model keeps
        the rounds up to the least loss of these, and not those after it.
    min_gain, subsample, feature_fraction, cat_smooth, cat_l2, max_cat_threshold, min_data_per_group, top_rate,
    other_rate, category_encoding, prior_weight
        What `boost_params` says in `Client.boost_train`.
    connection, model, replace, id_col_name, list_of_features, list_of_features_to_exclude
        As for `DecisionTreeClassifier`.
    class_weight, random_state, parallel_workers, memory_mb, verbose, strategy
        As for `DecisionTreeClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_, n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        For tables, and for frames whose columns' names are texts.
    n_iter_ : int
        Rounds that the model keeps.
    train_score_, validation_score_ : ndarray
        Minus the mean loss before the first round and after each that was grown; `validation_score_` is empty
        where no rows are held out.
    feature_importances_ : ndarray of shape (n_features,)
        What the splits by each feature gain, scaled to 1.
    model_ : madtree.trees.Model
        The model without its trees.
    """

    def decision_function(self, X: Any) -> Array:
        """The scores: of two classes shape (n_rows,), above 0 for the second one; else (n_rows, n_classes).

        `X` as for `predict`. A class that the model does not know, since all its rows had the weight 0, has -inf.
        """
        values, n_rows = self._values(X)
        return self._decisions(self._boosted.scores(values, n_rows))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """What `predict` says after each round; `X` as there."""
        for shares in self._staged(X):
            yield self._likeliest(self._shares(shares))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """What `predict_proba` says after each round; `X` as there."""
        yield from map(self._shares, self._staged(X))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """What `decision_function` says after each round; `X` as there."""
        yield from map(self._decisions, self._staged_scores(X))

    def _decisions(self, scores: Array) -> Array:
        if len(self._known) < self.n_classes_ or self.n_classes_ < 2:
            found = np.full((len(scores), self.n_classes_), -np.inf)
            of_two = np.stack((np.zeros(len(scores)), scores[:, 0]), axis=1)
            found[:, self._known] = scores if scores.shape[1] > 1 else of_two[:, : len(self._known)]
            return found[:, 1] - found[:, 0] if self.n_classes_ == 2 else found
        return scores[:, 0] if scores.shape[1] == 1 else scores


class GradientBoostingRegressor(BoostingRegressorOptions, BaseBoosting, EnsembleRegressor):
    """Gradient boosted trees for numbers, trained in the database.

    Parameters and attributes are those of `GradientBoostingClassifier`, but for what is about classes; the losses
    are squared_error, absolute_error, quantile, huber, poisson for numbers of at least 0, and gamma for numbers
    above 0. `quantile` is the one that the loss of that name predicts, by default 0.9; of huber it is
    `GradientBoostingRegressor`'s alpha in scikit-learn.
    """

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """What `predict` says after each round; `X` as there."""
        for found in self._staged(X):
            yield found[:, 0]


def boost_arguments(estimator: Any, count_rows: Callable[[], int], features: Names) -> dict[str, Any]:
    """What an estimator's parameters are to boost_train, without those that are None there.

    Args:
        count_rows: of the training table; asked only where a parameter needs it.
        features: as they are listed.

    Raises:
        CallError: a parameter has no valid value, or one that asks for what madtree's boosting does not do.
    """
    leaves = estimator.max_leaf_nodes
    return without_none(
        {
            **estimator._plain_arguments(),
            "num_trees": whole(estimator, "max_iter", 1),
            "max_leaf_nodes": _ANY_LEAVES if leaves is None else leaves,
            "n_bins": whole(estimator, "max_bins", 0),
            "validation_params": _stopping(estimator, count_rows),
            "monotone": _directions(estimator.monotonic_cst, features),
            "interaction_constraints": _groups(estimator.interaction_cst, features),
            **shared_arguments(estimator, count_rows),
        }
    )


def _stopping(estimator: Any, count_rows: Callable[[], int]) -> dict[str, Any] | None:
    wanted = estimator.early_stopping
    if wanted not in (True, False, "auto"):
        raise CallError(f"early_stopping must be 'auto', True or False, not {wanted!r}")
    if wanted == "auto":
        wanted = count_rows() > _FEW_ROWS
    if not wanted:
        return None
    return {
        "fraction": _held_out(estimator.validation_fraction, count_rows),
        "n_iter_no_change": whole(estimator, "n_iter_no_change", 1),
        "tol": estimator.tol,
    }


def _held_out(value: Any, count_rows: Callable[[], int]) -> float:
    """The share of the rows that are held out to stop by."""
    found = count_or_share(value)
    if isinstance(found, int):
        return found / max(count_rows(), found + 1)
    if found is not None and found < 1:
        return found
    raise CallError(
        "validation_fraction must be a share of the rows in (0, 1) as a float, or an integer of at least 1, not "
        f"{value!r}",
        "madtree does not stop by the rows that it learns from: early_stopping=False." if value is None else None,
    )


def _directions(value: Any, features: Names) -> str | None:
    """`monotonic_cst` as boost_train takes it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return _pairs(value)
    names = _listed(features, "monotonic_cst")
    if len(value) != len(names):
        raise CallError(f"monotonic_cst has {len(value)} values, and there are {len(names)} features")
    return _pairs(dict(zip(names, value, strict=True)))


def _pairs(value: Mapping[Any, Any]) -> str | None:
    if wrong := [each for each in value.values() if each not in (1, -1, 0)]:
        raise CallError(f"monotonic_cst must be made of 1, -1 and 0, not {wrong[0]!r}")
    return ", ".join(f"{ident(str(name))}={int(each):+d}" for name, each in value.items() if each) or None


def _groups(value: Any, features: Names) -> str | None:
    """`interaction_cst` as boost_train takes it."""
    if value == "pairwise":
        value = list(combinations(_listed(features, "interaction_cst"), 2))
    elif value == "no_interactions":
        value = [[name] for name in _listed(features, "interaction_cst")]
    if value is None or isinstance(value, str):
        return value
    return ", ".join(f"[{', '.join(ident(_name(each, features)) for each in group)}]" for group in value) or None


def _name(feature: Any, features: Names) -> str:
    """A feature's name, of its name or number."""
    if isinstance(feature, str):
        return feature
    names = _listed(features, "interaction_cst")
    if not (isinstance(feature, numbers.Integral) and 0 <= int(feature) < len(names)):
        raise CallError(f"interaction_cst must be groups of names or of numbers below {len(names)}, not {feature!r}")
    return names[int(feature)]


def _listed(features: Names, parameter: str) -> list[str]:
    if isinstance(features, str):
        raise CallError(f"{parameter} must name its features where list_of_features is a text")
    return list(features)
