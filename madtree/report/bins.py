"""The ranges in which a page counts the values of a split's feature, and what they are called."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from madtree.records import dataclass
from madtree.render.labels import category_text, number_text
from madtree.trees import INTEGERS, MICROSECONDS, MOMENTS, Feature, duration_text, moment_text

WANTED = 24  # ranges
USUAL = 4.0  # standard deviations from the mean: what is further away is counted in the first or the last range
DAY = 86_400.0  # seconds
_EXACT = 2.0**50  # below it a float8 tells integers and what is half way between them apart
_SLACK = 1e-9  # of a range, within which an end is taken for an edge


@dataclass(frozen=True)
class Extent:
    """Where numbers are.

    Attributes:
        low, high: the least and the greatest finite one, None where there is none.
        mean, deviation: their mean and standard deviation; None and 0 where all are very large.
    """

    low: float | None
    high: float | None
    mean: float | None
    deviation: float


@dataclass(frozen=True)
class ValueRanges:
    """Ranges of equal width, from below; the first and the last one have all that is beyond, too.

    Attributes:
        edges: between them; an edge is the least value of the range above it.
        n_left: so many of them hold what is not above the threshold.
        texts: what each of them is called.
        ends: what the least and the greatest values are called.
    """

    edges: tuple[float, ...]
    n_left: int
    texts: tuple[str, ...]
    ends: tuple[str, str]


def bins_of(feature: Feature, threshold: float, extent: Extent) -> ValueRanges:
    """About `WANTED` ranges, between two of which the threshold lies.

    Args:
        feature: of the model, whose type has its own words for numbers.
        threshold: of a split by it.
        extent: of the values in rows.
    """
    least, greatest = (threshold if end is None else end for end in (extent.low, extent.high))
    if not math.isfinite(threshold):  # it tells only what is missing from the rest
        threshold = greatest if threshold > 0 else least
        low, high = least, greatest
    else:
        low, high = _usual(extent, least, greatest)
        low, high = min(low, threshold), max(high, threshold)
    if not math.isfinite(threshold):  # and nothing is there
        threshold = low = high = 0.0
    unit = _unit(feature) if max(abs(low), abs(high)) < _EXACT else 0.0
    width = high / WANTED - low / WANTED or abs(threshold) / WANTED or 1.0
    base = edge = threshold
    if unit:
        width = max(1.0, math.ceil(width / unit)) * unit
        base = edge = math.floor(threshold / unit) * unit + unit / 2
    else:
        edge = math.nextafter(threshold, math.inf)
    n_left, n_right = (max(1, math.ceil(room / width - _SLACK)) for room in (base - low, high - base))
    places = range(-n_left, n_right + 1)
    bounds = [base + place * width for place in places]
    words = _words(feature, width)
    texts = [_text(words, unit, max(a, least), min(b, greatest)) for a, b in pairwise(bounds)]
    first, last = (max(bounds[0], least), min(bounds[-1], greatest))
    if least < bounds[0] - _SLACK * width:
        texts[0] = f"up to {_ends(words, unit, bounds[0], bounds[1])[1]}"
        first = bounds[0]
    if greatest > bounds[-1] + _SLACK * width:
        texts[-1] = f"{_ends(words, unit, bounds[-2], bounds[-1])[0]} and more"
        last = bounds[-1]
    edges = tuple(edge if place == 0 else bound for place, bound in zip(places, bounds, strict=True))[1:-1]
    return ValueRanges(edges, n_left, tuple(texts), _ends(words, unit, first, last))


def _usual(extent: Extent, least: float, greatest: float) -> tuple[float, float]:
    """The ends of what is drawn: a few values far away must not press all others into one range."""
    if extent.mean is None:
        return least, greatest
    room = USUAL * extent.deviation
    return max(least, extent.mean - room), min(greatest, extent.mean + room)


def _unit(feature: Feature) -> float:
    """What values are multiples of; 0 where they are of nothing."""
    if feature.labels or feature.type in INTEGERS:
        return 1.0
    return DAY if feature.type == "date" else 0.0


def _words(feature: Feature, width: float) -> Callable[[float], str]:
    """What says a number as a value of the feature, exactly enough for ranges of that width."""
    if feature.labels:
        return lambda value: category_text(feature.labels[max(0, min(len(feature.labels), round(value)) - 1)])
    if feature.type == "date":
        return lambda value: moment_text("date", round(value / DAY))
    if feature.type == "interval" or feature.type in MOMENTS:
        text_of = duration_text if feature.type == "interval" else _moment(feature.type)
        return lambda value: text_of(float(round(value)) if width > 1 else value)
    return lambda value: number_text(value, _digits(value, width))


def _moment(type_: str) -> Callable[[float], str]:
    return lambda seconds: moment_text(type_, round(seconds * MICROSECONDS))


def _digits(value: float, width: float) -> int:
    """Significant digits that show a tenth of the width."""
    if value == 0 or not math.isfinite(value):
        return 1
    return max(1, min(17, 2 + math.floor(math.log10(abs(value))) - math.floor(math.log10(width))))


def _text(words: Callable[[float], str], unit: float, low: float, high: float) -> str:
    first, last = _ends(words, unit, low, high)
    return first if first == last else f"{first} to {last}"


def _ends(words: Callable[[float], str], unit: float, low: float, high: float) -> tuple[str, str]:
    """The first and the last value between two bounds."""
    if unit:
        low, high = math.ceil(low / unit) * unit, math.floor(high / unit) * unit
    return words(low), words(max(low, high))
