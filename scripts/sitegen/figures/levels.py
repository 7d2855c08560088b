"""How a tree grows: the plane after each pass, and the frontier that the next pass works on."""

from __future__ import annotations

from madtree.learn.prune.outcome import Outcome
from madtree.render.mark import rect, text
from sitegen.figures.example import points, tree
from sitegen.figures.marks import BODY, FAINT, FIRST, INK, SECOND, SMALL, STRONG, Plot, dot, line, picture

N_PASSES = 3
SIDE, GAP = 220.0, 25.0
Area = tuple[float, float, float, float]  # x from, x to, z from, z to


def draw() -> str:
    grown = tree(N_PASSES)
    x, z, label = points()
    marks = []
    for level in range(N_PASSES):
        plot = Plot(25 + level * (SIDE + GAP), 56, SIDE, SIDE, (0, 100), (0, 100))
        areas = _areas(grown, level)
        marks.append(text(plot.left, 26, f"pass {level + 1}", BODY, INK, weight=600))
        n_split = sum(split is not None for _, split in areas)
        nodes = "1 node" if len(areas) == 1 else f"{len(areas)} nodes"
        marks.append(text(plot.left, 44, f"{nodes} in the frontier, {n_split} split", SMALL, FAINT))
        for x_, z_, side in zip(x, z, label, strict=True):
            at, height = plot.at_x(x_), plot.at_y(z_)
            marks.append(rect(at - 2, height - 2, 4, 4, SECOND) if side else dot(at, height, FIRST, 1.5, hollow=True))
        for depth in range(level):
            for area, split in _areas(grown, depth):
                if split is not None:
                    marks.append(_cut(plot, area, split, INK, 1.4))
        for area, split in areas:
            if split is not None:
                marks.append(_cut(plot, area, split, STRONG, 2.6))
        marks.append(plot.frame())
    y = 56 + SIDE + 26
    marks += [dot(31, y - 4, FIRST, 3, hollow=True), text(42, y, "class false", SMALL, FAINT)]
    marks += [rect(117, y - 8, 7, 7, SECOND), text(130, y, "class true", SMALL, FAINT)]
    marks += [line(210, y - 4, 232, y - 4, STRONG, 2.6), text(238, y, "splits that this pass finds", SMALL, FAINT)]
    marks += [line(410, y - 4, 432, y - 4, INK, 1.4), text(438, y, "splits of earlier passes", SMALL, FAINT)]
    return picture(y + 18, "Level by level: each pass splits every node of the frontier at once", marks)


def _areas(grown: Outcome, depth: int) -> list[tuple[Area, tuple[int, float] | None]]:
    """The areas of the nodes at a depth, and the split (feature, threshold) of each."""
    found: list[tuple[Area, tuple[int, float] | None]] = []
    index = {int(node): i for i, node in enumerate(grown.node_id)}

    def visit(node: int, at: int, area: Area) -> None:
        i = index[node]
        split = None if grown.is_leaf[i] else (int(grown.feature[i]), float(grown.threshold[i]))
        if at == depth:
            found.append((area, split))
        elif split is not None:
            low, high = list(area), list(area)
            low[2 * split[0] + 1] = high[2 * split[0]] = split[1]
            visit(2 * node + 1, at + 1, tuple(low))  # type: ignore[arg-type]
            visit(2 * node + 2, at + 1, tuple(high))  # type: ignore[arg-type]

    visit(0, 0, (0.0, 100.0, 0.0, 100.0))
    return found


def _cut(plot: Plot, area: Area, split: tuple[int, float], colour: str, width: float) -> str:
    feature, threshold = split
    if feature == 0:
        at = plot.at_x(threshold)
        return line(at, plot.at_y(area[2]), at, plot.at_y(area[3]), colour, width)
    at = plot.at_y(threshold)
    return line(plot.at_x(area[0]), at, plot.at_x(area[1]), at, colour, width)
