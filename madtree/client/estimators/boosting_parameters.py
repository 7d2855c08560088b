"""scikit-learn's parameters of boosted trees as arguments of boost_train."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

from madtree.client.calls import CallError, Names
from madtree.client.estimators.parameters import shared_arguments, whole, without_none
from madtree.sqltext.quote import ident

_FEW_ROWS = 10_000  # up to which "auto" does not stop early, as in scikit-learn
_ANY_LEAVES = 2**31 - 1


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
            **estimator.plain_arguments(),
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
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 1:
        return int(value) / max(count_rows(), int(value) + 1)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 < float(value) < 1:
        return float(value)
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
