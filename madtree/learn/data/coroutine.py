"""Coroutines: long work that pauses now and then, for the server to look for cancels, timeouts and whatever else it has
to see to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from functools import wraps
from typing import ParamSpec, TypeVar

_SECONDS = 0.02  # of work between two looks for cancels

P = ParamSpec("P")
T = TypeVar("T")
Coroutine = Generator[None, None, T]


def finished(work: Coroutine[T], between: Callable[[], None] = lambda: None) -> T:
    """What work comes to; `between` is called at each of its pauses."""
    while True:
        try:
            next(work)
        except StopIteration as stop:
            result: T = stop.value
            return result
        between()


def at_once(function: Callable[P, Coroutine[T]]) -> Callable[P, T]:
    """A coroutine as a function that returns what it comes to."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return finished(function(*args, **kwargs))

    return call


def advanced(work: Coroutine[T]) -> tuple[T] | None:
    """Go on for a short while; what the work comes to, in a tuple of one, once it is done."""
    end = time.monotonic() + _SECONDS
    try:
        while time.monotonic() < end:
            next(work)
    except StopIteration as stop:
        return (stop.value,)
    return None
