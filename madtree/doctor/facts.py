"""What the doctor says, and what it asks of the server: read-only, each question by itself, so that one refusal hides
no other answer."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import platform
from collections.abc import Iterable
from dataclasses import field
from enum import Enum
from typing import Any

import psycopg
from psycopg.rows import dict_row

from madtree.records import dataclass
from madtree.sqltext.catalog import HAS_INTERNAL
from madtree.sqltext.quote import INTERNAL


class Status(str, Enum):
    """How bad a finding is. A problem keeps madtree from working; with a warning it works worse than it could."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One thing looked at.

    Attributes:
        check: what was looked at, a short fixed name.
        status: how it is.
        message: what was found, one sentence.
        cure: what to do about it, an exact command where there is one; None where nothing needs doing.
    """

    check: str
    status: Status
    message: str
    cure: str | None = None


def ok(check: str, message: str) -> Finding:
    return Finding(check, Status.OK, message)


def warning(check: str, message: str, cure: str | None) -> Finding:
    return Finding(check, Status.WARNING, message, cure)


def problem(check: str, message: str, cure: str | None) -> Finding:
    return Finding(check, Status.PROBLEM, message, cure)


def worst(findings: Iterable[Finding]) -> Status:
    """The worst status among findings."""
    return max((finding.status for finding in findings), key=list(Status).index, default=Status.OK)


SERVER = """
    SELECT pg_catalog.current_setting('server_version_num')::pg_catalog.int4 AS version_num,
        pg_catalog.current_setting('server_version') AS version,
        pg_catalog.version() AS build,
        pg_catalog.quote_ident(pg_catalog.current_database()) AS database,
        pg_catalog.quote_ident(current_user) AS "user",
        r.rolsuper AS superuser,
        pg_catalog.pg_is_in_recovery() AS in_recovery,
        pg_catalog.current_setting('default_transaction_read_only')::pg_catalog.bool AS read_only
    FROM pg_catalog.pg_roles AS r WHERE r.rolname OPERATOR(pg_catalog.=) current_user
"""
EXTENSIONS = f"""
    SELECT wanted.name, a.default_version AS available, e.extversion AS installed,
        n.nspname::pg_catalog.text AS schema, {HAS_INTERNAL} AS callable
    FROM (VALUES ('plpython3u'), ('madtree'), ('citus')) AS wanted (name)
    LEFT JOIN pg_catalog.pg_available_extensions AS a ON a.name OPERATOR(pg_catalog.=) wanted.name
    LEFT JOIN pg_catalog.pg_extension AS e ON e.extname OPERATOR(pg_catalog.=) wanted.name
    LEFT JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
"""
SETTINGS = """
    SELECT name::pg_catalog.text, reset_val::pg_catalog.text AS setting, unit::pg_catalog.text
    FROM pg_catalog.pg_settings WHERE name OPERATOR(pg_catalog.=) ANY (%s)
"""
SETTING_NAMES = [
    "citus.shard_count", "jit", "max_parallel_workers", "max_parallel_workers_per_gather", "max_worker_processes",
    "search_path", "shared_buffers", "statement_timeout", "work_mem",
]  # fmt: skip
# Settings and roles that only a cloud's own PostgreSQL has.
CLOUD = """
    SELECT ARRAY(SELECT name::pg_catalog.text FROM pg_catalog.pg_settings
                 WHERE name OPERATOR(pg_catalog.~)
                     '^(rds|aurora|cloudsql|alloydb|azure|neon|supabase|supautils)[._]') AS settings,
        ARRAY(SELECT rolname::pg_catalog.text FROM pg_catalog.pg_roles) AS roles
