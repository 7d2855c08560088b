"""Exact sums: held against Python's fractions, and the same in whatever order and pieces."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.learn.data import ExactSums, in_powers

N_CELLS = 5
RNG = np.random.default_rng(3)
NUMBERS = {
    "shares": RNG.random(3000),
    "of both signs": RNG.normal(size=3000) * 1e6,
    "of all sizes": RNG.normal(size=3000) * 10.0 ** RNG.integers(-300, 300, 3000),
    "the smallest": RNG.integers(0, 9, 3000) * 5e-324,
    "the largest": RNG.choice([1.7e308, -1.7e308], 3000),
    "powers of two": 2.0 ** RNG.integers(-70, 70, 3000),
    "that cancel": np.concatenate([RNG.random(1000) * 1e9, -RNG.random(1000) * 1e9, RNG.random(1000) * 1e-9]),
    "zeros": np.zeros(3000),
}
CELL = RNG.integers(0, N_CELLS, 3000)


def exact(values: np.ndarray, cell: int) -> Fraction:
    return sum((Fraction(value) for value in values[cell == CELL].tolist()), Fraction(0))


@pytest.mark.parametrize("name", NUMBERS)
def test_sums_are_those_of_fractions(name: str) -> None:
    values = NUMBERS[name]
    sums = ExactSums(N_CELLS)
    sums.add(values, CELL)
    for cell in range(N_CELLS):
        whole = sum(
            (int(counts[cell]) * Fraction(2) ** (32 * power) for power, counts in sums.by_power.items()), Fraction(0)
        )
        assert whole == exact(values, cell)
        if abs(whole) < 1e308:
            assert sums.totals[cell] == pytest.approx(float(whole), rel=1e-15, abs=0)


@pytest.mark.parametrize("name", NUMBERS)
def test_no_order_and_no_piece_changes_a_bit(name: str) -> None:
    values, order = NUMBERS[name], RNG.permutation(3000)
    whole, parts = ExactSums(N_CELLS), ExactSums(N_CELLS)
    whole.add(values, CELL)
    for rows in np.array_split(order, 7):
        for power, counts in in_powers(values[rows], CELL[rows], N_CELLS):
            parts.of_power(power)[:] += counts
    with np.errstate(over="ignore"):
        assert whole.totals.tobytes() == parts.totals.tobytes()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(MadtreeError, match="too large to be added up"):
        ExactSums(1).add(np.array([1.0, value]), np.zeros(2, np.int64))


def test_of_nothing_the_sum_is_nothing() -> None:
    sums = ExactSums(3)
    sums.add(np.zeros(0), np.zeros(0, np.int64))
    assert sums.totals.tolist() == [0, 0, 0]
