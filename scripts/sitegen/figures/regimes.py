"""Where the blocks are: in the session's memory, with resident workers, or several small groups to one block."""

from __future__ import annotations

from madtree.render.mark import rect, text
from sitegen.figures.marks import BODY, FAINT, INK, RULE, SHADE, SMALL, arrow, picture

COLUMN, GAP, LEFT = 226.0, 16.0, 25.0
BLOCK = "#C8D1DA"
GROUPS = ("#DDE3E9", "#C8D1DA", "#AEBAC6")


def draw() -> str:
    heads = (
        ("one process", "one tree, up to some million rows", _in_process),
        ("resident workers", "where parallel workers pay", _resident_workers),
        ("small groups", "thousands of trees", _groups),
    )
    marks = []
    for i, (heading, words, drawing) in enumerate(heads):
        x = LEFT + i * (COLUMN + GAP)
        marks.append(rect(x, 16, COLUMN, 286, "#FFFFFF", 8, f'stroke="{RULE}"'))
        marks.append(text(x + COLUMN / 2, 40, heading, BODY, INK, "middle", 600))
        marks.append(text(x + COLUMN / 2, 58, words, SMALL, FAINT, "middle"))
        marks.append(drawing(x + COLUMN / 2))
    return picture(
        320,
        "Where blocks are kept: in memory, with each resident worker, or whole groups to a block",
        marks,
    )


def _pill(x: float, y: float, word: str, width: float = 150) -> str:
    shape = rect(x - width / 2, y, width, 28, SHADE, 14, f'stroke="{RULE}"')
    return shape + text(x, y + 18, word, SMALL, INK, "middle")


def _in_process(x: float) -> str:
    marks = [_pill(x, 78, "table"), arrow(x, 108, x, 132)]
    marks.append(rect(x - 88, 136, 176, 92, SHADE, 8, f'stroke="{RULE}"'))
    marks.append(text(x, 154, "the session's memory", SMALL, FAINT, "middle"))
    marks += [rect(x - 72 + i * 37, 166, 32, 46, BLOCK, 3) for i in range(4)]
    marks.append(text(x, 254, "Every level reads the blocks", SMALL, FAINT, "middle"))
    marks.append(text(x, 271, "in place; nodes of the rows", SMALL, FAINT, "middle"))
    marks.append(text(x, 288, "are remembered.", SMALL, FAINT, "middle"))
    return "".join(marks)


def _resident_workers(x: float) -> str:
    marks = [_pill(x, 78, "table", 198)]
    for i, name in enumerate(("session", "worker 1", "worker 2")):
        at = x - 68 + 68 * i
        marks.append(arrow(at, 108, at, 132))
        marks.append(rect(at - 31, 136, 62, 92, SHADE, 8, f'stroke="{RULE}"'))
        marks.append(text(at, 154, name, SMALL, FAINT, "middle"))
        marks += [rect(at - 23 + j * 16, 166, 13, 46, BLOCK, 3) for j in range(3)]
    marks.append(text(x, 254, "Each packs a share and keeps it.", SMALL, FAINT, "middle"))
    marks.append(text(x, 271, "Every level it counts its own rows;", SMALL, FAINT, "middle"))
    marks.append(text(x, 288, "the session adds up the sums.", SMALL, FAINT, "middle"))
    return "".join(marks)


def _groups(x: float) -> str:
    marks = [_pill(x, 78, "table with groups"), arrow(x, 108, x, 132)]
    for i in range(3):
        left = x - 92 + i * 64
        for part, (offset, height) in enumerate(((0, 20), (20, 30), (50, 22))):
            marks.append(rect(left, 138 + offset, 54, height, GROUPS[(part + i) % 3], 2))
        marks.append(rect(left, 138, 54, 72, "none", 3, 'stroke="#8C959F"'))
    marks.append(text(x, 230, "all rows of a group in one block", SMALL, FAINT, "middle"))
    marks.append(text(x, 254, "A block's trees grow in one call,", SMALL, FAINT, "middle"))
    marks.append(text(x, 271, "here or in a worker, and are", SMALL, FAINT, "middle"))
    marks.append(text(x, 288, "written while the next ones grow.", SMALL, FAINT, "middle"))
    return "".join(marks)
