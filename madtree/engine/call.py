"""The functions that there are without the extension: those of its SQL, and what its view of models lists. And a call
of one of them by its SQL name, and what it answers, as the server's function of that name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psycopg import postgres

from madtree.calls import run
from madtree.errors import INTERNAL_ERROR, MadtreeError
from madtree.host import Host, Row, bare_message, local_settings, read_json, said_by_citus
from madtree.host.psycopg import set_up_servers
from madtree.interface import FUNCTIONS as DECLARED
from madtree.interface import INTERNAL, TEXTS, Function, columns, values
from madtree.model import models as listed_models
from madtree.records import dataclass
from madtree.sqltext.listing import AS_IN_VIEW

FUNCTIONS: Mapping[str, Function] = {
    **DECLARED,
    "models": Function(
        "models",
        "lists the models that you can read",
        run="madtree.engine.call:models",
        arguments=(),
        example="",
        settings={"row_security": "off", "datestyle": "ISO", "intervalstyle": "postgres"},
        returns=columns(
            "model text, schema text, name text, owner text, kind text, source_table text, dependent text, "
            "n_rows bigint, n_trees integer, depth integer, n_leaves bigint, parameters jsonb, version text, "
            "trained_at timestamp with time zone, age interval"
        ),
    ),
}


def models(host: Host) -> list[Row]:
    """The rows of the view."""
    rows = listed_models(host)
    texts = [[row[column] for row in rows] for column in ("schema", "name", "trained_at", "age")]
    return [
        row | typed for row, typed in zip(rows, host.query(AS_IN_VIEW, ["pg_catalog.text[]"] * 4, texts), strict=True)
    ]


# While its client works, a session looks idle to the server.
_NEVER_IDLE = {"idle_in_transaction_session_timeout": "0"}


@dataclass(frozen=True)
class Answer:
    """Rows that a function returned.

    Attributes:
        columns: their names.
        types: OIDs of their PostgreSQL types.
        rows: a list of values each; values of jsonb are decoded, a document of json is its text.
    """

    columns: tuple[str, ...]
    types: tuple[int, ...]
    rows: list[list[Any]]

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict of column name to value for each row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def call(host: Host, name: str, arguments: Sequence[Any] = (), named: Mapping[str, Any] | None = None) -> Answer:
    """Call a function with arguments as SQL's function of that name takes them, in a transaction of the caller's.

    Raises:
        MadtreeError: a mistake in the arguments or the data; this machine has no room for a temporary file; or there is
            no such function here.
    """
    function = FUNCTIONS.get(name) or INTERNAL.get(name)
    if function is None:
        raise MadtreeError(
            f"{name} is not there by the client engine", "It needs the extension madtree in the server.", "0A000"
        )
    given = function.bound(arguments, named or {})
    arguments = [values.typed(each.name, given[each.name], each.type) for each in function.arguments]
    columns = tuple(column.name for column in function.columns)
    types = tuple(postgres.types[column.type].oid for column in function.columns)
    with _settings(host, {**function.all_settings, **_NEVER_IDLE}), _raising_what_citus_means():
        found = run(host, function, arguments)
    if not function.returns_rows:
        return Answer(columns, types, [[found]])
    rows = [[_value(row.get(column.name), column.type) for column in function.columns] for row in found]
    return Answer(columns, types, rows)


@contextlib.contextmanager
def _settings(host: Host, settings: Mapping[str, str]) -> Iterator[None]:
    """Those of a function; values that go from one server to another travel as text, which both must mean alike."""
    if host.source is host:
        with local_settings(host, settings):
            set_up_servers(host)
            yield
        return
    both = {**settings, **TEXTS}
    with local_settings(host, both), local_settings(host.source, both):
        set_up_servers(host)
        set_up_servers(host.source)
        yield


@contextlib.contextmanager
def _raising_what_citus_means() -> Iterator[None]:
    """An internal error as the extension raises it; one that Citus has not said stays the server's own."""
    try:
        yield
    except Exception as error:
        internal = getattr(error, "sqlstate", None) == INTERNAL_ERROR
        if internal and (meant := said_by_citus(bare_message(error))):
            raise meant from error
        raise


def _value(value: Any, type_: str) -> Any:
    return read_json(value) if type_ == "jsonb" and isinstance(value, str) else value
