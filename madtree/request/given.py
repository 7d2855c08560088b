"""The arguments of a function as they were given: with their defaults, and each of them valid by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from madtree.host import Host
from madtree.interface import Argument, Function, Named, Range
from madtree.request.option_strings import parse_options


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
        return value.strip() or None
    if isinstance(valid, Range) and valid.is_cut and value > valid.high:
        host.notice(f"{argument.name}: {valid.high} is taken for {value}; no tree grows deeper")
    return valid.checked(argument.name, value) if valid else value
