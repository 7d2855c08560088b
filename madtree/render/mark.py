"""The marks that pictures are made of: SVG elements with presentation attributes only.

No style sheet, no id, no script: a picture can stand in any page, many times, under any content security policy.

Colours are told apart by readers with any kind of colour blindness, and in grey. Classes have those of M. Okabe and
K. Ito, "Color Universal Design" (https://jfly.uni-koeln.de/color/, 2008), less black.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape  # that of xml.sax brings urllib and ssl, which take longer to load than all of madtree

from madtree.render.labels import one_line

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
OTHERS = "#9AA0A6"  # all classes beyond the palette together
NUMBERS = ((0x9E, 0xC5, 0xE8), (0x08, 0x3C, 0x7A))  # from the least mean to the greatest: one hue, light to dark


def class_colours(weights: Sequence[float]) -> list[str]:
    """A colour for each class, by its weight in all data: where there are too many, the rarest share `OTHERS`."""
    if len(weights) <= len(OKABE_ITO):
        return list(OKABE_ITO[: len(weights)])
    common = sorted(range(len(weights)), key=lambda i: (-weights[i], i))[: len(OKABE_ITO)]
    colours = [OTHERS] * len(weights)
    for colour, index in zip(OKABE_ITO, sorted(common), strict=True):
        colours[index] = colour
    return colours


def number_colour(share: float) -> str:
    """The colour of a mean that lies at `share` (0 to 1) of the way from the least to the greatest."""
    low, high = NUMBERS
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in zip(low, high, strict=True))


FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # nor as references: XML 1.0, section 2.2


def words(value: str) -> str:
    """Any text as character data on one line; characters that XML cannot hold become U+FFFD."""
    return escape(NOT_XML.sub("\ufffd", one_line(value)), quote=False)


def text(x: float, y: float, value: str, size: float, colour: str, anchor: str = "start", weight: int = 400) -> str:
    """A line of text whose base line is at `y`."""
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    place = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{colour}"{place}{bold}>{words(value)}</text>'


def rect(x: float, y: float, width: float, height: float, fill: str, radius: float = 0, more: str = "") -> str:
    """A rectangle; `more` are further attributes."""
    corners = f' rx="{radius:g}"' if radius else ""
    extra = f" {more}" if more else ""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.2f}" height="{height:.1f}"{corners} fill="{fill}"{extra}/>'


def band(x: float, y: float, to_x: float, to_y: float, colour: str, width: float) -> str:
    """A curve from a point down to another one, vertical at both ends."""
    middle = (y + to_y) / 2
    line = f"M{x:.1f} {y:.1f}C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
    return f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="{width:.1f}"/>'


def group(marks: list[str], tooltip: str) -> str:
    """Marks that belong together, with the text that a pointer over them shows; its lines are kept."""
    title = "\n".join(words(line) for line in tooltip.split("\n"))
    return f"<g><title>{title}</title>{''.join(marks)}</g>"


def document(width: float, height: float, title: str, marks: list[str], paper: str) -> str:
    """A whole picture of that size in px, on a sheet of its own so that it can be read on any background."""
    label = escape(NOT_XML.sub("\ufffd", one_line(title)))
    body = "\n".join(marks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{label}" font-family="{FONT}">\n'
        f"<title>{words(title)}</title>\n{rect(0, 0, width, height, paper, 6)}\n{body}\n</svg>\n"
    )
