"""The host inside the server: PL/Python's `plpy` behind the host protocol."""

from __future__ import annotations

import codecs
import secrets
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from madtree.host.cancels import (
    TellingList,
    errors_end_session,
    no_cancel_yet,
    refuse_parallel_query,
    savepoints_are_sent,
)
from madtree.host.message import StepDone
from madtree.host.protocol import Host, Query, Row, Sharing
from madtree.host.session import Looks
from madtree.host.shown import shown_by_process
from madtree.sqltext.query import DOUBLES, Binary, Lasting
from madtree.sqltext.quote import INTERNAL
from madtree.sqltext.split import in_ascii

# PostgreSQL looks for cancels when it runs a statement or sends a message, never within Python.
_LOOK_FOR_CANCEL = "SELECT"
_SAYS = Lasting("SELECT WHERE $1 IS NULL")
_NOT_OF_THE_TEXT = ("57", "53")  # a cancel, or what the machine lacks
_ROOM = 33 * 2**20  # bytes: more than 32 MB, up to which malloc may find room in what it keeps
_ENCODING = "SELECT pg_catalog.getdatabaseencoding() AS name"
_AS_SENT = ("UTF8", "SQL_ASCII")  # the latter has no encoding, and takes bytes as they are
# Bytes that are no text in the database's encoding end in an error here: PL/Python would crash, and with it the server.
# PostgreSQL takes such bytes from the options of a connection, and in names from a database without an encoding.
# `_KEPT` is for rows that are fetched at once, `_READ` for those of a cursor, whose query is not run to its end first.
_SAID = "pg_catalog.convert_to(pg_catalog.concat(found.*), 'UTF8')"
_IS_TEXT = f"SELECT found.* FROM {{}} WHERE {_SAID} IS NOT NULL"
_KEPT = "WITH found AS MATERIALIZED ({}\n) " + _IS_TEXT.format("found")
_PLAN = Lasting(f'SELECT p."QUERY PLAN" FROM {INTERNAL}.plan_lines($1) AS p ("QUERY PLAN")')
_READ = _IS_TEXT.format("({}\n) AS found")
# For a database in one of the `DOUBLES`.
_IS_AS_READ = f" AND {INTERNAL}.is_read_as_it_is(pg_catalog.concat(found.*))"


def _escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    """Bytes of an error of PostgreSQL's that are no UTF-8, as escapes. In a database of another encoding each letter
    that is not ASCII may be such bytes, and everywhere a setting of a connection's options, in the words of a function.

    PL/Python reads the words of an error by the codec's strict handler, from C: were this one to raise, it would jump
    out of Python's midst, whose next call may bring the server down. Whoever decodes anything else is told as ever.
    """
    caller = sys._getframe().f_back
    if not isinstance(error, UnicodeDecodeError) or caller is None or caller.f_globals is not globals():
        return codecs.strict_errors(error)
    return "".join(f"\\x{byte:02x}" for byte in error.object[error.start : error.end]), error.end


