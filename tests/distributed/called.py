"""Calls of functions in this process, which a test may change, over a session's connection."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg_host import PsycopgHost

from madtree.calls import run
from madtree.host.protocol import Row
from madtree.interface import FUNCTIONS


class Listening(PsycopgHost):
    """A host that keeps what it is asked, the texts that are run by a function among it."""

    def __init__(self, connection: psycopg.Connection) -> None:
        super().__init__(connection)
        self.statements: list[str] = []

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        self.statements.append(f"{sql} {params[0]}" if "run_on_servers" in sql else sql)
        return super().query(sql, types, params)

    def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        self.statements.append(sql)
        return super().command(sql, types, params)


def answer(host: PsycopgHost, call: str) -> Any:
    """What a call says that is written as in SQL, with literals as arguments."""
    name = call.partition("(")[0]
    function = FUNCTIONS[name]
    in_python = re.sub(r"=> *true\b", "=True", call).replace("=>", "=")
    given, named = eval(in_python, {name: lambda *given, **named: (given, named)})
    arguments = {each.name: each.default for each in function.arguments}
    arguments |= {**dict(zip(arguments, given, strict=False)), **named}
    with host.connection.transaction():
        host.connection.execute("SET LOCAL jit = off")  # as the functions that users call have it
        return run(host, function, [*arguments.values()])
