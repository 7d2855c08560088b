"""Weighted quantiles of rows at hand, held against plain Python by their definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from madtree.learn.losses import quantiles_of_places


def by_definition(values: list[float], weights: list[float], level: float) -> float:
    """The least value up to which there is the share of the weight; exactly that, and the mean with the next one."""
    total, up_to = sum(map(Fraction, weights)), Fraction(0)
    rows = sorted(zip(values, weights, strict=True))
    for place, (value, weight) in enumerate(rows):
        up_to += Fraction(weight)
        wanted = Fraction(level) * total
        if abs(up_to - wanted) <= total * Fraction(1, 10**12) and place + 1 < len(rows):
            return (value + rows[place + 1][0]) / 2
        if up_to > wanted:
            return value
    return rows[-1][0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("level", [0.5, 0.25, 0.8, 0.01, 0.99])
def test_quantiles_are_those_of_the_definition(level: float, *, weighted: bool) -> None:
    rng = np.random.default_rng(5)
    place = rng.integers(0, 40, 900)
    place[place == 7] = 8  # one place has no values, and some have one
    values = rng.choice([rng.normal(size=900), rng.integers(-3, 3, 900)], axis=0)
    weights = rng.choice([0.25, 1.0, 3.0, 0.1], 900) if weighted else None
    found = quantiles_of_places(values, weights, place, 41, level)
    for each in range(41):
        mine = np.flatnonzero(place == each)
        own = np.ones(len(mine)) if weights is None else weights[mine]
        expected = by_definition(values[mine].tolist(), own.tolist(), level) if len(mine) else 0.0
        assert found[each] == pytest.approx(expected, abs=1e-12)


def test_rows_that_weigh_nothing_beside_others_do_not_count_elsewhere() -> None:
    found = quantiles_of_places(
        np.array([5.0, 1.0, 2.0]), np.array([1e-300, 1e300, 1e300]), np.array([0, 1, 1]), 2, 0.5
    )
    assert found.tolist() == [5.0, 1.5]


def test_no_rows_at_all() -> None:
    assert quantiles_of_places(np.zeros(0), None, np.zeros(0, np.int64), 3, 0.5).tolist() == [0, 0, 0]
