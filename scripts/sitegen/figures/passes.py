"""The way of a row: from the table to blocks, to histograms, to splits, and round again for the next level."""

from __future__ import annotations

from madtree.render.mark import rect, text
from sitegen.figures.marks import BODY, FAINT, FIRST, INK, RULE, SECOND, SHADE, SMALL, arrow, box, line, picture

TOP, HEIGHT = 74.0, 130.0
GREY = ("#DDE3E9", "#C8D1DA")


def draw() -> str:
    marks = [
        _table(30),
        _blocks(225),
        _statistics(430),
        box(640, TOP + 14, 100, 102, "best split", "of each node", "of the frontier"),
        _step(136, 215, "pack, once", "into codes"),
        _step(345, 420, "one pass", "a level"),
        _step(566, 632, "search", "all nodes"),
    ]
    y = TOP + HEIGHT + 62
    marks += [
        line(690, TOP + HEIGHT - 8, 690, y, FAINT, 1.5),
        line(690, y, 280, y, FAINT, 1.5),
        arrow(280, y, 280, TOP + HEIGHT + 30),
        text(485, y - 9, "next level: the children are the new frontier", BODY, INK, "middle"),
        text(
            485,
            y + 17,
            "until every node is pure, small, deep enough, or has no split that gains",
            SMALL,
            FAINT,
            "middle",
        ),
    ]
    return picture(y + 34, "One pass over packed blocks for each level of the tree", marks)


def _step(x: float, to_x: float, *words: str) -> str:
    y = TOP + HEIGHT / 2
    middle = (x + to_x) / 2
    said = [text(middle, y - 26 + 15 * i, word, SMALL, FAINT, "middle") for i, word in enumerate(words)]
    return arrow(x, y, to_x, y) + "".join(said)


def _label(x: float, heading: str, words: str) -> str:
    return text(x, 34, heading, BODY, INK, "middle", 600) + text(x, 52, words, SMALL, FAINT, "middle")


def _table(x: float) -> str:
    marks = [_label(x + 48, "table", "rows, as they are")]
    for row in range(10):
        for column in range(4):
            fill = GREY[row % 2] if column else SHADE
            marks.append(rect(x + column * 24, TOP + row * 13, 23, 12, fill))
    return "".join(marks)


def _blocks(x: float) -> str:
    marks = [_label(x + 54, "blocks", "65,536 rows, by column")]
    for block in range(2):
        y = TOP + block * 68
        marks.append(rect(x - 5, y - 5, 118, 62, "#FFFFFF", 4, f'stroke="{RULE}"'))
        for column in range(4):
            for cell in range(18):
                shade = GREY[(cell * 7 + column * 5 + block) % 3 % 2]
                marks.append(rect(x + cell * 6, y + column * 13.5, 5, 12, shade))
    return "".join(marks)


def _statistics(x: float) -> str:
    marks = [_label(x + 64, "histograms", "node × feature × bin × class")]
    for node in range(2):
        y = TOP + node * 68
        for feature in range(3):
            for cell in range(12):
                share = (cell * 5 + feature * 3 + node * 7) % 11 / 10
                height = 6 + 9 * ((cell + 2 * node + feature) % 4) / 3
                base = y + 18 + feature * 19
                marks.append(rect(x + cell * 11, base - height, 8, height * share, FIRST))
                marks.append(rect(x + cell * 11, base - height * (1 - share), 8, height * (1 - share), SECOND))
    return "".join(marks)
