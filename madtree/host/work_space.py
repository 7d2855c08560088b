"""The work tables of a training, and who makes and drops them."""

from __future__ import annotations

import secrets
from types import TracebackType

from madtree.host.protocol import Host
from madtree.sqltext.work import WorkTables


class WorkSpace:
    """The work tables that one training has made: as a context, they are dropped when all has gone well. After an error
    the end of the transaction does that, in which no statement can be run any more.

    Attributes:
        tables: their names.
    """

    def __init__(self, host: Host, schema: str) -> None:
        """`schema`: in which they are made, unquoted."""
        self._host = host
        self._made: list[str] = []
        self.tables = WorkTables(schema, secrets.token_hex(8))

    def make(self, part: str, statement: str, by: Host | None = None) -> None:
        """Run the statement that makes a table, in place of one of that name; `by`: what runs it, if not the session
        itself.
        """
        if part in self._made:
            self._drop([part])
        (by or self._host).command(statement)
        self._made.append(part)

    def drop(self, part: str) -> None:
        """Drop a table that is not needed any more."""
        self._drop([part])

    @property
    def is_empty(self) -> bool:
        return not self._made

    def _drop(self, parts: list[str]) -> None:
        self._host.command(self.tables.drop(parts))
        self._made = [part for part in self._made if part not in parts]

    def __enter__(self) -> WorkSpace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None and self._made:
            self._drop(self._made)
