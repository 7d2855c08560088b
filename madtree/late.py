"""Rooms whose modules are loaded when what they have is first asked for (PEP 562), and how modules are loaded fast."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def loading() -> Iterator[None]:
    """Look for no garbage while modules are loaded: what they consist of stays, and to walk it again and again takes a
    fifth of the time of a command that does little.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def attributes_of(room: dict[str, Any], modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a room.

    Args:
        room: its globals.
        modules: what it has of each module in it: names with blanks between them.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def found(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {room['__name__']!r} has no attribute {name!r}")
        value = getattr(import_module(f"{room['__name__']}.{module_of[name]}"), name)
        room[name] = value
        return value

    return found
