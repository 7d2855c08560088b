"""scikit-learn's parameters of forests as arguments of forest_train."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

from madtree.client.calls import CallError
from madtree.client.estimators.parameters import criterion, rows, shared_arguments, whole, without_none

_BY_NAME: dict[str, Callable[[int], int]] = {"sqrt": math.isqrt, "log2": lambda n: int(math.log2(n))}


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
            **estimator.plain_arguments(),
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
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 1:
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 < float(value) <= 1:
        return max(1, int(float(value) * count_features()))
    raise CallError(
        "max_features must be 'sqrt', 'log2', None for all features, an integer of at least 1, or a share of them in "
        f"(0, 1] as a float, not {value!r}"
    )


def _kept(value: Any, count_rows: Callable[[], int]) -> float | None:
    """The share of the rows that a tree's sample is drawn from."""
    if value is None:
        return None
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 1:
        return min(1.0, int(value) / max(count_rows(), 1))
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 < float(value) <= 1:
        return float(value)
    raise CallError(
        "max_samples must be None, an integer of at least 1, or a share of the rows in (0, 1] as a float, not "
        f"{value!r}"
    )
