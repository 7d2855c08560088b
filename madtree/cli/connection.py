"""Which server a command talks to, and opening a session on it without ever telling a password."""

from __future__ import annotations

import os
import re

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from madtree.cli.exits import NO_CONNECTION, USAGE, CommandError
from madtree.embedded import PrivateServer, PrivateServerError
from madtree.records import dataclass

# The variables that name a server; others (PGPASSWORD, PGSSLMODE, ...) only say how to reach it.
NAMING = ("PGSERVICE", "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER")
CONNECT_TIMEOUT = "10"
# postgresql://user:password@..., as libpq reads it: neither user nor password may hold / or @ as they are.
CREDENTIALS = re.compile(r"^(?P<scheme>postgres(?:ql)?://)(?:[^@/]*@)?(?P<rest>.*)$", re.DOTALL)
SQLALCHEMY = re.compile(r"^(postgres(?:ql)?)\+\w+://")
PREFIX = re.compile(r"^connection (failed|is bad): ")  # psycopg's, before libpq's own sentence
SHAPES = "Write postgresql://user@host:5432/database, or 'host=... port=5432 dbname=... user=...'."


@dataclass(frozen=True)
class Target:
    """A server to talk to: its connection string, and how it came to be chosen."""

    conninfo: str
    chosen_by: str

    @property
    def password(self) -> str | None:
        return conninfo_to_dict(self.conninfo).get("password")  # type: ignore[return-value]

    def hide(self, message: str) -> str:
        """A message without this target's password."""
        return message.replace(self.password, "***") if self.password else message


def resolve(dsn: str | None) -> Target:
    """The server that `dsn` names; else the one that PG* variables name; else the private server.

    Raises:
        CommandError: the DSN cannot be read, or there is no private server that runs.
    """
    if dsn is not None:
        return Target(check_dsn(dsn), "--dsn")
    if named := [name for name in NAMING if os.environ.get(name)]:
        return Target("", ", ".join(named))
    try:
        server = PrivateServer().status()
    except PrivateServerError as error:
        raise CommandError(" ".join(error.message.split()), error.hint, NO_CONNECTION) from error
    if server.running and server.uri:
        return Target(server.uri, f"private server in {server.home}")
    state = f"your private server in {server.home} is down" if server.exists else "you have no private server yet"
    raise CommandError(
        f"no server to talk to: there is no --dsn, no PG* variable names one, and {state}",
        "'madtree up' starts a private server; --dsn postgresql://user@host/database names one of your own.",
        NO_CONNECTION,
    )


def check_dsn(dsn: str, option: str = "--dsn") -> str:
    """The DSN as libpq takes it. Libpq's own complaint would quote the part it stumbles over, perhaps a password."""
    dsn = SQLALCHEMY.sub(r"\1://", dsn.strip())
    uri = CREDENTIALS.match(dsn)
    if uri and "@" in uri["rest"]:
        raise CommandError(
            f"{option} has one @ too many", "In a password, write @ as %40, / as %2F and % as %25.", USAGE
        )
    try:
        conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        raise CommandError(f"{option} cannot be read", SHAPES, USAGE) from None
    return dsn


def connect(target: Target, connect_timeout: str = CONNECT_TIMEOUT) -> psycopg.Connection:
    """A session in autocommit mode.

    Raises:
        CommandError: the server cannot be reached or lets nobody in.
    """
    # UTF-8 whatever the database has: where that is SQL_ASCII, text would come as bytes.
    defaults = {"fallback_application_name": "madtree", "client_encoding": "UTF8"}
    if "PGCONNECT_TIMEOUT" not in os.environ:
        defaults["connect_timeout"] = connect_timeout
    conninfo = make_conninfo(target.conninfo, **{**defaults, **given(target.conninfo)})
    try:
        return psycopg.connect(conninfo, autocommit=True, prepare_threshold=None)  # a pooler may be in between
    except psycopg.OperationalError as error:
        sentence = "; ".join(map(str.strip, target.hide(str(error)).splitlines()))
        sentence = PREFIX.sub("", sentence)
        raise CommandError(
            f"no connection: {sentence}",
            f"The server was chosen by {target.chosen_by}. 'madtree doctor' looks for the cause.",
            NO_CONNECTION,
        ) from None


def given(conninfo: str) -> dict[str, str]:
    return {name: str(value) for name, value in conninfo_to_dict(conninfo).items() if value is not None}
