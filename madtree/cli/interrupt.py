"""Work on the server that Ctrl-C can stop: it runs in a thread and in one transaction, while this thread watches.

The signal comes to the main thread, which is never inside libpq: it asks the server to cancel, waits for the other
thread to roll back, and only then goes. Nothing is committed once a signal has come.
"""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import NoReturn, TypeVar

import psycopg

from madtree.cli.exits import INTERRUPTED, InterruptError

T = TypeVar("T")
TICK = 0.1  # seconds between two looks at the progress bar
CANCEL_TIMEOUT = 10.0
ASK_AGAIN = 0.25
LONGEST = 120.0  # a server that looks for cancels no sooner than this is left alone with it


class Ended(KeyboardInterrupt):
    """Another signal than Ctrl-C that asks the program to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = 128 + number


@contextlib.contextmanager
def signals_raise() -> Iterator[None]:
    """Within, SIGTERM and SIGHUP (a terminal that is closed) end the program as Ctrl-C does, with 128 + signal.

    A signal that is ignored, as SIGHUP is under nohup, stays so.
    """

    def end(number: int, frame: object) -> NoReturn:
        raise Ended(number)

    heeded = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _RollBackError(Exception):
    """Raised inside the transaction to roll it back."""


class _Requests:
    """Requests to servers to cancel what the connections' work is at. None is under way when the work rolls back: it
    would meet the rollback.
    """

    def __init__(self, connections: Sequence[psycopg.Connection]) -> None:
        self._connections, self._turn, self._closed = connections, threading.Lock(), False

    def send(self) -> None:
        """Returns when the server has passed it on. An error means that the server cannot be reached; then it notices
        by itself that its client is gone.
        """
        with self._turn:
            for connection in () if self._closed else self._connections:
                with contextlib.suppress(psycopg.Error):
                    connection.cancel_safe(timeout=CANCEL_TIMEOUT)

    def close(self) -> None:
        """Wait for one that is under way, and send no other."""
        with self._turn:
            self._closed = True


def interruptible(
    connections: Sequence[psycopg.Connection],
    work: Callable[[Callable[[], None]], T],
    tick: Callable[[], None],
    say: Callable[[str], None],
) -> T:
    """The value of `work(look)`, which uses `connections`; `tick` is called ten times a second meanwhile.

    What is done on the first of them is committed last.

    Where `work` does more than to wait for the server, it calls `look`, which raises once a signal has come. `say` is
    told that a signal came, before the server has rolled back.

    Raises:
        InterruptError: a signal came; the server has rolled back.
        Exception: what `work` raises; its transaction is rolled back.
    """
    gate, stopping, committing = threading.Lock(), False, False
    result: Future[T] = Future()
    requests = _Requests(connections)

    def look() -> None:
        if stopping:
            raise _RollBackError

    def run() -> None:
        nonlocal committing
        try:
            with contextlib.ExitStack() as transactions:
                for connection in connections:
                    transactions.enter_context(connection.transaction())
                try:
                    value = work(look)
                    with gate:
                        look()
                        committing = True
                finally:
                    requests.close()
            result.set_result(value)
        except BaseException as error:  # whatever it is, the main thread is waiting for it
            result.set_exception(error)

    # A signal may come at any instruction, but must not within the waiting for a lock, which it would break: so the
    # end of the work is waited for at a socket.
    finished, finish = socket.socketpair()
    result.add_done_callback(lambda _: finish.close())
    thread = threading.Thread(target=copy_context().run, args=(run,), name="madtree-query", daemon=True)
    try:
        thread.start()  # the server may be at work before this returns
        with finished:
            while not select.select([finished], [], [], TICK)[0]:
                tick()
    except KeyboardInterrupt as signalled:
        with gate:
            if not committing:
                stopping = True
        if not stopping:  # too late: the work is done and is being committed
            return result.result()
        if thread not in threading.enumerate() and not result.done():  # it has not begun
            raise InterruptError(getattr(signalled, "code", INTERRUPTED)) from None
        _roll_back(requests, result, say)
        raise InterruptError(getattr(signalled, "code", INTERRUPTED)) from None
    return result.result()


def _roll_back(requests: _Requests, result: Future[T], say: Callable[[str], None]) -> None:
    """Have the server cancel, until the other thread has rolled back; a second Ctrl-C stops waiting.

    It is asked again and again: a request that comes between two statements of the work stops neither.
    """
    say("stopping: the server has been asked to cancel")
    deadline = time.monotonic() + LONGEST
    try:
        while time.monotonic() < deadline:
            requests.send()
            if wait([result], ASK_AGAIN).done:
                return
        code = INTERRUPTED
    except KeyboardInterrupt as signalled:
        code = getattr(signalled, "code", INTERRUPTED)
    raise InterruptError(code, "not waiting any longer: the server still stops and rolls back")
