"""A host for tests: the client's own, which remembers what it is told and makes tables of parameters, too."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Sequence
from typing import Any

import psycopg

from madtree.host import psycopg as client
from madtree.host.message import StepDone
from madtree.host.protocol import Query, Row, Sharing

_TOKEN = re.compile(r"'(?:[^']|'')*'|\$(\d+)")


class PsycopgHost(client.PsycopgHost):
    """Like `plpy`, it runs one statement after the other, each in a subtransaction, so that an error can be caught."""

    has_extension = True

    def __init__(self, connection: psycopg.Connection) -> None:
        super().__init__(connection)
        self.notices: list[str] = []

    def data_ahead(self, queries: Iterable[Query], sharing: Sharing | None = None) -> Generator[list[Row], None, None]:
        return (self.query(*query) for query in queries)

    def notice(self, message: str) -> None:
        self.notices.append(message)

    def warning(self, message: str) -> None:
        self.notices.append(message)

    def info(self, message: str, step: StepDone | None = None) -> None:
        self.notices.append(message)

    def _run(self, sql: str, types: Sequence[str], params: Sequence[Any], **how: Any) -> psycopg.Cursor[Row]:
        if not types or not sql.startswith("CREATE"):
            return super()._run(sql, types, params, **how)

        # What cannot be prepared gets its parameters as literals; $1 within a string is none of them.
        def value(token: re.Match[str]) -> str:
            if token[1] is None:
                return token[0]
            i = int(token[1]) - 1
            return f"{psycopg.sql.Literal(params[i]).as_string(self.connection)}::{types[i]}"

        return super()._run(_TOKEN.sub(value, sql), (), ())
