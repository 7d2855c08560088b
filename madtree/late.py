"""Rooms whose modules are loaded when what they have is first asked for (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attributes_of(room: dict[str, Any], modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a room.

    Args:
        room: its globals.
        modules: by what it has, the module in it where that is from.
    """

    def found(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {room['__name__']!r} has no attribute {name!r}")
        value = getattr(import_module(f"{room['__name__']}.{modules[name]}"), name)
        room[name] = value
        return value

    return found
