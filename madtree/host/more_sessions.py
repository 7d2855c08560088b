"""Other sessions of the same user's on the same server, which read rows for the one that a training works in."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg

from madtree.host.protocol import Row, Sharing
from madtree.host.statements import cancel, cursor_of
from madtree.sqltext import sessions as sql

logger = logging.getLogger("madtree")

# Bytes from which on others are opened where nobody has asked for them: to read so many takes the server 0.6 s.
WORTH_BYTES = 64 * 2**20
_NAME = "application_name"
_CONNECT_TIMEOUT = 10  # seconds, where the connection string has none


class MoreSessions:
    """Opens sessions that see what the main one does: one snapshot, its settings, its role.

    The main session only waits meanwhile. Its own transaction is READ COMMITTED, so its statements would each have a
    snapshot of their own.
    """

    def __init__(self, main: Any, query: Callable[[str], list[Row]], wanted: int | None) -> None:
        """
        Args:
            main: the connection, a psycopg connection or what stands for one.
            query: runs a statement in its transaction.
            wanted: how many sessions are to read; None for as many as pay.
        """
        self._main, self._query, self._wanted = main, query, wanted
        self._open: list[psycopg.Connection[Any]] = []
        self._state: Row | None = None

    def training_begins(self) -> None:
        """To be called before the training itself writes: what it will write is not read by others."""
        self._state = self._query(sql.STATE)[0] if self._wanted != 1 else None

    @contextlib.contextmanager
    def opened(self, sharing: Sharing | None) -> Iterator[list[psycopg.Connection[Any]]]:
        """Sessions in one snapshot, closed at the end; none where the main one is to read by itself."""
        if self._wanted == 1:
            yield []
            return
        n, why_not = self._number(sharing)
        try:
            if sharing is not None and not why_not:
                try:
                    self._fill(n, sharing)
                except psycopg.Error as error:  # no room for them, a lock that somebody waits for, another server
                    why_not = f"others cannot be opened: {' '.join(str(error).split())}"
                    self._close()
            logger.debug(
                "madtree: rows are read over %s",
                f"{len(self._open)} other connections" if self._open else f"this connection: {why_not}",
            )
            yield list(self._open)
        finally:
            self._close()

    def cancel(self) -> None:
        """Have the server end what they are at."""
        for connection in self._open:
            cancel(connection)

    def _number(self, sharing: Sharing | None) -> tuple[int, str]:
        """How many to open, and why none."""
        state = self._state
        if sharing is None:
            return 0, "these rows were made by this transaction"
        if state is None or not state["unwritten"]:
            return 0, "this transaction has written before, and others do not see that"
        if state["isolation"] != "read committed":
            return 0, f"this transaction is {state['isolation'].upper()}, and has its own snapshot"
        n = self._wanted or 1 + int(state["workers"])
        if self._wanted is None and (n == 1 or sharing.n_bytes < WORTH_BYTES):
            return 0, "more would save no time"
        return n, sharing.obstacle()

    def _fill(self, n: int, sharing: Sharing) -> None:
        """Open `n`; raises psycopg.Error where not even one can be opened."""
        settings = self._settings()
        first = self._connect()
        cursor = cursor_of(first)
        cursor.execute(sql.BEGIN)
        snapshot = cursor.execute(sql.EXPORT).fetchone()
        assert snapshot is not None
        _join(cursor, settings, sharing)

        def follow(_: int) -> None:
            connection = self._connect()
            try:
                cursor = cursor_of(connection)
                cursor.execute(sql.BEGIN)
                cursor.execute(sql.import_snapshot(snapshot["snapshot"]))
                _join(cursor, settings, sharing)
            except BaseException:
                self._open.remove(connection)
                connection.close()
                raise

        with ThreadPoolExecutor(max(n - 1, 1), thread_name_prefix="madtree-connect") as pool:
            for done in [pool.submit(follow, number) for number in range(n - 1)]:
                try:
                    done.result()
                except psycopg.Error as error:
                    logger.debug("madtree: one connection less: %s", " ".join(str(error).split()))

    def _settings(self) -> Row:
        """Of the main session, with the name that it had before the training showed itself."""
        found = self._query(sql.SETTINGS)[0]
        own = (self._state or {}).get(_NAME, "")
        given = zip(found["names"] or (), found["settings"] or (), strict=True)
        return found | {"settings": [own if name == _NAME else setting for name, setting in given]}

    def _connect(self) -> psycopg.Connection[Any]:
        """A session as the main one was opened, on the very server that it has reached."""
        info = self._main.info
        given: dict[str, Any] = info.get_parameters()
        place = {"host": info.host, "port": info.port, "password": info.password}
        if "hostaddr" in given:
            place["hostaddr"] = info.hostaddr
        place.setdefault("connect_timeout", given.get("connect_timeout", _CONNECT_TIMEOUT))
        given_places = {name: value for name, value in place.items() if value not in ("", None)}
        connection = psycopg.connect(info.dsn, **given_places, autocommit=True, prepare_threshold=None)
        self._open.append(connection)
        return connection

    def _close(self) -> None:
        while self._open:
            self._open.pop().close()


def _join(cursor: psycopg.Cursor[Row], settings: Row, sharing: Sharing) -> None:
    """Make a session's transaction like the main one's.

    Raises:
        psycopg.Error: it may not; another server has answered; somebody waits for a lock on a table. To wait behind
            that, while the main session waits for us, would never end: so locks are taken now, and without patience.
    """
    cursor.execute(sql.TAKE_SETTINGS, [settings["names"] or [], settings["settings"] or []], prepare=False)
    found = cursor.execute(sql.TAKE_ROLE, [settings["session_user"], settings["role"]], prepare=False).fetchone()
    if found is None or found["started"] != settings["started"]:
        raise psycopg.OperationalError("another server has answered")
    cursor.execute(sql.LOCK_TIMEOUT)
    cursor.execute(sharing.plan, prepare=False)
