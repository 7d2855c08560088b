"""The door into the server: what the extension's SQL functions call. What runs statements takes `plpy` first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from madtree import __version__ as __version__
from madtree.calls import run
from madtree.entry import blocks as blocks
from madtree.entry.help import help_text, instead_of_model
from madtree.entry.mistakes import AnswerRow, Mistake, answering, answering_rows, in_query
from madtree.entry.mistakes import is_at_work as is_at_work
from madtree.interface import FUNCTIONS, Function


def call(plpy: Any, name: str, arguments: Sequence[Any]) -> tuple[str | None, Mistake | None] | list[AnswerRow]:
    """What the function of that name answers, or the mistake that it raises.

    Args:
        arguments: all of them, in the order in which they are declared.
    """
    function = FUNCTIONS[name]
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
