"""Statements of PL/Python's where a cancel must not come too early.

PL/Python begins a subtransaction for each statement, before it is ready for an error: that would leave Python's frames
behind, and the next call would crash the server. PostgreSQL raises none there. With Citus it asks each server with
which the transaction has to do for a savepoint, and a cancel or a timeout ends the wait by an error. So the signals of
both are held up until the subtransaction has begun. Where a server fails in that moment, the session ends at its next
statement.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from madtree.errors import MadtreeError

_SIGNALS = (signal.SIGINT, signal.SIGALRM)  # of a cancel, and of all timeouts


_BEGINNING: set[str] = set()  # what begins, until it has begun


class Looked(list[Any]):
    """A list that calls `then` before an element is read: as PL/Python does when it has begun the subtransaction."""

    def __init__(self, elements: Sequence[Any], then: Callable[[], None]) -> None:
        super().__init__(elements)
        self._then = then

    def __getitem__(self, place: Any) -> Any:
        self._then()
        return super().__getitem__(place)


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
def no_cancel_yet(*, is_told: bool = True) -> Iterator[Callable[[], None]]:
    """Holds up cancels until the block ends, or what it gets is called.

    Args:
        is_told: whether that is called as soon as the subtransaction has begun. Else statements within it may be run.

    Raises:
        MadtreeError: one has come already. PostgreSQL ends the query by itself as soon as it gets to it. Or an error
            has left Python's frames behind before, and PostgreSQL ends the session.
    """
    if _BEGINNING:
        os.kill(os.getpid(), signal.SIGTERM)
        raise MadtreeError("an error of another server has left this session without Python", sqlstate="57P01")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)

    def let_in() -> None:
        _BEGINNING.clear()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    try:
        if ctypes.c_int.in_dll(ctypes.PyDLL(None), "QueryCancelPending").value:
            raise MadtreeError("canceling statement due to user request", sqlstate="57014")
        if is_told:
            _BEGINNING.add("subtransaction")
        yield let_in
    finally:
        let_in()
