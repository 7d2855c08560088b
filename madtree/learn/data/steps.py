"""Work in steps: between them the server may look for cancels, timeouts and whatever else it has to see to."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

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
