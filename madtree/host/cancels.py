"""What must not happen at some moments: a cancel or a parallel query while PL/Python begins a statement, and an error
while it closes a cursor.

PL/Python begins a subtransaction for each statement, before it is ready for an error: that would leave Python's frames
behind, and the next call would crash the server. PostgreSQL raises none there. With Citus it asks each server with
which the transaction has to do for a savepoint, and a cancel or a timeout ends the wait by an error. So the signals of
both are held up until the subtransaction has begun. Any other error of that moment, as that of a server that fails,
ends the session at once, and with it Python.
"""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from madtree.errors import MadtreeError

_SIGNALS = (signal.SIGINT, signal.SIGALRM)  # of a cancel, and of all timeouts


class TellingList(list[Any]):
    """A list that calls `then` before an element is read: as PL/Python does when it has begun the subtransaction."""

    def __init__(self, elements: Sequence[Any], then: Callable[[], None]) -> None:
        super().__init__(elements)
        self._then = then

    def __getitem__(self, place: Any) -> Any:
        self._then()
        return super().__getitem__(place)


@cache
def savepoints_are_sent() -> bool:
    """Whether this server has loaded Citus."""
    return hasattr(ctypes.PyDLL(None), "citus_version")


def refuse_parallel_query() -> None:
    """PostgreSQL begins no subtransaction while it runs a parallel query, as of a function of anybody's that calls
    madtree and says that it is PARALLEL SAFE; nor while it builds an index by workers. That error, too, would come
    before PL/Python is ready for it.

    Raises:
        MadtreeError: such a query runs, in this process or as one of its workers.
    """
    if ctypes.PyDLL(None).IsInParallelMode() & 0xFF:  # a bool, which leaves the other bytes as they were
        raise MadtreeError(
            "this function cannot be called in a parallel query",
            hint="A function that calls it must be PARALLEL UNSAFE, as functions are if nothing else is said.",
            sqlstate="25000",
        )


@contextmanager
def errors_end_session() -> Iterator[Callable[[], None]]:
    """While PL/Python closes a cursor it is not ready for an error, either, and Python would be left broken. There are
    such errors: a foreign server is told that its cursor is done with, and may fail, or be waited for when a timeout
    strikes. Here they end the session, and with it Python: until the block ends, or what it gets is called.
    """
    ends_session = ctypes.c_bool.in_dll(ctypes.PyDLL(None), "ExitOnAnyError")
    before = ends_session.value

    def no_more() -> None:
        ends_session.value = before

    ends_session.value = True
    try:
        yield no_more
    finally:
        no_more()


@contextmanager
def no_cancel_yet() -> Iterator[Callable[[], None]]:
    """Holds up cancels until the block ends, or what it gets is called, as soon as the subtransaction has begun; errors
    until then end the session.

    Raises:
        MadtreeError: one has come already. PostgreSQL ends the query by itself as soon as it gets to it.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        if ctypes.c_int.in_dll(ctypes.PyDLL(None), "QueryCancelPending").value:
            raise MadtreeError("canceling statement due to user request", sqlstate="57014")
        with errors_end_session() as no_more:

            def let_in() -> None:
                no_more()
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

            yield let_in
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
