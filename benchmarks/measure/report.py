"""The results: what was aimed at and what was reached."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from measure.timing import Timing


@dataclass(frozen=True)
class Target:
    """A figure with its goal: at most `limit`, or at least for `at_least`; None where it could not be measured."""

    what: str
    limit: float
    reached: float | None
    unit: str
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        if self.reached is None:
            return None
        return self.reached >= self.limit if self.at_least else self.reached <= self.limit

    @property
    def cells(self) -> tuple[str, str, str, str]:
        word = {True: "met", False: "MISSED", None: "not measured"}[self.met]
        reached = "-" if self.reached is None else f"{self.reached:.3g} {self.unit}"
        return self.what, f"{'>=' if self.at_least else '<='} {self.limit:.3g} {self.unit}", reached, word


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table whose source is a table, too."""
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]
    for row in [headings, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")


def print_timings(timings: Mapping[str, Timing]) -> None:
    rows = []
    for name, timing in timings.items():
        parts = ", ".join(f"{part} {seconds:.3f}" for part, seconds in timing.part_medians.items())
        spread = f"{min(timing.seconds):.3f} to {max(timing.seconds):.3f}"
        rows.append((name, f"{timing.median:.3f}", spread, str(len(timing.seconds)), parts))
    print_table(("what", "median s", "range s", "runs", "parts s"), rows)


def print_targets(targets: Sequence[Target]) -> None:
    print_table(("target", "goal", "reached", ""), [target.cells for target in targets])


def write_json(path: Path, about: Mapping[str, str], timings: Mapping[str, Timing], targets: Sequence[Target]) -> None:
    content = {
        "about": about,
        "targets": [{**asdict(target), "met": target.met} for target in targets],
        "timings": {name: {**asdict(timing), "median": timing.median} for name, timing in timings.items()},
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
