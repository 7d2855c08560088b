"""scikit-learn's parameters of boosted trees as arguments of boost_train."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

from madtree.client.calls import CallError
from madtree.client.estimators.parameters import rows, seed, whole

_FEW_ROWS = 10_000  # up to which "auto" does not stop early, as in scikit-learn
_ANY_LEAVES = 2**31 - 1


def boost_arguments(estimator: Any, count_rows: Callable[[], int]) -> dict[str, Any]:
    """What an estimator's parameters are to boost_train, without those that are None there.

    Args:
        count_rows: of the training table; asked only where a parameter needs it.

    Raises:
        CallError: a parameter has no valid value, or one that asks for what madtree's boosting does not do.
    """
    leaves = estimator.max_leaf_nodes
    arguments = {
        "loss": estimator.loss,
        "num_trees": whole(estimator, "max_iter", 1),
        "learning_rate": estimator.learning_rate,
        "max_leaf_nodes": _ANY_LEAVES if leaves is None else leaves,
        "max_depth": estimator.max_depth,
        "min_bucket": rows(estimator, "min_samples_leaf", 1, count_rows),
        "n_bins": whole(estimator, "max_bins", 0),
        "boost_params": {
            "l2_regularization": estimator.l2_regularization,
            "min_gain": estimator.min_gain,
            "subsample": estimator.subsample,
            "feature_fraction": estimator.feature_fraction,
            "cat_smooth": estimator.cat_smooth,
            **_quantile(estimator),
        },
        "validation_params": _stopping(estimator, count_rows),
        "seed": seed(estimator.random_state),
        "verbose": estimator.verbose,
        "replace": estimator.replace,
        "parallel_workers": estimator.parallel_workers,
        "memory_mb": estimator.memory_mb,
        "strategy": estimator.strategy,
        "classification": estimator._learns_classes,
    }
    return {name: value for name, value in arguments.items() if value is not None}


def _quantile(estimator: Any) -> dict[str, Any]:
    quantile = getattr(estimator, "quantile", None)  # of numbers
    return {} if quantile is None else {"quantile": quantile}


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
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 1:
        return int(value) / max(count_rows(), int(value) + 1)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 < float(value) < 1:
        return float(value)
    raise CallError(
        "validation_fraction must be a share of the rows in (0, 1) as a float, or an integer of at least 1, not "
        f"{value!r}",
        "madtree does not stop by the rows that it learns from: early_stopping=False." if value is None else None,
    )
