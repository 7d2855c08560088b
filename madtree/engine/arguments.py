"""What a caller gave as the arguments of a function, as values of their types: what SQL sees to in the server."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np

from madtree.errors import MadtreeError

_NO_FUNCTION = "42883"
_OTHER_TYPE = "42804"
_KINDS = {"str": "text", "int": "a whole number", "float": "a number", "bool": "true or false"}
_TRUTHS = dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True)
_TRUTHS |= dict.fromkeys(("false", "f", "no", "n", "off", "0"), False)
_BIGINT = -(2**63), 2**63 - 1


def bound(function: str, takes: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by name; one that must be given and is not is None, as NULL would be.

    Args:
        function: its name in SQL, for errors.
        takes: has its arguments behind a host, annotated with their types.

    Raises:
        MadtreeError: there is no such argument, one is given twice, or a value is not of the type.
    """
    types, required = _parameters(takes)
    if len(given) > len(types):
        count = f"{len(types)} argument{'s' * (len(types) != 1)}"
        raise MadtreeError(f"{function} takes {count}, not {len(given)}", sqlstate=_NO_FUNCTION)
    values = dict(zip(types, given, strict=False))
    for name, value in named.items():
        if name not in types:
            raise MadtreeError(
                f"{function} has no argument {name}", f"Its arguments are {', '.join(types)}.", _NO_FUNCTION
            )
        if name in values:
            raise MadtreeError(f"{function}: {name} is given twice", sqlstate=_NO_FUNCTION)
        values[name] = value
    return dict.fromkeys(required) | {name: _typed(name, value, types[name]) for name, value in values.items()}


@cache
def _parameters(takes: Callable[..., Any]) -> tuple[dict[str, str], list[str]]:
    """Types by name, and the names without a default. A name that Python keeps for itself ends in an underscore."""
    parameters = list(inspect.signature(takes).parameters.values())[1:]
    types = {each.name.rstrip("_"): str(each.annotation).partition(" ")[0] for each in parameters}
    return types, [each.name for each in parameters if each.default is inspect.Parameter.empty]


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
_READERS: dict[str, Callable[[Any], Any]] = {"str": _text, "int": _whole, "float": _number, "bool": _truth}
