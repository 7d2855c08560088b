"""Grids: limbs give values back, and sums do not depend on their order."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from madtree.learn.data.grid import Grid, is_exact

finite = st.floats(-1e12, 1e12, allow_nan=False).filter(lambda v: v == 0 or abs(v) > 1e-3)


@given(st.lists(finite, min_size=1, max_size=50))
def test_two_limbs_carry_values_and_their_sum_exactly(numbers: list[float]) -> None:
    values = np.array(numbers)
    grid = Grid.choose(np.array([np.abs(values).max()]), np.array([len(values)]), 2)
    limbs = grid.split(values)
    assert np.array_equal(limbs, np.rint(limbs))
    back = grid.join(limbs)
    np.testing.assert_allclose(back, values, rtol=0, atol=np.abs(values).max() * 2.0**-80)
    total = sum(
        Fraction(float(v)) * Fraction(2) ** int(e)
        for limb, e in zip(limbs, grid.exponents[0], strict=True)
        for v in limb
    )
    assert float(total) == grid.join(limbs.sum(axis=1, keepdims=True))[0]
    assert limbs.sum(axis=1).tolist() == limbs[:, ::-1].cumsum(axis=1)[:, -1].tolist()


@pytest.mark.parametrize("largest", [1e-9, 3.0, 1e4, 1e5])
@pytest.mark.parametrize("exponents", [(-3, -37), (-60, -60), (-900, 300), (-10,), (2, -20, -50)])
def test_sums_are_those_of_limbs(exponents: tuple[int, ...], largest: float) -> None:
    """Whether they fit 64 bits or not; a half is rounded to the even number."""
    grid = Grid(np.array([exponents], np.int32))
    rng = np.random.default_rng(3)
    for values in (rng.normal(size=5_000) * largest, largest + np.arange(-9, 9) * 2.0**-38, np.zeros(0)):
        found, limbs = grid.sums(values), grid.split(values)
        assert grid.join(found[:, None]) == grid.join(limbs.sum(axis=1, keepdims=True))
        assert np.array_equal(found, np.rint(found))
    assert not np.isfinite(grid.sums(np.array([1.0, np.nan]))).all()


def test_one_limb_holds_whole_numbers() -> None:
    values = np.array([3.0, -70.0, 12.0])
    assert is_exact(values, Grid.choose(np.array([70.0]), np.array([10**6]), 1))
    assert not is_exact(values / 3, Grid.choose(np.array([70.0]), np.array([10**6]), 1))


def test_each_tree_has_its_own_grid() -> None:
    grid = Grid.choose(np.array([1.0, 1e9]), np.array([10, 10**7]), 2)
    values, tree = np.array([0.3, 7e8 + 0.3]), np.array([0, 1])
    np.testing.assert_array_equal(grid.join(grid.split(values, tree), tree), values)


@pytest.mark.parametrize("largest", [0.0, 5e-324, 1e308])
def test_extreme_ranges_do_no_harm(largest: float) -> None:
    grid = Grid.choose(np.array([largest]), np.array([1000]), 2)
    assert np.isfinite(grid.join(grid.split(np.array([largest, -largest, 0.0])))).all()
