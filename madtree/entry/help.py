"""Answers to who asks how to call a function: by `'usage'`, `'help'` or `'?'`, and without an argument.

They answer to an empty one, too, and to `'example'` by the end of the text; where the one argument is a model, only as
long as no relation has that name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from madtree.errors import MadtreeError
from madtree.interface import FUNCTIONS, example, usage

if TYPE_CHECKING:
    from madtree.host import Host
    from madtree.interface import Function

_WORDS = ("usage", "help", "?")
_EXAMPLE = "example"


def instead_of_model(host: Host, function: Function, model: str | None) -> str | None:
    """The usage text, or its example, where what stands for a model asks for it; None where it may be a model.

    Raises:
        MadtreeError: it asks for it, and the function's result is no text.
    """
    from madtree.request import is_relation  # only here: much of madtree comes with it

    asked = None if model is None else model.strip().lower()
    if asked is None or asked not in ("", _EXAMPLE, *_WORDS) or is_relation(host, asked):
        return None
    if function.returns != "text":
        raise MadtreeError(
            f"{function.arguments[0].name} must be the name of a model; SELECT madtree.{function.name}() shows how to "
            f"use {function.name}"
        )
    return help_text(function.name, asked)


def help_text(name: str, message: str | None) -> str:
    """The usage text, or its example, of a function whose one argument may only ask for it.

    Raises:
        MadtreeError: the message does not ask for help.
    """
    asked = (message or "").strip().lower()
    if asked == _EXAMPLE:
        return example(FUNCTIONS[name])
    if asked and asked not in _WORDS:
        words = ", ".join(map(repr, (*_WORDS[:2], _EXAMPLE, *_WORDS[2:])))
        raise MadtreeError(
            f"{name} with one argument takes {words}, not {message!r}",
            hint=f"SELECT madtree.{name}() shows how to call it.",
        )
    return usage(FUNCTIONS[name])
