"""Colours of pictures: told apart by readers with any kind of colour blindness, and in grey.

Classes have those of M. Okabe and K. Ito, "Color Universal Design" (https://jfly.uni-koeln.de/color/, 2008), less
black.
"""

from __future__ import annotations

from collections.abc import Sequence

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
