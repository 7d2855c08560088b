"""Every way into the client: the public methods and attributes of its objects, the estimators, the commands.

They are found by their names, so a new one joins by itself. One whose arguments have names that nobody has used before
is a KeyError, until the names are here.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import click
import function_calls
from invoked import group

import madtree

MEANINGS = {
    **function_calls.MEANINGS, "name": "model", "table": "data", "data": "data", "X": "data", "output": "out",
    "y": "dependent", "target": "dependent", "features": "features", "path": "file", "sample_weight": "weights",
    "trees": "one", "id_": "row",
}  # fmt: skip
# What runs the caller's own SQL, tells of the connection, or ends it; and what removes what others go on with.
LEFT = {
    "Client": {
        "beside_models", "call", "close", "connection", "connections", "conninfo", "engine", "has_source",
        "host", "query", "reading", "rows_of", "source_conninfo", "work", "tree_drop",
    },
    "Model": {"drop"},
    "Forest": {"drop"},
    "BoostedModel": {"drop"},
}  # fmt: skip
# Of scikit-learn's own making: these know the parameters, and no data.
PARAMETERS = {"connection", "get_metadata_routing", "get_params", "set_params", "set_fit_request", "set_score_request"}
# Commands that call no model and read no table of anybody's; and `drop`, as above.
OTHER_COMMANDS = {"up", "down", "status", "psql", "env", "install", "demo", "drop"}
# Options with values that ask for something else than is asked for without them.
VALUES = {
    "--format": ("sql", "json", "pmml", "dot", "svg"),
    "--type": ("response", "prob", "leaf", "conformal"),
    "--tree": ("1",),
}
# As `function_calls.SMALL`, for the commands.
SMALL = {
    "train": ("--max-depth", "3"),
    "forest": ("--trees", "2", "--max-depth", "3"),
    "boost": ("--trees", "2", "--max-leaf-nodes", "4"),
    "dependence": ("--grid-size", "4", "--max-rows", "9"),
}
# What changes nothing about whose code runs, or would permit it.
IDLE = {"--dsn", "--trust-owner", "--verbose", "--replace", "--seed"}


def entries(kind: type) -> list[str]:
    """Names of what there is to be asked of an object."""
    left = LEFT.get(kind.__name__, PARAMETERS)
    names = [name for name in dir(kind) if not name.startswith("_") and name not in left]
    return [*names, *(["_repr_html_"] if hasattr(kind, "_repr_html_") else [])]


def estimators() -> dict[str, Any]:
    found = {name: getattr(madtree, name) for name in madtree.__all__}
    return {name: kind for name, kind in found.items() if inspect.isclass(kind) and hasattr(kind, "fit")}


def ask(thing: Any, name: str, place: Mapping[str, Any], **more: Any) -> Any:
    """The attribute, or what the method answers with the arguments that it needs; all of its rows are read.

    Args:
        place: what the arguments stand for.
        more: arguments besides those that it needs, where it has them.
    """
    if isinstance(inspect.getattr_static(type(thing), name), property):
        return _all(getattr(thing, name))
    method = getattr(thing, name)
    known = inspect.signature(method).parameters
    needed = [each.name for each in known.values() if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    given = {argument: place[MEANINGS[argument]] for argument in needed}
    given |= function_calls.SMALL.get(name, {})
    given |= {argument: value for argument, value in more.items() if argument in known and argument not in given}
    return _all(method(**given))


def _all(value: Any) -> Any:
    return list(value) if isinstance(value, madtree.Result | Iterator) else value


@dataclass(frozen=True)
class Command:
    """A command with its words; `meanings` are those that the place fills in."""

    name: str
    meanings: tuple[tuple[str, str], ...]  # option, or "" for an argument, and what it stands for
    more: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return " ".join([self.name, *self.more])

    def words(self, place: Mapping[str, Any]) -> list[str]:
        given = [word for option, meaning in self.meanings for word in (option, str(place[meaning])) if word]
        return [self.name, *given, *SMALL.get(self.name, ()), *self.more]


def commands() -> Iterator[Command]:
    """All commands with what they need, once as they are and once for each thing more that they can be asked for."""
    for name, command in group().commands.items():
        if name in OTHER_COMMANDS:
            continue
        needed = [each for each in command.params if each.required and each.name != "format_"]
        if name in ("alias", "conformal"):  # without the second one, one removes, and the other is for forests
            needed = [each for each in command.params if each.param_type_name == "argument"]
        made = "out" if name in ("train", "forest", "boost", "prune", "tune") else None
        meanings = tuple(
            ("" if each.param_type_name == "argument" else each.opts[0], _meaning(name, each.name, made))
            for each in needed
        )
        if name == "doctor" or any(each.name == "data" for each in command.params):
            yield Command(name, meanings)
        if any(each.name == "data" for each in command.params):
            meanings += (("--data", "data"),)
        variants = [variant for each in command.params for variant in _variants(each)]
        for more in [variant for variant in variants if "--format" in variant] or [(), *variants]:
            yield Command(name, meanings, more)


def _meaning(command: str, argument: str, made: str | None) -> str:
    if command in ("train", "forest", "boost", "tune") and argument == "model":
        return str(made)
    if command in ("train", "forest", "boost", "tune") and argument == "id":
        return "id"
    if argument == "output":
        return "file" if command == "report" else "out"
    return MEANINGS[argument]


def _variants(option: click.Parameter) -> Iterator[tuple[str, ...]]:
    flag = option.opts[0]
    if flag in IDLE or option.param_type_name == "argument":
        return
    if flag in VALUES:
        for value in VALUES[flag]:
            yield flag, value
    elif getattr(option, "is_flag", False):
        yield (flag,)
