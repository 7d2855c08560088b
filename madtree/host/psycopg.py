"""The host on the client's side: a psycopg connection behind the host protocol."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, Literal, cast, get_args
from weakref import WeakKeyDictionary

import psycopg
from psycopg.rows import tuple_row

from madtree.errors import MadtreeError
from madtree.host.at_end import looked_at_end
from madtree.host.lost_connection import Doing, LostConnectionError, hint_of, is_lost, raising_lost_connection
from madtree.host.message import Message, StepDone
from madtree.host.more_sessions import MoreSessions
from madtree.host.on_servers import has_citus
from madtree.host.protocol import TYPES, Host, Query, Row, Sharing
from madtree.host.read_ahead import Reader, read_ahead
from madtree.host.session import Looks
from madtree.host.shown import shown_by_setting
from madtree.host.statements import cancel, check_database, check_encoding, sent, settled
from madtree.sqltext import sessions
from madtree.sqltext.catalog import EXTENSION_VERSION
from madtree.sqltext.quote import literal
from madtree.sqltext.servers import SET_UP_SERVERS

__all__ = [
    "ENGINES",
    "Doing",
    "Engine",
    "LostConnectionError",
    "PsycopgHost",
    "as_host",
    "check_encoding",
    "checked_connections",
    "checked_engine",
    "checked_for_two_servers",
    "found_engine",
    "hint_of",
    "is_lost",
    "raising_lost_connection",
    "require_numpy",
    "set_up_servers",
    "together",
]

# Who does the work of a call: the extension's functions in the server, or those of `madtree.engine` in this process.
Engine = Literal["auto", "extension", "client"]
ENGINES: tuple[str, ...] = get_args(Engine)
_NUMPY = "Install it, for instance by pip install numpy."
_LEAST = "client_min_messages"
_UNHEARD = {"NOTICE": ("warning", "error"), "WARNING": ("error",)}  # under which settings; INFO is always heard
# By connection, what is kept at `TYPES`.
_TYPES: WeakKeyDictionary[Any, dict[int, Any]] = WeakKeyDictionary()
_SECONDS = 5.0  # between two looks whether the server is still there, in the middle of work that is done here


class PsycopgHost:
    """Runs statements in the connection's transaction. Each is a subtransaction there, so that an error can be caught.

    Rows come in PostgreSQL's binary format, whatever the session's settings say how a number or a moment looks.
    """

    in_server = False
    has_extension = False  # or one cannot know

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        tell: Callable[[Message], object] = lambda message: None,
        look: Callable[[], None] = lambda: None,
        connections: int | None = 1,
        doing: Doing | None = None,
        source: Host | None = None,
    ) -> None:
        """
        Args:
            tell: is handed what madtree's own code says; the server's notices go the connection's way.
            look: called in the middle of work that is done here; raises where it is to end.
            connections: over how many a training's rows are read, None for as many as pay.
            doing: is told what is being done.
            source: a session of another server, where the rows are.

        Raises:
            MadtreeError: the database's encoding is one in which two characters are one to a client.
        """
        check_database(connection)
        self._doing = doing or Doing()
        self.kept: dict[str, Any] = {TYPES: _TYPES.setdefault(connection, {})}
        self.connection, self._tell, self._look = connection, tell, look
        self._looks, self._next_look = Looks(), time.monotonic() + _SECONDS
        self._source = source
        self._turn = threading.RLock()  # a reader's statements must not come between a savepoint and its end
        self._more = MoreSessions(connection, self.query, connections)

    @property
    def source(self) -> Host:
        return self._source or self

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        with self._run(sql, types, params, binary=True) as cursor:
            return cursor.fetchall()

    def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        with self._run(sql, types, params) as cursor:
            return cursor.rowcount

    def training_begins(self) -> None:
        self._more.training_begins()

    def data_ahead(self, queries: Iterable[Query], sharing: Sharing | None = None) -> Generator[list[Row], None, None]:
        """Without savepoints: after an error the work as a whole is rolled back."""
        before, self._doing.words = self._doing.words, "while rows were read"
        with self._more.opened(sharing) as others:
            if others:  # this session only shows that it is still there
                readers = [_reader(connection, threading.Lock()) for connection in others]
                yield from read_ahead(queries, readers, self.let_in, self._more.cancel)
            else:
                yield from read_ahead(queries, [_reader(self.connection, self._turn)], self._look, self._cancel)
        self._doing.words = before

    def _cancel(self) -> None:
        """Have the server end a statement that a reader waits for; an event loop does that by itself."""
        if isinstance(self.connection, psycopg.Connection):
            cancel(self.connection)

    def stream(self, sql: str, batch: int = 1) -> Generator[Row, None, None]:
        yield from self.query(sql)

    def data_stream(self, sql: str, batch: int = 1) -> Iterator[Row]:
        name = f"madtree_{secrets.token_hex(8)}"
        self._run(f"DECLARE {name} NO SCROLL CURSOR FOR {sql}", (), ())
        while rows := self.query(f"FETCH FORWARD {batch} FROM {name}"):
            yield from rows
        self._run(f"CLOSE {name}", (), ())

    def shown(self) -> contextlib.AbstractContextManager[Callable[[str], None]]:
        return shown_by_setting(self)

    def let_in(self) -> None:
        if not self._looks.due:
            return
        self._look()
        self._looks.looked()
        if time.monotonic() >= self._next_look:
            self._run("SELECT", (), ())
            self._next_look = time.monotonic() + _SECONDS

    def notice(self, message: str) -> None:
        self._tell_listener("NOTICE", message)

    def warning(self, message: str) -> None:
        self._tell_listener("WARNING", message)

    def info(self, message: str, step: StepDone | None = None) -> None:
        self._tell(Message("INFO", message, step=step))

    def _tell_listener(self, severity: str, message: str) -> None:
        """Tell that, unless the session has been set to hear less: as the server does with what is said there."""
        if self.query(sessions.current_settings([_LEAST]))[0][_LEAST] not in _UNHEARD[severity]:
            self._tell(Message(severity, message))

    def _run(
        self, sql: str, types: Sequence[str], params: Sequence[Any], *, binary: bool = False
    ) -> psycopg.Cursor[Row]:
        connection = self.connection
        # The statement is settled before its savepoint is rolled back, and then the savepoint's own statements.
        with self._turn, settled(connection), connection.transaction(), settled(connection):
            return sent(connection, sql, types, params, binary=binary)


def _reader(connection: psycopg.Connection[Any], turn: contextlib.AbstractContextManager[Any]) -> Reader:
    """What runs a query over a connection, whenever it is its `turn`."""

    def read(sql: str, types: Sequence[str], params: Sequence[Any]) -> list[Row]:
        with turn, sent(connection, sql, types, params, binary=True) as cursor:
            return cursor.fetchall()

    return read


def as_host(connection: Any) -> Host:
    """The host behind a psycopg connection, a host itself, or an object that has one of these as an attribute.

    Raises:
        TypeError: it is none of these.
    """
    for candidate in (connection, getattr(connection, "host", None), getattr(connection, "connection", None)):
        if isinstance(candidate, psycopg.Connection):
            return PsycopgHost(candidate)
        if candidate is not None and callable(getattr(candidate, "query", None)) and hasattr(candidate, "command"):
            host: Host = candidate
            return host
    raise TypeError(f"connection must be a psycopg connection or a madtree client, not {type(connection).__name__}")


def set_up_servers(host: Host) -> None:
    """Have the servers of a cluster, if any, read statements and write values as this session does, until the
    transaction ends. Citus forgets what is set in a savepoint, which all else is run in.
    """
    if isinstance(host, PsycopgHost) and has_citus(host):
        sent(host.connection, f"DO {literal(SET_UP_SERVERS)}")


@contextlib.contextmanager
def together(host: Host) -> Iterator[None]:
    """All statements of the block in one transaction, or in a part of the one that is under way: what is looked at in
    it is still so when it is used. After an error nothing of the block is left, and what surrounds it goes on.
    """
    with contextlib.ExitStack() as opened:
        for each in dict.fromkeys((host.source, host)):
            if isinstance(each, PsycopgHost):
                opened.enter_context(each.connection.transaction())
        opened.enter_context(looked_at_end())
        yield


def checked_engine(name: str) -> Engine:
    """Raises ValueError where it is none."""
    if name in ENGINES:
        return cast(Engine, name)
    raise ValueError(f"engine must be one of {', '.join(ENGINES)}, not {name!r}")


def checked_for_two_servers(engine: Engine) -> None:
    """Raises ValueError where the engine cannot have data on one server and models on another one."""
    if engine == "extension":
        raise ValueError("model_dsn needs engine='client': the extension works in one server, on its data and models")


def checked_connections(number: int | None) -> int | None:
    """Raises ValueError where it is below 1."""
    if number is not None and number < 1:
        raise ValueError(f"connections must be at least 1, not {number}")
    return number


def found_engine(connection: psycopg.Connection[Any], wanted: Engine = "auto") -> tuple[Engine, str]:
    """The engine for a connection, and one line that says why.

    Raises:
        MadtreeError: the database has no extension, or one that is too old or no superuser's, and the extension is
            `wanted`: what has its functions' names there may be anybody's.
    """
    row = connection.cursor(row_factory=tuple_row).execute(EXTENSION_VERSION, prepare=False).fetchone()
    if row is not None and row[1]:
        return "extension", f"madtree: engine=extension, version {row[0]} in the server"
    why = "which is too old or no superuser's"
    found = "no extension madtree" if row is None else f"an extension madtree {row[0]}, {why}"
    if wanted == "extension":
        hint = None if row is None else "As a superuser: ALTER EXTENSION madtree UPDATE, or DROP and CREATE it"
        raise MadtreeError(f"this database has {found}, which engine=extension asks for", hint=hint, sqlstate="3F000")
    return "client", f"madtree: engine=client, since this database has {found}"


def require_numpy() -> None:
    """Raises MadtreeError where this process cannot be the engine."""
    if find_spec("numpy") is None:
        raise MadtreeError("engine=client needs numpy, which is not installed here", _NUMPY, "58P01")
