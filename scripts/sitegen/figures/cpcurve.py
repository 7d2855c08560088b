"""The cp curve with its one-standard-error line, of the table that docs/how-to/cp-table.md prints."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from madtree.render.mark import text
from sitegen.figures.marks import BODY, FAINT, FIRST, INK, SECOND, SMALL, STRONG, Plot, dot, line, path, picture

_ROW = re.compile(r"^ +(?P<cp>[\d.]+) \| +(?P<n>\d+) \| +(?P<rel>[\d.]+) \| +(?P<x>[\d.]+) \| +(?P<std>[\d.]+)", re.M)
_RELATIVE = "training rows"


@dataclass(frozen=True)
class CpRow:
    """One row of the cp table: splits, error on the training rows and on held-out rows with its standard error."""

    n_splits: int
    relative: float
    held_out: float
    std: float


def rows_of(page: str) -> list[CpRow]:
    """The table in the page's outputs.

    Raises:
        ValueError: there is none.
    """
    rows = [CpRow(int(m["n"]), float(m["rel"]), float(m["x"]), float(m["std"])) for m in _ROW.finditer(page)]
    if not rows:
        raise ValueError("the page prints no cp table")
    return rows


def draw(page: str) -> str:
    rows = rows_of(page)
    least = min(range(len(rows)), key=lambda i: (rows[i].held_out, i))
    bound = rows[least].held_out + rows[least].std
    chosen = next(i for i, row in enumerate(rows) if row.held_out <= bound)
    low = min(min(r.relative for r in rows), min(r.held_out - r.std for r in rows))
    step = 0.01 if 1 - low < 0.12 else 0.1
    bottom = float(np.floor(low / step) * step)
    top = float(np.ceil(max(r.held_out + r.std for r in rows) / step) * step)
    plot = Plot(70, 56, 500, 270, (-0.5, len(rows) - 0.5), (bottom, top))
    ticks = np.round(np.arange(bottom, top + step / 2, step * max(1, round((top - bottom) / step / 8))), 3).tolist()
    marks = [plot.y_axis(ticks, "risk relative to the root's")]
    marks.append(path([(plot.at_x(i), plot.at_y(r.relative)) for i, r in enumerate(rows)], SECOND, 1.6))
    marks.append(path([(plot.at_x(i), plot.at_y(r.held_out)) for i, r in enumerate(rows)], FIRST, 1.6))
    marks.append(line(plot.left, plot.at_y(bound), plot.right, plot.at_y(bound), STRONG, 1.5, "6 4"))
    for i, row in enumerate(rows):
        x = plot.at_x(i)
        marks.append(line(x, plot.at_y(row.held_out - row.std), x, plot.at_y(row.held_out + row.std), FIRST, 1.2))
        marks.append(dot(x, plot.at_y(row.held_out), FIRST, 3.5, hollow=i not in (least, chosen)))
    end = plot.right + 10
    marks += [
        text(plot.left + 8, plot.at_y(bound) + 16, "1-SE line", SMALL, STRONG),
        text(end, plot.at_y(rows[-1].held_out) + 4, "held-out rows (xerror)", BODY, FIRST),
        text(end, plot.at_y(rows[-1].relative) + 4, f"{_RELATIVE} (rel_error)", BODY, "#8A5E00"),
    ]
    for i, word in ((least, "rule=min"), (chosen, "rule=1se")):
        x, y = plot.at_x(i), plot.at_y(rows[i].held_out + rows[i].std)
        marks += [line(x, y - 4, x, y - 22, FAINT), text(x, y - 27, word, BODY, INK, "middle", 600)]
    every = max(1, len(rows) // 12)
    shown = list(range(0, len(rows), every))
    marks.append(plot.x_axis(shown, "splits of the pruned tree", [str(rows[i].n_splits) for i in shown]))
    return picture(386, "The cp table as a curve: error on training rows and on held-out rows", marks)
