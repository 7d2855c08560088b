"""What a forest costs against its trees, rows and columns, of the table that docs/forests.md has."""

from __future__ import annotations

import math
import re

from madtree.render.mark import text
from sitegen.figures.marks import FIRST, INK, SMALL, Plot, dot, path, picture

_SIZES = ("trees", "rows", "columns")
_ROW = re.compile(r"^\|(?P<cells>(?: *[\d.,]* *\|){6})$", re.MULTILINE)
_TICKS = (0.03, 0.1, 0.3, 1.0, 3.0)
_FIXED = ("100,000 rows of 10 columns", "10 trees, 10 columns", "10 trees, 100,000 rows")
_WIDTH, _GAP = 200.0, 40.0


def costs_of(page: str) -> dict[str, list[tuple[float, float]]]:
    """By trees, rows and columns the sizes and their seconds, of the page's table.

    Raises:
        ValueError: there is none.
    """
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in _SIZES}
    for row in _ROW.finditer(page):
        cells = [cell.strip().replace(",", "") for cell in row["cells"].split("|")[:6]]
        for name, size, seconds in zip(_SIZES, cells[::2], cells[1::2], strict=True):
            if size:
                found[name].append((float(size), float(seconds)))
    if not all(found.values()):
        raise ValueError("the page has no table of costs")
    return found


def draw(page: str) -> str:
    """Three plots, logarithmic both ways."""
    costs = costs_of(page)
    marks = []
    for place, (name, points) in enumerate(costs.items()):
        ends = math.log10(points[0][0]), math.log10(points[-1][0])
        room = 0.08 * (ends[1] - ends[0])
        scale = (math.log10(0.02), math.log10(6))
        plot = Plot(46 + place * (_WIDTH + _GAP), 76, _WIDTH, 210, (ends[0] - room, ends[1] + room), scale)
        label = "seconds" if place == 0 else ""
        marks.append(plot.y_axis([math.log10(tick) for tick in _TICKS], label, [f"{tick:g}" for tick in _TICKS]))
        sizes = [size for size, _ in points]
        marks.append(plot.x_axis([math.log10(size) for size in sizes], name, [_short(size) for size in sizes]))
        marks.append(text((plot.left + plot.right) / 2, plot.top - 34, _FIXED[place], SMALL, INK, "middle"))
        at = [(plot.at_x(math.log10(size)), plot.at_y(math.log10(seconds))) for size, seconds in points]
        marks.append(path(at, FIRST))
        for (x, y), (_, seconds) in zip(at, points, strict=True):
            marks += [dot(x, y, FIRST), text(x, y - 9, f"{seconds:.2g}", SMALL, INK, "middle")]
    return picture(342, "Seconds that a forest costs: against its trees, rows and columns", marks)


def _short(size: float) -> str:
    """1000 as 1k, 1000000 as 1M."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if size >= unit:
            return f"{size / unit:g}{letter}"
    return f"{size:g}"
