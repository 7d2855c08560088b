"""A session of a command: every call in it shows a bar, can be interrupted, and leaves nothing behind then."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import psycopg
from psycopg.rows import dict_row

from madtree.cli.bar import Bar
from madtree.cli.connection import Target, connect, resolve
from madtree.cli.exits import INTERRUPTED, InterruptError
from madtree.cli.interrupt import interruptible, signals_raise

T = TypeVar("T")


class Session:
    """A connection to `target`. The connection may be used inside :meth:`run` only, from the function given to it."""

    def __init__(self, target: Target, connection: psycopg.Connection) -> None:
        self.target, self.connection = target, connection

    def run(
        self, work: Callable[[], T], doing: str = "working", max_depth: int | None = None, verbose: bool = False
    ) -> T:
        """The value of `work()`, in a transaction of its own.

        Args:
            work: uses :attr:`connection`; runs in another thread.
            doing: what stands beside the bar.
            max_depth: of the trees, where `work` is a training.
            verbose: print the server's lines as they come.
        """
        with Bar(doing, max_depth, verbose) as bar:
            self.connection.add_notice_handler(bar.notice)
            try:
                return interruptible(self.connection, work, bar.tick)
            finally:
                self.connection.remove_notice_handler(bar.notice)

    def query(self, sql: str, parameters: Any = None, doing: str = "asking") -> list[dict[str, Any]]:
        """The rows of one statement."""

        def work() -> list[dict[str, Any]]:
            with self.connection.cursor(row_factory=dict_row) as cursor:
                cursor.execute(sql, parameters)
                return cursor.fetchall() if cursor.description else []

        return self.run(work, doing)


@contextlib.contextmanager
def session(dsn: str | None) -> Iterator[Session]:
    """A session on the server that `dsn`, the environment or the private server names."""
    try:
        with signals_raise():
            target = resolve(dsn)
            connection = connect(target)
            try:
                yield Session(target, connection)
            finally:
                connection.close()
    except KeyboardInterrupt as signalled:  # outside a call on the server, which explains itself
        raise InterruptError(getattr(signalled, "code", INTERRUPTED), "interrupted") from None
