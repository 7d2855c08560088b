"""Letting the session look for a cancel or a timeout while Python code is at work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import ParamSpec, TypeVar

from madtree.host.protocol import Host

P = ParamSpec("P")
T = TypeVar("T")
_SECONDS = 0.05  # between two looks: a look takes some 0.15 ms, and nobody notices such a delay


class Cancels:
    """Lets cancels in, not too often."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._next = time.monotonic() + _SECONDS

    def let_in(self) -> None:
        """Raises the error of a cancel or a timeout that is waiting."""
        if time.monotonic() >= self._next:
            self._host.let_in()
            self._next = time.monotonic() + _SECONDS


def watched(host: Host, items: Iterable[T]) -> Iterator[T]:
    """The items; between them cancels are let in. For each loop over what a model may have any number of."""
    cancels = Cancels(host)
    for item in items:
        cancels.let_in()
        yield item


def watching(host: Host, function: Callable[P, T]) -> Callable[P, T]:
    """The function, before each call of which cancels are let in."""
    cancels = Cancels(host)

    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        cancels.let_in()
        return function(*args, **kwargs)

    return call
