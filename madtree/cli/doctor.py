"""`madtree doctor`: what keeps madtree from working on a server, and what helps."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from madtree import __version__
from madtree.cli.exits import NO_CONNECTION, OK, REFUSED, USAGE, CommandError
from madtree.cli.options import Dsn, Json, examples
from madtree.cli.output import as_json, lines
from madtree.cli.session import ENGINE, session
from madtree.doctor import Finding, Status, examine, examine_failed_connection, worst
from madtree.wording import count_text

STYLES = {Status.OK: "green", Status.WARNING: "yellow", Status.PROBLEM: "bold red"}

EPILOG = examples(
    "$ madtree doctor",
    "$ madtree doctor --dsn postgresql://ada@db.example.org/flights",
    "$ madtree doctor --json | jq '.findings[] | select(.status != \"ok\")'",
)


def doctor_command(
    schema: Annotated[
        str | None, typer.Option(help="Schema where models are to be made (default: the first of the search path).")
    ] = None,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Look into a server that is to run madtree; each finding comes with a cure. Changes nothing.

    Exit code 0: it works, perhaps with warnings; 1: there are problems; 3: no connection.
    """
    code = OK
    try:
        with session(dsn) as opened:
            findings = examine(opened.connection, schema, ENGINE.get())
    except CommandError as error:
        if error.code == USAGE:
            raise
        findings, code = examine_failed_connection(error.message, error.hint), NO_CONNECTION
    status = worst(findings)
    if json:
        as_json(
            {
                "client_version": __version__,
                "status": status.value,
                "findings": [
                    {"check": f.check, "status": f.status.value, "message": f.message, "cure": f.cure} for f in findings
                ],
            }
        )
    else:
        show(findings)
    raise typer.Exit(code or (REFUSED if status is Status.PROBLEM else OK))


def show(findings: list[Finding]) -> None:
    """Findings line by line, cures below theirs, a count at the end."""
    width = max(len(finding.check) for finding in findings)
    lines_of_findings = []
    for finding in findings:
        word = Text(f"{finding.status.value:<9}", style=STYLES[finding.status])
        lines_of_findings.append(Text.assemble(word, (f"{finding.check:<{width}}  ", "bold"), finding.message))
        if finding.cure:
            lines_of_findings.append(Text.assemble(" " * 9, ("cure: ", "bold"), finding.cure))
    counts = [(sum(f.status is status for f in findings), status.value) for status in reversed(Status)]
    parts = [count_text(n, word) for n, word in counts if n and word != "ok"]
    lines(Console(highlight=False), [*lines_of_findings, Text(", ".join(parts) or "all is well")])
