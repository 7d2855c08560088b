"""Calls of madtree's functions, and what surrounds them: the engine, transactions, messages, refusals."""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import psycopg
from psycopg import sql
from psycopg.pq import Format
from psycopg.rows import tuple_row
from psycopg.types.json import set_json_loads

from madtree.client.bridge import BridgedConnection
from madtree.client.calls import as_argument, raising_mistakes, raising_refusals, statement_of
from madtree.client.result import Result
from madtree.client.session import Session
from madtree.host import Message, looked_at_end, read_json
from madtree.host.psycopg import Doing, Engine, PsycopgHost, found_engine, raising_lost_connection, require_numpy
from madtree.interface import FUNCTIONS, values
from madtree.request import find_types
from madtree.sqltext.quote import ident
from madtree.sqltext.values import text_of

logger = logging.getLogger("madtree")


@functools.cache
def _json_reader(encoding: str) -> Callable[[str | bytes], Any]:
    """For psycopg, which makes a class of each reader that it does not know: of a closure one at each query."""
    return functools.partial(read_json, encoding=encoding)


def _go_on() -> None:
    """Ctrl-C comes as an exception by itself."""


class Caller:
    """A session in which madtree's functions are called, and any statement is run, under its transactions."""

    def __init__(
        self,
        session: Session,
        on_message: Callable[[str], object] | None = None,
        engine: Engine = "auto",
        connections: int | None = None,
        source: Session | None = None,
    ) -> None:
        """`source`: of another server, where the data are; the session then is the one where the models are."""
        self._session, self._on_message, self._engine, self._source = session, on_message, engine, source
        self.connections = connections
        self._is_engine_found = engine == "client"

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """The psycopg connection that the client works with."""
        return self._session.connection

    @property
    def conninfo(self) -> str:
        """By what another process reaches the same server, with the password if one was given: keep it to yourself."""
        return self._session.conninfo

    @property
    def source_conninfo(self) -> str | None:
        """By what another process reaches the server that the data are read from, None where the models are there."""
        return None if self._source is None else self._source.conninfo

    @property
    def host(self) -> PsycopgHost:
        """The connection as madtree's own readers take it."""
        return self._host(None)

    def _host(self, doing: Doing | None) -> PsycopgHost:
        source = None if self._source is None else self._host_of(self._source, doing, None)
        return self._host_of(self._session, doing, source)

    def _host_of(self, session: Session, doing: Doing | None, source: PsycopgHost | None) -> PsycopgHost:
        connection: Any = session.connection
        look = connection.raise_if_cancelled if isinstance(connection, BridgedConnection) else _go_on
        connections = 1 if self.connections is None and not session.owned else self.connections
        return PsycopgHost(connection, self._forward, look, connections, doing, source)

    @property
    def engine(self) -> Engine:
        """Who does the work: ``extension`` or ``client``; ``auto`` is decided by the first call."""
        return self._engine

    def call(self, function: str, /, *arguments: Any, **named: Any) -> Result[Any]:
        """Call a function of the schema madtree; arguments that are None and given by name are left to their defaults,
        where they have one.

        Sequences in the place of lists of names, and mappings in the place of pairs, are written as text.
        """
        declared = {each.name: each for each in FUNCTIONS[function].arguments} if function in FUNCTIONS else {}
        needed = {name for name, each in declared.items() if each.is_required}
        given = {name: as_argument(name, value) for name, value in named.items() if value is not None or name in needed}
        if self._chosen_engine() == "client":
            return self._call_here(function, arguments, given)
        with raising_mistakes():  # SQL finds no function for a number of another type than the declared one
            for name in given:
                if name in declared and declared[name].type != "text":
                    given[name] = values.typed(name, given[name], declared[name].type)
        return self._rows(
            statement_of(function, len(arguments), list(given)), [*arguments, *given.values()], binary=True
        )

    def query(self, statement: str | sql.Composable, parameters: Sequence[Any] = ()) -> Result[Any]:
        """The rows of any statement, under the client's transactions; parameters stand as ``%s``."""
        return self._rows(statement, parameters, binary=False)

    def rows_of(self, relation: str, order: str = "") -> Result[Any]:
        """All rows of a relation of madtree's: its numbers and times in full, however the session writes them.

        Args:
            relation: what follows FROM.
            order: what follows ORDER BY; in no order where empty.
        """
        with self.work() as connection, connection.cursor(row_factory=tuple_row) as cursor:
            cursor.execute(f"SELECT * FROM {relation} LIMIT 0", prepare=False)
            found, known = cursor.description or (), cursor.adapters
            other = {c.type_code for c in found if known.get_loader(c.type_code, Format.BINARY) is None}
            # A type that psycopg does not know comes as its text, by no cast: that may be a function of the type's
            # owner's, and the table another role's model.
            types = find_types(self.host, other) if other else {}
            columns = [
                text_of(ident(c.name), types[c.type_code].writer) if c.type_code in types else ident(c.name)
                for c in found
            ]
            columns = [f"{value} AS {ident(c.name)}" for value, c in zip(columns, found, strict=True)]
        ordered = f" ORDER BY {order}" if order else ""
        return self._rows(f"SELECT {', '.join(columns)} FROM {relation}{ordered}", (), binary=True)

    def _rows(self, statement: str | sql.Composable, parameters: Sequence[Any], *, binary: bool) -> Result[Any]:
        """`binary`: numbers and times come as they are, not as the session's settings have them written."""
        # Whatever kind of rows the caller has given to the connection.
        with self._forwarding_notices(), self.work() as connection, connection.cursor(row_factory=tuple_row) as cursor:
            # psycopg hands the bytes over as they come.
            set_json_loads(_json_reader(connection.info.encoding), cursor)
            # Not prepared: a table that is replaced may change its columns' types.
            cursor.execute(statement, parameters or None, prepare=False, binary=binary)  # type: ignore[arg-type]
            with raising_mistakes():
                return Result.of(cursor)

    def _chosen_engine(self) -> Engine:
        if not self._is_engine_found:
            with self.work() as connection:
                found, why = found_engine(connection, self._engine)
            if self._engine == "auto":
                self._forward(Message("INFO", why))
            self._engine, self._is_engine_found = found, True
        return self._engine

    def _call_here(self, function: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> Result[Any]:
        """A call that this process does, by the client's engine."""
        with raising_mistakes():
            require_numpy()
        from madtree import engine  # it takes a while, so it is done before the transaction

        source = None if self._source is None else self._source.connection
        with (
            raising_lost_connection(self.connection, source) as doing,
            self._forwarding_notices(),
            raising_mistakes(),
            self.work(),
        ):
            answer = Result.of_answer(engine.call(self._host(doing), function, arguments, named))
            doing.committing()
        return answer

    @contextlib.contextmanager
    def work(self) -> Iterator[psycopg.Connection[Any]]:
        """The connection, for calls that are to be done as a whole or not at all; transactions as in `connect`.

        What is read of another server is read in a transaction there.
        """
        source = contextlib.nullcontext() if self._source is None else self._source.reading()
        with raising_refusals(), self._session.work() as connection, source:
            yield connection

    @property
    def has_source(self) -> bool:
        """Whether the data are read from another server than the one that has the models."""
        return self._source is not None

    @contextlib.contextmanager
    def beside_models(self) -> Iterator[None]:
        """Within, data are looked for where the models are: so it is with what has been uploaded there."""
        source, self._source = self._source, None
        try:
            yield
        finally:
            self._source = source

    @contextlib.contextmanager
    def reading(self) -> Iterator[psycopg.Connection[Any]]:
        """As `work`, for reading: a model that is found in it stays as it is until the end."""
        with raising_refusals(), self._session.reading() as connection, looked_at_end():
            yield connection

    @property
    def is_closed(self) -> bool:
        """Whether one of its connections is closed or lost."""
        return any(session.is_closed for session in (self._session, self._source) if session is not None)

    def close(self) -> None:
        """Close the connections that the client opened."""
        for session in (self._session, self._source):
            if session is not None:
                session.close()

    @contextlib.contextmanager
    def _forwarding_notices(self) -> Iterator[None]:
        """While a call runs, the server's lines are passed on."""
        connections = [session.connection for session in (self._session, self._source) if session is not None]

        def forward(diagnostic: psycopg.errors.Diagnostic) -> None:
            self._forward(Message.of(diagnostic))

        for connection in connections:
            connection.add_notice_handler(forward)
        try:
            yield
        finally:
            for connection in connections:
                connection.remove_notice_handler(forward)

    def _forward(self, message: Message) -> None:
        """Pass a line on to whoever wants to know."""
        if self._on_message is not None:
            self._on_message(message.text)
        else:
            logger.log(logging.WARNING if message.severity == "WARNING" else logging.INFO, message.text)
