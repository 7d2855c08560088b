"""The private server's commands, psql, and installing the extension."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer
from psycopg.conninfo import conninfo_to_dict

from madtree.cli.connection import NAMING, check_dsn
from madtree.cli.exits import CommandError
from madtree.cli.options import Json, examples
from madtree.cli.output import as_json, say, text
from madtree.embedded import PrivateServer
from madtree.install import find_installation
from madtree.install import install as install_files

Port = Annotated[int | None, typer.Option(min=1, max=65535, help="TCP port on 127.0.0.1 (default: a free one).")]
PgConfig = Annotated[
    str | None,
    typer.Option(help="The pg_config of the PostgreSQL to use (default: MADTREE_PG_CONFIG, or the newest here)."),
]
NOT_RUNNING = 3
# libpq's variables, and the parts of a connection string that they are.
FINDING = {"PGHOST": "host", "PGPORT": "port", "PGDATABASE": "dbname", "PGUSER": "user"}


def private_server() -> PrivateServer:
    return PrivateServer(say=lambda message: say(message, style="dim"))


def up(port: Port = None, pg_config: PgConfig = None) -> None:
    """Start your private PostgreSQL server; the last line printed is its connection URI.

    All that it has is in the directory that the variable MADTREE_HOME names; without it in ~/.local/share/madtree, for
    root in /var/lib/madtree.
    """
    text(private_server().up(port, pg_config))


def down() -> None:
    """Stop your private server. The data stays."""
    say("stopped" if private_server().down() else "was not running")


def status(json: Json = False) -> None:
    """Say whether your private server runs, and how to reach it. Exit code 3 if it does not run."""
    found = private_server().status()
    if json:
        known = {"home": str(found.home), "exists": found.exists, "running": found.running, "pid": found.pid}
        as_json({**known, "uri": found.uri, "tcp_uri": found.tcp_uri})
    else:
        state = f"running, process {found.pid}" if found.running else "down" if found.exists else "not created yet"
        shown = [f"server    {state}", f"home      {found.home}"]
        if found.running:
            shown += [f"socket    {found.uri}", f"loopback  {found.tcp_uri}"]
        text("\n".join(shown))
    raise typer.Exit(0 if found.running else NOT_RUNNING)


def env(json: Json = False) -> None:
    """Print the variables by which psql, and all that uses libpq, find your private server: eval "$(madtree env)"."""
    found = private_server().status()
    if not found.running or found.uri is None:
        raise CommandError("your private server does not run", "'madtree up' starts it.", NOT_RUNNING)
    parts = conninfo_to_dict(found.uri)
    named = {variable: str(parts[key]) for variable, key in FINDING.items()}
    if json:
        as_json(named)
        return
    lines = [f"unset {name}" for name in NAMING if name not in named and os.environ.get(name)]
    text("\n".join([*lines, *(f"export {name}={shlex.quote(value)}" for name, value in named.items())]))


def psql(
    context: typer.Context,
    dsn: Annotated[str | None, typer.Option(metavar="URI", help="A server of your own.", show_default=False)] = None,
) -> None:
    """Open psql on the server that the other commands use; further arguments go to psql.

    Without --dsn and PG* variables that is your private server, which is started if it is down.
    """
    if dsn is None and not any(os.environ.get(name) for name in NAMING):
        server = private_server()
        words = [server.up(), *context.args]
        program: str | None = str(server.psql())
    else:
        words = [*([] if dsn is None else ["--dbname", check_dsn(dsn)]), *context.args]
        program = shutil.which("psql")
    if program is None or not Path(program).exists():
        raise CommandError("there is no psql here", "On Debian and Ubuntu: apt-get install postgresql-client")
    os.execv(program, [program, *words])  # noqa: S606


def install(
    pg_config: PgConfig = None,
    destdir: Annotated[Path, typer.Option(help="Install below this directory, for packaging.")] = Path("/"),
) -> None:
    """Install the extension into a PostgreSQL of your own, as an administrator (like make install)."""
    installation = find_installation(pg_config)
    for path in install_files(installation, destdir):
        say(f"installed {path}")
    say(installation.next_step)


def add_server_commands(app: typer.Typer, panel: str) -> None:
    """Register them."""
    passed_on = {"allow_extra_args": True, "ignore_unknown_options": True}
    for command, settings, shown in (
        (up, {}, ["$ madtree up", '$ psql "$(madtree up --port 5555 | tail -1)"']),
        (down, {}, ["$ madtree down"]),
        (status, {}, ["$ madtree status", "$ madtree status --json"]),
        (env, {}, ['$ eval "$(madtree env)"; psql']),
        (psql, passed_on, ["$ madtree psql", "$ madtree psql -c 'SELECT * FROM madtree.models'"]),
        (install, {}, ["$ sudo madtree install", "$ madtree install --pg-config /usr/pgsql-17/bin/pg_config"]),
    ):
        app.command(rich_help_panel=panel, context_settings=settings, epilog=examples(*shown))(command)
