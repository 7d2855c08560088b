"""Running statements and calls so that people see them: the text, a progress bar while it runs, and what came out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import TupleRow
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from madtree.cli.demo.calls import ShownCall
from madtree.cli.demo.flights import open_csv
from madtree.cli.escapes import escaped, escaped_line
from madtree.host import Message
from madtree.host.psycopg import Engine, PsycopgHost

CHUNK = 1 << 20


class Screen:
    """A console and the session whose statements it shows; functions are the extension's, or run in this process."""

    def __init__(self, console: Console, connection: psycopg.Connection, engine: Engine = "extension") -> None:
        self.console = console
        self.connection = connection
        self.engine = engine

    def title(self, text: str) -> None:
        self.console.print()
        self.console.rule(Text(escaped_line(text), style="bold"), align="left", characters="-")

    def say(self, text: str) -> None:
        self.console.print(escaped(text), markup=False, soft_wrap=True)

    def show(self, statement: str) -> None:
        """A statement as it will be run."""
        self._show(f"{statement};", "sql")

    def show_call(self, call: ShownCall) -> None:
        """A call as the user would write it."""
        if self.engine == "extension":
            self.show(call.sql())
        else:
            self._show(call.python(), "python")

    def _show(self, text: str, language: str) -> None:
        highlighted = Syntax("", language, theme="ansi_light", background_color="default").highlight(escaped(text))
        highlighted.rstrip()
        self.console.print(highlighted, soft_wrap=True)

    def call(self, call: ShownCall, doing: str, levels: int | None = None) -> tuple[str, float]:
        """Show a call and do it; arguments are those of `run`. Returns the text that it returns, and the seconds."""
        rows, seconds = self.rows(call, doing, levels)
        return str(rows[0][0]), seconds

    def rows(self, call: ShownCall, doing: str, levels: int | None = None) -> tuple[Sequence[Sequence[Any]], float]:
        """As `call`, of a function that returns rows: these, in the columns that the call wants."""
        if self.engine == "extension":
            return self.run(call.sql(), doing, levels)
        from madtree import engine

        self.show_call(call)
        with self._watched(doing, levels) as advance, self.connection.transaction():
            begin = time.perf_counter()
            host = PsycopgHost(self.connection, advance)
            answer = engine.call(host, call.function, call.arguments, call.named)
            seconds = time.perf_counter() - begin
        wanted = call.columns.split(", ") if call.columns else answer.columns
        return [[row[column] for column in wanted] for row in answer.to_dicts()], seconds

    def run(self, statement: str, doing: str, levels: int | None = None) -> tuple[list[TupleRow], float]:
        """Show and run a statement.

        Args:
            statement: SQL without parameters.
            doing: what stands beside the bar while it runs.
            levels: of the tree, for a training that reports each level with ``verbose => true``.

        Returns:
            Its rows, and the seconds it took.
        """
        self.show(statement)
        with self._watched(doing, levels) as advance:

            def hear(diagnostic: psycopg.errors.Diagnostic) -> None:
                advance(Message.of(diagnostic))

            self.connection.add_notice_handler(hear)
            try:
                begin = time.perf_counter()
                cursor = self.connection.execute(statement)
                rows = cursor.fetchall() if cursor.description else []
                return rows, time.perf_counter() - begin
            finally:
                self.connection.remove_notice_handler(hear)

    @contextmanager
    def _watched(self, doing: str, levels: int | None) -> Iterator[Callable[[Message], None]]:
        """A bar, and what moves it: the messages of a training."""
        with self._progress(TimeElapsedColumn()) as progress:
            task = progress.add_task(doing, total=None if levels is None else levels + 1)

            def advance(message: Message) -> None:
                if message.step is not None and message.step.unit == "level":
                    progress.update(task, completed=message.step.n_done)

            yield advance

    def copy_csv(self, statement: str, path: Path) -> float:
        """Show a COPY statement and feed it a file. Returns the seconds it took."""
        self.show(statement)
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TimeElapsedColumn(),
        )
        with open_csv(path) as (file, size), Progress(*columns, console=self.console, transient=True) as progress:
            task = progress.add_task("loading", total=size)
            begin = time.perf_counter()
            with self.connection.cursor() as cursor, cursor.copy(statement) as copy:
                while chunk := file.read(CHUNK):
                    copy.write(chunk)
                    progress.advance(task, len(chunk))
            return time.perf_counter() - begin

    def _progress(self, last: ProgressColumn) -> Progress:
        """A bar that goes away when it is full, and is not drawn where nobody watches."""
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), last)
        return Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal)

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Rows as a table; numbers stand right."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading, value in zip(headings, rows[0], strict=True):
            table.add_column(Text(escaped_line(heading)), justify="right" if isinstance(value, int | float) else "left")
        for row in rows:
            table.add_row(
                *(Text(f"{value:,}" if isinstance(value, int) else escaped_line(str(value))) for value in row)
            )
        self.console.print(table)
