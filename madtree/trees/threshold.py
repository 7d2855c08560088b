"""A threshold in the feature's own type: the last integer, moment or label that still goes left.

A split compares a feature *as float8* with its threshold. Comparing the feature in its own type with the right value
has the same outcome for every value, is faster where the conversion is slow (numeric, dates), and people can read it.
"""

from __future__ import annotations

import math
from datetime import date, timedelta
from decimal import Decimal, localcontext
from fractions import Fraction

from madtree.trees.features import Feature
from madtree.wording import count_text

MICROSECONDS = 1_000_000
DAY = 86_400 * MICROSECONDS
EPOCH_DAY = date(1970, 1, 1).toordinal()

# First and last finite value of PostgreSQL's types: days and microseconds from 1970-01-01, microseconds of a day.
RANGES: dict[str, tuple[int, int]] = {
    "smallint": (-(2**15), 2**15 - 1),
    "integer": (-(2**31), 2**31 - 1),
    "bigint": (-(2**63), 2**63 - 1),
    "date": (-2_440_588, 2_145_042_905),  # 4714-11-24 BC to 5874897-12-31
    "timestamp without time zone": (-2_440_588 * DAY, 106_762_940 * DAY - 1),
    "timestamp with time zone": (-2_440_588 * DAY, 106_762_940 * DAY - 1),
    "time without time zone": (0, DAY),
}
INTEGERS = ("smallint", "integer", "bigint")
MOMENTS = tuple(name for name in RANGES if name not in INTEGERS)


def last_left(type_: str, threshold: float) -> int:
    """The largest value of a type in `RANGES` that a threshold sends left; one below the first value if it sends none.

    Dates count in days, timestamps and times in microseconds. PostgreSQL turns an integer into float8 rounding to even,
    and a time into seconds by one division (date_part('epoch', ..)); Python's floats do both alike. Each is monotone,
    so the last value is found by halving the range.
    """
    low, high = RANGES[type_][0] - 1, RANGES[type_][1]
    if type_ == "date":
        if math.isinf(threshold):
            return low if threshold < 0 else high
        return max(low, min(high, math.floor(Fraction(threshold) / 86_400)))
    divisor = 1 if type_ in INTEGERS else MICROSECONDS
    while low < high:
        middle = (low + high + 1) // 2
        if float(middle) / divisor <= threshold:
            low = middle
        else:
            high = middle - 1
    return low


def last_decimal(threshold: float) -> tuple[str, bool]:
    """The numeric up to which values go left, and whether it goes left itself.

    numeric becomes float8 by rounding to the nearest, ties to even: the limit is half way to the next float, which
    is a finite decimal. For 0 it is 0: PostgreSQL refuses to convert the numerics in between, too small for float8.
    """
    if threshold == 0 or math.isinf(threshold):
        return ("0" if threshold == 0 else "Infinity" if threshold > 0 else "-Infinity"), True
    above = math.nextafter(threshold, math.inf)
    if math.isinf(above):
        return repr(threshold), True
    even = int(Fraction(threshold) / Fraction(math.ulp(threshold))) % 2 == 0
    with localcontext() as context:
        context.prec = 1100  # the longest finite float8 has 767 significant digits
        middle = (Decimal(threshold) + Decimal(above)) / 2
    return format(middle, "f"), even


def first_right_label(feature: Feature, threshold: float) -> tuple[str, bool]:
    """The enum label from which values go right; if there is none such, the last label and False."""
    if threshold >= len(feature.labels):
        return feature.labels[-1], False
    return feature.labels[max(0, math.floor(threshold))], True


def moment_text(type_: str, value: int) -> str:
    """A date, timestamp or time as ISO text that PostgreSQL reads the same under every DateStyle.

    Args:
        type_: one of `MOMENTS`.
        value: days for a date, else microseconds; from 1970-01-01 or midnight.
    """
    if type_ == "date":
        return _day_text(value, "")
    if type_ == "time without time zone":
        return _clock_text(value)
    days, rest = divmod(value, DAY)
    zone = "+00" if type_ == "timestamp with time zone" else ""
    return _day_text(days, " " + _clock_text(rest) + zone)


def last_duration(threshold: float) -> float:
    """The longest interval, in seconds, that a threshold sends left: intervals have whole microseconds."""
    if not math.isfinite(threshold):
        return threshold
    nearest = round(threshold * MICROSECONDS)
    return (nearest if nearest / MICROSECONDS <= threshold else nearest - 1) / MICROSECONDS


def duration_text(seconds: float) -> str:
    """Seconds as days and a clock time: ``1 day 02:30:00``."""
    if not math.isfinite(seconds):
        return str(seconds)
    days, rest = divmod(round(abs(seconds) * MICROSECONDS), DAY)
    text = _clock_text(rest)
    if days:
        text = f"{count_text(days, 'day')} {text}"
    return f"-({text})" if seconds < 0 else text


def _day_text(days: int, clock: str) -> str:
    # Python's calendar has the years 1 to 9999; the Gregorian one repeats every 400 years of 146,097 days.
    cycles, ordinal = divmod(days + EPOCH_DAY - 1, 146_097)
    day = date(1, 1, 1) + timedelta(days=ordinal)
    year = day.year + 400 * cycles
    era = "" if year > 0 else " BC"
    return f"{year if year > 0 else 1 - year:04d}-{day.month:02d}-{day.day:02d}{clock}{era}"


def _clock_text(microseconds: int) -> str:
    seconds, fraction = divmod(microseconds, MICROSECONDS)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{fraction:06d}".rstrip("0") if fraction else text
