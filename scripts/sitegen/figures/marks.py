"""Marks and scales that the documentation's figures share, on top of those of `madtree.render.mark`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from madtree.render.mark import OKABE_ITO, document, rect, text

INK, FAINT, RULE, PAPER, SHADE = "#1B1F24", "#57606A", "#C5CDD6", "#FFFFFF", "#EEF1F4"
FIRST, SECOND = OKABE_ITO[0], OKABE_ITO[1]
STRONG = OKABE_ITO[5]
WIDTH = 760.0
TITLE, BODY, SMALL = 14.0, 12.5, 11.5  # font sizes in px


def picture(height: float, title: str, marks: Sequence[str]) -> str:
    """A figure of the documentation's width; the title is read by screen readers and shown to pointers."""
    return document(WIDTH, height, title, list(marks), PAPER)


def line(x: float, y: float, to_x: float, to_y: float, colour: str = RULE, width: float = 1, dashes: str = "") -> str:
    """A straight line; `dashes` as in SVG's stroke-dasharray."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}" '
        f'stroke-width="{width:g}"{dashed}/>'
    )


def path(points: Sequence[tuple[float, float]], colour: str, width: float = 2) -> str:
    """A broken line through points."""
    corners = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{corners}" fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"/>'


def dot(x: float, y: float, colour: str, radius: float = 3.5, hollow: bool = False) -> str:
    """A disc, or a ring where `hollow`."""
    fill = PAPER if hollow else colour
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}" stroke="{colour}" stroke-width="1.5"/>'


def arrow(x: float, y: float, to_x: float, to_y: float, colour: str = FAINT) -> str:
    """An arrow along one axis."""
    step_x, step_y = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
    back_x, back_y = to_x - 8 * step_x, to_y - 8 * step_y
    side_x, side_y = 4.5 * abs(step_y), 4.5 * abs(step_x)
    head = (
        f"M{to_x:.1f} {to_y:.1f}L{back_x + side_x:.1f} {back_y + side_y:.1f}L{back_x - side_x:.1f} "
        f"{back_y - side_y:.1f}Z"
    )
    return line(x, y, back_x, back_y, colour, 1.5) + f'<path d="{head}" fill="{colour}"/>'


def box(x: float, y: float, width: float, height: float, heading: str, *lines: str, fill: str = SHADE) -> str:
    """A rounded box with a heading and lines of text, centred."""
    middle = x + width / 2
    top = y + height / 2 - (len(lines) * 17) / 2 + 5
    marks = [rect(x, y, width, height, fill, 8, f'stroke="{RULE}"')]
    marks.append(text(middle, top, heading, BODY, INK, "middle", 600))
    marks += [text(middle, top + 17 * i, words, SMALL, FAINT, "middle") for i, words in enumerate(lines, 1)]
    return "".join(marks)


@dataclass(frozen=True)
class Plot:
    """A rectangle of the picture with linear scales.

    Attributes:
        left, top, width, height: in px.
        x, y: the values at the ends of the axes; `y` grows upwards.
    """

    left: float
    top: float
    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def at_x(self, value: float) -> float:
        return self.left + (value - self.x[0]) / (self.x[1] - self.x[0]) * self.width

    def at_y(self, value: float) -> float:
        return self.bottom - (value - self.y[0]) / (self.y[1] - self.y[0]) * self.height

    def frame(self) -> str:
        return rect(self.left, self.top, self.width, self.height, "none", 0, f'stroke="{RULE}"')

    def x_axis(self, ticks: Sequence[float], label: str, words: Sequence[str] | None = None) -> str:
        """The base line, its ticks and what they say."""
        marks = [line(self.left, self.bottom, self.right, self.bottom, FAINT)]
        for tick, word in zip(ticks, words or [f"{tick:g}" for tick in ticks], strict=True):
            marks.append(line(self.at_x(tick), self.bottom, self.at_x(tick), self.bottom + 4, FAINT))
            marks.append(text(self.at_x(tick), self.bottom + 17, word, SMALL, FAINT, "middle"))
        marks.append(text((self.left + self.right) / 2, self.bottom + 36, label, BODY, INK, "middle"))
        return "".join(marks)

    def y_axis(self, ticks: Sequence[float], label: str, words: Sequence[str] | None = None) -> str:
        """Fine lines across the plot at the ticks; the label stands above the axis, where it reads without turning."""
        marks = []
        for tick, word in zip(ticks, words or [f"{tick:g}" for tick in ticks], strict=True):
            marks.append(line(self.left, self.at_y(tick), self.right, self.at_y(tick), RULE, 0.7))
            marks.append(text(self.left - 7, self.at_y(tick) + 4, word, SMALL, FAINT, "end"))
        marks.append(text(self.left - 30, self.top - 10, label, BODY, INK))
        return "".join(marks)