class PlpyHost:
    """Adaptor around the `plpy` module, which PL/Python hands to function bodies only."""

    in_server = True
    has_extension = True
    kept: ClassVar[dict[str, Any]] = {}
    # The session's, by their text and types.
    _lasting: ClassVar[dict[tuple[str, tuple[str, ...]], Any]] = {}
    _databases: ClassVar[str | None] = None  # its encoding

    def __init__(self, plpy: Any) -> None:
        refuse_parallel_query()
        self._plpy = plpy
        self._prepared: tuple[str, tuple[str, ...], Any] | None = None
        self._looks = Looks()
        codecs.register_error("strict", _escaped)

    @property
    def source(self) -> Host:
        return self

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        if sql.startswith("EXPLAIN "):
            return self.query(_PLAN, ["pg_catalog.text"], [sql])
        return list(self._run(self._checked(sql, _KEPT), types, params))

    def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        return int(self._run(sql, types, params).nrows())

    def training_begins(self) -> None:
        """Rows are read by this session, or by its parallel workers."""

    def data_ahead(self, queries: Iterable[Query], sharing: Sharing | None = None) -> Generator[list[Row], None, None]:
        return (self.query(Binary(sql), *given) for sql, *given in queries if _has_room())

    def stream(self, sql: str, batch: int = 1) -> Generator[Row, None, None]:
        text = self._sent(self._checked(sql, _READ))
        if savepoints_are_sent():
            yield from self._fetched(text, batch)
            return
        try:
            cursor = self._plpy.cursor(text)
            try:
                while _has_room() and (rows := cursor.fetch(batch)):
                    self._looks.looked()
                    yield from rows
            finally:
                with errors_end_session():
                    cursor.close()
        except self._plpy.SPIError as error:
            _remember(error, text, ())
            raise

    def _fetched(self, text: str, batch: int) -> Iterator[Row]:
        """As `stream`, by a cursor of SQL's: PL/Python's does not tell when its subtransaction has begun."""
        name = f"madtree_{secrets.token_hex(8)}"
        self._run(f"DECLARE {name} NO SCROLL CURSOR FOR {text}", (), ())
        close = f"CLOSE {name}"
        while _has_room() and (rows := list(self._run(f"FETCH FORWARD {batch} FROM {name}", (), ()))):
            try:
                yield from rows
            except Exception:
                self._run(close, (), ())
                raise
        self._run(close, (), ())

    def data_stream(self, sql: str, batch: int = 1) -> Iterator[Row]:
        yield from self.stream(sql, batch)

    def shown(self) -> AbstractContextManager[Callable[[str], None]]:
        return shown_by_process(self)

    def let_in(self) -> None:
        if self._looks.due:
            self.query(_LOOK_FOR_CANCEL)

    def notice(self, message: str) -> None:
        self._plpy.notice(self._sayable(message))

    def warning(self, message: str) -> None:
        self._plpy.warning(self._sayable(message))

    def info(self, message: str, step: StepDone | None = None) -> None:
        self._plpy.info(self._sayable(message), **(step.to_fields() if step else {}))

    def _sayable(self, message: str) -> str:
        """The message; with escapes where the database's encoding lacks a character of it. PL/Python would find out
        too late, and jump out of Python's midst; for parameters of a statement it is ready.
        """
        if message.isascii():
            return message
        if self._encoding() in _AS_SENT:  # all characters but the halves of surrogates
            return message.encode(errors="backslashreplace").decode()
        try:
            self._run(_SAYS, ["pg_catalog.text"], [message])
        except self._plpy.SPIError as error:
            if getattr(error, "sqlstate", "")[:2] in _NOT_OF_THE_TEXT:
                raise
            return message.encode("ascii", "backslashreplace").decode("ascii")
        return message

    def _run(self, sql: str, types: Sequence[str], params: Sequence[Any]) -> Any:
        sql = self._sent(sql)
        try:
            if savepoints_are_sent():
                plan = self._plan(sql, types)
                with no_cancel_yet() as let_in:
                    return self._plpy.execute(plan, TellingList([*params, None], let_in))
            if types or isinstance(sql, Lasting):
                return self._plpy.execute(self._plan(sql, types), list(params))
            return self._plpy.execute(sql)
        except self._plpy.SPIError as error:
            _remember(error, sql, params)
            raise
        finally:
            self._looks.looked()

    def _sent(self, sql: str) -> str:
        """The statement as PL/Python is to have it, which hands its bytes in UTF-8 to PostgreSQL, whatever the
        database's encoding: there another name or text would be read.
        """
        if sql.isascii():
            return sql
        return sql if self._encoding() in _AS_SENT else in_ascii(sql)

    def _encoding(self) -> str:
        if self._databases is None:
            PlpyHost._databases = str(self._run(_ENCODING, (), ())[0]["name"])
        return str(self._databases)

    def _checked(self, sql: str, form: str) -> str:
        """The query in one of these forms, unless it has no text."""
        if isinstance(sql, Binary) or not sql.lstrip().startswith(("SELECT ", "SELECT\n", "WITH ")):
            return sql
        if self._encoding() in DOUBLES:
            form += _IS_AS_READ
        text = form.replace("{}", sql)
        return Lasting(text) if isinstance(sql, Lasting) else text

    def _plan(self, sql: str, types: Sequence[str]) -> Any:
        """The prepared statement; the last one is kept, since of a wide table preparing takes as long as reading a page
        range.
        """
        wanted = (sql, tuple(types))
        if isinstance(sql, Lasting):
            if wanted not in self._lasting:
                self._lasting[wanted] = self._prepare(sql, types)
            return self._lasting[wanted]
        if self._prepared is None or self._prepared[:2] != wanted:
            self._prepared = (*wanted, self._prepare(sql, types))
        return self._prepared[2]

    def _prepare(self, sql: str, types: Sequence[str]) -> Any:
        if not savepoints_are_sent():
            return self._plpy.prepare(sql, list(types))
        with no_cancel_yet() as let_in:
            # A parameter that no statement has, so that there is one for PL/Python to look at.
            return self._plpy.prepare(sql, TellingList([*types, "pg_catalog.int4"], let_in))


def _has_room() -> bool:
    """True; raises MemoryError where there is none for values of many rows.

    Where PL/Python gets no memory for one it crashes, and with it the server. A limit of processes, or a system that
    promises no more than it has, lets that come about. To ask takes some 5 µs: the bytes are not touched, and given
    back at once.
    """
    return bool(bytes(_ROOM))


def _remember(error: Exception, sql: str, params: Sequence[Any]) -> None:
    """Note which statement an error befell; with its parameters, among which are statements that it ran."""
    error.statement = (sql, *params)  # type: ignore[attr-defined]
