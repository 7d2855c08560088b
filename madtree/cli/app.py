"""The command line: its commands, and what becomes of errors."""

from __future__ import annotations

import gc
import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import psycopg
import typer
from typer.core import TyperGroup

from madtree import __version__
from madtree.cli import doctor, explain, export, functions, manage, measure, predict, report, show
from madtree.cli.demo import demo_command
from madtree.cli.escapes import escaped_line
from madtree.cli.exits import HELP, NO_CONNECTION, REFUSED, USAGE, CommandError, InterruptError
from madtree.cli.options import FLAGS, Connections, Dsn, Engine, EngineName, ModelDsn, examples
from madtree.cli.output import fail, let_go, say, text
from madtree.cli.server import add_server_commands
from madtree.cli.session import CONNECTIONS, ENGINE, MODEL_DSN
from madtree.embedded import PrivateServerError
from madtree.errors import MadtreeError
from madtree.host.psycopg import LostConnectionError, hint_of, is_lost
from madtree.install import NoPostgresError

RAISED_BY = re.compile(r"^(madtree|spiexceptions\.\w+|plpy\.\w+): ")  # who speaks; an older server names classes, too
MODELS, SERVERS = "Models", "Servers"


class Commands(TyperGroup):
    """All commands. Of a wrong word is said which one it is and which would be right, without a library's name of such
    an error.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with _plain_refusals():
            return list(super().parse_args(ctx, args))

    def invoke(self, ctx: Any) -> Any:
        with _plain_refusals():
            return super().invoke(ctx)


@contextmanager
def _plain_refusals() -> Iterator[None]:
    try:
        yield
    except typer.BadParameter as error:
        error.message = error.message.removeprefix("Value error, ")  # pydantic's, in newer versions of typer
        raise


app = typer.Typer(
    cls=Commands,
    name="madtree",
    help="Decision trees and ensembles of them inside PostgreSQL. Start with: madtree up, then madtree demo.",
    epilog=HELP,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
# In the order in which the help lists them.
commands: dict[str, tuple[Callable[..., None], str]] = {
    **functions.commands(trains=True),
    "predict": (predict.predict_command, predict.EPILOG),
    "show": (show.show_command, show.EPILOG),
    "evaluate": (measure.evaluate_command, measure.EVALUATE_EPILOG),
    "explain": (explain.explain_command, explain.EPILOG),
    **functions.commands(trains=False),
    "importance": (explain.importance_command, explain.IMPORTANCE_EPILOG),
    "drift": (measure.drift_command, measure.DRIFT_EPILOG),
    "alias": (manage.alias_command, manage.ALIAS_EPILOG),
    "export": (export.export_command, export.EPILOG),
    "report": (report.report_command, report.EPILOG),
    "models": (manage.models_command, manage.MODELS_EPILOG),
    "drop": (manage.drop_command, manage.DROP_EPILOG),
}
for name, (command, epilog) in commands.items():
    app.command(name, epilog=epilog, rich_help_panel=MODELS)(command)
add_server_commands(app, SERVERS)
app.command("doctor", epilog=doctor.EPILOG, rich_help_panel=SERVERS)(doctor.doctor_command)
app.command("demo", epilog=examples("$ madtree demo"), rich_help_panel=SERVERS)(demo_command)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    dsn: Dsn = None,
    engine: Engine = EngineName.AUTO,
    connections: Connections = None,
    model_dsn: ModelDsn = None,
) -> None:
    ENGINE.set(engine.value)
    CONNECTIONS.set(connections)
    MODEL_DSN.set(model_dsn)
    if version:
        text(f"madtree {__version__}")
        raise typer.Exit
    if dsn is not None and context.invoked_subcommand is None:
        raise CommandError("--dsn is there, but no command", "See madtree --help.", USAGE)
    name = context.invoked_subcommand
    command = name and context.command.get_command(context, name)  # type: ignore[attr-defined]
    if command:
        parameters = [each for each in command.params if each.param_type_name == "option"]
        FLAGS.set({each.name: (each.opts[0], "".join(each.secondary_opts[:1])) for each in parameters})
    if dsn is not None and name is not None:
        pass_on_dsn(context, name, command, dsn)


def pass_on_dsn(context: typer.Context, name: str, command: Any, dsn: str) -> None:
    """Make a --dsn before the command of that name the default of its own.

    Raises:
        CommandError: the command talks to no server that could be named.
    """
    if command is not None and not any(parameter.name == "dsn" for parameter in command.params):
        raise CommandError(f"madtree {name} takes no --dsn", f"See madtree {name} --help.", USAGE)
    context.default_map = {**(context.default_map or {}), name: {"dsn": dsn}}


def main() -> None:
    """The entry point: errors that we know how to explain are a sentence and a hint, not a traceback."""
    gc.freeze()  # all modules: else the end of the process would walk them once more
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name that the terminal's encoding lacks is no reason to stop
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except CommandError as error:
        fail(escaped_line(error.message), error.hint)
        sys.exit(error.code)
    except InterruptError as error:
        if error.message:
            say(error.message)
        let_go()
        sys.exit(error.code)
    except (PrivateServerError, NoPostgresError) as error:  # their sentences may have several lines
        fail(error.message, error.hint)
        sys.exit(REFUSED)
    except LostConnectionError as error:
        fail(escaped_line(error.message), error.hint)
        sys.exit(NO_CONNECTION)
    except MadtreeError as error:  # found by the part of madtree that runs here
        fail(escaped_line(error.message), error.hint or _hint_of(error.message, error.sqlstate))
        sys.exit(REFUSED)
    except psycopg.Error as error:
        sys.exit(server_error(error))
    except PermissionError as error:
        fail(f"{error.filename or error}: permission denied", "Run it as an administrator, with sudo for example.")
        sys.exit(REFUSED)


def _hint_of(message: str, sqlstate: str | None) -> str | None:
    is_of_madtree = sqlstate in ("3F000", "42883") and "madtree" in message
    return "'madtree doctor' says what is missing on this server." if is_of_madtree else None


def server_error(error: psycopg.Error) -> int:
    """Print the server's own sentence, detail and hint; returns the exit code."""
    primary = error.diag.message_primary
    message = RAISED_BY.sub("", primary or " ".join(str(error).split()) or type(error).__name__)
    hint = error.diag.message_hint or hint_of(error) or _hint_of(message, error.sqlstate)
    fail("\n".join([escaped_line(message), *filter(None, [error.diag.message_detail])]), hint)
    return NO_CONNECTION if is_lost(error) else REFUSED
