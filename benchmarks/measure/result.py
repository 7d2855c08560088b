"""What came out of a case, as it is written to a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"


@dataclass(frozen=True)
class Figure:
    """A ratio, seconds or megabytes, with its goal.

    Attributes:
        reached: None where it could not be measured.
        low, high: of the rounds that `reached` is the median of.
        compared: whether runs on different machines may be held against each other.
    """

    name: str
    unit: str
    reached: float | None
    goal: float | None = None
    at_least: bool = False
    low: float | None = None
    high: float | None = None
    compared: bool = True

    @property
    def met(self) -> bool | None:
        """None without a goal or a measurement."""
        if self.reached is None or self.goal is None:
            return None
        return self.reached >= self.goal if self.at_least else self.reached <= self.goal


@dataclass(frozen=True)
class Seconds:
    """Median and range of the rounds, medians of the parts; the table's rows and cells."""

    median: float
    low: float
    high: float
    rounds: int
    rows: int
    cells: int
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """A case's outcome; `error` tells why there is none, or that trees differ."""

    about: Mapping[str, Any]
    timings: Mapping[str, Seconds] = field(default_factory=dict)
    figures: tuple[Figure, ...] = ()
    error: str | None = None


Results = dict[str, Result]  # by case


def to_json(results: Mapping[str, Result]) -> str:
    return json.dumps({name: asdict(result) for name, result in results.items()}, indent=1) + "\n"


def from_json(text: str) -> Results:
    return {
        name: Result(
            values["about"],
            {timed: Seconds(**seconds) for timed, seconds in values["timings"].items()},
            tuple(Figure(**figure) for figure in values["figures"]),
            values["error"],
        )
        for name, values in json.loads(text).items()
    }


def path_of(suite: str, folder: Path = RESULTS) -> Path:
    return folder / f"{suite}.json"


def read(suite: str, folder: Path = RESULTS) -> Results:
    """The results of a suite, none if there is no file."""
    path = path_of(suite, folder)
    return from_json(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(suite: str, results: Mapping[str, Result], order: list[str], folder: Path = RESULTS) -> None:
    """Put results beside those of the suite's other cases, in the suite's order; cases that are no more go."""
    merged = {**read(suite, folder), **results}
    folder.mkdir(exist_ok=True)
    kept = {name: merged[name] for name in order if name in merged}
    path_of(suite, folder).write_text(to_json(kept), encoding="utf-8")
