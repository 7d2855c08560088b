"""The session that a report is read through: whatever the caller has at hand, behind the host protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from psycopg.rows import dict_row

from madtree.host.protocol import Host, Row


def as_host(connection: Any) -> Host:
    """The host behind a psycopg connection, a host itself, or an object that has one of these as an attribute.

    Raises:
        TypeError: it is none of these.
    """
    for candidate in (connection, getattr(connection, "host", None), getattr(connection, "connection", None)):
        if isinstance(candidate, psycopg.Connection):
            return _PsycopgHost(candidate)
        if candidate is not None and callable(getattr(candidate, "query", None)) and hasattr(candidate, "command"):
            host: Host = candidate
            return host
    raise TypeError(f"connection must be a psycopg connection or a madtree client, not {type(connection).__name__}")


class _PsycopgHost:
    """Each statement is a subtransaction, or a transaction where none is open: an error spoils nothing else."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        with self._connection.transaction(), psycopg.RawCursor(self._connection, row_factory=dict_row) as cursor:
            return cursor.execute(sql.encode(), params or None).fetchall()

    def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        with self._connection.transaction(), psycopg.RawCursor(self._connection) as cursor:
            return cursor.execute(sql.encode(), params or None).rowcount

    def stream(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = (), batch: int = 1) -> Iterator[Row]:
        yield from self.query(sql, types, params)

    def notice(self, message: str) -> None:
        """What madtree's own code would tell; the server's notices go the connection's way."""

    def info(self, message: str) -> None:
        """As `notice`."""
