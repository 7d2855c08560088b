"""Seconds of things done in turn (A B A B ...), so that a machine that slows down slows all of them."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Parts = dict[str, float]


@dataclass
class Timing:
    """Seconds of every run, and of the parts that a run reports of itself."""

    seconds: list[float] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=dict)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def part_medians(self) -> Parts:
        return {name: statistics.median(values) for name, values in self.parts.items()}


@dataclass(frozen=True)
class Action:
    """Something to time: `run` may return the seconds of its parts; `prepare` comes before it, untimed."""

    run: Callable[[], Parts | None]
    prepare: Callable[[], object] | None = None


def interleaved(actions: Mapping[str, Action], runs: int, warm_up: bool = True) -> dict[str, Timing]:
    """Time all actions in turn, `runs` times, after one round that does not count if `warm_up`."""
    timings = {name: Timing() for name in actions}
    for round_number in range(-1 if warm_up else 0, runs):
        for name, action in actions.items():
            if action.prepare:
                action.prepare()
            gc.collect()
            begin = time.perf_counter()
            parts = action.run()
            seconds = time.perf_counter() - begin
            if round_number >= 0:
                timings[name].seconds.append(seconds)
                for part, value in (parts or {}).items():
                    timings[name].parts.setdefault(part, []).append(value)
    return timings


class Stopwatch:
    """Seconds of one run's parts: `lap` ends a part and begins the next."""

    def __init__(self) -> None:
        self.parts: Parts = {}
        self._begin = time.perf_counter()

    def lap(self, part: str) -> None:
        now = time.perf_counter()
        self.parts[part] = now - self._begin
        self._begin = now
