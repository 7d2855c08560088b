"""The door into the server: what the extension's SQL functions call. Each function takes `plpy` first."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from madtree import __version__ as __version__
from madtree.errors import MadtreeError

P = ParamSpec("P")
T = TypeVar("T")


def _entry(function: Callable[..., T]) -> Callable[..., T]:
    """Turn a MadtreeError into PostgreSQL's error with its hint and SQLSTATE; other errors pass as they are."""

    @wraps(function)
    def wrapper(plpy: Any, *args: Any, **kwargs: Any) -> T:
        try:
            return function(plpy, *args, **kwargs)
        except MadtreeError as error:
            options = {"sqlstate": error.sqlstate}
            if error.hint:
                options["hint"] = error.hint
            plpy.error(error.message, **options)
            raise AssertionError("plpy.error does not return") from error

    return wrapper
