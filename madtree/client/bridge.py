"""psycopg's asynchronous connection for code that is not: the code runs in a thread, the connection in its event loop.

So there is one client, one set of statements and one way to decode their rows; only who waits differs.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, TypeVar

import psycopg

T = TypeVar("T")


class Bridge:
    """Runs work in a thread, whose statements are awaited in the event loop that it was made in."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._turn = asyncio.Lock()
        self._waits: Any = None
        self._cancelled = False

    async def run(self, work: Callable[[], T]) -> T:
        """The value of `work()`, one after another.

        Where the task is cancelled, the statement that runs is cancelled on the server, the work takes back what it did
        as after any error, and then the task ends.
        """
        async with self._turn:
            self._cancelled = False
            done = self._loop.run_in_executor(None, work)
            try:
                return await asyncio.shield(done)
            except asyncio.CancelledError:
                self._cancelled = True
                if self._waits is not None:
                    self._waits.cancel()
                await asyncio.wait([done])
                done.exception()  # it was cancelled: what the work says of that is not news
                raise

    def raise_if_cancelled(self) -> None:
        """In the work's thread: raises asyncio.CancelledError where the task has been cancelled."""
        if self._cancelled:
            raise asyncio.CancelledError

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """In the work's thread: the value of a coroutine of the loop's."""
        self._waits = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            value: T = self._waits.result()
            return value
        finally:
            self._waits = None


class BridgedConnection:
    """As much of `psycopg.Connection` as the client uses, on an asynchronous connection."""

    def __init__(self, connection: psycopg.AsyncConnection[Any], bridge: Bridge) -> None:
        self._connection, self._bridge = connection, bridge

    def __getattr__(self, name: str) -> Any:
        """What takes no time: info, autocommit, adapters, pgconn, notice handlers."""
        return getattr(self._connection, name)

    def raise_if_cancelled(self) -> None:
        """As `Bridge.raise_if_cancelled`."""
        self._bridge.raise_if_cancelled()

    def execute(self, statement: Any, parameters: Any = None, **how: Any) -> BridgedCursor:
        return self.cursor().execute(statement, parameters, **how)

    def cursor(self, **how: Any) -> BridgedCursor:
        return BridgedCursor(self._connection.cursor(**how), self._bridge)

    def raw_cursor(self, **how: Any) -> BridgedCursor:
        """A cursor whose parameters are written as $1."""
        return BridgedCursor(psycopg.AsyncRawCursor(self._connection, **how), self._bridge)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        with _entered(self._connection.transaction(), self._bridge):
            yield

    def close(self) -> None:
        self._bridge.wait(self._connection.close())


class BridgedCursor:
    """As much of `psycopg.Cursor` as the client uses; it has all rows as soon as the statement was executed."""

    def __init__(self, cursor: psycopg.AsyncCursor[Any], bridge: Bridge) -> None:
        self._cursor, self._bridge = cursor, bridge
        self._rows: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        """description, rowcount."""
        return getattr(self._cursor, name)

    def __enter__(self) -> BridgedCursor:
        return self

    def __exit__(self, *error: object) -> None:
        self._bridge.wait(self._cursor.close())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)

    def execute(self, statement: Any, parameters: Any = None, **how: Any) -> BridgedCursor:
        async def run() -> list[Any]:
            await self._cursor.execute(statement, parameters, **how)
            return await self._cursor.fetchall() if self._cursor.description else []

        self._rows = self._bridge.wait(run())
        return self

    def fetchall(self) -> list[Any]:
        return self._rows

    def fetchone(self) -> Any:
        return self._rows[0] if self._rows else None

    @contextlib.contextmanager
    def copy(self, statement: Any) -> Iterator[BridgedCopy]:
        with _entered(self._cursor.copy(statement), self._bridge) as copy:
            yield BridgedCopy(copy, self._bridge)


class BridgedCopy:
    """As much of `psycopg.Copy` as the client uses."""

    def __init__(self, copy: psycopg.AsyncCopy, bridge: Bridge) -> None:
        self._copy, self._bridge = copy, bridge

    def write(self, data: bytes) -> None:
        self._bridge.wait(self._copy.write(data))

    def write_row(self, row: Sequence[Any]) -> None:
        self._bridge.wait(self._copy.write_row(row))

    def __iter__(self) -> Iterator[Any]:
        while data := self._bridge.wait(self._copy.read()):
            yield data


@contextlib.contextmanager
def _entered(context: Any, bridge: Bridge) -> Iterator[Any]:
    """An asynchronous context, entered and left by the loop."""
    value = bridge.wait(context.__aenter__())
    try:
        yield value
    except BaseException as error:
        if not bridge.wait(context.__aexit__(type(error), error, error.__traceback__)):
            raise
    else:
        bridge.wait(context.__aexit__(None, None, None))
