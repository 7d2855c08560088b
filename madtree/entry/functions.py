"""The door into the server: what the extension's SQL functions call. What runs statements takes `plpy` first.

Requests for help are answered here, too. A function that is called without an argument, or with `''`, `'usage'`,
`'help'` or `'?'` alone, returns its usage text; with `'example'`, the end of that text. Where the one argument is a
model, these words ask for help only as long as no relation has that name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from madtree import __version__ as __version__
from madtree.calls import run
from madtree.entry import blocks as blocks
from madtree.entry.mistakes import AnswerRow, Mistake, answering, answering_rows, in_query
from madtree.entry.mistakes import is_at_work as is_at_work
from madtree.errors import MadtreeError
from madtree.interface import FUNCTIONS, INTERNAL, ROW_FUNCTIONS, Function, example
from madtree.interface import usage as usage_text

if TYPE_CHECKING:
    from madtree.host import Host

_WORDS = ("usage", "help", "?")
_EXAMPLE = "example"


def instead_of_model(host: Host, function: Function, model: str | None) -> str | None:
    """The usage text, or its example, where what stands for a model asks for it; None where it may be a model.

    Raises:
        MadtreeError: it asks for it, and the function's result is no text.
    """
    from madtree.request import is_relation  # only here: much of madtree comes with it

    word = None if model is None else model.strip().lower()
    if word is None or word not in ("", _EXAMPLE, *_WORDS) or is_relation(host, word):
        return None
    if function.returns != "text":
        raise MadtreeError(
            f"{function.arguments[0].name} must be the name of a model; SELECT madtree.{function.name}() shows how to "
            f"use {function.name}"
        )
    return help_text(function.name, word)


def help_text(name: str, message: str | None) -> str:
    """The usage text, or its example, of a function whose one argument may only ask for it.

    Raises:
        MadtreeError: the message does not ask for help, or there is no such function.
    """
    word = (message or "").strip().lower()
    function = FUNCTIONS.get(name) or ROW_FUNCTIONS.get(name)
    if function is None:
        raise MadtreeError(f"madtree has no function {name!r}", sqlstate="42883")
    if word == _EXAMPLE:
        return example(function)
    if word and word not in _WORDS:
        words = ", ".join(map(repr, (*_WORDS[:2], _EXAMPLE, *_WORDS[2:])))
        raise MadtreeError(
            f"{name} with one argument takes {words}, not {message!r}",
            hint=f"SELECT madtree.{name}() shows how to call it.",
        )
    return usage_text(function)


def call(plpy: Any, name: str, arguments: Sequence[Any]) -> tuple[str | None, Mistake | None] | list[AnswerRow]:
    """What the function of that name answers, or the mistake that it raises.

    Args:
        arguments: all of them, in the order in which they are declared.
    """
    function = FUNCTIONS.get(name) or INTERNAL[name]
    answer = _rows if function.returns_rows else _value
    return answer(plpy, function, arguments)


def _answer(plpy: Any, function: Function, arguments: Sequence[Any]) -> Any:
    from madtree.host import PlpyHost

    host = PlpyHost(plpy)
    text = instead_of_model(host, function, arguments[0]) if function.takes_one_argument else None
    return run(host, function, arguments) if text is None else text


_value, _rows = answering(_answer), answering_rows(_answer)


@answering_rows
def list_models(plpy: Any) -> list[dict[str, Any]]:
    """Rows of the view of models."""
    from madtree.host import PlpyHost
    from madtree.model import models

    return models(PlpyHost(plpy))


@answering
def usage(function: str, message: str | None) -> str:
    """The usage text of a function whose one-argument form takes nothing else."""
    return help_text(function, message)


@in_query
def server_info(plpy: Any) -> str:
    """What this half runs in, as JSON."""
    from madtree.entry.server_info import server_info

    return server_info()
