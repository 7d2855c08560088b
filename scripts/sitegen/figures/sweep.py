"""Two ways to the same candidates of a small node: through all bins, or along its sorted rows."""

from __future__ import annotations

import numpy as np

from madtree.render.mark import rect, text
from sitegen.figures.example import points
from sitegen.figures.marks import BODY, FAINT, FIRST, INK, RULE, SECOND, SMALL, STRONG, line, picture

N_BINS, N_ROWS = 40, 8
CELL = 16.0
LEFT = 60.0


def draw() -> str:
    x, _, label = points()
    rows = np.arange(N_ROWS) * 61 + 5  # some rows, spread over the table
    codes = np.minimum((x[rows] / 100 * N_BINS).astype(int), N_BINS - 1)
    classes = label[rows]
    order = np.argsort(codes, kind="stable")
    marks = [
        text(LEFT, 30, "counted", BODY, INK, weight=600),
        text(
            LEFT + 66,
            30,
            f"a place for each of {N_BINS} bins; most stay empty, and all are looked through",
            SMALL,
            FAINT,
        ),
    ]
    for code in range(N_BINS):
        marks.append(rect(LEFT + code * CELL, 44, CELL - 2, 44, "#FFFFFF", 0, f'stroke="{RULE}"'))
        for place, row in enumerate(np.flatnonzero(codes == code)):
            marks.append(_row(LEFT + code * CELL + 3, 76 - 11 * place, bool(classes[row])))
    top = 128
    marks += [
        text(LEFT, top, "sorted", BODY, INK, weight=600),
        text(
            LEFT + 66,
            top,
            f"{N_ROWS} rows in the order of their codes; a candidate wherever the code changes",
            SMALL,
            FAINT,
        ),
    ]
    wide = 44.0
    sums = [0, 0]
    for place, row in enumerate(order):
        at = LEFT + place * wide
        marks.append(rect(at, top + 16, wide - 6, 30, "#FFFFFF", 3, f'stroke="{RULE}"'))
        marks.append(_row(at + 5, top + 27, bool(classes[row])))
        marks.append(text(at + 19, top + 36, str(codes[row] + 1), SMALL, INK))
        sums[int(classes[row])] += 1
        marks.append(text(at + (wide - 6) / 2, top + 64, f"{sums[0]} : {sums[1]}", SMALL, FAINT, "middle"))
        last = place == len(order) - 1
        if not last and codes[order[place + 1]] != codes[row]:
            marks.append(line(at + wide - 3, top + 12, at + wide - 3, top + 70, STRONG, 2))
    end = LEFT + N_ROWS * wide + 8
    marks += [
        text(end, top + 36, "codes", SMALL, FAINT),
        text(end, top + 64, "classes on the left, so far", SMALL, FAINT),
        line(LEFT + 4, top + 92, LEFT + 4, top + 106, STRONG, 2),
        text(LEFT + 14, top + 104, "a candidate split", SMALL, FAINT),
        rect(LEFT + 130, top + 95, 8, 8, FIRST, 4),
        text(LEFT + 144, top + 104, "class false", SMALL, FAINT),
        rect(LEFT + 230, top + 95, 8, 8, SECOND),
        text(LEFT + 244, top + 104, "class true", SMALL, FAINT),
    ]
    return picture(top + 124, "A small node: counted into bins, or sorted and looked through row by row", marks)


def _row(x: float, y: float, side: bool) -> str:
    return rect(x, y, 8, 8, SECOND) if side else rect(x, y, 8, 8, FIRST, 4)