"""
# A function that the extension itself keeps from PUBLIC is for administrators, and nobody else lacks it.
MADTREE_RIGHTS = """
    SELECT pg_catalog.quote_ident(n.nspname) AS schema,
        pg_catalog.has_schema_privilege(n.oid, 'USAGE') AS usage,
        COALESCE(f.execute, true) AS execute, COALESCE(f.administrators, '{}') AS administrators
    FROM pg_catalog.pg_namespace AS n
    CROSS JOIN LATERAL (
        SELECT pg_catalog.bool_and(pg_catalog.has_function_privilege(p.oid, 'EXECUTE')) FILTER (WHERE i.objoid IS NULL)
                AS execute,
            pg_catalog.array_agg(pg_catalog.format(
                '%%I.%%I(%%s)', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)
            )) FILTER (
                WHERE i.objoid IS NOT NULL AND NOT pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
            ) AS administrators
        FROM pg_catalog.pg_proc AS p
        LEFT JOIN pg_catalog.pg_init_privs AS i
            ON i.objoid OPERATOR(pg_catalog.=) p.oid
            AND i.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
        WHERE p.pronamespace OPERATOR(pg_catalog.=) n.oid
    ) AS f
    WHERE n.nspname OPERATOR(pg_catalog.=) ANY (%s) ORDER BY n.nspname
"""
TARGET = """
    SELECT pg_catalog.quote_ident(n.nspname) AS schema,
        pg_catalog.has_schema_privilege(n.oid, 'USAGE') AS usage,
        pg_catalog.has_schema_privilege(n.oid, 'CREATE') AS "create"
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname OPERATOR(pg_catalog.=) COALESCE(%s, pg_catalog.current_schema())
"""
DATABASE = """
    SELECT pg_catalog.current_schemas(false)::pg_catalog.text[] AS schemas,
        pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMP') AS temp,
        pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') AS "create"
"""
PROCESS = "SELECT pg_catalog.pg_backend_pid() AS pid"
# Of each worker of a Citus cluster: what it answers to a statement, or why it does not.
ON_WORKERS = """
    SELECT nodename::pg_catalog.text OPERATOR(pg_catalog.||) ':' OPERATOR(pg_catalog.||) nodeport::pg_catalog.text
        AS node, success, result FROM pg_catalog.run_command_on_workers(%s) ORDER BY nodename, nodeport
"""
_SERVER_INFO = f"{INTERNAL}.server_info()"
ON_WORKER = f"""
    SELECT pg_catalog.json_build_object('jit', pg_catalog.current_setting('jit'), 'madtree', (
        SELECT e.extversion FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'madtree'
    ), 'answers', EXISTS (
        SELECT FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'madtree' AND {HAS_INTERNAL}
    ))
"""
# Where madtree is not there yet, a superuser can still look at its interpreter.
LOOK_AT_PYTHON = """
import json
import platform
import sys
facts = {"python_version": platform.python_version(), "python_prefix": sys.prefix}
try:
    import numpy
    facts["numpy_version"], facts["numpy_path"] = numpy.__version__, numpy.__file__
except ImportError as error:
    facts["numpy_error"] = str(error)
