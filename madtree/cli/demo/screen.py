"""Running statements so that people see them: the SQL, a progress bar while it runs, and what came out."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
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

from madtree.cli.demo.flights import open_csv
from madtree.cli.safe import safe, safe_line

CHUNK = 1 << 20
LEVEL = re.compile(r"level\D*(\d+)", re.IGNORECASE)


class Screen:
    """A console and the session whose statements it shows."""

    def __init__(self, console: Console, connection: psycopg.Connection) -> None:
        self.console = console
        self.connection = connection
        self._highlighter = Syntax("", "sql", theme="ansi_light", background_color="default")

    def title(self, text: str) -> None:
        self.console.print()
        self.console.rule(Text(safe_line(text), style="bold"), align="left", characters="-")

    def say(self, text: str) -> None:
        self.console.print(safe(text), markup=False, soft_wrap=True)

    def show(self, statement: str) -> None:
        """A statement as it will be run."""
        highlighted = self._highlighter.highlight(f"{safe(statement)};")
        highlighted.rstrip()
        self.console.print(highlighted, soft_wrap=True)

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
        with self._progress(TimeElapsedColumn()) as progress:
            task = progress.add_task(doing, total=None if levels is None else levels + 1)

            def advance(diagnostic: psycopg.errors.Diagnostic) -> None:
                if match := LEVEL.search(diagnostic.message_primary or ""):
                    progress.update(task, completed=int(match[1]) + 1)

            self.connection.add_notice_handler(advance)
            try:
                begin = time.perf_counter()
                cursor = self.connection.execute(statement)
                rows = cursor.fetchall() if cursor.description else []
                return rows, time.perf_counter() - begin
            finally:
                self.connection.remove_notice_handler(advance)

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
            table.add_column(Text(safe_line(heading)), justify="right" if isinstance(value, int | float) else "left")
        for row in rows:
            table.add_row(*(Text(f"{value:,}" if isinstance(value, int) else safe_line(str(value))) for value in row))
        self.console.print(table)
