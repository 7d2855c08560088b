"""The last value that goes left, in a feature's own type."""

from __future__ import annotations

import math
import random
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madtree.trees import Feature, FeatureKind
from madtree.trees.threshold import DAY, duration_text, first_right_label, last_decimal, last_left, moment_text

SIZE = Feature("size", "size", FeatureKind.ORDERED, ("s", "m", "l"))


@given(st.floats(-1e19, 1e19))
def test_bigint_boundary_separates_as_float8_does(threshold: float) -> None:
    last = last_left("bigint", threshold)
    if last >= -(2**63):
        assert float(last) <= threshold
    if last < 2**63 - 1:
        assert float(last + 1) > threshold


@given(st.floats(-2e11, 9e12))
def test_timestamp_boundary_separates_as_epoch_seconds_do(threshold: float) -> None:
    last = last_left("timestamp without time zone", threshold)
    assert last / 1e6 <= threshold
    assert (last + 1) / 1e6 > threshold


@pytest.mark.parametrize(
    ("type_", "threshold", "last"),
    [
        ("smallint", 1e9, 32767),
        ("smallint", -1e9, -32769),  # one below the first: none goes left
        ("integer", -0.5, -1),
        ("integer", 7.0, 7),
        ("integer", math.inf, 2**31 - 1),
        ("integer", -math.inf, -(2**31) - 1),
        ("date", 86_400 * 1.5, 1),
        ("date", -1.0, -1),
        ("date", math.inf, 2_145_042_905),
        ("time without time zone", 86_400.0, DAY),
        ("time without time zone", 0.5, 500_000),
    ],
)
def test_boundary(type_: str, threshold: float, last: int) -> None:
    assert last_left(type_, threshold) == last


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-300, max_value=1e300), st.booleans())
def test_numeric_boundary_separates_as_float8_does(threshold: float, negative: bool) -> None:
    threshold = -threshold if negative else threshold
    text, is_left = last_decimal(threshold)
    boundary = Fraction(Decimal(text))
    step = Fraction(1, 10**400)
    # float(Fraction) rounds as PostgreSQL's conversion of a numeric does: to the nearest, ties to even.
    assert (float(boundary) <= threshold) == is_left
    assert float(boundary - step) <= threshold
    assert float(boundary + step) > threshold


@pytest.mark.parametrize(("threshold", "expected"), [(0.0, "0"), (-0.0, "0"), (math.inf, "Infinity")])
def test_numeric_boundary_at_the_ends(threshold: float, expected: str) -> None:
    assert last_decimal(threshold) == (expected, True)


@pytest.mark.parametrize(("threshold", "expected"), [(0.5, ("s", True)), (1.5, ("m", True)), (2.5, ("l", True))])
def test_label_that_goes_right_first(threshold: float, expected: tuple[str, bool]) -> None:
    assert first_right_label(SIZE, threshold) == expected


def test_no_label_goes_right() -> None:
    assert first_right_label(SIZE, 3.0) == ("l", False)


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        ("date", 0, "1970-01-01"),
        ("date", 19_782, "2024-02-29"),
        ("date", -719_163, "0001-12-31 BC"),
        ("date", -2_440_588, "4714-11-24 BC"),
        ("date", 2_145_042_905, "5874897-12-31"),
        ("timestamp without time zone", -1, "1969-12-31 23:59:59.999999"),
        ("timestamp with time zone", 1_500_000, "1970-01-01 00:00:01.5+00"),
        ("time without time zone", DAY, "24:00:00"),
    ],
)
def test_moments_are_iso_text(type_: str, value: int, text: str) -> None:
    assert moment_text(type_, value) == text


def test_every_day_has_its_own_text() -> None:
    rng = random.Random(0)
    days = sorted(rng.sample(range(-1_000_000, 4_000_000), 5_000))
    assert len({moment_text("date", day) for day in days}) == len(days)


@pytest.mark.parametrize(
    ("seconds", "text"), [(5400, "01:30:00"), (90_000.5, "1 day 01:00:00.5"), (-60, "-(00:01:00)"), (math.inf, "inf")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
