"""The settings that are to be tried: `key=value, value; key=value` becomes each combination of the values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from madtree.errors import MadtreeError
from madtree.interface import Argument, Function
from madtree.records import dataclass
from madtree.request.hints import nearest

MOST_SETTINGS = 10_000
_ARGUMENT = "params"
_HINT = "Write 'max_depth=3,5,8; min_bucket=5,20'."
_QUOTED = r"'(?:[^']|'')*'"
_PART = re.compile(rf"(?:[^;']|{_QUOTED})+")
_VALUE = re.compile(rf"(?:[^,']|{_QUOTED})*")
_KEY = re.compile(r"\s*([A-Za-z_]+)\s*=(.*)", re.DOTALL)
_NULL = frozenset({"null", "none"})
_WORDS = {**dict.fromkeys(("true", "t", "yes", "on"), True), **dict.fromkeys(("false", "f", "no", "off"), False)}


@dataclass(frozen=True)
class SettingGrid:
    """Values of some arguments of a function, and of keys of its strings of options.

    Attributes:
        function: that trains.
        values: by name, at least one each.
    """

    function: Function
    values: Mapping[str, Sequence[Any]]

    @classmethod
    def parsed(cls, function: Function, text: str | None) -> SettingGrid:
        """The grid that a text tells of; None tells of the defaults alone.

        Raises:
            MadtreeError: it is malformed; or a key is unknown or given twice, or a value is not valid, or given twice.
        """
        known = {each.name: each for each in function.options if each.setting and each.setting.is_tried}
        found: dict[str, list[Any]] = {}
        for part in _cut(_PART, text or "", ";"):
            key, values = _pair(part, tuple(known), function.name)
            if key in found:
                raise MadtreeError(f"{_ARGUMENT}: the key {key} is given twice", "List all of its values behind one =.")
            found[key] = _values(known[key], values)
        n_settings = prod(map(len, found.values()))
        if n_settings > MOST_SETTINGS:
            raise MadtreeError(
                f"{_ARGUMENT}: these are {n_settings:,} settings; at most {MOST_SETTINGS:,} are possible",
                hint="Try fewer values first, and then those around the best one.",
                sqlstate="54000",
            )
        return cls(function, found)

    @property
    def settings(self) -> list[dict[str, Any]]:
        """Each combination, by name; the last name's values change first."""
        return [dict(zip(self.values, each, strict=True)) for each in product(*self.values.values())]

    @property
    def columns(self) -> list[Argument]:
        """What the values are of."""
        return [each for name in self.values for each in self.function.options if each.name == name]

    def arguments(self, setting: Mapping[str, Any]) -> dict[str, Any]:
        """The function's arguments that make up a setting."""
        found = {}
        for each in self.function.arguments:
            if each.keys:
                own = {key.name: setting[key.name] for key in each.keys if setting.get(key.name) is not None}
                found[each.name] = ", ".join(f"{name}={_text(value)}" for name, value in own.items()) or None
            elif each.name in setting:
                found[each.name] = setting[each.name]
        return found


def setting_text(setting: Mapping[str, Any]) -> str:
    """A setting as one writes it."""
    return ", ".join(f"{name}={'null' if value is None else _text(value)}" for name, value in setting.items())


def _pair(part: str, known: Sequence[str], function: str) -> tuple[str, str]:
    match = _KEY.fullmatch(part)
    keys = f"keys for {function} are {', '.join(known)}"
    if match is None:
        raise MadtreeError(f"{_ARGUMENT}: {part!r} is not key=value, value, ...; {keys}", _HINT)
    key = match[1].lower()
    if key not in known:
        raise MadtreeError(f"{_ARGUMENT}: the key {match[1]!r} is unknown; {keys}", nearest(key, known))
    return key, match[2]


def _values(argument: Argument, text: str) -> list[Any]:
    what = f"{_ARGUMENT}: {argument.name}"
    found: dict[Any, None] = {}
    for piece in _cut(_VALUE, text, ","):
        value = _value(argument, piece, what)
        if value in found:
            raise MadtreeError(f"{what} lists {piece} twice")
        found[value] = None
    if not found:
        raise MadtreeError(f"{what} has no value", f"Write values behind =, or leave {argument.name} out.")
    return [*found]


def _value(argument: Argument, text: str, what: str) -> Any:
    """The value that a text is of; raises MadtreeError, which says `what` it is, where it is none."""
    if text.lower() in _NULL and argument.default is None:
        return None
    if not text:
        raise MadtreeError(f"{what} has an empty value between two commas")
    bare = text[1:-1].replace("''", "'") if text[0] == text[-1] == "'" and len(text) > 1 else text
    value: Any = bare
    if argument.type == "integer":
        value = int(bare) if re.fullmatch(r"[+-]?[0-9]{1,18}", bare) else None
    elif argument.type == "double precision":
        value = _number(bare)
    elif argument.type == "boolean":
        value = _WORDS.get(bare.lower())
    if value is None:
        kinds = {"integer": "integers", "double precision": "numbers", "boolean": "true or false"}
        raise MadtreeError(f"{what} must be {kinds[argument.type]}, not {text!r}", _HINT)
    return argument.valid.checked(what, value) if argument.valid else value


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _cut(pattern: re.Pattern[str], text: str, at: str) -> list[str]:
    """The parts of a text between separators that stand outside of quotes; none of an empty text."""
    parts, begin = [], 0
    while begin <= len(text):
        match = pattern.match(text, begin)
        end = match.end() if match else begin
        if end < len(text) and text[end] != at:
            raise MadtreeError(f"{_ARGUMENT}: a single quote is not closed in {text!r}")
        parts.append(text[begin:end].strip())
        begin = end + 1
    if at == ";":
        return [part for part in parts if part]
    return parts if any(parts) else []


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
