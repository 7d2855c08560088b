"""Statements over a psycopg connection: parameters of the types that the host protocol names, and how one is ended."""

from __future__ import annotations

import contextlib
import select
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import postgres
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Dumper, PyFormat, Transformer
from psycopg.generators import fetch_many
from psycopg.pq import Format
from psycopg.rows import dict_row

from madtree.errors import MadtreeError
from madtree.host.protocol import Row
from madtree.sqltext.query import DOUBLES

_ACTIVE = psycopg.pq.TransactionStatus.ACTIVE
_ASK_AGAIN = 0.5  # seconds
_CANCEL_TIMEOUT = 5.0


def sent(
    connection: Any, statement: str, types: Sequence[str] = (), params: Sequence[Any] = (), *, binary: bool = False
) -> psycopg.Cursor[Row]:
    """Run a statement, or without parameters several.

    Nothing is prepared for longer than that: a model that is replaced may change its columns' types. `binary`: rows
    come in PostgreSQL's binary format; as text, the session's settings say how a number or a moment looks.
    """
    check_encoding(connection)
    values = [_typed(value, type_, connection) for value, type_ in zip(params, types, strict=True)]
    encoded = statement.encode(connection.info.encoding)
    return cursor_of(connection).execute(encoded, values or None, prepare=False, binary=binary)


def check_encoding(connection: Any) -> None:
    """Refuse a client_encoding, but for UTF-8, in which characters take more than a byte. As Python writes Shift JIS, a
    yen sign is a backslash, and ends a literal; as it reads EUC-KR, four characters are one, and a name means another.

    Raises:
        MadtreeError: the connection has such a one.
    """
    codec = connection.info.encoding
    if codec != "utf-8" and not _is_of_bytes(codec):
        raise MadtreeError(
            f"the connection's client_encoding is {connection.info.parameter_status('client_encoding')}, in which "
            "characters take more than a byte: Python may read them otherwise than PostgreSQL",
            hint="SET client_encoding = 'UTF8', or connect with client_encoding=UTF8.",
        )


def check_database(connection: Any) -> None:
    """Refuse a database in whose encoding two characters may be one in Unicode.

    Raises:
        MadtreeError: the connection's is such a one.
    """
    if (encoding := connection.info.parameter_status("server_encoding")) in DOUBLES:
        raise MadtreeError(
            f"the encoding of this database is {encoding}, in which names that differ are the same to a client",
            hint="Use the extension's functions, or a database in UTF8.",
            sqlstate="0A000",
        )


@lru_cache
def _is_of_bytes(codec: str) -> bool:
    """Whether each character beyond ASCII is a byte of its own, beyond ASCII, too."""
    others = "".join(map(chr, (*range(0x80, 0xD800), *range(0xE000, 0x30000)))).encode(codec, "ignore")
    return len(others) == len({*others} - {*range(0x80)})


def cursor_of(connection: Any) -> psycopg.Cursor[Row]:
    """A cursor whose parameters are written as PostgreSQL does: $1."""
    cursor: psycopg.Cursor[Row]
    if isinstance(connection, psycopg.Connection):
        cursor = psycopg.RawCursor(connection, row_factory=dict_row)
    else:
        cursor = connection.raw_cursor(row_factory=dict_row)
    # A connection has the types that were known when it was opened, which may have been before madtree was imported.
    cursor.adapters.register_dumper(_Typed, _TypedDumper)
    return cursor


@contextlib.contextmanager
def settled(connection: Any) -> Iterator[None]:
    """Where Ctrl-C comes in the middle of a statement, end that statement: psycopg does so itself only while it waits
    for the server, and nothing can be rolled back before.
    """
    try:
        yield
    except BaseException:
        if isinstance(connection, psycopg.Connection) and connection.info.transaction_status == _ACTIVE:
            cancel(connection)
            # A request that comes before the statement has begun is in vain.
            while not select.select([connection.pgconn.socket], [], [], _ASK_AGAIN)[0]:
                cancel(connection)
            with contextlib.suppress(psycopg.Error):
                connection.wait(fetch_many(connection.pgconn))
        raise


def cancel(connection: psycopg.Connection[Any]) -> None:
    """Have the server end the statement that a connection is at, if it is at one; it may be asked in vain."""
    if connection.info.transaction_status == _ACTIVE:
        with contextlib.suppress(psycopg.Error):
            connection.cancel_safe(timeout=_CANCEL_TIMEOUT)


class _Typed:
    """A value as PostgreSQL reads it from text, and the OID of its type."""

    def __init__(self, text: bytes | None, oid: int) -> None:
        self.text, self.oid = text, oid


class _TypedDumper(Dumper):
    """Hands a `_Typed` over: there is one of these for each type."""

    format = Format.TEXT

    def get_key(self, obj: Any, format: PyFormat) -> Any:
        return self.cls, obj.oid

    def upgrade(self, obj: Any, format: PyFormat) -> _TypedDumper:
        made = _TypedDumper(self.cls)
        made.oid = obj.oid
        return made

    def dump(self, obj: Any) -> Buffer | None:
        text: bytes | None = obj.text
        return text


def _typed(value: Any, type_: str, context: AdaptContext) -> _Typed:
    """A parameter of the type `type_`, where psycopg would choose one by the value's own.

    Raises:
        KeyError: `type_` is none of PostgreSQL's own types, and no array of one.
    """
    name = type_.removeprefix("pg_catalog.")
    info = postgres.types[name.removesuffix("[]")]
    oid = info.array_oid if name.endswith("[]") else info.oid
    if value is None:
        return _Typed(None, oid)
    if isinstance(value, bytes | memoryview):
        # psycopg would double the backslash where standard_conforming_strings is off, as in a literal.
        return _Typed(rb"\x" + bytes(value).hex().encode(), oid)
    dumper = Transformer(context).get_dumper(value, PyFormat.TEXT)
    text = dumper.dump(value)
    return _Typed(None if text is None else bytes(text), oid)
