"""Work in steps: between them the server may look for cancels, timeouts and whatever else it has to see to."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from functools import wraps
from typing import ParamSpec, TypeVar

_SECONDS = 0.02  # of work between two looks for cancels

P = ParamSpec("P")
T = TypeVar("T")
Steps = Generator[None, None, T]


def finished(steps: Steps[T], between: Callable[[], None] = lambda: None) -> T:
    """What steps come to; `between` is called after each of them."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: T = stop.value
            return result
        between()


def at_once(function: Callable[P, Steps[T]]) -> Callable[P, T]:
    """A function that takes steps, as one that returns what they come to."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return finished(function(*args, **kwargs))

    return call


def advanced(steps: Steps[T]) -> tuple[T] | None:
    """Go on for a short while; what the steps come to, in a tuple of one, once they are done."""
    end = time.monotonic() + _SECONDS
    try:
        while time.monotonic() < end:
            next(steps)
    except StopIteration as stop:
        return (stop.value,)
    return None
