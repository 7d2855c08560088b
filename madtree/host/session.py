"""What is done with a session through whichever adaptor: cancels are let in, settings hold for a while."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from madtree.host.protocol import Host
from madtree.sqltext.quote import ident

P = ParamSpec("P")
T = TypeVar("T")
_SECONDS = 0.05  # between two looks: a look takes some 0.15 ms, and nobody notices such a delay
_SET = "SELECT pg_catalog.set_config($1, $2, true)"
_TEXTS = ["pg_catalog.text", "pg_catalog.text"]


class Cancels:
    """Lets the session look for a cancel or a timeout while Python code is at work, not too often."""

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


@contextmanager
def local_settings(host: Host, settings: Mapping[str, str]) -> Iterator[None]:
    """Apply `settings`, and put the old values back afterwards.

    A local setting outlives the function until the transaction ends, so it is undone by hand; after an error the
    transaction's end does that.
    """
    if not settings:
        yield
        return
    names = ", ".join(f"pg_catalog.current_setting('{name}') AS {ident(name)}" for name in settings)
    before = host.query(f"SELECT {names}")[0]
    for name, value in settings.items():
        host.query(_SET, _TEXTS, [name, value])
    yield
    for name, value in before.items():
        host.query(_SET, _TEXTS, [name, value])
