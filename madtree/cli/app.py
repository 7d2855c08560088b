"""The command line's commands, each a few lines around the part of madtree that does the work."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import psycopg
import typer
from rich.console import Console

from madtree import __version__
from madtree.cli.demo import demo_command
from madtree.embedded import PrivateServer, PrivateServerError
from madtree.install import NoPostgresError, find_installation
from madtree.install import install as install_files

app = typer.Typer(
    name="madtree",
    help="Decision trees inside PostgreSQL. Start with: madtree up, then madtree demo.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
# What people read goes to stderr, what programs read (the URI) to stdout.
console = Console(stderr=True, highlight=False)

Port = Annotated[int | None, typer.Option(min=1, max=65535, help="TCP port on 127.0.0.1 (default: a free one).")]
PgConfig = Annotated[
    str | None,
    typer.Option(help="The pg_config of the PostgreSQL to use (default: MADTREE_PG_CONFIG, or the newest here)."),
]


def private_server() -> PrivateServer:
    return PrivateServer(say=lambda message: console.print(f"[dim]{message}[/dim]", soft_wrap=True))


@app.command()
def up(port: Port = None, pg_config: PgConfig = None) -> None:
    """Start your private PostgreSQL server; the last line printed is its connection URI."""
    print(private_server().up(port, pg_config))


@app.command()
def down() -> None:
    """Stop your private server. The data stays."""
    console.print("stopped" if private_server().down() else "was not running")


@app.command()
def status() -> None:
    """Say whether your private server runs, and how to reach it. Exit code 3 if it does not run."""
    found = private_server().status()
    state = f"running, process {found.pid}" if found.running else "down" if found.exists else "not created yet"
    print(f"server    {state}")
    print(f"home      {found.home}")
    if found.running:
        print(f"socket    {found.uri}")
        print(f"loopback  {found.tcp_uri}")
    raise typer.Exit(0 if found.running else 3)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def psql(context: typer.Context) -> None:
    """Open psql on your private server, starting it if it is down; further arguments go to psql."""
    server = private_server()
    uri, program = server.up(), str(server.psql())
    os.execv(program, [program, uri, *context.args])  # noqa: S606


app.command("demo")(demo_command)


@app.command()
def install(
    pg_config: PgConfig = None,
    destdir: Annotated[Path, typer.Option(help="Install below this directory, for packaging.")] = Path("/"),
) -> None:
    """Install the extension into a PostgreSQL of your own, as an administrator (like make install)."""
    installation = find_installation(pg_config)
    for path in install_files(installation, destdir):
        console.print(f"installed {path}", soft_wrap=True)
    console.print(f"Now, in a database of PostgreSQL {installation.major}: CREATE EXTENSION madtree CASCADE;")


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        print(f"madtree {__version__}")
        raise typer.Exit


def main() -> None:
    """The entry point: errors that we know how to explain are a message, not a traceback."""
    try:
        app()
    except (PrivateServerError, NoPostgresError, PermissionError, psycopg.Error) as error:
        console.print("[bold red]error:[/bold red]", end=" ")
        console.print(str(error), markup=False, soft_wrap=True)
        sys.exit(1)
