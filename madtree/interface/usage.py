"""What a function answers to `'usage'`, `'help'` or `'?'`: how to call it, made from what is declared of it."""

from __future__ import annotations

import textwrap

from madtree.interface.function import Argument, Function

_WIDTH = 120
_INDENT = "    "
_WIDEST = 28  # of a name with its default, beside which what it is begins in one line with the others
_HEADING = "Example:\n"


def usage(function: Function) -> str:
    """The text, which ends in a line break."""
    parts = [f"{function.name} {function.does}.\n", _call(function)]
    if function.details:
        parts.append(function.details.strip("\n") + "\n")
    return "\n".join([*parts, example(function)])


def example(function: Function) -> str:
    """The last part of the text."""
    return _HEADING + textwrap.indent(function.example.strip("\n") + "\n", _INDENT)


def as_sql(value: object) -> str:
    """A default as SQL and the texts spell it."""
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value).lower()


def _call(function: Function) -> str:
    begins = [_beginning(each, is_last=each is function.arguments[-1]) for each in function.arguments]
    width = max(len(text) for text in begins if len(text) <= _WIDEST) + 2
    lines = [f"SELECT {'* FROM ' if function.returns_rows else ''}madtree.{function.name}("]
    for argument, text in zip(function.arguments, begins, strict=True):
        if argument.name == function.by_name_from:
            lines.append(f"{_INDENT}-- best given by name:")
        lines += _explained(text.ljust(width) if len(text) <= width - 2 else f"{text}  ", argument.help, width)
    return "\n".join([*lines, ");\n"])


def _beginning(argument: Argument, *, is_last: bool) -> str:
    default = "" if argument.is_required else f" => {as_sql(argument.default)}"
    return f"{argument.name}{default}{'' if is_last else ','}"


def _explained(text: str, explanation: str, width: int) -> list[str]:
    """An argument's lines: what it is stands behind `text`, and goes on `width` characters from the left."""
    lines = []
    further = f"{_INDENT}{' ' * width}--   "
    for number, part in enumerate(explanation.split("\n")):
        first = f"{_INDENT}{' ' * width if number else text}-- "
        wrapper = textwrap.TextWrapper(_WIDTH, first, further, break_on_hyphens=False, break_long_words=False)
        lines += wrapper.wrap(part)
    return lines
