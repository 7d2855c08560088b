"""The time that a training still needs, estimated from the steps that it tells of."""

from __future__ import annotations

import time

from madtree.host import StepDone

# Before the first level is done, all that is known of the levels is what they usually cost. Ten levels take about as
# long as packing does (benchmarks/README.md).
_LEVEL_OVER_PACKING = 0.1
_ALMOST = 0.99
_NEWEST = 0.5  # weight of the newest step's pace against that of those before it


class Estimate:
    """The time that a run still needs, from the steps it has told of.

    A level's cost is about proportional to the rows in play, which become fewer as leaves are reached: the estimate
    takes the last level's rows for all that follow, so it errs on the long side and shrinks.
    """

    def __init__(self, max_depth: int | None = None, now: float | None = None) -> None:
        """`max_depth` is how many levels of splits there can be; `now` as of :func:`time.monotonic`."""
        self._max_depth = max_depth
        self._began = self._last = time.monotonic() if now is None else now
        self._step: StepDone | None = None
        self._pace: float | None = None  # seconds a step; for levels, seconds a row
        self._fraction = 0.0

    @property
    def step(self) -> StepDone | None:
        """The newest step; None before the first."""
        return self._step

    def see(self, step: StepDone, now: float | None = None) -> None:
        """Take note of a step."""
        now = time.monotonic() if now is None else now
        took = step.seconds
        same = self._step is not None and self._step.unit == step.unit
        pace = took
        if step.unit == "level":
            if not same and self._step is None:
                took *= _LEVEL_OVER_PACKING  # the first level's time has the packing in it, which told nothing
            pace = took / max(step.n_rows or 1, 1)
        elif step.unit in ("tree", "pack"):  # which are told of several at a time
            pace = took / max(step.n_done - (self._step.n_done if same and self._step else 0), 1)
        self._pace = pace if not same or self._pace is None else _NEWEST * pace + (1 - _NEWEST) * self._pace
        self._step, self._last = step, now

    def remaining(self, now: float | None = None) -> float | None:
        """Seconds to go; None while nothing is known."""
        if self._step is None or self._pace is None:
            return None
        step, now = self._step, time.monotonic() if now is None else now
        total = step.n_total or (self._max_depth if step.unit == "level" else None)
        if total is None:
            return None
        steps = max(total - step.n_done, 0)
        seconds = steps * self._pace * (max(step.n_rows or 1, 1) if step.unit == "level" else 1)
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
