"""The arguments of a function as they were given: with their defaults, and each of them valid by itself, those too that
are strings of options: `key=value, key=value`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import Argument, Function, Named, OneOf, Range
from madtree.request.hints import nearest
from madtree.sqltext.split import split_list
from madtree.wording import BLANKS

# Where MADlib has other names: what its order has in the place of each of the two strings.
_MADLIBS = {"surrogate_params": "argument 14, pruning_params", "pruning_params": "argument 15, null_handling_params"}
_TRUE = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "off", "0"})
_PAIR = re.compile(r"([^=\s]+)\s*=(.*)", re.DOTALL)


def parse_options(function: Function, values: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are keys of a function's arguments, by name, from its arguments; else their defaults.

    Keys are disjoint, and each of the strings may hold any of them, as MADlib's order of arguments differs.

    Raises:
        MadtreeError: a pair is malformed, or a key is unknown or given twice, or a value is not valid.
    """
    strings = [each for each in function.arguments if each.keys]
    keys = {key.name: key for each in strings for key in each.keys}
    names = [each.name for each in strings]
    given: dict[str, Any] = {}
    for argument in [*names, *(function.madlib_names[name] for name in names if name in function.madlib_names)]:
        text = values[argument]
        if text is None or not text.strip(BLANKS):
            continue
        own = {key.name for each in strings if each.name == argument for key in each.keys}
        for key, value in pairs(text, argument, tuple(keys)):
            if key in given:
                raise MadtreeError(f"{argument}: the key {key} is given twice")
            elsewhere = f" ({_MADLIBS[argument]} in MADlib)" if argument in _MADLIBS and key not in own else ""
            given[key] = _read(f"{argument}{elsewhere}: {key}", keys[key], value)
    return {name: given.get(name, key.default) for name, key in keys.items()}


def pairs(text: str, argument: str, keys: Sequence[str], form: str = "a pair key=value") -> list[tuple[str, str]]:
    """Keys in lower case and bare values of `key=value, key=value`; `form`: what a pair should look like.

    Raises:
        MadtreeError: a pair is malformed, or its key is none of `keys`, or is given twice.
    """
    found = [_pair(pair, argument, keys, form) for pair in split_list(text, argument)]
    seen: set[str] = set()
    for key, _ in found:
        if key in seen:
            raise MadtreeError(f"{argument}: the key {key} is given twice")
        seen.add(key)
    return found


def _pair(pair: str, argument: str, keys: Sequence[str], form: str) -> tuple[str, str]:
    match = _PAIR.fullmatch(pair.strip(BLANKS))
    if match is None or not match[2].strip(BLANKS):
        raise MadtreeError(f"{argument}: {pair!r} is not {form}; valid keys are {', '.join(keys)}")
    key, value = match[1].strip("'\"").lower(), match[2].strip(BLANKS)
    if key not in keys:
        unknown = f"{argument}: the key {match[1]!r} is unknown; valid keys are {', '.join(keys)}"
        raise MadtreeError(unknown, hint=nearest(key, keys))
    if len(value) > 1 and value[0] == value[-1] == "'":
        value = value[1:-1].replace("''", "'").strip(BLANKS)
    return key, value


def _read(what: str, key: Argument, value: str) -> Any:
    """A key's value; raises MadtreeError, which says `what` it is, if it is not valid."""
    text = _unquoted(value)
    if isinstance(key.valid, OneOf):
        return key.valid.checked(what, text)
    if key.type == "boolean":
        if text.lower() not in _TRUE | _FALSE:
            raise MadtreeError(f"{what} must be true or false, not {value!r}")
        return text.lower() in _TRUE
    if isinstance(key.valid, Range):
        number = _number(text, key.type)
        if number is None or not key.valid.has(number):
            raise MadtreeError(f"{what} must be {key.valid.wanted}, not {value!r}")
        return number
    return value  # a name as SQL, to which double quotes belong


def _number(text: str, type_: str) -> float | None:
    """As Python reads it; None if it is none, or of more digits than any that is valid."""
    if type_ == "integer":
        return int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else None
    try:
        return float(text)
    except ValueError:
        return None


def _unquoted(value: str) -> str:
    return value[1:-1].strip() if len(value) > 1 and value[0] == value[-1] == '"' else value


def checked(host: Host, function: Function, given: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments by name, and what its strings of options say; NULL for one that has a default is its default.

    Raises:
        MadtreeError: a value is not valid, in one sentence that names its argument.
    """
    values = function.bound(given, named)
    checked_values = {each.name: _checked(host, each, values[each.name]) for each in function.arguments}
    return checked_values | parse_options(function, checked_values)


def _checked(host: Host, argument: Argument, value: Any) -> Any:
    valid = argument.valid
    if isinstance(valid, Named):
        return valid.checked(argument.name, value)
    if value is None:
        return None if argument.is_required else argument.default
    if isinstance(value, str) and not valid and not argument.is_required:
        return value.strip(BLANKS) or None
    if isinstance(valid, Range) and valid.is_cut and value > valid.high:
        host.notice(f"{argument.name}: {valid.high} is taken for {value}; no tree grows deeper")
    return valid.checked(argument.name, value) if valid else value
