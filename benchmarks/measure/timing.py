"""Seconds of things done in turn (A B A B ...), so that a machine that slows down slows all of them."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Parts = dict[str, float]


@dataclass
class Timing:
    """Seconds of every round, and of the parts that a run reports of itself."""

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


def interleaved(
    actions: Mapping[str, Action],
    rounds: Mapping[str, int],
    enough: float = math.inf,
    long: float = 20.0,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Timing]:
    """Time all actions in turn; an action with fewer `rounds` than others takes part in the first ones.

    A round that does not count comes first, unless an action takes more than `long` seconds in it: then warming up
    means little, and that run is the action's first. From the second round on, `enough` seconds end the case.
    """
    timings = {name: Timing() for name in actions}
    begin = clock()
    for number in range(-1, max(rounds.values())):
        if number > 1 and clock() - begin > enough:
            break
        for name, action in actions.items():
            done = len(timings[name].seconds)
            if done >= rounds[name] or done > max(number, 0):
                continue
            seconds, parts = _timed(action, clock)
            if number >= 0 or seconds > long:
                timings[name].seconds.append(seconds)
                for part, value in parts.items():
                    timings[name].parts.setdefault(part, []).append(value)
    return timings


def _timed(action: Action, clock: Callable[[], float]) -> tuple[float, Parts]:
    if action.prepare:
        action.prepare()
    gc.collect()
    begin = clock()
    parts = action.run()
    return clock() - begin, parts or {}


def paired(above: Timing, below: Timing) -> list[float]:
    """The ratio of each round in which both took part."""
    return [a / b for a, b in zip(above.seconds, below.seconds, strict=False)]


class Lap:
    """Seconds of one run's parts: `end` ends a part and begins the next."""

    def __init__(self) -> None:
        self.parts: Parts = {}
        self._begin = time.perf_counter()

    def end(self, part: str) -> None:
        now = time.perf_counter()
        self.parts[part] = now - self._begin
        self._begin = now
