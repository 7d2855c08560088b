"""Options and arguments that several commands have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextvars import ContextVar
from enum import Enum
from typing import Annotated

import typer

from madtree.interface import command_line


class EngineName(str, Enum):
    """Who does the work of a command."""

    AUTO = "auto"
    EXTENSION = "extension"
    CLIENT = "client"


Engine = Annotated[
    EngineName,
    typer.Option(
        envvar="MADTREE_ENGINE",
        help="Who trains and scores: the extension in the server; or the client, this process, for servers that have "
        "none. auto: the extension where the database has it.",
    ),
]
ModelDsn = Annotated[
    str | None,
    typer.Option(
        metavar="URI",
        envvar="MADTREE_MODEL_DSN",
        help="Another server for models and predictions: data are only read at --dsn, by the client engine. It may be "
        "a standby.",
        show_default=False,
    ),
]
Connections = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Over how many connections the client reads the rows of a training. Default: as many as the server lets a "
        "query have processes, where rows are many.",
        show_default=False,
    ),
]
Dsn = Annotated[
    str | None,
    typer.Option(
        metavar="URI",
        help="The server: postgresql://user@host:5432/database. Default: what PG* variables name, "
        "else your private server (madtree up).",
        rich_help_panel=command_line.SERVER,
        show_default=False,
    ),
]
Group = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=VALUE",
        help="Of a grouped model, the tree of this group; once for each grouping column.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=command_line.OUTPUT)]


def examples(*lines: str) -> str:
    """An epilog with one command a line."""
    return "\n".join(["\b", "[bold]Examples[/bold]", *(f"  {line}".replace("[", r"\[") for line in lines)])


# The options of the command that runs, by the names of its function's arguments: how each is switched on, and how off,
# where that can be written.
FLAGS: ContextVar[Mapping[str, tuple[str, str]]] = ContextVar("flags")
_VALUE = re.compile(r"\b([a-z_]+) => ('[^']*'|\.\.\.|\w+(?:\.\w+)*)")
# Of several words, which no sentence has but as a name, or what the sentence is about.
_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b|^[a-z]+(?=: | must )")


def as_options(message: str, flags: Mapping[str, tuple[str, str]] | None = None) -> str:
    """What a function says of its arguments, in the words of the command: `--replace` for `replace => true`.

    Args:
        flags: of the command; None for the one that runs.
    """
    flags = FLAGS.get({}) if flags is None else flags
    if "SELECT " in message:
        return message

    def option(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        key, _, of_key = value.strip("'").partition("=")
        if name not in flags and of_key:
            name, value = key, of_key
        on, off = flags.get(name, ("", ""))
        if value in ("true", "false"):
            return (on if value == "true" else off) or found[0]
        return f"{on} {value if ' ' in value else value.strip(chr(39))}" if on else found[0]

    return _NAME.sub(lambda found: flags.get(found[0], found)[0], _VALUE.sub(option, message))
