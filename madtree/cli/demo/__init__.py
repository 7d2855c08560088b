"""`madtree demo`: trees trained on the flights that left New York in 2013, told step by step.

`flights` finds the data, `tables` loads them and knows which tables are the demo's own, `story` has
the SQL and what is said about it, `screen` runs a statement and shows it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import psycopg
import typer
from rich.console import Console

from madtree.cli.connection import Target, check_dsn, connect
from madtree.cli.demo.flights import find_flights
from madtree.cli.demo.screen import Screen
from madtree.cli.demo.story import tell
from madtree.cli.escapes import escaped
from madtree.cli.exits import INTERRUPTED, DemoError
from madtree.cli.session import ENGINE
from madtree.embedded import PrivateServer
from madtree.errors import MadtreeError
from madtree.host.psycopg import Engine, found_engine, require_numpy


def chosen_engine(connection: psycopg.Connection, wanted: Engine, console: Console) -> Engine:
    """Who trains and scores; a remark says so where that is this process.

    Raises:
        DemoError: the database has no extension, and the extension is wanted: what has its functions' names may be
            anybody's there; or this process lacks what training needs.
    """
    found, why = found_engine(connection)
    if wanted == "extension" and found != wanted:
        raise DemoError("The database has no extension madtree. As a superuser: CREATE EXTENSION madtree CASCADE")
    if wanted != "client" and found == "extension":
        return found
    try:
        require_numpy()
    except MadtreeError as error:
        raise DemoError(f"{error.message}. {error.hint}") from None
    console.print(why if found == "client" else "madtree: engine=client", markup=False)
    return "client"


def demo_command(
    data: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="The flights, as flights.csv or flights.csv.zip."),
    ] = None,
    dsn: Annotated[
        str | None,
        typer.Option(help="Any PostgreSQL server of yours; default: your private server, started if needed."),
    ] = None,
) -> None:
    """Train and score trees on the flights of New York, 2013. Works in a schema of its own, named demo."""
    console = Console(highlight=False)
    try:
        flights = find_flights(data, say=console.print)
        target = Target(check_dsn(dsn), "--dsn") if dsn else Target(PrivateServer(say=console.print).up(), "madtree up")
        with connect(target) as connection:
            engine = chosen_engine(connection, ENGINE.get(), console)
            tell(Screen(console, connection, engine), flights, client="psql" if dsn else "madtree psql")
    except DemoError as error:
        Console(stderr=True, highlight=False).print(escaped(str(error)), markup=False, soft_wrap=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        # Every statement is a transaction: what was under way is rolled back, what was finished is whole.
        console.print("\nStopped. Run it again at any time; finished steps are kept or made anew.")
        raise typer.Exit(INTERRUPTED) from None
