"""What an orchestrator may ask of the session that it works in."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from madtree.errors import MadtreeError
from madtree.host.message import StepDone
from madtree.records import dataclass

Row = dict[str, Any]
Query = tuple[str, Sequence[str], Sequence[Any]]  # its SQL, its parameters' types, and they themselves
TYPES = "types"  # place in `Host.kept` of what the server has said of PostgreSQL's own types


@dataclass(frozen=True)
class Sharing:
    """What other sessions of the same user's need to know before they run some queries instead of this one.

    Attributes:
        plan: a statement that plans a query over all that these read, and so takes its locks.
        n_bytes: that these queries hand over, about.
        obstacle: says why others must not run them; empty where they may. It runs statements.
    """

    plan: str
    n_bytes: int
    obstacle: Callable[[], str]


class Host(Protocol):
    """A database session. SQL text takes parameters as ``$1``, ``$2``, ...; `types` names their SQL types."""

    @property
    def in_server(self) -> bool:
        """Whether this code runs in the session's own process."""
        ...

    @property
    def has_extension(self) -> bool:
        """Whether statements may call madtree's own functions; where not, they use PostgreSQL's alone."""
        ...

    @property
    def kept(self) -> dict[str, Any]:
        """What calls leave for the next ones: those of the session, or over a wire those by way of this host."""
        ...

    @property
    def source(self) -> Host:
        """The session in which the users' rows are read: this one, or one of a server that has rows and no models."""
        ...

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        """Run one statement and return its rows; column names are the keys. Raises the database's own error."""
        ...

    def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        """Run one statement and return the number of rows it touched."""
        ...

    def training_begins(self) -> None:
        """To be called before a training writes anything."""
        ...

    def data_ahead(self, queries: Iterable[Query], sharing: Sharing | None = None) -> Generator[list[Row], None, None]:
        """As `query` for each of some queries, in order; over a wire the next ones come while the caller works.

        `sharing`: where other sessions may run them, too. To be closed where it is not read to its end.
        """
        ...

    def stream(self, sql: str, batch: int = 1) -> Generator[Row, None, None]:
        """Run one query, without parameters, and yield its rows through a cursor, fetching `batch` rows at a time. Who
        leaves rows of a table that is dropped in the same transaction throws an exception into it.
        """
        ...

    def data_stream(self, sql: str, batch: int = 1) -> Iterator[Row]:
        """As `stream`, for rows that are too large to be all in memory: over a wire, too, they come by batches."""
        ...

    def shown(self) -> AbstractContextManager[Callable[[str], None]]:
        """A block in which pg_stat_activity may show what the session does; yields what is handed the texts: ASCII, 63
        bytes at most.
        """
        ...

    def let_in(self) -> None:
        """Raise the error of a cancel or a timeout that is waiting, in the middle of work that runs no statements. May
        be called after each of many small things: it looks only if the last look was some time ago.
        """
        ...

    def notice(self, message: str) -> None: ...

    def warning(self, message: str) -> None: ...

    def info(self, message: str, step: StepDone | None = None) -> None:
        """`step`: that the message is about, as values."""
        ...


def has_more_to_say(error: Exception) -> bool:
    """Whether the database's error has a detail or a hint."""
    diag = getattr(error, "diag", None)
    if diag is not None:
        return bool(diag.message_detail or diag.message_hint)
    return any((getattr(error, "spidata", None) or (0, None, None))[1:3])


def read_json(text: str | bytes, encoding: str = "utf-8") -> Any:
    """What a value of json or jsonb says.

    Args:
        encoding: of bytes.

    Raises:
        MadtreeError: it is nested too deeply for Python, or has a whole number of too many digits.
    """
    read = text if isinstance(text, str) else str(text, encoding)
    try:
        return json.loads(read)
    except (RecursionError, ValueError) as error:
        why, hint = str(error).split(";")[0], "Read it in SQL as text, or see Python's sys.set_int_max_str_digits."
        raise MadtreeError(f"a value of json or jsonb is more than Python reads: {why}", hint, "54000") from None


def bare_message(error: Exception) -> str:
    """The database's message without its context lines: psycopg has it apart, PL/Python's text is the message."""
    return str(getattr(getattr(error, "diag", None), "message_primary", None) or error)
