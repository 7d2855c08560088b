"""The command line: its commands, and what becomes of errors."""

from __future__ import annotations

import sys
from typing import Annotated

import psycopg
import typer

from madtree import __version__
from madtree.cli.demo import demo_command
from madtree.cli.doctor import EPILOG as DOCTOR_EPILOG
from madtree.cli.doctor import doctor_command
from madtree.cli.exits import HELP, NO_CONNECTION, REFUSED, CommandError, InterruptError
from madtree.cli.output import fail, say
from madtree.cli.server import add_server_commands
from madtree.embedded import PrivateServerError
from madtree.install import NoPostgresError

app = typer.Typer(
    name="madtree",
    help="Decision trees inside PostgreSQL. Start with: madtree up, then madtree demo.",
    epilog=HELP,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
add_server_commands(app)
app.command("doctor", epilog=DOCTOR_EPILOG, rich_help_panel="Servers")(doctor_command)
app.command("demo", rich_help_panel="Servers")(demo_command)


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        print(f"madtree {__version__}")
        raise typer.Exit


def main() -> None:
    """The entry point: errors that we know how to explain are a sentence and a hint, not a traceback."""
    try:
        app()
    except CommandError as error:
        fail(error.message, error.hint)
        sys.exit(error.code)
    except InterruptError as error:
        say(error.message)
        sys.exit(error.code)
    except psycopg.Error as error:
        sys.exit(server_error(error))
    except (PrivateServerError, NoPostgresError, PermissionError) as error:
        fail(str(error))
        sys.exit(REFUSED)


def server_error(error: psycopg.Error) -> int:
    """The server's own sentence, detail and hint."""
    said = error.diag.message_primary
    lost = isinstance(error, psycopg.OperationalError) and (said is None or (error.sqlstate or "").startswith("57P"))
    message = (said or str(error).strip() or type(error).__name__).removeprefix("madtree: ")
    fail("\n".join([message, *filter(None, [error.diag.message_detail])]), error.diag.message_hint)
    return NO_CONNECTION if lost else REFUSED
