"""The argument `class_params`: how much each class counts, as text and checked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from madtree.errors import MadtreeError
from madtree.request.option_strings import pairs
from madtree.trees import BALANCED, LARGEST_CLASS_PARAM, LEAST_CLASS_PARAM, MOST_CLASS_PARAMS, PRIOR_SUM, ClassParams
from madtree.wording import count_text, first_of

ARGUMENT = "class_params"
_FORMS = "'prior=0.5:0.5', 'loss=0 1 5 0' or 'class_weight=balanced'"
_BETWEEN = re.compile(r"[\[\](){}:;,\"']")  # numbers, in arrays of SQL's and lists of Python's, too
_Numbers = tuple[float, ...]


def class_params_of(given: str | None) -> ClassParams | None:
    """What the argument says; None where it says nothing.

    Raises:
        MadtreeError: it is malformed, or a number is out of its range. How many there should be is not known yet
            (`check_class_params`).
    """
    if given is None or not given.strip():
        return None
    values = {key: _READERS[key](key, value) for key, value in pairs(given, ARGUMENT, tuple(_READERS), _FORMS)}
    if "prior" in values and "class_weight" in values:
        raise MadtreeError(f"{ARGUMENT}: prior and class_weight both say how much each class counts; give one of them")
    return ClassParams(**values)  # type: ignore[arg-type]


def class_params_text(params: ClassParams) -> str:
    """The argument's text that says this."""
    parts = {
        "prior": params.prior and ":".join(map(_number, params.prior)),
        "loss": params.loss and " ".join(map(_number, params.loss)),
        "class_weight": params.class_weight
        if isinstance(params.class_weight, str)
        else params.class_weight and ":".join(map(_number, params.class_weight)),
    }
    return ", ".join(f"{key}={value}" for key, value in parts.items() if value)


def check_class_params(params: ClassParams | None, dependent: str, classes: Sequence[str]) -> None:
    """
    Raises:
        MadtreeError: there is not a number for each class, or there are too many classes for it.
    """
    if params is None:
        return
    n = len(classes)
    if n > MOST_CLASS_PARAMS:
        raise MadtreeError(f"{ARGUMENT}: dependent_variable {dependent} has {n} classes; at most {MOST_CLASS_PARAMS}")
    fault = params.fault(n)
    if fault:
        raise MadtreeError(
            f"{ARGUMENT}: {fault}: dependent_variable {dependent} has {count_text(n, 'class')}, in this order: "
            f"{first_of(classes, 10)}",
            hint=f"A loss matrix has a row for each true class and a column for each predicted one: {n * n} numbers."
            if fault.startswith("loss")
            else None,
        )


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _numbers(key: str, text: str) -> _Numbers:
    try:
        values = tuple(map(float, _BETWEEN.sub(" ", text).split()))
    except ValueError:
        values = ()
    if not values or not all(map(math.isfinite, values)):
        raise MadtreeError(
            f"{ARGUMENT}: {key} must be numbers with spaces or colons between them, not {text!r}", f"Write {_FORMS}."
        )
    return values


def _prior(key: str, text: str) -> _Numbers:
    prior = _numbers(key, text)
    if min(prior) < LEAST_CLASS_PARAM:
        raise MadtreeError(
            f"{ARGUMENT}: {key} must be at least {LEAST_CLASS_PARAM:g} for every class, not {text!r}",
            hint="Leave out the rows of a class that should not count, in a view.",
        )
    if abs(math.fsum(prior) - 1) > PRIOR_SUM:
        raise MadtreeError(f"{ARGUMENT}: {key} must add up to 1, and {text!r} adds up to {math.fsum(prior):g}")
    return prior


def _loss(key: str, text: str) -> _Numbers:
    loss = _numbers(key, text)
    n = math.isqrt(len(loss))
    if n * n != len(loss):
        raise MadtreeError(
            f"{ARGUMENT}: {key} must be a matrix, a row for each true class and a column for each predicted one, row "
            f"by row: {len(loss)} numbers are no square"
        )
    if min(loss) < 0 or max(loss) > LARGEST_CLASS_PARAM:
        raise MadtreeError(f"{ARGUMENT}: {key} must be from 0 to {LARGEST_CLASS_PARAM:g}, not {text!r}")
    rows = [loss[i * n : (i + 1) * n] for i in range(n)]
    if any(row[i] for i, row in enumerate(rows)):
        raise MadtreeError(f"{ARGUMENT}: {key} must be 0 where the true class is predicted, not {text!r}")
    if not all(map(any, rows)):
        raise MadtreeError(f"{ARGUMENT}: {key} must have a cost above 0 in every row, not {text!r}")
    return loss


def _class_weight(key: str, text: str) -> _Numbers | str:
    if text.strip("\"' ").lower() == BALANCED:
        return BALANCED
    weights = _numbers(key, text)
    if min(weights) < LEAST_CLASS_PARAM or max(weights) > LARGEST_CLASS_PARAM:
        valid = f"{BALANCED}, or from {LEAST_CLASS_PARAM:g} to {LARGEST_CLASS_PARAM:g} for every class"
        raise MadtreeError(f"{ARGUMENT}: {key} must be {valid}, not {text!r}")
    return weights


_READERS: dict[str, Callable[[str, str], _Numbers | str]] = {
    "prior": _prior,
    "loss": _loss,
    "class_weight": _class_weight,
}
