"""What of scikit-learn's own checks the estimators cannot pass, and why."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_classifier

from madtree.client.estimators.boosting import BaseBoosting

# Rows that the leaves of a tree need so that it passes scikit-learn's check of class weights, on its 50 noisy rows.
_ENOUGH_ROWS = 6
_NO_SPLIT = 20  # rows, of those of the check of row weights a node has less than twice as many
_DEFAULT_SPLIT, _SPLIT_PER_LEAF = 20, 3  # madtree's own, where a parameter is None


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """For ``check_estimator(estimator, expected_failed_checks=...)``: each such check, and the reason."""
    if isinstance(estimator, BaseBoosting):
        return _WEIGHTS if 1 < (estimator.min_samples_leaf or _NO_SPLIT) < _NO_SPLIT else {}
    n_folds = getattr(estimator, "n_folds", 0)
    expected: dict[str, str] = {}
    if getattr(estimator, "bootstrap", False):
        expected |= _DRAWN
    elif estimator.min_samples_split != 2 or estimator.min_samples_leaf != 1 or n_folds:
        expected |= _WEIGHTS
    if is_classifier(estimator) and _leaf_rows(estimator) < _ENOUGH_ROWS and not n_folds:
        expected |= _CLASS_WEIGHTS
    return expected


def _leaf_rows(estimator: Any) -> float:
    """Rows that a leaf has at least; a share of them, as of few rows, counts as few."""
    if estimator.min_samples_leaf is not None:
        return float(estimator.min_samples_leaf)
    split = _DEFAULT_SPLIT if estimator.min_samples_split is None else estimator.min_samples_split
    return float(split) // _SPLIT_PER_LEAF


_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "min_samples_split and min_samples_leaf count rows, not their weights, as in rpart and in scikit-learn's own "
        "trees: a row of weight 2 is one row, a row that is there twice is two. With 2 and 1 the check passes, "
        "unless there is cross-validation, whose folds are of rows too."
    ),
}
_DRAWN = {
    "check_sample_weight_equivalence_on_dense_data": (
        "Samples are drawn: a row of weight 2 is drawn once, a row that is there twice is two, each drawn for itself. "
        "scikit-learn's own estimators that draw samples fail this check, too. With bootstrap=False it passes."
    ),
}
_CLASS_WEIGHTS = {
    "check_class_weight_classifiers": (
        "In leaves of one class the weights of classes change nothing, and trees grow down to such leaves. "
        "scikit-learn's own trees pass because the check sets min_weight_fraction_leaf, which madtree has not. With "
        "min_samples_leaf=6 the check passes."
    ),
}
