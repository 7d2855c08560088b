"""How far a run is: reads what `verbose => true` tells, and estimates the time that remains.

The server's lines have one shape, which :mod:`madtree.train.progress` writes: a unit, the step's number, often how many
there are, and what the step took::

    level 3: 8 frontier nodes, 245413 rows in play, 0.030 s
    block 2 of 17 of small groups: 0.112 s
"""

from __future__ import annotations

import re
import time

from madtree.records import dataclass

_LINE = re.compile(
    r"^(?P<unit>[a-z]+) (?P<number>\d+)(?: of (?:at most )?(?P<total>\d+))?\b(?P<rest>[^:]*):(?P<said>.*)$"
)
_ROWS = re.compile(r"(\d+) rows")
_SECONDS = re.compile(r"(\d+(?:\.\d+)?) s\b")

# Before the first level is done, all that is known of the levels is what they usually cost. Ten levels take about as
# long as packing does (benchmarks/README.md).
_LEVEL_OVER_PACKING = 0.1
_ALMOST = 0.99
_NEWEST = 0.5  # weight of the newest step's pace against that of those before it


@dataclass(frozen=True)
class TrainingStep:
    """One step of a run that is done.

    Attributes:
        unit: what is counted: ``level``, ``block``, ...
        done: how many are done, this one included. (Levels are numbered from 0, all else from 1.)
        total: how many there are; None where nobody knows.
        rows: rows that the step worked on; None where it does not say.
        seconds: what the step took on the server; None where it does not say.
        message: the line itself.
    """

    unit: str
    done: int
    total: int | None
    rows: int | None
    seconds: float | None
    message: str


def parse(message: str) -> TrainingStep | None:
    """Read one of the server's INFO lines; None if it is not about progress."""
    found = _LINE.match(message.strip())
    if found is None:
        return None
    rows, seconds = _ROWS.search(found["said"]), _SECONDS.search(found["said"])
    return TrainingStep(
        unit=found["unit"],
        done=int(found["number"]) + (found["unit"] == "level"),
        total=int(found["total"]) if found["total"] else None,
        rows=int(rows[1]) if rows else None,
        seconds=float(seconds[1]) if seconds else None,
        message=message.strip(),
    )


class Estimate:
    """The time that a run still needs, from the steps it has told of.

    A level's cost is about proportional to the rows in play, which become fewer as leaves are reached: the estimate
    takes the last level's rows for all that follow, so it errs on the long side and shrinks.
    """

    def __init__(self, max_depth: int | None = None, now: float | None = None) -> None:
        """`max_depth` is how many levels of splits there can be; `now` as of :func:`time.monotonic`."""
        self._max_depth = max_depth
        self._began = self._last = time.monotonic() if now is None else now
        self._step: TrainingStep | None = None
        self._pace: float | None = None  # seconds a step; for levels, seconds a row
        self._fraction = 0.0

    @property
    def step(self) -> TrainingStep | None:
        """The newest step; None before the first."""
        return self._step

    def see(self, step: TrainingStep, now: float | None = None) -> None:
        """Take note of a step."""
        now = time.monotonic() if now is None else now
        took = now - self._last if step.seconds is None else step.seconds
        same = self._step is not None and self._step.unit == step.unit
        pace = took
        if step.unit == "level":
            if not same and self._step is None:
                took *= _LEVEL_OVER_PACKING  # the first level's time has the packing in it, which told nothing
            pace = took / max(step.rows or 1, 1)
        elif step.unit in ("tree", "pack"):  # which are told of several at a time
            pace = took / max(step.done - (self._step.done if same and self._step else 0), 1)
        self._pace = pace if not same or self._pace is None else _NEWEST * pace + (1 - _NEWEST) * self._pace
        self._step, self._last = step, now

    def remaining(self, now: float | None = None) -> float | None:
        """Seconds to go; None while nothing is known."""
        if self._step is None or self._pace is None:
            return None
        step, now = self._step, time.monotonic() if now is None else now
        total = step.total or (self._max_depth if step.unit == "level" else None)
        if total is None:
            return None
        steps = max(total - step.done, 0)
        seconds = steps * self._pace * (max(step.rows or 1, 1) if step.unit == "level" else 1)
        if step.unit == "pack":
            seconds += (self._last - self._began + seconds) * _LEVEL_OVER_PACKING * (self._max_depth or 0)
        return max(seconds - (now - self._last), 0.0)

    def fraction(self, now: float | None = None) -> float | None:
        """The part of the run that is over, never less than it said before; None while nothing is known.

        It stays below 1: what follows the last level (pruning, writing the model) tells nothing.
        """
        now = time.monotonic() if now is None else now
        remaining = self.remaining(now)
        if remaining is None:
            return None
        elapsed = now - self._began
        self._fraction = max(self._fraction, min(elapsed / max(elapsed + remaining, 1e-9), _ALMOST))
        return self._fraction
