"""Sessions of psql, Python and bash that are given one block of code after another and say what each printed."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Timer

from psycopg.conninfo import conninfo_to_dict

# Reads blocks as Python literals, one a line, and runs them in one namespace.
PYTHON = """
import ast, sys
names = {"__name__": "__main__"}
for line in sys.stdin:
    exec(compile(ast.literal_eval(line), "<example>", "exec"), names)
    sys.stdout.flush()
"""
# How each language is told a block of code, and to print a mark behind what it prints.
MARKS: dict[str, Callable[[str, str], str]] = {
    "sql": lambda code, mark: f"{code}\\echo '{mark}'\n",
    "python": lambda code, mark: f"{code!r}\n{f'print({mark!r})'!r}\n",
    "shell": lambda code, mark: f"{code}echo '{mark}'\n",
}
LONGEST = 120.0  # seconds that a block may take
VARIABLES = {"host": "PGHOST", "port": "PGPORT", "dbname": "PGDATABASE", "user": "PGUSER", "password": "PGPASSWORD"}


class Session:
    """A program that reads code from its standard input.

    Args:
        errors_shown: whether the reader of a page sees standard error among the output.
    """

    def __init__(
        self, language: str, command: list[str], where: Path, environment: Mapping[str, str], errors_shown: bool
    ) -> None:
        self._language = language
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if errors_shown else self._errors,
            text=True,
            cwd=where,
            env=dict(environment),
            start_new_session=True,  # so that what it has started ends with it
        )

    def run(self, code: str) -> str:
        """What the code prints.

        Raises:
            AssertionError: it fails or does not end, which ends the session.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin
        assert stdout
        mark = f"end of example {secrets.token_hex(8)}"
        stdin.write(MARKS[self._language](code, mark))
        stdin.flush()
        lines = []
        watchdog = Timer(LONGEST, os.killpg, (self._process.pid, signal.SIGKILL))
        watchdog.start()
        try:
            for line in stdout:
                if line.endswith(f"{mark}\n"):  # behind an output without a newline at its end, too
                    return "".join([*lines, line.removesuffix(f"{mark}\n")])
                lines.append(line)
        finally:
            watchdog.cancel()
        self._errors.seek(0)
        raise AssertionError(f"an example fails:\n{code}\n{''.join(lines)}{self._errors.read()}")

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()


def open_session(language: str, dsn: str, schema: str, where: Path, more: Mapping[str, str]) -> Session:
    """A session of a language, whose unqualified names are made in `schema` of the database."""
    environment = {**os.environ, **_environment(dsn, schema), **more}
    if language == "sql":
        del environment["PGOPTIONS"]  # which PgBouncer does not take
        session = Session(
            "sql", ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-P", "pager=off"], where, environment, False
        )
        session.run(f"SET search_path = {schema}, public, madtree;\nSET client_min_messages = warning;\n")
        return session
    if language == "python":
        return Session("python", [sys.executable, "-c", PYTHON], where, environment, False)
    return Session("shell", ["bash", "-e", "-o", "pipefail"], where, environment, True)


def _environment(dsn: str, schema: str) -> dict[str, str]:
    """What reaches the database without a DSN, and programs of this environment without a path."""
    given = conninfo_to_dict(dsn)
    known = {VARIABLES[key]: str(value) for key, value in given.items() if key in VARIABLES}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    options = f"-c search_path={schema},public,madtree".replace('"', '\\"')
    return {**known, "PGOPTIONS": options, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
