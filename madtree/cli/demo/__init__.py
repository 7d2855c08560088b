"""`madtree demo`: trees trained on the flights that left New York in 2013, told step by step.

`flights` finds the data, `tables` loads them and knows which tables are the demo's own, `story` has
the SQL and what is said about it, `screen` runs a statement and shows it.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from madtree.cli.connection import Target, check_dsn, connect
from madtree.cli.demo.errors import DemoError
from madtree.cli.demo.flights import find_flights
from madtree.cli.demo.screen import Screen
from madtree.cli.demo.story import tell
from madtree.cli.demo.tables import has_extension
from madtree.cli.exits import INTERRUPTED
from madtree.cli.safe import safe
from madtree.embedded import PrivateServer


def require_numpy() -> None:
    """Raises DemoError where this process cannot train."""
    if find_spec("numpy") is None:
        raise DemoError("This database has no extension madtree. For training here: pip install 'madtree[engine]'")


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
            screen = Screen(console, connection, has_extension=has_extension(connection))
            if not screen.has_extension:
                require_numpy()
                console.print("This database has no extension madtree: this process trains and scores.")
            tell(screen, flights, client="psql" if dsn else "madtree psql")
    except DemoError as error:
        Console(stderr=True, highlight=False).print(safe(str(error)), markup=False, soft_wrap=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        # Every statement is a transaction: what was under way is rolled back, what was finished is whole.
        console.print("\nStopped. Run it again at any time; finished steps are kept or made anew.")
        raise typer.Exit(INTERRUPTED) from None
