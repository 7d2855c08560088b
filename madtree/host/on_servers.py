"""Statements over rows that are distributed over the servers of a cluster, and what Citus says of them."""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from madtree.errors import MadtreeError
from madtree.host.message import StepDone
from madtree.host.protocol import Host, Query, Row, Sharing
from madtree.sqltext import workers as sql

_TEXT, _BYTEA = "pg_catalog.text", "pg_catalog.bytea"
_HINT = "Call again. If that fails, too, see the logs of all servers; please report what they do not explain."
_FULL = r"No space left on device|wrote only \d+ of|Disk quota exceeded"
# What Citus means by an internal error: it drops the SQLSTATE of what a server says that it copies rows to.
_MEANT = {
    "could not acquire the lock required to": ("55P03", "shards are being moved, split or made"),
    "could not find valid entry for shard": ("40001", "shards have been moved or split meanwhile"),
}


def has_citus(host: Host) -> bool:
    return bool(host.query(sql.HAS_CITUS))


class OnServers:
    """A session whose statements are over such rows. There is no jit on these servers, and an error's detail names the
    one that it comes from.

    A statement has no parameter, or one of type bytea; those with others, which look things up in this server's
    catalogue, are run as in any session. There must be a transaction, as there is inside the server: rows are handed
    over by a cursor.
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    @property
    def in_server(self) -> bool:
        return self._host.in_server

    @property
    def has_extension(self) -> bool:
        return self._host.has_extension

    @property
    def kept(self) -> dict[str, Any]:
        return self._host.kept

    @property
    def source(self) -> Host:
        return self

    def query(self, sql_: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        if not _is_for_servers(types):
            return self._host.query(sql_, types, params)
        with self._opened(sql_, params) as cursor:
            return self._host.query(sql.fetch(cursor))

    def training_begins(self) -> None:
        self._host.training_begins()

    def data_ahead(self, queries: Iterable[Query], sharing: Sharing | None = None) -> Generator[list[Row], None, None]:
        return (self.query(*query) for query in queries)

    def command(self, sql_: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        if not _is_for_servers(types):
            return self._host.command(sql_, types, params)
        return self._run(sql_, params, None)

    def stream(self, sql_: str, batch: int = 1, plan: bytes | None = None) -> Generator[Row, None, None]:
        """All rows are on this server before the first one is yielded; `plan`: the parameter, if any."""
        with self._opened(sql_, [plan] if plan else []) as cursor:
            while rows := self._host.query(sql.fetch(cursor, batch)):
                yield from rows

    def data_stream(self, sql_: str, batch: int = 1) -> Iterator[Row]:
        yield from self.stream(sql_, batch)

    def shown(self) -> AbstractContextManager[Callable[[str], None]]:
        return self._host.shown()

    def let_in(self) -> None:
        self._host.let_in()

    def notice(self, message: str) -> None:
        self._host.notice(message)

    def warning(self, message: str) -> None:
        self._host.warning(message)

    def info(self, message: str, step: StepDone | None = None) -> None:
        self._host.info(message, step)

    @contextmanager
    def _opened(self, statement: str, params: Sequence[Any]) -> Iterator[str]:
        """The name of a cursor with the statement's rows; after an error the transaction's end closes it."""
        cursor = f"madtree_{secrets.token_hex(8)}"
        self._run(statement, params, cursor)
        yield cursor
        self._host.command(sql.close(cursor))

    def _run(self, statement: str, params: Sequence[Any], cursor: str | None) -> int:
        plan = params[0] if params else None
        found = self._host.query(sql.RUN_ON_SERVERS, [_TEXT, _BYTEA, _TEXT], [statement, plan, cursor])
        return int(found[0]["n_rows"])


def on_servers(host: Host) -> Host:
    """What runs statements that go to other servers of a cluster, errors with their names; the session itself where
    the database lacks what that takes.
    """
    return OnServers(host) if host.has_extension else host


def _is_for_servers(types: Sequence[str]) -> bool:
    return list(types) in ([], [_BYTEA])


def said_by_citus(message: str) -> MadtreeError | None:
    """The error that a message means; None of others. Citus's own are English whatever `lc_messages` is; of a full disk
    the system speaks, in the language of a server that is most often that of this one, too.
    """
    full = "|".join([_FULL, *(re.escape(os.strerror(number)) for number in (errno.ENOSPC, errno.EDQUOT))])
    meant = {full: ("53100", "the disk of a server is full"), **_MEANT}
    for words, (sqlstate, sentence) in meant.items():
        if re.search(words, message):
            return MadtreeError(f"{sentence}: {message}", _HINT, sqlstate)
    return None


def failed_server(message: str) -> MadtreeError:
    """As `said_by_citus`; of other messages no more than that: a connection was lost in the midst of a statement, or a
    server's error, among others.
    """
    return said_by_citus(message) or MadtreeError(
        f"a server of the cluster failed in a statement: {message}", _HINT, "58000"
    )
