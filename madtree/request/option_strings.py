"""The two parameter strings of `tree_train`: `key=value, key=value`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from madtree.errors import MadtreeError
from madtree.interface import defaults
from madtree.sqltext.split import split_list
from madtree.trees import UNPRUNED

_KEYS = tuple(key for keys in defaults.OPTIONS.values() for key in keys)

# Where MADlib has other names: what its order has in the place of each of the two strings.
_MADLIBS = {"surrogate_params": "argument 14, pruning_params", "pruning_params": "argument 15, null_handling_params"}
_TRUE = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "off", "0"})
_PAIR = re.compile(r"\s*([^=\s]+)\s*=\s*(.*?)\s*", re.DOTALL)


@dataclass(frozen=True)
class TextParameters:
    """What the two strings say; `fold_col` is SQL as the user wrote it."""

    max_surrogates: int = defaults.MAX_SURROGATES
    null_as_category: bool = defaults.NULL_AS_CATEGORY
    surrogate_style: int = defaults.SURROGATE_STYLE
    cp: float = defaults.CP
    n_folds: int = defaults.N_FOLDS
    rule: str = defaults.RULE
    fold_col: str | None = None


def parse_params(
    surrogate_params: str | None, pruning_params: str | None, null_handling_params: str | None = None
) -> TextParameters:
    """Read the strings. Their keys are disjoint and each string may hold any of them, as MADlib's order differs.

    `null_handling_params` is MADlib's name of `surrogate_params`.

    Raises:
        MadtreeError: a pair is malformed, or a key is unknown or given twice, or a value is not valid.
    """
    values: dict[str, Any] = {}
    given = {
        "surrogate_params": surrogate_params,
        "pruning_params": pruning_params,
        "null_handling_params": null_handling_params,
    }
    for argument, text in given.items():
        if text is None or not text.strip():
            continue
        for key, value in pairs(text, argument, _KEYS):
            if key in values:
                raise MadtreeError(f"{argument}: the key {key} is given twice")
            values[key] = _READERS[key](f"{_place(argument, key)}: {key}", value)
    return TextParameters(**values)


def pairs(text: str, argument: str, keys: Sequence[str], form: str = "a pair key=value") -> list[tuple[str, str]]:
    """Keys in lower case and bare values of `key=value, key=value`; `form`: what a pair should look like.

    Raises:
        MadtreeError: a pair is malformed, or its key is none of `keys`, or is given twice.
    """
    found = [_pair(pair, argument, keys, form) for pair in split_list(text, argument)]
    names = [key for key, _ in found]
    if twice := [key for key in names if names.count(key) > 1]:
        raise MadtreeError(f"{argument}: the key {twice[0]} is given twice")
    return found


def _place(argument: str, key: str) -> str:
    """The argument that a key was found in; where it stands as in MADlib's order, also by its place and name there."""
    if argument not in _MADLIBS or key in defaults.OPTIONS[argument]:
        return argument
    return f"{argument} ({_MADLIBS[argument]} in MADlib)"


def _pair(pair: str, argument: str, keys: Sequence[str], form: str) -> tuple[str, str]:
    match = _PAIR.fullmatch(pair)
    if match is None or not match[2]:
        raise MadtreeError(f"{argument}: {pair!r} is not {form}; valid keys are {', '.join(keys)}")
    key, value = match[1].strip("'\"").lower(), match[2]
    if key not in keys:
        raise MadtreeError(f"{argument}: the key {match[1]!r} is unknown; valid keys are {', '.join(keys)}")
    if len(value) > 1 and value[0] == value[-1] == "'":
        value = value[1:-1].replace("''", "'").strip()
    return key, value


def _integer(minimum: int, maximum: int, valid: str) -> Callable[..., int]:
    def read(what: str, value: str) -> int:
        text = _unquoted(value)
        number = int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else None
        if number is None or not minimum <= number <= maximum:
            raise MadtreeError(f"{what} must be {valid}, not {value!r}")
        return number

    return read


def _n_folds(what: str, value: str) -> int:
    """A single fold leaves nothing to train on, and means none, as in MADlib."""
    folds = _integer(0, 255, "0 (no cross-validation) or an integer from 2 to 255")(what, value)
    return folds if folds > 1 else 0


def _cp(what: str, value: str) -> float:
    try:
        number = float(_unquoted(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise MadtreeError(f"{what} must be a number, below 0 for trees that are not pruned, not {value!r}")
    return max(number, UNPRUNED)


def _boolean(what: str, value: str) -> bool:
    text = _unquoted(value).lower()
    if text not in _TRUE | _FALSE:
        raise MadtreeError(f"{what} must be true or false, not {value!r}")
    return text in _TRUE


def _rule(what: str, value: str) -> str:
    text = _unquoted(value).lower()
    if text not in ("min", "1se"):
        raise MadtreeError(f"{what} must be min or 1se, not {value!r}")
    return text


def _fold_col(what: str, value: str) -> str:
    return value  # double quotes belong to the name here


def _unquoted(value: str) -> str:
    return value[1:-1].strip() if len(value) > 1 and value[0] == value[-1] == '"' else value


_READERS: dict[str, Callable[[str, str], Any]] = {
    "max_surrogates": _integer(0, 2**15, "an integer of at least 0"),
    "null_as_category": _boolean,
    "surrogate_style": _integer(0, 1, "0 or 1"),
    "cp": _cp,
    "n_folds": _n_folds,
    "rule": _rule,
    "fold_col": _fold_col,
}
