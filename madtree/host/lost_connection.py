"""What a call says whose connection broke, or which the server stopped because of a timeout."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import psycopg

from madtree.errors import MadtreeError

_IDLE, _TRANSACTION_TIMEOUT = "25P03", "25P04"
# An administrator's or a server's end of a session, a crash, timeouts that end sessions; class 08 is the connection's.
_LOST = ("57P01", "57P02", "57P03", "57P05", _IDLE, _TRANSACTION_TIMEOUT)
_CANCELLED = "57014"
_AGAIN = "Nothing of it is left in the server. Connect anew and call again."
_UNKNOWN = "It may have been done or not: connect anew and look."
_TOO_LONG = f"{_AGAIN} SET transaction_timeout = 0 before, or raise it."
_STATEMENT_TIMEOUT = (
    "SET statement_timeout = 0 before, or add it to the connection string: options='-c statement_timeout=0'."
)


class LostConnectionError(MadtreeError, psycopg.OperationalError):  # type: ignore[misc]
    """The connection broke in the middle of a call. What the server said is its cause."""


class Doing:
    """What a call is doing, in words that follow "the connection broke"."""

    def __init__(self) -> None:
        self.words = "in the middle of the call"
        self.is_committing = False

    def committing(self) -> None:
        """All is done but the end of the transaction."""
        self.words, self.is_committing = "while the call was committed", True


@contextlib.contextmanager
def raising_lost_connection(connection: Any, source: Any = None) -> Iterator[Doing]:
    """Raises a lost connection as `LostConnectionError`; adds what helps to the error of a timeout.

    `source`: a second connection, to the server that data are read from.
    """
    doing = Doing()
    where, of_source = (_place_of(each) for each in (connection, source))
    try:
        yield doing
    except psycopg.Error as error:
        if isinstance(error, LostConnectionError) or not is_lost(error):
            if (hint := hint_of(error)) and hasattr(error, "add_note"):  # Python 3.11
                error.add_note(f"HINT: {hint}")
            raise
        where = of_source if source is not None and source.closed else where
        message = error.diag.message_primary or (str(error).splitlines() or [type(error).__name__])[0]
        hint = _TOO_LONG if error.sqlstate == _TRANSACTION_TIMEOUT else _AGAIN
        hint = _UNKNOWN if doing.is_committing else hint
        lost = LostConnectionError(
            f"the connection to {where} broke {doing.words}: {message}", hint, error.sqlstate or "08006"
        )
        if hasattr(lost, "add_note"):
            lost.add_note(f"HINT: {hint}")
        raise lost from error


def is_lost(error: psycopg.Error) -> bool:
    """Whether it means that a connection is gone."""
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError)
    return error.sqlstate in _LOST or error.sqlstate.startswith("08")


def hint_of(error: psycopg.Error) -> str | None:
    """What helps against a timeout that cancels statements."""
    if error.sqlstate == _CANCELLED and "statement timeout" in (error.diag.message_primary or ""):
        return _STATEMENT_TIMEOUT
    return None


def _place_of(connection: Any) -> str:
    if connection is None or connection.closed:
        return "the server"
    info = connection.info
    return f"{info.host or info.hostaddr or 'the local socket'}, port {info.port},"
