"""What a training tells while it works: to the stopwatch, and with `verbose => true` to the user."""

from __future__ import annotations

import time
from collections.abc import Callable

from madtree.host import Host, StepDone, Stopwatch
from madtree.learn.requests import Progress, StepReport
from madtree.train.activity import Activity
from madtree.wording import count_text

_LINE_SECONDS = 1.0


class ProgressReporter:
    """Is told of a program's progress."""

    def __init__(self, host: Host, watch: Stopwatch, activity: Activity, verbose: bool) -> None:
        self._host, self._watch, self._activity, self._verbose = host, watch, activity, verbose
        self._last = time.monotonic()

    def report(self, progress: Progress) -> None:
        """A stage begins, or a round of growth has been searched: its frontier nodes, the rows still in play, the
        seconds it took.
        """
        if progress.stage is not None:
            self._watch.begin(progress.stage)
            self._last = time.monotonic()
        self._activity.report(progress)
        if not self._verbose:
            return
        if progress.note:
            self._host.info(progress.note)
        if progress.step is not None:
            self._report_step(progress.step)

    def _report_step(self, step: StepReport) -> None:
        now = time.monotonic()
        seconds = now - self._last if step.seconds is None else step.seconds
        done = StepDone(step.unit, step.n_done, step.n_total, step.n_rows, seconds, *step.losses)
        self._host.info(f"{_line(step)} {seconds:.3f} s", done)
        self._last = now


def _line(step: StepReport) -> str:
    """The step as a line, but for its seconds."""
    if step.unit == "level":  # levels are counted from 0
        nodes = count_text(step.n_nodes or 0, "frontier node")
        return f"level {step.n_done - 1}: {nodes}, {step.n_rows} rows in play,"
    named = zip(("training", "validation"), step.losses, strict=True)
    losses = "".join(f" {name} loss {loss:.6g}," for name, loss in named if loss is not None)
    what = {
        "tree": f": {step.n_nodes} nodes in the last ones,",
        "round": f":{losses} {step.n_nodes} nodes,",
        "block": " of small groups:",
        "setting": ": tried,",
    }
    return f"{step.unit} {step.n_done} of {step.n_total}{what[step.unit]}"


class ReadingReporter:
    """Tells how far rows that come over a connection have been read, a line a second: a slow network takes minutes."""

    def __init__(
        self, host: Host, activity: Activity, verbose: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._host, self._activity, self._verbose, self._clock = host, activity, verbose, clock
        self._last = clock()

    def report(self, n_read: int, n_ranges: int, n_rows: int) -> None:
        """So many page ranges have been read, with so many rows."""
        self._activity.read(n_read, n_ranges)
        now = self._clock()
        if self._verbose and now - self._last >= _LINE_SECONDS and not self._host.has_extension:
            step = StepDone("pack", n_read, n_ranges, n_rows, now - self._last)
            self._host.info(f"pack {n_read} of {n_ranges}: {n_rows} rows read, {step.seconds:.3f} s", step)
            self._last = now
