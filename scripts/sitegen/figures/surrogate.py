"""What a surrogate is: a split of another feature that sends nearly the same rows the same way.

The homes of docs/missing-values.md, by the same formulas as its SQL.
"""

from __future__ import annotations

import math

from madtree.render.mark import rect, text
from sitegen.figures.marks import BODY, FAINT, FIRST, INK, SECOND, SHADE, SMALL, STRONG, Plot, dot, line, picture

PRIMARY, SURROGATE = 5.5, 109.5  # rooms, area: node 0 of that page's model


def homes() -> list[tuple[float, float]]:
    """Area and rooms of the homes that have both on record."""
    found = []
    for i in range(1, 401):
        area = 40 + i * 37 % 160
        if i % 8 != 3 and i % 50 != 7:
            found.append((float(area), float(math.ceil(area / 25 + (i % 3) / 2))))
    return found


def draw() -> str:
    plot = Plot(60, 60, 420, 280, (35, 205), (1.5, 9.5))
    rows = homes()
    alike = sum((area <= SURROGATE) == (rooms <= PRIMARY) for area, rooms in rows)
    x, y = plot.at_x(SURROGATE), plot.at_y(PRIMARY)
    marks = [
        rect(plot.left, y, x - plot.left, plot.bottom - y, SHADE),
        rect(x, plot.top, plot.right - x, y - plot.top, SHADE),
        plot.y_axis(list(range(2, 10)), "rooms"),
    ]
    for area, rooms in rows:
        same = (area <= SURROGATE) == (rooms <= PRIMARY)
        marks.append(dot(plot.at_x(area), plot.at_y(rooms), FIRST if same else SECOND, 3, hollow=not same))
    marks += [
        line(plot.left, y, plot.right, y, INK, 2),
        line(x, plot.top, x, plot.bottom, STRONG, 2, "6 4"),
        text(x + 6, plot.top - 8, f"surrogate: area <= {SURROGATE:g}", BODY, STRONG),
        text(plot.right + 10, y + 4, f"split: rooms <= {PRIMARY:g}", BODY, INK, weight=600),
        dot(plot.right + 18, 96, FIRST, 3),
        text(plot.right + 28, 100, f"{alike} homes: both say the same", SMALL, FAINT),
        dot(plot.right + 18, 118, SECOND, 3, hollow=True),
        text(plot.right + 28, 122, f"{len(rows) - alike} homes: they differ", SMALL, FAINT),
        text(plot.right + 10, 260, "A home without rooms on record", SMALL, FAINT),
        text(plot.right + 10, 277, "goes where its area sends it;", SMALL, FAINT),
        text(plot.right + 10, 294, "one without either goes with", SMALL, FAINT),
        text(plot.right + 10, 311, "the majority.", SMALL, FAINT),
        plot.x_axis([50, 75, 100, 125, 150, 175, 200], "area"),
    ]
    return picture(396, f"A surrogate split that sends {alike} of {len(rows)} homes the same way", marks)
