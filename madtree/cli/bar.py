"""A progress bar that moves with the server's own messages."""

from __future__ import annotations

from types import TracebackType

import psycopg
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

from madtree.cli.escapes import escaped_line
from madtree.cli.options import as_options
from madtree.cli.output import duration, say_on, stderr
from madtree.cli.progress import Estimate
from madtree.host import Message

WIDE = 80  # columns from which the bar itself, the rows and the time so far have room


class Bar:
    """Shows how far the server is, where somebody watches; passes its notices on in any case.

    Used as a context around the work; :meth:`notice` is the connection's notice handler, :meth:`tick` moves the bar
    between messages.
    """

    def __init__(self, doing: str, max_depth: int | None = None, verbose: bool = False) -> None:
        """`doing` stands beside the bar; with `verbose` the server's lines are printed as they come."""
        self._console = stderr()
        self._doing, self._verbose = doing, verbose
        self._estimate = Estimate(max_depth)
        self._wide = self._console.width >= WIDE
        doing_, share, left_ = TextColumn("{task.description}"), TaskProgressColumn(), TextColumn("{task.fields[left]}")
        columns: list[ProgressColumn] = [doing_, share, left_]
        if self._wide:
            columns = [SpinnerColumn(), doing_, BarColumn(), share, TimeElapsedColumn(), left_]
        self._progress = Progress(
            *columns,
            console=self._console,
            transient=True,
            disable=not self.watched,
            redirect_stdout=False,  # all that is said meanwhile is said here
            redirect_stderr=False,
        )
        self._task = self._progress.add_task(doing, total=None, left="")

    @property
    def watched(self) -> bool:
        """Whether a bar can be drawn."""
        return self._console.is_terminal and not self._console.is_dumb_terminal

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress.live.is_started:
            self._progress.stop()

    def notice(self, diagnostic: psycopg.errors.Diagnostic) -> None:
        """One message of the server, as `tell`."""
        self.tell(Message.of(diagnostic))

    def tell(self, message: Message) -> None:
        """One message: progress moves the bar, notices and warnings are passed on.

        INFO is what `verbose => true` tells, which the bar asks for too: for people only where they asked.
        """
        is_verbose = message.severity == "INFO"
        if message.step is not None:
            self._estimate.see(message.step)
            self.tick()
        if is_verbose and not self._verbose:
            return
        words = ("" if is_verbose else f"{message.severity.lower()}: ") + as_options(message.text)
        say_on(self._console, escaped_line(words), "yellow" if message.severity == "WARNING" else "dim")
        if message.hint:
            say_on(self._console, escaped_line(f"hint: {as_options(message.hint)}"), "dim")

    def say(self, message: str) -> None:
        """A remark, above the bar."""
        say_on(self._console, message, "dim")

    def tick(self) -> None:
        """Move with the clock. The bar appears at the first tick: what is done sooner needs none."""
        if self.watched:
            self._progress.start()
        fraction, remaining, step = self._estimate.fraction(), self._estimate.remaining(), self._estimate.step
        if step is None:
            return
        doing = f"{self._doing}: {step.unit} {step.n_done}" + (f" of {step.n_total}" if step.n_total else "")
        if step.n_rows and self._wide:
            doing += f", {step.n_rows:,} rows"
        if step.validation_loss is not None and self._wide:
            doing += f", validation loss {step.validation_loss:.4g}"
        self._progress.update(
            self._task,
            description=doing,
            total=None if fraction is None else 1.0,
            completed=fraction or 0.0,
            left=left(remaining),
        )


def left(remaining: float | None) -> str:
    """The time that remains, in words."""
    if remaining is None:
        return ""
    return f"about {duration(max(remaining, 1.0))} left" if remaining else "finishing"
