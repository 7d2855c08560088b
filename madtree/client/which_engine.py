"""Who does the work of a call: madtree's functions in the server, or the same ones in this process."""

from __future__ import annotations

from typing import Any, Literal, cast, get_args

import psycopg

from madtree.client.calls import CallError
from madtree.sqltext.catalog import HAS_EXTENSION

Engine = Literal["auto", "extension", "client"]
ENGINES = get_args(Engine)
_NUMPY = "Install numpy, for instance by pip install 'madtree[engine]'."


def checked(engine: str) -> Engine:
    """Raises ValueError where it is none."""
    if engine in ENGINES:
        return cast(Engine, engine)
    raise ValueError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")


def found_engine(connection: psycopg.Connection[Any]) -> tuple[Engine, str]:
    """The engine that `auto` takes for a connection, and one line that says why."""
    row = connection.execute(HAS_EXTENSION).fetchone()
    if row is not None and row[0]:
        return "extension", f"madtree: engine=extension, version {row[0]} in the server"
    return "client", "madtree: engine=client, since this database has no extension madtree"


def require_numpy() -> None:
    """Raises CallError where this process cannot be the engine."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise CallError("madtree: engine='client' needs numpy, which is not installed here", _NUMPY, "58P01") from None
