"""What commands print: data to stdout, for people or as JSON; everything else to stderr.

All that is printed for people goes through `madtree.cli.escapes` here. Documents for programs are as they are, unless
stdout is a terminal; JSON is as it is.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import accumulate
from typing import Any, TextIO, cast

from rich.cells import cell_len
from rich.console import Console
from rich.text import Span, Text

from madtree.cli.escapes import escaped, escaped_line
from madtree.cli.exits import CommandError, InterruptError
from madtree.cli.options import as_options


class MessageStream:
    """A stream for people that stays silent once nobody can read it: a closed window must not stop the clearing up."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, words: str) -> int:
        self._try(lambda: self._stream.write(words))
        return len(words)

    def flush(self) -> None:
        self._try(self._stream.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _try(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError:
            silence(self._stream)


def silence(stream: TextIO) -> None:
    """Let go what Python still holds for `stream`; it would try to write that when it ends, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def let_go() -> None:
    """Flush both streams, and let go what nobody can read any more: Python would try again when it ends, fail, and end
    with a code of its own.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            silence(stream)


def stderr() -> Console:
    """Made for each use, because a test or a pipe may have put another stream in its place."""
    return Console(file=cast(TextIO, MessageStream(sys.stderr)), highlight=False)


def say(message: str, style: str = "") -> None:
    """A remark for people, on stderr; long lines are the terminal's business."""
    say_on(stderr(), message, style)


def say_on(console: Console, message: str, style: str = "") -> None:
    """As `say`, on a console that is there already."""
    console.print(Text(escaped(message), style=style), soft_wrap=True)


def fail(message: str, hint: str | None = None) -> None:
    """An error and its cure, on stderr."""
    stderr().print(Text.assemble(("error: ", "bold red"), escaped(as_options(message))), soft_wrap=True)
    if hint:
        stderr().print(Text.assemble(("hint: ", "bold"), escaped_line(as_options(hint))), soft_wrap=True)


def text(message: str) -> None:
    """Text for people that is the answer, on stdout; raises as `document`."""
    _print(escaped(message))


def document(content: str) -> None:
    """Text for a program, on stdout: as it is, unless a terminal would get it.

    Raises:
        InterruptError: nobody reads it any more, as after `| head`; with the code of a program that SIGPIPE ended.
        CommandError: it cannot be written, as on a full disk.
    """
    _print(escaped(content) if sys.stdout.isatty() else content)


def _print(message: str) -> None:
    """Text on stdout as it is.

    Raises:
        InterruptError: nobody reads it any more, as after `| head`; with the code of a program that SIGPIPE ended.
        CommandError: it cannot be written, as on a full disk.
    """
    try:
        print(message, flush=True)
    except BrokenPipeError:
        silence(sys.stdout)
        raise InterruptError(128 + signal.SIGPIPE, "") from None
    except OSError as error:
        silence(sys.stdout)
        raise CommandError(f"the answer cannot be written: {error.strerror}") from None


def as_json(value: Any) -> None:
    """A value as JSON on stdout, with numbers that JSON lacks written as PostgreSQL's to_json writes them."""
    _print(json.dumps(plain(value), ensure_ascii=False, indent=2, allow_nan=False))


def plain(value: Any) -> Any:
    """`value` in JSON's own types."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return float(value) if value.is_finite() else str(value)
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [plain(item) for item in value]
    return str(value)


def answer(message: str, facts: Mapping[str, Any], *, json: bool) -> None:
    """The line that a function has answered, for people; as JSON beside `facts`."""
    if json:
        as_json({**facts, "message": message})
    else:
        text(escaped_line(message))


def rows(found: Sequence[Mapping[str, Any]], machine: bool, empty: str = "") -> None:
    """Rows as a table, or as a JSON array of objects. `empty` is said to people where there are none."""
    if machine:
        as_json(found)
    elif found:
        table(list(found[0]), [list(row.values()) for row in found])
    elif empty:
        say(empty)


def without_empty(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows for people: without the columns that have no value in any row."""
    kept = [name for name in (found[0] if found else {}) if any(row[name] is not None for row in found)]
    return [{name: row[name] for name in kept} for row in found]


def table(headings: Sequence[str], body: Sequence[Sequence[Any]]) -> None:
    """A table without lines; numbers stand right. Where it is wider than the terminal, a line for each value.

    Where nobody watches it is as wide as it needs to be. rich's own tables would take a quarter of a second for
    each thousand rows.
    """
    headings = [escaped_line(heading) for heading in headings]
    columns: list[list[str]] = []
    for heading, values in zip(headings, zip(*body, strict=True), strict=True):
        known = [value for value in values if value is not None]
        numeric = bool(known) and all(isinstance(v, int | float | Decimal) and not isinstance(v, bool) for v in known)
        shown = [heading, *map(cell, values)]
        width = max(map(cell_len, shown))
        padded = ((each, " " * (width - cell_len(each))) for each in shown)
        columns.append([blanks + each if numeric else each + blanks for each, blanks in padded])
    first, *others = (" ".join(line).rstrip() for line in zip(*columns, strict=True))
    console = Console(highlight=False)
    if console.is_terminal and sum(cell_len(column[0]) + 1 for column in columns) - 1 > console.width:
        lines(console, expanded(headings, body))
    else:
        lines(console, [Text(first, "bold")], others)


def expanded(headings: Sequence[str], body: Sequence[Sequence[Any]]) -> Iterator[Text]:
    """Each value on a line of its own, an empty line between rows."""
    width = max(map(len, headings))
    for number, row in enumerate(body):
        if number:
            yield Text()
        for heading, value in zip(headings, row, strict=True):
            yield Text.assemble((f"{heading:<{width}}", "bold"), f"  {cell(value)}".rstrip())


def lines(console: Console, styled: Iterable[Text], plain: Iterable[str] = ()) -> None:
    """Styled lines on stdout, with colours where `console` has them, and plain ones below; long lines are the
    terminal's business.
    """
    with console.capture() as captured:
        for line in styled:
            console.print(harmless(line), soft_wrap=True)
    _print("\n".join([captured.get().removesuffix("\n"), *map(escaped_line, plain)]))


def harmless(line: Text) -> Text:
    """A styled line whose characters only show something; what styles it is not among them."""
    shown = [escaped_line(character) for character in line.plain]
    at = [0, *accumulate(map(len, shown))]
    return Text("".join(shown), line.style, spans=[Span(at[s.start], at[s.end], s.style) for s in line.spans])


def cell(value: Any) -> str:
    """A value as a table shows it: numbers to six digits, NULL as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, timedelta):
        return duration(value.total_seconds())
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value)
    if isinstance(value, Mapping):  # of a group: as --group takes it, true and not yes, 2024 and not 2,024
        texts = {key: item if isinstance(item, str) else json.dumps(item) for key, item in value.items()}
        return ", ".join(f"{escaped_line(str(key))}={escaped_line(text)}" for key, text in texts.items())
    return escaped_line(str(value))


def duration(seconds: float) -> str:
    """Seconds as people say them: 4 s, 3:20 min, 2:05 h, 3 days."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    if whole < 2 * 86400:
        return f"{whole // 3600}:{whole % 3600 // 60:02} h"
    return f"{whole // 86400} days"