plpy.info("madtree doctor: " + json.dumps(facts))
"""


@dataclass
class ServerFacts:
    """Answers by question; a question that the server refused to answer has its words in `refused`.

    Of each worker of a Citus cluster there is its `node`, and either an `error` or what `ON_WORKER` tells, and in
    `python` what `server_info` does, or its `error`; of none where one lacks madtree. `client` is of this
    process: its `python`, its `numpy` or None, and the `engine` that was asked for. `path` is of what lies in between:
    `pooled`, `ssl`, `sslmode`, and whether it is `local`.
    """

    server: dict[str, Any] = field(default_factory=dict)
    extensions: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    cloud: dict[str, Any] = field(default_factory=dict)
    madtree_rights: list[dict[str, Any]] = field(default_factory=list)
    target: dict[str, Any] = field(default_factory=dict)
    database: dict[str, Any] = field(default_factory=dict)
    python: dict[str, Any] = field(default_factory=dict)
    workers: list[dict[str, Any]] = field(default_factory=list)
    client: dict[str, Any] = field(default_factory=dict)
    path: dict[str, Any] = field(default_factory=dict)
    refused: dict[str, psycopg.errors.Diagnostic] = field(default_factory=dict)


def gather(connection: psycopg.Connection, schema: str | None, engine: str = "auto") -> ServerFacts:
    """Ask everything. `schema` is where models are to be made; None for the first schema of the search path."""
    facts = ServerFacts(client={"engine": engine, "python": platform.python_version(), "numpy": _own_numpy()})

    def ask(question: str, sql: str, *parameters: Any) -> list[dict[str, Any]]:
        try:
            with connection.transaction(force_rollback=True), connection.cursor(row_factory=dict_row) as cursor:
                cursor.execute("SET LOCAL transaction_read_only = on")
                cursor.execute("SET LOCAL statement_timeout = '20s'")
                if question == "workers":  # that function of Citus's has no schemas in its names
                    cursor.execute("SET LOCAL search_path TO pg_catalog")
                cursor.execute(sql, parameters or None)
                return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            if connection.closed:
                raise
            facts.refused[question] = error.diag
            return []

    def first(question: str, sql: str, *parameters: Any) -> dict[str, Any]:
        return next(iter(ask(question, sql, *parameters)), {})

    facts.server = first("server", SERVER)
    facts.extensions = {row["name"]: row for row in ask("extensions", EXTENSIONS)}
    facts.settings = {row["name"]: row for row in ask("settings", SETTINGS, SETTING_NAMES)}
    facts.cloud = first("cloud", CLOUD)
    facts.target = first("target", TARGET, schema)
    facts.database = first("database", DATABASE)
    if process := first("process", PROCESS):
        facts.path = _path(connection, int(process["pid"]))
    madtree, language = facts.extensions.get("madtree", {}), facts.extensions.get("plpython3u", {})
    if madtree.get("callable"):
        facts.madtree_rights = ask("madtree_rights", MADTREE_RIGHTS, [madtree["schema"], INTERNAL])
        facts.python = first("python", f"SELECT {_SERVER_INFO} AS found").get("found", {})
        if facts.extensions.get("citus", {}).get("installed"):
            facts.workers = _look_at_workers(ask)
    elif language.get("installed") and facts.server.get("superuser"):
        facts.python = _look_at_python(connection, ask)
    return facts


def _own_numpy() -> str | None:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version("numpy")
    return None


def _path(connection: psycopg.Connection, pid: int) -> dict[str, Any]:
    """`pid`: of the process that answers; a pooler tells its clients of a process that there is not."""
    info = connection.info
    host = info.hostaddr or info.host
    return {
        "pooled": pid != info.backend_pid,
        "ssl": bool(connection.pgconn.ssl_in_use),
        "sslmode": info.get_parameters().get("sslmode", "prefer"),
        "local": not host or host.startswith(("/", "@", "127.")) or host in ("localhost", "::1"),
    }


def _look_at_workers(ask: Any) -> list[dict[str, Any]]:
    rows = ask("workers", ON_WORKERS, ON_WORKER)
    workers = [
        {"node": row["node"], **(json.loads(row["result"]) if row["success"] else {"error": row["result"]})}
        for row in rows
    ]
    # Citus asks all or none, and where the extension is not, a function of that name may be anybody's.
    if all(worker.get("answers") for worker in workers):
        pythons = {row["node"]: row for row in ask("workers", ON_WORKERS, f"SELECT {_SERVER_INFO}")}
        for worker in workers:
            found = pythons.get(worker["node"], {"success": False, "result": "it does not answer"})
            worker["python"] = json.loads(found["result"]) if found["success"] else {"error": found["result"]}
    return workers


def _look_at_python(connection: psycopg.Connection, ask: Any) -> dict[str, Any]:
    """The interpreter, by an anonymous block that answers with a message."""
    found: dict[str, Any] = {}

    def listen(diagnostic: psycopg.errors.Diagnostic) -> None:
        name, _, answer = (diagnostic.message_primary or "").partition("madtree doctor: ")
        if answer and not name:
            found.update(json.loads(answer))

    connection.add_notice_handler(listen)
    try:
        ask("python", f"DO LANGUAGE plpython3u $madtree_doctor${LOOK_AT_PYTHON}$madtree_doctor$")
    finally:
        connection.remove_notice_handler(listen)
    return found
