"""The ranges of a page's small histograms: the threshold is between two of them, and their names are true."""

from __future__ import annotations

import math
from bisect import bisect_right
from datetime import date
from itertools import pairwise

import pytest

from madtree.report.bins import DAY, Extent, bins_of
from madtree.trees import Feature, FeatureKind

REAL = Feature("x", "double precision", FeatureKind.CONTINUOUS)
WHOLE = Feature("n", "integer", FeatureKind.ORDERED)
DATE = Feature("day", "date", FeatureKind.CONTINUOUS)
MOOD = Feature("mood", "mood", FeatureKind.ORDERED, labels=("sad", "ok", "happy", "great"))


def extent(values: list[float]) -> Extent:
    if not values or max(map(abs, values)) > 1e100:
        return Extent(min(values, default=None), max(values, default=None), None, 0.0)
    mean = math.fsum(values) / len(values)
    return Extent(min(values), max(values), mean, math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values)))


@pytest.mark.parametrize("feature", [REAL, WHOLE])
@pytest.mark.parametrize(
    ("values", "threshold"),
    [
        ([float(i * 7 % 100) for i in range(300)], 42.5),
        ([float(i * 7 % 100) for i in range(300)], 42.0),
        ([float(i * 7 % 100) for i in range(300)], 250.0),  # rows of another table than that of the training
        ([float(i * 7 % 100) for i in range(300)], -250.0),
        ([5.0] * 10, 5.0),
        ([], 3.0),
        ([0.0] * 999 + [1e9], 0.5),
        ([1e15 + i for i in range(50)], 1e15 + 20.5),
        ([-1e300, 1e300], 0.0),
        ([i / 1e9 for i in range(100)], 5e-8),
    ],
)
def test_the_threshold_divides_the_ranges(feature: Feature, values: list[float], threshold: float) -> None:
    found = bins_of(feature, threshold, extent(values))
    assert len(found.texts) == len(found.edges) + 1 <= 27
    assert all(one <= two for one, two in pairwise(found.edges))
    assert 1 <= found.n_left < len(found.texts)
    for value in (*values, math.inf, -math.inf):
        if feature is REAL or math.isinf(value) or value.is_integer():
            assert (bisect_right(found.edges, value) < found.n_left) == (value <= threshold)


def test_whole_numbers_stand_alone_where_there_are_few() -> None:
    found = bins_of(WHOLE, 11.0, extent([float(n) for n in range(24)]))
    assert found.texts == tuple(str(n) for n in range(24))
    assert found.ends == ("0", "23")
    assert found.texts[found.n_left - 1 : found.n_left + 1] == ("11", "12")


def test_ranges_of_whole_numbers_name_their_first_and_last() -> None:
    found = bins_of(WHOLE, 499.0, extent([float(n) for n in range(1000)]))
    bounds = [tuple(map(int, text.split(" to "))) for text in found.texts]
    assert bounds[0][0] == 0
    assert bounds[-1][-1] == 999
    assert all(two[0] == one[-1] + 1 for one, two in pairwise(bounds))
    for value in range(1000):
        place = bisect_right(found.edges, float(value))
        assert bounds[place][0] <= value <= bounds[place][-1]


def test_days_and_labels_are_told_as_such() -> None:
    days = [float((date(2024, 1, day) - date(1970, 1, 1)).days) * DAY for day in range(1, 21)]
    found = bins_of(DATE, days[9], extent(days))
    assert found.texts == tuple(f"2024-01-{day:02d}" for day in range(1, 21))
    assert found.texts[found.n_left - 1] == "2024-01-10"
    found = bins_of(MOOD, 2.5, extent([1.0, 2.0, 3.0, 4.0]))
    assert found.texts == MOOD.labels
    assert found.n_left == 2


def test_what_is_far_away_is_in_the_last_range() -> None:
    found = bins_of(REAL, 0.5, extent([i / 1000 for i in range(1000)] + [1e3]))
    assert found.texts[-1].endswith(" and more")
    assert float(found.ends[1]) < 200
    assert not found.texts[0].startswith("up to")


@pytest.mark.parametrize("threshold", [math.inf, -math.inf])
def test_a_split_between_values_and_none_has_all_values_on_one_side(threshold: float) -> None:
    values = [float(n) for n in range(100)]
    found = bins_of(REAL, threshold, extent(values))
    inside = [bisect_right(found.edges, value) < found.n_left for value in values]
    assert all(inside) == (threshold > 0)
