"""The commands that are declared with the function that they call."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import psycopg
import typer

from madtree.cli.declared import Given, with_options_of
from madtree.cli.options import Dsn, Json, examples
from madtree.cli.output import answer, rows, without_empty
from madtree.cli.session import session
from madtree.host.psycopg import as_host
from madtree.interface import FUNCTIONS, Function, command_line
from madtree.model import find_to_show
from madtree.sqltext import explain as explain_sql
from madtree.sqltext import report as report_sql
from madtree.sqltext.tuning import beside

_Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Print the server's lines of progress.", rich_help_panel=command_line.OUTPUT),
]


def plain_command(function: Function) -> Callable[..., None]:
    """The command of a function that answers at once: by a line, or by rows."""
    declared = function.command
    assert declared is not None

    def command(given: Given, dsn: Dsn = None, json: Json = False) -> None:
        arguments = given.of(function.name)
        with session(dsn) as opened:
            ask = opened.call if function.returns_rows else opened.line
            said = ask(function.name, arguments, declared.doing)
        if isinstance(said, str):
            known = {name: function.defaults.get(name) if value is None else value for name, value in arguments.items()}
            answer(said, {fact: known[name] for fact, name in declared.facts.items()}, json=json)
        else:
            rows(said if json else without_empty(said), json, empty=declared.empty)

    command.__doc__ = declared.help
    return with_options_of(function.name)(command)


def training_command(function: Function) -> Callable[..., None]:
    """The command of a function that trains."""
    declared = function.command
    assert declared is not None
    depth = declared.depth

    def command(given: Given, verbose: _Verbose = False, dsn: Dsn = None, json: Json = False) -> None:
        # Lines of progress move the bar, and let a cancel in.
        arguments = {**given.of(function.name), "verbose": True}
        levels = {"max_depth": arguments[depth] or function.defaults[depth]} if depth else {}
        with session(dsn) as opened:
            began = time.monotonic()
            said = opened.line(function.name, arguments, declared.doing, verbose=verbose, **levels)
            took = time.monotonic() - began
            made = beside(given["model"], declared.model_suffix)
            figures = opened.run(lambda: _trained(opened.connection, made), "reading") if json else {}
        scores = {} if made == given["model"] else {"scores": given["model"]}
        answer(said, {"model": made, **scores, **figures, "seconds": round(took, 2)}, json=json)

    command.__doc__ = declared.help
    return with_options_of(function.name)(command)


def _trained(connection: psycopg.Connection, name: str) -> dict[str, Any]:
    """What was trained, as numbers: read from the model."""
    host = as_host(connection)
    shown = find_to_show(host, name)
    model = shown.model
    (totals,) = host.query(report_sql.totals(*shown.tables.at))
    error = {}
    if model.kind.unseen_in is not None and not model.grouping_columns:
        (whole,) = host.query(
            explain_sql.described_groups(*shown.tables.at, [], model.kind, len(model.features), model.n_scores)
        )
        error = {} if whole["oob_error"] is None else {"oob_error": whole["oob_error"]}
    return {
        "kind": "classification" if model.is_classification else "regression",
        "rows": model.summary["total_rows_processed"],
        "trees": totals["trained"],
        "leaves": totals["leaves"],
        **error,
    }


def commands(*, trains: bool) -> dict[str, tuple[Callable[..., None], str]]:
    """By their names the commands with their epilogs: those that train and tell how far they are, or the others."""
    made = training_command if trains else plain_command
    return {
        each.command.name: (made(each), examples(*(f"$ {line}" for line in each.command.examples)))
        for each in FUNCTIONS.values()
        if each.command and trains == ("verbose" in each.defaults)
    }
