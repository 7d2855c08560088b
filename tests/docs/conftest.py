"""What the tests of documentation pages share."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from rich.console import Console

from madtree.cli.demo.flights import find_flights
from madtree.cli.demo.screen import Screen
from madtree.cli.demo.tables import PARTS, load, prepare
from madtree.cli.exits import DemoError


@pytest.fixture
def schema_name(db: psycopg.Connection) -> str:
    """The test's own schema, as SQL writes it."""
    return str(db.execute("SELECT quote_ident(current_schema())").fetchone()[0])  # type: ignore[index]


KEPT = "flights_between_tests"  # where the tables wait, since loading them takes seconds
TABLES = ("flights", *PARTS)


@pytest.fixture(scope="module")
def room(dsn: str) -> Iterator[None]:
    """Room for the flights between a module's tests. They do not stay: other modules dump the whole database."""
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(f"CREATE SCHEMA IF NOT EXISTS {KEPT}")
    yield
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(f"DROP SCHEMA {KEPT} CASCADE")


@pytest.fixture
def flights(db: psycopg.Connection, room: None) -> Iterator[None]:
    """The schema `demo` with the flights in it, as `madtree demo` loads them, and nothing else."""
    db.execute("DROP SCHEMA IF EXISTS demo CASCADE")
    try:
        file = find_flights(None, say=list)
    except DemoError as error:
        pytest.skip(str(error))
    prepare(db, ())
    move(db, KEPT, "demo")
    load(Screen(Console(quiet=True), db), file)
    yield
    move(db, "demo", KEPT)
    db.execute("DROP SCHEMA demo CASCADE")


@pytest.fixture
def few_flights(db: psycopg.Connection, flights: None) -> Iterator[None]:
    """As `flights`, but each twentieth alone: for examples whose figures nobody compares."""
    for part in PARTS:
        db.execute(f"ALTER TABLE demo.{part} SET SCHEMA {KEPT}")
        db.execute(f"CREATE TABLE demo.{part} AS SELECT * FROM {KEPT}.{part} WHERE id % 20 = 0")
    yield
    for part in PARTS:
        db.execute(f"DROP TABLE demo.{part}")
        db.execute(f"ALTER TABLE {KEPT}.{part} SET SCHEMA demo")


def move(db: psycopg.Connection, here: str, there: str) -> None:
    for table in TABLES:
        db.execute(f"ALTER TABLE IF EXISTS {here}.{table} SET SCHEMA {there}")
