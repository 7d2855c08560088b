"""scikit-learn's parameters as arguments of tree_train; what a tree of madtree's cannot do is told with what it can."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

from sklearn.utils import check_random_state

from madtree.client.calls import CallError
from madtree.client.sklearn_tree import DEVIANCE_PER_IMPURITY
from madtree.trees import CRITERIA, MAX_DEPTH_LIMIT, is_of_counts

# scikit-learn's criteria that have another name in madtree, and those that madtree has not, with what comes closest.
OTHER_NAMES = {"log_loss": "entropy", "squared_error": "mse"}
NO_CRITERIA = {"friedman_mse": "squared_error", "absolute_error": "squared_error"}


def train_arguments(estimator: Any, count_rows: Callable[[], int]) -> dict[str, Any]:
    """What an estimator's parameters are to tree_train, without those that are None there.

    Args:
        count_rows: how many rows there are to train on; asked only for a share of them.

    Raises:
        CallError: a parameter has no valid value, or one that asks for what madtree's trees do not do.
    """
    refuse_the_impossible(estimator)
    arguments = {
        **estimator._plain_arguments(),
        "split_criterion": criterion(estimator.criterion),
        "max_depth": MAX_DEPTH_LIMIT if estimator.max_depth is None else estimator.max_depth,
        "min_split": rows(estimator, "min_samples_split", 2, count_rows),
        "min_impurity_decrease": estimator.min_impurity_decrease * per_impurity(estimator.criterion) or None,
        **shared_arguments(estimator, count_rows),
    }
    if arguments.get("shrink", 0.0) is None and is_of_counts(estimator.criterion):
        arguments["shrink"] = 0.0  # leaves have the rates of their rows, as scikit-learn's
    return without_none(arguments)


def shared_arguments(estimator: Any, count_rows: Callable[[], int]) -> dict[str, Any]:
    """What all functions that train are given otherwise than estimators."""
    return {
        "min_bucket": rows(estimator, "min_samples_leaf", 1, count_rows),
        "seed": seed(estimator.random_state),
        "classification": estimator._learns_classes,
    }


def without_none(arguments: dict[str, Any]) -> dict[str, Any]:
    """Those that are not what their functions' defaults are for."""
    return {name: value for name, value in arguments.items() if value is not None}


def per_impurity(criterion: Any) -> float:
    """What madtree's impurity is to scikit-learn's."""
    return DEVIANCE_PER_IMPURITY if is_of_counts(criterion) else 1.0


def criterion(name: Any) -> Any:
    """The name of a criterion in madtree."""
    if name in NO_CRITERIA:
        raise CallError(
            f"criterion: trees of madtree's are not grown by {name}", f"criterion={NO_CRITERIA[name]!r} comes closest."
        )
    if OTHER_NAMES.get(name, name) not in CRITERIA:
        raise CallError(f"criterion must be one of {', '.join(sorted({*CRITERIA, *OTHER_NAMES}))}, not {name!r}")
    return OTHER_NAMES.get(name, name)


def rows(estimator: Any, name: str, least: int, count_rows: Callable[[], int]) -> int | None:
    """A number of rows: as it is, or a share of all rows, rounded up as in scikit-learn; None is madtree's default."""
    value = getattr(estimator, name)
    if value is None:
        return None
    found = count_or_share(value, least)
    if isinstance(found, int):
        return found
    if found is not None:
        return max(least, math.ceil(found * count_rows()))
    raise CallError(
        f"{name} must be an integer of at least {least}, or a share of the rows in (0, 1] as a float, or None, not "
        f"{value!r}"
    )


def count_or_share(value: Any, least: int = 1) -> int | float | None:
    """A whole number of at least `least` as an int, a share in (0, 1] as a float; None where it is neither."""
    if isinstance(value, numbers.Integral):
        return None if isinstance(value, bool) or int(value) < least else int(value)
    return float(value) if isinstance(value, numbers.Real) and 0 < float(value) <= 1 else None


def whole(estimator: Any, name: str, least: int) -> int:
    """A parameter that is a whole number. Raises CallError where it is none."""
    value = getattr(estimator, name)
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or int(value) < least:
        raise CallError(f"{name} must be an integer of at least {least}, not {value!r}")
    return int(value)


def seed(random_state: Any) -> int | None:
    """A seed: None is madtree's own, so that a fit is always the same; of a random state the next number."""
    if random_state is None or (isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool)):
        return None if random_state is None else int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def refuse_the_impossible(estimator: Any) -> None:
    """Refuse what scikit-learn's trees can do and madtree's cannot, with the equivalent.

    Raises:
        CallError: one of the parameters asks for it.
    """
    n_features = getattr(estimator, "n_features_in_", None)
    for name, possible, hint in (
        ("splitter", ("best",), "madtree always looks for the best split: splitter='best'."),
        (
            "max_features",
            (None, 1.0, n_features),
            "A tree of madtree's looks at all features: max_features=None. list_of_features, or the columns of X, "
            "choose among them.",
        ),
        ("monotonic_cst", (None,), "madtree has no monotonic constraints: monotonic_cst=None."),
    ):
        value = getattr(estimator, name)
        if not any(value is each or (type(value) is type(each) and value == each) for each in possible):
            raise CallError(f"{name}={value!r} is not supported", hint)
    alpha = estimator.ccp_alpha
    if not isinstance(alpha, numbers.Real) or isinstance(alpha, bool) or not 0 <= float(alpha) < math.inf:
        raise CallError(f"ccp_alpha must be a number of at least 0, not {alpha!r}")
    if alpha and estimator.model is not None:
        raise CallError(
            "ccp_alpha prunes the tree in the estimator, not a model that is kept in the database",
            "Use cp, which prunes both: for squared_error it is ccp_alpha divided by the variance of y. For classes it "
            "is relative to the root's share of wrong predictions, as rpart's, and not to its impurity.",
        )
