"""The bars that a page draws of a split: one for each range or category of its feature, with the rows' outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from madtree.host import Row
from madtree.records import dataclass
from madtree.render.labels import category_text
from madtree.report.bins import ValueRanges
from madtree.report.page import short

CATEGORIES = 12  # of a branch, that have a bar
LONGEST = 60  # characters of a category
MISSING, OTHERS = "no value", "other values"


@dataclass(frozen=True)
class CountedCell:
    """Rows that take the same branch of a split by the same value, or by values that are told together.

    Attributes:
        is_left: whether it is the true branch.
        value: the number of the range, or the category; None of values that are told together.
        is_missing: whether there is no value.
        counts: as `sqltext.distributions.counts` has them.
    """

    is_left: bool
    value: str | None
    is_missing: bool
    counts: Row


Cells = Sequence[CountedCell]
# The columns of bars, by name, from the cells of each.
Outcomes = Callable[[Sequence[Cells]], dict[str, list[Any]]]


def bars(cells: Cells, bins: ValueRanges | None, outcomes: Outcomes) -> dict[str, Any]:
    """The bars of a split in the order in which they are drawn, by column.

    Args:
        cells: of the split.
        bins: the ranges of a feature that is compared with a threshold.

    Returns:
        `texts`, what the bars are called; how many of them the true branch has, `left`; of ranges also the `ends` of
        all, and how many bars of values that are missing come before and behind them, `missing`.
    """
    drawn = _by_category(cells) if bins is None else _by_range(cells, bins)
    columns = outcomes([bar.cells for bar in drawn])
    about = {} if bins is None else {"ends": bins.ends, "missing": [_n_missing(drawn, side) for side in (True, False)]}
    return {
        "texts": [bar.text for bar in drawn],
        "left": sum(bar.is_left for bar in drawn),
        **about,
        **columns,
    }


@dataclass(frozen=True)
class _Bar:
    text: str
    is_left: bool
    cells: Cells


def _n_missing(bars: Iterable[_Bar], is_left: bool) -> int:
    return sum(bar.text == MISSING for bar in bars if bar.is_left == is_left)


def _missing(cells: Cells, is_left: bool) -> list[_Bar]:
    found = [cell for cell in cells if cell.is_missing and cell.is_left == is_left]
    return [_Bar(MISSING, is_left, found)] if found else []


def _by_range(cells: Cells, bins: ValueRanges) -> list[_Bar]:
    """The ranges from the lowest to the highest, and rows without a value at the end of their side."""
    found: dict[int, list[CountedCell]] = {}
    for cell in cells:
        if not cell.is_missing and cell.value is not None:
            found.setdefault(int(cell.value), []).append(cell)
    ranges = [_Bar(text, place < bins.n_left, found.get(place, [])) for place, text in enumerate(bins.texts)]
    return [*_missing(cells, True), *ranges, *_missing(cells, False)]


def _by_category(cells: Cells) -> list[_Bar]:
    """The categories of each side, the most frequent first, then the others together."""
    drawn = []
    for is_left in (True, False):
        rest = [cell for cell in cells if cell.is_left == is_left and not cell.is_missing and cell.value is None]
        found: dict[str, list[CountedCell]] = {}
        for cell in cells:
            if cell.is_left == is_left and not cell.is_missing and cell.value is not None:
                found.setdefault(cell.value, []).append(cell)
        frequent = sorted(found, key=lambda value: (-_n_rows(found[value]), value))
        rest += [cell for value in frequent[CATEGORIES:] for cell in found[value]]
        drawn += [_Bar(_category(value), is_left, found[value]) for value in frequent[:CATEGORIES]]
        drawn += [_Bar(OTHERS, is_left, rest)] if rest else []
        drawn += _missing(cells, is_left)
    return drawn


def _n_rows(cells: Cells) -> int:
    return sum(cell.counts["n"] for cell in cells)


def _category(value: str) -> str:
    text = category_text(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def of_classes(shown: Sequence[int]) -> Outcomes:
    """The rows of each class, `classes`: positions and numbers by turns; -1 for all classes that have no colour.

    `shown`: positions of those that have one.
    """

    def columns(bars: Sequence[Cells]) -> dict[str, list[Any]]:
        return {"classes": [_by_class([cell.counts for cell in cells], shown) for cells in bars]}

    return columns


def _by_class(rows: Sequence[Row], shown: Sequence[int]) -> list[int]:
    found: dict[int, int] = {}
    for row in rows:
        position = -1 if row["class"] is None else shown[row["class"] - 1]
        found[position] = found.get(position, 0) + row["n"]
    return [value for pair in sorted(found.items(), key=lambda pair: (pair[0] < 0, pair[0])) for value in pair]


def of_numbers(centre: float) -> Outcomes:
    """`rows`, and of their outcomes `means` and standard deviations, `deviations`: of events over exposures only means.

    `centre`: what the outcomes' sums and squares are from.
    """

    def columns(bars: Sequence[Cells]) -> dict[str, list[Any]]:
        moments = [_moments([cell.counts for cell in cells], centre) for cells in bars]
        return dict(zip(("rows", "means", "deviations"), map(list, zip(*moments, strict=True)), strict=True))

    return columns


def _moments(rows: Sequence[Row], centre: float) -> tuple[int, float | None, float | None]:
    n = sum(row["n"] for row in rows)
    if n == 0:
        return 0, None, None
    total = math.fsum(row["total"] for row in rows)
    if rows[0]["amount"] is not None:
        events = total + n * centre
        return n, _rounded(events / math.fsum(row["amount"] for row in rows)), None
    mean = total / n
    deviation = math.sqrt(max(0.0, math.fsum(row["squares"] for row in rows) / n - mean * mean))
    return n, _rounded(centre + mean), _rounded(deviation)


def _rounded(value: float) -> float:
    return short(float(f"{value:.6g}"))
