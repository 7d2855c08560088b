"""A whole examination."""

from __future__ import annotations

import re
import shlex

import psycopg

from madtree.doctor.check_client import check_engine, check_path
from madtree.doctor.check_cluster import check_cluster
from madtree.doctor.check_extension import check_extension
from madtree.doctor.check_rights import check_rights
from madtree.doctor.check_server import check_server
from madtree.doctor.check_settings import check_settings
from madtree.doctor.facts import Finding, gather, ok, problem
from madtree.sqltext.quote import ident

_PLAIN = re.compile("[a-z_][a-z0-9_]*")
# What libpq says where there is no connection, and what helps. The first that matches counts.
CONNECTION_CURES = {
    r"password authentication failed|no password supplied|SCRAM": "Set PGPASSWORD, or write a line into ~/.pgpass.",
    r'database "(.*)" does not exist': "createdb {shell}; or name another database, psql -l lists them.",
    r'role "(.*)" does not exist': "As a superuser: CREATE ROLE {sql} LOGIN; or name another user.",
    r"Peer authentication failed": "Connect as the database user of your own name, or over TCP: host=localhost.",
    r"no pg_hba.conf entry": "Add a line for this host, user and database to the server's pg_hba.conf, then reload.",
    r"too many clients|connection slots": "Close other sessions, or raise max_connections and restart the server.",
    r"system is (starting up|shutting down|in recovery)": "Wait a moment and try again.",
    r"SSL|certificate": "Look at sslmode, sslrootcert and sslcert in the DSN.",
    r"Connection refused|No such file": "Start the server, or correct host and port; 'madtree up' starts your own.",
    r"resolve|translate host name|Name or service": "Correct the host's name in the DSN or in PGHOST.",
    r"timeout|timed out|No route|unreachable": "See that the network and its firewalls let this machine through.",
}


def examine(connection: psycopg.Connection, schema: str | None = None, engine: str = "auto") -> list[Finding]:
    """Look at everything that madtree needs, in an order in which the cures can be applied.

    Args:
        connection: a session as the user who is to work with madtree, outside a transaction. It is left as it was.
        schema: where models are to be made; None for the first schema of the search path.
        engine: who is to do the work: auto, extension or client.
    """
    facts = gather(connection, schema, engine)
    info = connection.info
    where = f"{info.host or 'the local socket'}, port {info.port}"
    return [
        ok("connection", f"connected to {info.dbname} as {info.user} ({where})"),
        *check_path(facts),
        *check_server(facts),
        check_engine(facts),
        *check_extension(facts),
        *check_rights(facts, schema),
        *check_settings(facts),
        *check_cluster(facts),
    ]


def examine_failed_connection(message: str, hint: str | None = None) -> list[Finding]:
    """The one finding where there is no connection; `message` is libpq's, without passwords."""
    for pattern, cure in CONNECTION_CURES.items():
        if match := re.search(pattern, message):
            name = match[1] if match.groups() else ""  # that the server says
            hint = cure.format(shell=shlex.quote(name), sql=name if _PLAIN.fullmatch(name) else ident(name))
            break
    return [problem("connection", message, hint)]
