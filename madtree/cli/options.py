"""Options and arguments that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

SERVER = "Server"
OUTPUT = "Output"

Dsn = Annotated[
    str | None,
    typer.Option(
        metavar="URI",
        help="The server: postgresql://user@host:5432/database. Default: what PG* variables name, "
        "else your private server (madtree up).",
        rich_help_panel=SERVER,
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.", rich_help_panel=OUTPUT)]


def examples(*lines: str) -> str:
    """An epilog with one command a line."""
    return "\n".join(["\b", "[bold]Examples[/bold]", *(f"  {line}".replace("[", r"\[") for line in lines)])
