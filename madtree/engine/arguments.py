"""What a caller gave as the arguments of a function, as values of their types: what SQL sees to in the server."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.interface import Function

_OTHER_TYPE = "42804"
_KINDS = {
    "text": "text",
    "integer": "a whole number",
    "bigint": "a whole number",
    "double precision": "a number",
    "boolean": "true or false",
}
_TRUTHS = dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True)
_TRUTHS |= dict.fromkeys(("false", "f", "no", "n", "off", "0"), False)
_BIGINT = -(2**63), 2**63 - 1


def bound(function: Function, given: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """All arguments in their order; one that must be given and is not is None, as NULL would be.

    Raises:
        MadtreeError: there is no such argument, one is given twice, or a value is not of the type.
    """
    values = function.bound(given, named)
    return [_typed(each.name, values[each.name], each.type) for each in function.arguments]


def _typed(name: str, value: Any, type_: str) -> Any:
    if value is None:
        return None
    try:
        found = _READERS[type_](value)
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise MadtreeError(f"{name} must be {_KINDS[type_]}, not {value!r}"[:300], sqlstate=_OTHER_TYPE)
    if isinstance(found, str) and "\0" in found:
        raise MadtreeError(f"{name} must not have the character NUL in it", sqlstate="22021")
    return found


def _text(value: Any) -> str | None:
    return str(value) if isinstance(value, str) else None


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral | str):
        return None
    number = int(value)
    return number if _BIGINT[0] <= number <= _BIGINT[1] else None


def _number(value: Any) -> float | None:
    return None if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal | str) else float(value)


def _truth(value: Any) -> bool | None:
    if isinstance(value, str):
        return _TRUTHS.get(value.strip().lower())
    return bool(value) if isinstance(value, bool | np.bool_) else None


# A text is read as what is wanted, as a literal is in SQL.
_READERS: dict[str, Callable[[Any], Any]] = {
    "text": _text,
    "integer": _whole,
    "bigint": _whole,
    "double precision": _number,
    "boolean": _truth,
}
