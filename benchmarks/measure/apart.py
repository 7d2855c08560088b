"""A peer at its best: each of its settings in a process of its own, whose libraries read the environment when they are
loaded, and of these the one that is quickest on this machine now.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from measure.session import Session
from measure.table import Table
from measure.timing import Action, Parts

if TYPE_CHECKING:
    from measure.case import Timed

WAITING = "OMP_WAIT_POLICY"  # how threads of OpenMP wait for each other; without it they spin for a while
WAYS_TO_WAIT = ({WAITING: "passive"}, {})


@dataclass(frozen=True)
class Outside:
    """What a process of its own knows of the session: peers need no more."""

    dsn: str


class Apart:
    """A process with an environment of its own, in which one thing is timed again and again."""

    def __init__(self, timed: Timed, environment: dict[str, str], dsn: str) -> None:
        self._timed, self._environment, self._dsn = timed, environment, dsn

    @cached_property
    def _pool(self) -> ProcessPoolExecutor:
        spawned = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(1, spawned, _begin, (self._timed, self._environment, self._dsn))

    def prepare(self) -> None:
        self._pool.submit(_prepare).result()

    def run(self) -> Parts:
        return self._pool.submit(_run).result()


@dataclass(frozen=True)
class Quickest:
    """The quickest of some settings, all of the same table: each runs twice, and what its second run took decides.

    What is timed afterwards says as its parts which one it was.
    """

    settings: dict[str, Timed]

    @property
    def table(self) -> Table:
        return next(iter(self.settings.values())).table

    def action(self, session: Session) -> Action:
        ways = {
            ", ".join((name, *environment.values())): Apart(timed, environment, session.dsn)
            for name, timed in self.settings.items()
            for environment in WAYS_TO_WAIT
        }
        found: dict[str, Apart] = {}

        def prepare() -> None:
            if not found:
                name = min(ways, key=lambda each: _seconds(ways[each]))
                found[name] = ways[name]
            for way in found.values():
                way.prepare()

        def run() -> Parts:
            ((name, way),) = found.items()
            begin = time.perf_counter()
            parts = way.run()
            return {**parts, name: time.perf_counter() - begin}

        return Action(run, prepare)


def _seconds(way: Apart) -> float:
    for _ in range(2):
        way.prepare()
        begin = time.perf_counter()
        way.run()
    return time.perf_counter() - begin


_actions: list[Action] = []  # of this process


def _begin(timed: Timed, environment: dict[str, str], dsn: str) -> None:
    os.environ.pop(WAITING, None)
    os.environ.update(environment)
    _actions[:] = [timed.action(Outside(dsn))]  # type: ignore[arg-type]


def _prepare() -> None:
    if (prepare := _actions[0].prepare) is not None:
        prepare()


def _run() -> Parts:
    return _actions[0].run() or {}
