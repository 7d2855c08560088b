"""A session of a command: every call in it shows a bar, can be interrupted, and leaves nothing behind then."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, TypeVar

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from madtree.cli.bar import Bar
from madtree.cli.connection import Target, check_dsn, connect, resolve
from madtree.cli.exits import INTERRUPTED, USAGE, CommandError, InterruptError
from madtree.cli.interrupt import interruptible, signals_raise
from madtree.cli.output import say
from madtree.host import Host
from madtree.host.psycopg import Engine, PsycopgHost, found_engine, raising_lost_connection, require_numpy
from madtree.interface import FUNCTIONS

T = TypeVar("T")
ONE_SERVER = "The extension works in one server, on its data and models."
ENGINE: ContextVar[Engine] = ContextVar("engine", default="auto")  # --engine, which stands before the command,
MODEL_DSN: ContextVar[str | None] = ContextVar("model_dsn", default=None)  # --model-dsn, which stands there, too,
CONNECTIONS: ContextVar[int | None] = ContextVar("connections", default=None)  # and --connections


class CommandSession:
    """A connection to `target`. The connection may be used inside :meth:`run` only, from the function given to it."""

    def __init__(
        self,
        target: Target,
        connection: psycopg.Connection,
        engine: Engine = "auto",
        connections: int | None = None,
        source: psycopg.Connection | None = None,
    ) -> None:
        """
        Args:
            connections: over how many the client's engine reads, None for as many as pay.
            source: to the server that data are read from, where it is another one than the models'.
        """
        self.target, self.connection, self._engine, self._connections = target, connection, engine, connections
        self._source, self._is_engine_found = source, engine == "client"

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
        return self._watched(lambda bar, look: work(), doing, max_depth, verbose)

    def here(self, work: Callable[[Host], T], doing: str, max_depth: int | None = None, verbose: bool = False) -> T:
        """As `run`, for work that is done here and takes the connection as a host."""
        with raising_lost_connection(self.connection, self._source) as stage:

            def host_work(bar: Bar, look: Callable[[], None]) -> T:
                source = None
                if self._source is not None:
                    source = PsycopgHost(self._source, bar.tell, look, self._connections, stage)
                value = work(PsycopgHost(self.connection, bar.tell, look, self._connections, stage, source))
                stage.committing()
                return value

            return self._watched(host_work, doing, max_depth, verbose)

    def _watched(
        self, work: Callable[[Bar, Callable[[], None]], T], doing: str, max_depth: int | None, verbose: bool
    ) -> T:
        connections = [connection for connection in (self.connection, self._source) if connection is not None]
        with Bar(doing, max_depth, verbose) as bar:
            for connection in connections:
                connection.add_notice_handler(bar.notice)
            try:
                return interruptible(connections, lambda look: work(bar, look), bar.tick, bar.say)
            finally:
                for connection in connections:
                    connection.remove_notice_handler(bar.notice)

    def engine(self) -> Engine:
        """Who does the work; a remark says so where `auto` takes the client. Raises as `found_engine`."""
        if not self._is_engine_found:
            found, why = found_engine(self.connection, self._engine)
            if found == "client":
                say(why, "dim")
            self._engine, self._is_engine_found = found, True
        return self._engine

    def query(
        self, statement: str | sql.Composed, parameters: Any = None, doing: str = "asking", **bar: Any
    ) -> list[dict[str, Any]]:
        """The rows of one statement of madtree's, with numbers and times as they are, however the session writes them;
        `bar` is passed to :meth:`run`.
        """

        def work() -> list[dict[str, Any]]:
            with self.connection.cursor(row_factory=dict_row) as cursor:
                cursor.execute(statement, parameters, binary=True)
                return cursor.fetchall() if cursor.description else []

        return self.run(work, doing, **bar)

    def call(
        self, function: str, arguments: Mapping[str, Any], doing: str, columns: str = "*", **bar: Any
    ) -> list[dict[str, Any]]:
        """The rows of one of madtree's functions; arguments that are None are left out where they have a default.

        `columns` is what is selected of its rows, which are named `f`.
        """
        needed = {each.name for each in FUNCTIONS[function].arguments if each.is_required}
        given = {name: value for name, value in arguments.items() if value is not None or name in needed}
        if self.engine() == "client":
            return self._call_here(function, given, doing, **bar)
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
        if self.engine() == "client":
            return str(next(iter(self.call(function, arguments, doing, **bar)[0].values())))
        return str(self.call(function, arguments, doing, columns="f::pg_catalog.text AS answer", **bar)[0]["answer"])

    def models(self) -> list[dict[str, Any]]:
        """The rows of the view madtree.models, by schema and name."""
        if self.engine() == "client":
            return self._call_here("models", {}, "asking")
        return self.query("SELECT * FROM madtree.models ORDER BY schema, name")

    def _call_here(self, function: str, given: Mapping[str, Any], doing: str, **bar: Any) -> list[dict[str, Any]]:
        """The rows of one of madtree's functions in this process."""
        require_numpy()
        from madtree import engine

        return self.here(lambda host: engine.call(host, function, (), given).to_dicts(), doing, **bar)


@contextlib.contextmanager
def session(dsn: str | None) -> Iterator[CommandSession]:
    """A session on the server that `dsn`, the environment or the private server names."""
    try:
        with signals_raise():
            target, engine, source = resolve(dsn), ENGINE.get(), None
            with contextlib.ExitStack() as opened:
                if (model_dsn := MODEL_DSN.get()) is not None:
                    if engine == "extension":
                        raise CommandError("--model-dsn needs --engine client", ONE_SERVER, USAGE)
                    source, engine = opened.enter_context(contextlib.closing(connect(target))), "client"
                    source.read_only = True
                    target = Target(check_dsn(model_dsn, "--model-dsn"), "--model-dsn")
                connection = opened.enter_context(contextlib.closing(connect(target)))
                yield CommandSession(target, connection, engine, CONNECTIONS.get(), source)
    except KeyboardInterrupt as signalled:  # outside a call on the server, which explains itself
        raise InterruptError(getattr(signalled, "code", INTERRUPTED), "interrupted") from None
