"""How an error of ours becomes the server's."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from madtree.errors import MadtreeError

T = TypeVar("T")


def entry(function: Callable[..., T]) -> Callable[..., T]:
    """Turn a MadtreeError into PostgreSQL's error with its hint and SQLSTATE; other errors pass as they are."""

    @wraps(function)
    def wrapper(plpy: Any, *args: Any, **kwargs: Any) -> T:
        try:
            return function(plpy, *args, **kwargs)
        except MadtreeError as error:
            raise visible(plpy, error) from None

    return wrapper


def visible(plpy: Any, error: MadtreeError) -> Exception:
    """The error as PL/Python should show it: it puts the exception's class in front of the sentence."""
    visible: Exception = type("madtree", (plpy.Error,), {"__module__": "builtins"})(error.message)
    visible.hint, visible.sqlstate = error.hint, error.sqlstate  # type: ignore[attr-defined]
    return visible
