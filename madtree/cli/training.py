"""The commands that train: their options are the arguments of the server's functions, as these are declared."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Annotated, Any

import psycopg
import typer

from madtree.cli.options import FLAGS, OUTPUT, Dsn, Json, examples
from madtree.cli.output import answer
from madtree.cli.session import session
from madtree.host.psycopg import as_host
from madtree.interface import FUNCTIONS, Argument, Function, OneOf
from madtree.model import find_to_show
from madtree.sqltext import explain as explain_sql
from madtree.sqltext import report as report_sql
from madtree.sqltext.tuning import beside

_TYPES = {"text": str, "integer": int, "bigint": int, "double precision": float, "boolean": bool}
_ALL_FEATURES = "*"
_Source = Annotated[str, typer.Argument(help="Table or view to train on.", show_default=False)]
_NewModel = Annotated[str, typer.Argument(help="Name of the model, and of its tables.", show_default=False)]


def training_command(function: Function) -> Callable[..., None]:
    """The command that is declared with a function, with an option for each of its arguments that has a flag."""
    declared = function.command
    assert declared is not None
    depth = declared.depth
    options = {_parameter(each): each for each in function.options if each.flag}
    flags = {each.name: (on, off) for each in options.values() for on, _, off in [_names(each)[0].partition("/")]}
    flags |= {"training_table_name": ("table", ""), "output_table_name": ("model", "")}

    def command(table: str, model: str, verbose: bool, dsn: str | None, json: bool, **given: Any) -> None:
        values = {each.name: _value(given[name]) for name, each in options.items()}
        FLAGS.set(flags)
        # Lines of progress move the bar, and let a cancel in.
        arguments = {"training_table_name": table, "output_table_name": model, "verbose": True}
        arguments |= {
            each.name: pairs({key.name: values[key.name] for key in each.keys}) if each.keys else values[each.name]
            for each in function.arguments
            if each.keys or each.name in values
        }
        levels = {"max_depth": arguments[depth] or function.defaults[depth]} if depth else {}
        with session(dsn) as opened:
            began = time.monotonic()
            said = opened.line(function.name, arguments, declared.doing, verbose=verbose, **levels)
            took = time.monotonic() - began
            made = beside(model, declared.model_suffix)
            figures = opened.run(lambda: _trained(opened.connection, made), "reading") if json else {}
        scores = {} if made == model else {"scores": model}
        answer(said, {"model": made, **scores, **figures, "seconds": round(took, 2)}, json=json)

    command.__doc__ = declared.help
    command.__signature__ = inspect.Signature(list(_parameters(options)))  # type: ignore[attr-defined]
    command.__annotations__ = {}
    return command


def _parameters(options: dict[str, Argument]) -> Iterator[inspect.Parameter]:
    """What typer reads of a function: the arguments of the command, then its options in their sections."""
    yield _keyword("table", _Source)
    yield _keyword("model", _NewModel)
    sections = list(dict.fromkeys(each.flag.section for each in options.values() if each.flag))
    for name, each in sorted(options.items(), key=lambda item: sections.index(item[1].flag.section)):  # type: ignore[union-attr]
        default = None if not each.is_required else _ALL_FEATURES if each.name == "list_of_features" else ...
        yield _keyword(name, _option(each), default)
    verbose = typer.Option("--verbose", "-v", help="Print the server's lines of progress.", rich_help_panel=OUTPUT)
    yield _keyword("verbose", Annotated[bool, verbose], False)
    yield _keyword("dsn", Dsn, None)
    yield _keyword("json", Json, False)


def _keyword(name: str, annotation: Any, default: Any = ...) -> inspect.Parameter:
    given = inspect.Parameter.empty if default is ... else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=given, annotation=annotation)


def _option(argument: Argument) -> Any:
    """Its type, and what the help says."""
    flag = argument.flag
    assert flag is not None
    kind: Any = _words(argument.name, argument.valid) if isinstance(argument.valid, OneOf) else _TYPES[argument.type]
    if flag.is_repeated:
        kind = list[kind]
    option = typer.Option(
        *_names(argument),
        help=_help(argument),
        metavar=flag.metavar or None,
        rich_help_panel=flag.section,
        show_default=False,
    )
    return Annotated[kind if argument.is_required else kind | None, option]


def _words(name: str, valid: OneOf) -> Any:
    """The words as an enumeration: typer lists them, and names those that are near to a wrong one."""
    return Enum(name, [(word, word) for word in valid.words], type=str)


def _names(argument: Argument) -> tuple[str, ...]:
    """Of the option. `--this/--that`: how it is switched on, and how off."""
    assert argument.flag is not None
    return argument.flag.names or (f"--{argument.name.replace('_', '-')}",)


def _parameter(argument: Argument) -> str:
    """Of Python, by the option's first name."""
    return _names(argument)[0].partition("/")[0].lstrip("-").replace("-", "_")


def _help(argument: Argument) -> str:
    """What the argument is, as sentences; SQL's NULL is what holds where an option is not given."""
    flag = argument.flag
    assert flag is not None
    said = (flag.help or argument.help).removeprefix("true: ").replace("NULL: ", "by default ")
    said = f"{said[0].upper()}{said[1:]}{'; may be repeated' if flag.is_repeated else ''}."
    default = argument.default
    if argument.name == "list_of_features":
        return f"{said} Default: {_ALL_FEATURES} for all others."
    if argument.is_required or default is None or isinstance(default, bool):
        return said
    return f"{said} Default: {default if isinstance(default, str) else f'{default:g}'}."


def _value(given: Any) -> Any:
    """As the server's function takes it."""
    if isinstance(given, list):
        return ", ".join(given) or None
    return given.value if isinstance(given, Enum) else given


def pairs(values: dict[str, Any]) -> str | None:
    """``name=value`` pairs as the server reads them, of what was given."""
    given = [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in values.items()
             if value is not None]  # fmt: skip
    return ", ".join(given) or None


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


# By their names, the commands with their epilogs.
COMMANDS = {
    each.command.name: (training_command(each), examples(*(f"$ {line}" for line in each.command.examples)))
    for each in FUNCTIONS.values()
    if each.command
}
