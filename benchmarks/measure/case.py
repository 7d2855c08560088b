"""A benchmark case as data: what is timed in turn, on which tables, and what is aimed at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from measure.inside import Train
from measure.session import Session
from measure.table import Table
from measure.timing import Action


class Timed(Protocol):
    """Something that can be timed on a table."""

    @property
    def table(self) -> Table: ...

    def action(self, session: Session) -> Action: ...


@dataclass(frozen=True)
class Ratio:
    """Seconds of one thing over those of another, both in the case: at most `goal`, or at least.

    Attributes:
        per: what both are divided by first: `cell` of their tables, or nothing.
        scale: what `above` is divided by besides.
        goal: None where the ratio is only told.
    """

    above: str
    below: str
    goal: float | None = None
    at_least: bool = False
    per: str = ""
    scale: float = 1.0
    name: str = ""

    @property
    def title(self) -> str:
        return self.name or f"{self.above} / {self.below}" + (f", per {self.per}" if self.per else "")


@dataclass(frozen=True)
class Seconds:
    """Seconds of one thing; they depend on the machine, so they are not compared with those of other runs."""

    of: str
    goal: float

    @property
    def title(self) -> str:
        return self.of


@dataclass(frozen=True)
class Case:
    """Some things that are timed in turn.

    Attributes:
        name: within its suite.
        timed: by name, in the order in which they take turns.
        figures: ratios and seconds to tell, with their goals.
        rounds: of all of them, and of those that are too slow for so many.
        peaks: those trainings whose memory is looked at, once, in a session of their own.
        most_memory: megabytes that their memory may be; None for what a training of a single tree may be.
        same_trees: those trainings that have to yield the same nodes, to the bit; each has a model of its own.
        long: left out by `--quick`.
    """

    name: str
    timed: Mapping[str, Timed]
    figures: Sequence[Ratio | Seconds] = ()
    rounds: int = 5
    fewer: Mapping[str, int] | None = None
    peaks: Sequence[str] = ()
    most_memory: float | None = None
    same_trees: Sequence[str] = ()
    long: bool = False

    @property
    def tables(self) -> list[Table]:
        return list(dict.fromkeys(timed.table for timed in self.timed.values()))

    def training(self, name: str) -> Train:
        training = self.timed[name]
        assert isinstance(training, Train), f"{name} is no training"
        return training


@dataclass(frozen=True)
class Suite:
    """Cases that are told of together: one file of results, one place in the README."""

    name: str
    title: str
    cases: Sequence[Case]
