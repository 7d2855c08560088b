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


@_entry
def tree_train(plpy: Any, *arguments: Any) -> str:
    """Check the arguments (in the order of the SQL function's), train, write the model; returns one line."""
    from madtree.arguments import check
    from madtree.host.plpy import PlpyHost

    host = PlpyHost(plpy)
    task = check(host, *arguments)
    from madtree.train import train  # needs numpy, which a mistake in the arguments does not

    return train(host, task)


@_entry
def tree_train_help(plpy: Any, message: str | None) -> str:
    """The usage text of tree_train."""
    from madtree.help_train import usage

    return usage(message)
