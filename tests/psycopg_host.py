"""A host for tests: a psycopg connection behind the host protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from psycopg.rows import dict_row

from madtree.host.protocol import Row

_TOKEN = re.compile(r"'(?:[^']|'')*'|\$(\d+)")


class PsycopgHost:
    """Like `plpy`, it runs each statement in a subtransaction, so that an error can be caught."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection
        self.notices: list[str] = []

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        return self._run(sql, types, params).fetchall()

    def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        return self._run(sql, types, params).rowcount

    def stream(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = (), batch: int = 1) -> Iterator[Row]:
        yield from self.query(sql, types, params)

    def notice(self, message: str) -> None:
        self.notices.append(message)

    def info(self, message: str) -> None:
        self.notices.append(message)

    def _run(self, sql: str, types: Sequence[str], params: Sequence[Any]) -> psycopg.Cursor[Row]:
        cursor = self.connection.cursor(row_factory=dict_row)
        if not types:
            with self.connection.transaction():
                return cursor.execute(sql)  # type: ignore[arg-type]
        if sql.startswith("CREATE"):
            # What cannot be prepared gets its parameters as literals; $1 within a string is none of them.
            def value(token: re.Match[str]) -> str:
                if token[1] is None:
                    return token[0]
                i = int(token[1]) - 1
                return f"{psycopg.sql.Literal(params[i]).as_string(self.connection)}::{types[i]}"

            with self.connection.transaction():
                return cursor.execute(_TOKEN.sub(value, sql).encode())
        # PREPARE gives parameters the types that the host protocol names; psycopg would choose its own.
        arguments = psycopg.sql.SQL(", ").join(map(psycopg.sql.Literal, params))
        self.connection.execute(f"PREPARE madtree_test ({', '.join(types)}) AS {sql}".encode())
        try:
            with self.connection.transaction():
                return cursor.execute(psycopg.sql.SQL("EXECUTE madtree_test ({})").format(arguments))
        finally:
            self.connection.execute("DEALLOCATE madtree_test")
