"""A session of a command: every call in it shows a bar, can be interrupted, and leaves nothing behind then."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import psycopg
from psycopg import sql
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
                return interruptible(self.connection, work, bar.tick, bar.say)
            finally:
                self.connection.remove_notice_handler(bar.notice)

    def query(
        self, statement: str | sql.Composed, parameters: Any = None, doing: str = "asking", **bar: Any
    ) -> list[dict[str, Any]]:
        """The rows of one statement; `bar` is passed to :meth:`run`."""

        def work() -> list[dict[str, Any]]:
            with self.connection.cursor(row_factory=dict_row) as cursor:
                cursor.execute(statement, parameters)
                return cursor.fetchall() if cursor.description else []

        return self.run(work, doing, **bar)

    def call(
        self, function: str, arguments: Mapping[str, Any], doing: str, columns: str = "*", **bar: Any
    ) -> list[dict[str, Any]]:
        """The rows of one of madtree's functions; arguments that are None are left out, so that defaults hold.

        `columns` is what is selected of its rows, which are named `f`.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        named = sql.SQL(", ").join(
            sql.SQL("{} => {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in given
        )
        statement = sql.SQL("SELECT {} FROM madtree.{}({}) AS f").format(
            sql.SQL(columns),
            sql.Identifier(function),
            named,
        )
        return self.query(statement, given, doing, **bar)

    def line(self, function: str, arguments: Mapping[str, Any], doing: str, **bar: Any) -> str:
        """The one text that a function returns; JSON as the text that it is."""
        return str(self.call(function, arguments, doing, columns="f::pg_catalog.text AS answer", **bar)[0]["answer"])


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
