"""How wide a text is drawn, roughly: pictures are made where no font can be asked."""

from __future__ import annotations

import unicodedata

# Advance widths in em, from DejaVu Sans, which is among the wider ones of the fonts that browsers choose.
NARROW, PLAIN, CAPITAL, BROAD, FULL = 0.34, 0.63, 0.73, 0.97, 1.05
_NARROW = frozenset(" .,:;'|!()[]{}ijlrtfI\"")
_BROAD = frozenset("mwMW@%")
ELLIPSIS = "…"


def text_width(text: str, size: float) -> float:
    """Width of a line of text at a font size, in the size's unit."""
    return size * sum(map(_em, text))


def fitted(text: str, size: float, width: float) -> str:
    """The text, cut to a width at a character if it is too long, with an ellipsis then."""
    if text_width(text, size) <= width:
        return text
    room = width / size - _em(ELLIPSIS)
    for position, character in enumerate(text):
        room -= _em(character)
        if room < 0:
            return text[:position].rstrip() + ELLIPSIS
    return text


def _em(character: str) -> float:
    if character in _NARROW:
        return NARROW
    if unicodedata.combining(character):
        return 0.0
    if character in _BROAD:
        return BROAD
    if unicodedata.east_asian_width(character) in "WF":
        return FULL
    return CAPITAL if character.isupper() or character in "<>=" else PLAIN
