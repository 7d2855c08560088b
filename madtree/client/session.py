"""The session that a client works in: a psycopg connection, however it came to be, and where its transactions end."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from madtree.client.calls import CallError
from madtree.embedded import PrivateServer, PrivateServerError
from madtree.host.psycopg import check_encoding

_DRIVER = re.compile(r"^(postgres(?:ql)?)\+psycopg://")
# Of a connection of our own: a pooler may give each transaction another session, which lacks what was prepared before.
POOLABLE: dict[str, Any] = {"autocommit": True, "prepare_threshold": None}
# The variables by which libpq finds a server; others (PGPASSWORD, PGSSLMODE, ...) only say how to reach it.
_NAMING = ("PGSERVICE", "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER")
_SECRET = frozenset({"password", "sslpassword", "oauth_client_secret"})
_UNKNOWN = "ascii"  # what psycopg calls SQL_ASCII, by which it gives texts as bytes
_ACCEPTED = (
    "a URL or connection string, a psycopg.Connection, or an Engine, Connection or URL of SQLAlchemy with the driver "
    "psycopg (postgresql+psycopg://...)"
)


class Session:
    """A psycopg connection and, where SQLAlchemy keeps it, the connection of SQLAlchemy's around it.

    A connection stays in the process that opened it. In a process that was forked, or that got the client pickled, the
    session opens one of its own to the same server when it is first asked for.
    """

    def __init__(self, connection: psycopg.Connection[Any], *, owned: bool = False, alchemy: Any = None) -> None:
        """`owned` sessions are closed with the client."""
        self._connection: psycopg.Connection[Any] | None = connection
        self._owned, self._alchemy = owned, alchemy
        self._process, self._conninfo = os.getpid(), ""

    @classmethod
    def opened_later(cls, conninfo: str) -> Session:
        """A session that opens its connection when it is first asked for."""
        session = cls.__new__(cls)
        session._connection, session._owned, session._alchemy = None, True, None
        session._process, session._conninfo = os.getpid(), conninfo
        return session

    @property
    def owned(self) -> bool:
        """Whether the client has opened the connection itself."""
        return self._owned

    @property
    def conninfo(self) -> str:
        """By what another process reaches the same server, with the password if one was given."""
        return self._conninfo if self._connection is None else conninfo_of(self._connection)

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """The psycopg connection (SQLAlchemy's may have got another one in the meantime)."""
        if self._connection is None or self._process != os.getpid():
            # What was inherited is the parent's and is not to be closed here; psycopg leaves it alone, too.
            self._connection = psycopg.connect(self.conninfo, **POOLABLE)
            self._process, self._owned, self._alchemy = os.getpid(), True, None
        return self._connection if self._alchemy is None else _driver_connection(self._alchemy)

    @property
    def is_closed(self) -> bool:
        """Whether the connection that this process has opened is closed or lost."""
        return self._connection is not None and self._process == os.getpid() and bool(self._connection.closed)

    @contextlib.contextmanager
    def work(self) -> Iterator[psycopg.Connection[Any]]:
        """The connection for a piece of work that is done as a whole or not at all.

        In autocommit mode the work is one transaction. Else it is a part of the connection's transaction, which it
        opens if there is none; an error takes back what the work did, nothing else, and only the caller ever ends it.
        """
        connection = self.connection
        if connection.info.encoding == _UNKNOWN:
            raise CallError(
                "the connection's client_encoding is SQL_ASCII, which does not say what the bytes of a text mean",
                "SET client_encoding = 'UTF8', or connect with client_encoding=UTF8.",
            )
        check_encoding(connection)
        if not connection.autocommit:
            if self._alchemy is not None and not self._alchemy.in_transaction():
                self._alchemy.begin()  # else SQLAlchemy would not know that there is something to commit
            if connection.info.transaction_status == TransactionStatus.IDLE:
                connection.execute("SELECT")  # psycopg opens the transaction; what follows is a savepoint in it
        with connection.transaction():
            yield connection

    @contextlib.contextmanager
    def reading(self) -> Iterator[psycopg.Connection[Any]]:
        """As `work`, for reading only. A model that is found in it stays as it is until the end.

        Not REPEATABLE READ: whether another role's tables are harmless would be looked up in the past. Not READ ONLY: a
        superuser could not hold the schema of such tables.
        """
        begins = self.connection.info.transaction_status == TransactionStatus.IDLE and self.connection.autocommit
        with self.work() as connection:
            if begins:
                connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
            yield connection

    def close(self) -> None:
        """Close what the client opened itself; a caller's own connection is left as it is."""
        if self._owned and self._connection is not None and self._process == os.getpid():
            (self._alchemy or self._connection).close()
            if self._conninfo:  # of a pickle: others may share it, for whom it opens again
                self._connection = None


def conninfo_of_target(target: Any) -> str:
    """The connection string that a URL or string is, or that the environment names for None.

    Raises:
        TypeError: it is neither.
        CallError: None is given and there is no server to choose.
    """
    target = _default_target() if target is None else target
    if not isinstance(target, str):
        raise TypeError(f"connection must be a URL or connection string here, not {type(target).__qualname__}")
    return _DRIVER.sub(r"\1://", target.strip())


def conninfo_of(connection: psycopg.Connection[Any]) -> str:
    """A connection string for the server of a connection, with the password if it took one."""
    info = connection.info
    return make_conninfo(info.dsn, password=info.password) if info.password else info.dsn


def without_password(conninfo: str) -> str:
    """A connection string that may be kept: libpq looks for a password where it always does."""
    parts: dict[str, Any] = conninfo_to_dict(conninfo)
    return make_conninfo(**{name: value for name, value in parts.items() if name not in _SECRET})


class ConnectionString(str):
    """One that shows itself without its password, also where a pipeline or a notebook shows it."""

    __slots__ = ()

    def __repr__(self) -> str:
        try:
            return repr(without_password(self)) if _SECRET & conninfo_to_dict(self).keys() else super().__repr__()
        except psycopg.ProgrammingError:  # who knows what is in it
            return "'...'"


def open_session(target: Any) -> Session:
    """The session behind whatever names or is a connection; see `madtree.connect`.

    Raises:
        TypeError: `target` is none of the things that name a connection.
        CallError: no target is given and there is no server to choose.
    """
    if target is None:
        target = _default_target()
    if isinstance(target, psycopg.Connection):
        return Session(target)
    if type(target).__module__.startswith("sqlalchemy."):
        target = _from_sqlalchemy(target)
    if isinstance(target, Session):
        return target
    if isinstance(target, str):
        connection = psycopg.connect(conninfo_of_target(target), **POOLABLE, fallback_application_name="madtree")
        return Session(connection, owned=True)
    raise TypeError(f"connection must be {_ACCEPTED}; not {type(target).__module__}.{type(target).__qualname__}")


def _from_sqlalchemy(target: Any) -> Any:
    """A session for an Engine or Connection, a string for a URL, anything else as it is."""
    from sqlalchemy import URL, Connection, Engine

    if isinstance(target, URL):
        names = target.translate_connect_args(database="dbname", username="user")
        return make_conninfo(**names, **{key: str(value) for key, value in target.query.items()})
    if isinstance(target, Engine):
        connection = target.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            return Session(_driver_connection(connection), owned=True, alchemy=connection)
        except TypeError:
            connection.close()
            raise
    if isinstance(target, Connection):
        return Session(_driver_connection(target), alchemy=target)
    return target


def _driver_connection(alchemy: Any) -> psycopg.Connection[Any]:
    found = alchemy.connection.driver_connection
    if not isinstance(found, psycopg.Connection):
        dialect = alchemy.dialect
        raise TypeError(
            f"SQLAlchemy's driver must be psycopg, as in create_engine('postgresql+psycopg://...'), not "
            f"{dialect.name}+{dialect.driver}"
        )
    return found


def _default_target() -> str:
    if any(os.environ.get(name) for name in _NAMING):
        return ""
    with contextlib.suppress(PrivateServerError):
        server = PrivateServer().status()
        if server.running and server.uri:
            return server.uri
    raise CallError(
        "no server to connect to: give a URL such as postgresql://user@host/database, set the PG* variables, or start "
        "a private server with 'madtree up'"
    )
