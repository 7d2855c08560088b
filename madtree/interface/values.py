"""Values that a caller in Python gave, as values of the arguments' types: what SQL sees to in the server."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from madtree.errors import MadtreeError

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
_BITS = {"integer": 31, "bigint": 63}


def typed(name: str, value: Any, type_: str) -> Any:
    """The value of an argument, as Python has values of that type of SQL's; numbers of NumPy's become Python's.

    Raises:
        MadtreeError: it is not of the type.
    """
    if value is None:
        return None
    try:
        found = _READERS[type_](value)
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise MadtreeError(f"{name} must be {_KINDS[type_]}, not {value!r}"[:300], sqlstate=_OTHER_TYPE)
    if type_ in _BITS and not -(2 ** _BITS[type_]) <= found < 2 ** _BITS[type_]:
        within = f"{_KINDS[type_]} below 2^{_BITS[type_]}"
        raise MadtreeError(f"{name} must be {within}, not {value!r}"[:300], sqlstate="22003")
    if isinstance(found, str) and "\0" in found:
        raise MadtreeError(f"{name} must not have the character NUL in it", sqlstate="22021")
    return found


def _text(value: Any) -> str | None:
    return str(value) if isinstance(value, str) else None


def _whole(value: Any) -> int | None:
    return None if isinstance(value, bool) or not isinstance(value, numbers.Integral | str) else int(value)


def _number(value: Any) -> float | None:
    return None if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal | str) else float(value)


def _truth(value: Any) -> bool | None:
    if isinstance(value, str):
        return _TRUTHS.get(value.strip().lower())
    return bool(value) if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_") else None  # NumPy's


# A text is read as what is wanted, as a literal is in SQL.
_READERS: dict[str, Callable[[Any], Any]] = {
    "text": _text,
    "integer": _whole,
    "bigint": _whole,
    "double precision": _number,
    "boolean": _truth,
}
