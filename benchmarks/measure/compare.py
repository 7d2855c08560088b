"""This run's figures against those that were committed last: what got worse by more than noise explains."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from measure.machine import HERE, git
from measure.result import RESULTS, Figure, Result, Results, from_json, path_of, read

TOLERANCE = 1.2  # a figure is worse when it is so many times the old one


@dataclass(frozen=True)
class Change:
    """A figure now and before; a figure of which more is better (`at_least`) is turned round in `factor`.

    Attributes:
        factor: how many times worse it is now; under 1 it is better.
    """

    case: str
    figure: str
    unit: str
    before: float
    now: float
    factor: float

    def line(self) -> str:
        word = "worse" if self.factor > 1 else "better"
        times = self.factor if self.factor > 1 else 1 / self.factor
        then, now = (f"{value:g} {self.unit}" for value in (self.before, self.now))
        return f"{self.case}: {self.figure}: {then} -> {now} ({times:.2f} x {word})"


def changes(before: Mapping[str, Result], now: Mapping[str, Result]) -> list[Change]:
    """All figures that are in both and may be compared, the worst first.

    A ratio to what ran in the same rounds may be compared across machines, seconds may not. Figures are held together
    by case and name: renaming one begins it anew.
    """
    found = []
    for case in now.keys() & before.keys():
        old = {figure.name: figure for figure in before[case].figures}
        for figure in now[case].figures:
            if (change := _change(case, old.get(figure.name), figure)) is not None:
                found.append(change)
    return sorted(found, key=lambda change: (-change.factor, change.case, change.figure))


def _change(case: str, before: Figure | None, now: Figure) -> Change | None:
    if before is None or not (now.compared and now.reached and before.reached) or before.unit != now.unit:
        return None
    factor = before.reached / now.reached if now.at_least else now.reached / before.reached
    return Change(case, now.name, now.unit, before.reached, now.reached, factor)


def slower(found: list[Change], tolerance: float = TOLERANCE) -> list[Change]:
    return [change for change in found if change.factor > tolerance]


def newly_failing(before: Mapping[str, Result], now: Mapping[str, Result]) -> Iterator[str]:
    """Cases that have an error now; those that had one before are no news, but still tell it."""
    for case, result in now.items():
        if result.error:
            known = case in before and before[case].error
            yield f"{case}: {result.error}" + (" (as before)" if known else "")


def committed(suite: str) -> Results:
    """A suite's results as they were committed last; as they are on disk where there is no repository."""
    relative = path_of(suite).relative_to(HERE.parents[1])
    if git("rev-parse", "HEAD") is None:
        return read(suite)
    done = subprocess.run(["git", "show", f"HEAD:{relative}"], cwd=RESULTS, capture_output=True, text=True, check=False)
    return from_json(done.stdout) if done.returncode == 0 else {}
