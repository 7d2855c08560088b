"""What is done with a session through whichever adaptor: cancels are let in, settings hold for a while.

The time between two looks for a cancel is the session's, not a loop's: of a million short loops none would ever look.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from madtree.host.protocol import Host, Row
from madtree.sqltext import sessions as sql

P = ParamSpec("P")
T = TypeVar("T")
_SECONDS = 0.05  # between two looks: a look takes some 0.15 ms, and nobody notices such a delay
_TEXTS = ["pg_catalog.text", "pg_catalog.text"]
ROWS_AT_ONCE = 1000  # to make Python's values of them takes some ms
_ELEMENTS_AT_ONCE = 200_000  # of rows' arrays


def rows_at_once(n_elements: int) -> int:
    """How many rows are fetched together whose arrays have so many elements each."""
    return max(1, min(ROWS_AT_ONCE, _ELEMENTS_AT_ONCE // max(n_elements, 1)))


class Looks:
    """When the session looks next: some time after its last look. Each statement is one."""

    def __init__(self) -> None:
        self.looked()

    def looked(self) -> None:
        self._next = time.monotonic() + _SECONDS

    @property
    def due(self) -> bool:
        return time.monotonic() >= self._next


def watched(host: Host, items: Iterable[T]) -> Iterator[T]:
    """The items; between them cancels are let in. For each loop over what a model may have any number of."""
    let_in = host.let_in
    for item in items:
        let_in()
        yield item


def watching(host: Host, function: Callable[P, T]) -> Callable[P, T]:
    """The function, before each call of which cancels are let in."""
    let_in = host.let_in

    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        let_in()
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
    before = host.query(sql.current_settings(list(settings)))[0]
    changed = [name for name, value in settings.items() if before[name] != value]
    for name in changed:
        host.query(sql.SET_LOCAL, _TEXTS, [name, settings[name]])
    yield
    for name in changed:
        host.query(sql.SET_LOCAL, _TEXTS, [name, before[name]])


@contextmanager
def making_here(host: Host) -> Iterator[None]:
    """What is made meanwhile stays on this server. Citus would tell its workers of a view over packed nodes, which
    reads a table that they do not have, and warn of that.
    """
    found = host.query(sql.setting_if_any(sql.TELLS_SERVERS))[0]["setting"]
    with local_settings(host, {sql.TELLS_SERVERS: "off"} if found else {}):
        yield


def planned(host: Host, explained: str) -> list[str]:
    """The lines of a plan that an EXPLAIN tells.

    By any EXPLAIN Citus turns its local execution off until the transaction ends, and then refuses to read such rows of
    this server as it has read before: that is undone.
    """
    before = host.query(sql.setting_if_any(sql.READS_BY_ITSELF))[0]["setting"]
    lines = [str(row["QUERY PLAN"]) for row in host.query(explained)]
    if before:
        host.query(sql.SET_LOCAL, _TEXTS, [sql.READS_BY_ITSELF, before])
    return lines


def listed(host: Host, sql: str, at_once: int = ROWS_AT_ONCE) -> list[Row]:
    """The rows of a query without parameters, of which a model may have any number: they are fetched some at once, and
    in between cancels are let in.
    """
    return list(watched(host, host.stream(sql, at_once)))
