"""What the tests of documentation pages share."""

from __future__ import annotations

import psycopg
import pytest
from rich.console import Console

from madtree.cli.demo.errors import DemoError
from madtree.cli.demo.flights import find_flights
from madtree.cli.demo.screen import Screen
from madtree.cli.demo.tables import load, prepare


@pytest.fixture
def schema_name(db: psycopg.Connection) -> str:
    """The test's own schema, as SQL writes it."""
    return str(db.execute("SELECT quote_ident(current_schema())").fetchone()[0])  # type: ignore[index]


@pytest.fixture
def flights(db: psycopg.Connection) -> None:
    """The schema `demo` with the flights in it, as `madtree demo` loads them."""
    db.execute("DROP SCHEMA IF EXISTS demo CASCADE")
    try:
        file = find_flights(None, say=list)
    except DemoError as error:
        pytest.skip(str(error))
    prepare(db, ())
    load(Screen(Console(quiet=True), db), file)
