"""A candidate has the same gain in any company, and however its numbers lie in memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from madtree.learn.criteria.classes import misclassification_gain
from madtree.learn.criteria.entropy import entropy_gain, gain_ratio
from madtree.learn.criteria.gini import gini_gain
from madtree.learn.criteria.poisson import poisson_gain
from madtree.learn.data.types import Floats
from madtree.learn.problem import over_classes


def _classes(n_columns: int) -> Floats:
    return np.random.default_rng(0).gamma(0.3, size=(200, n_columns))


def test_classes_are_added_one_after_the_other() -> None:
    values = _classes(7)
    one_by_one = values.cumsum(axis=0)[-1]
    for columns in (values, np.asfortranarray(values), values[:, ::-1][:, ::-1], values.T.copy().T):
        np.testing.assert_array_equal(over_classes(columns), one_by_one)
    np.testing.assert_array_equal(over_classes(values[:, 3:4]), one_by_one[3:4])


@pytest.mark.parametrize("gain", [gini_gain, entropy_gain, gain_ratio, misclassification_gain])
def test_gains_do_not_depend_on_the_layout(gain: Callable[[Floats, Floats], Floats]) -> None:
    left, right = _classes(9), _classes(9)[::-1].copy()
    expected = gain(left, right)
    np.testing.assert_array_equal(gain(np.asfortranarray(left), np.asfortranarray(right)), expected)
    alone = [float(gain(left[:, i : i + 1], right[:, i : i + 1])[0]) for i in range(9)]
    np.testing.assert_array_equal(alone, expected)


def test_a_gain_of_counts_by_hand() -> None:
    """Exposures 2 and 8 with the rates 3 and 0.5; no events on one side; none at all; rates that hardly differ."""
    left, right = np.array([[2.0, 2, 4, 1e6], [3.0, 0, 0, 1]]), np.array([[8.0, 8, 4, 1e6], [0.5, 0.5, 0, 1 + 1e-7]])
    gain = poisson_gain(left, right)
    deviance = 2 * (6 * np.log(3 / 1) + 4 * np.log(0.5 / 1))
    np.testing.assert_allclose(gain[:3], [deviance, 2 * 4 * np.log(0.5 / 0.4), 0], rtol=1e-14)
    assert gain[3] == pytest.approx(1e6 * (1e-7 / 2) ** 2 * 2, rel=1e-6)
    assert poisson_gain(np.array([[0.1], [1 / 3]]), np.array([[7.3], [1 / 3]])) == 0


def test_gains_of_counts_are_smooth_where_the_series_begins() -> None:
    ratio = 1 + np.linspace(0.005, 0.03, 400)
    ones = np.ones_like(ratio)
    gain = poisson_gain(np.stack((ones, ratio)), np.stack((ones, ones)))
    rate = (1 + ratio) / 2
    np.testing.assert_allclose(gain, 2 * (ratio * np.log(ratio / rate) - np.log(rate)), rtol=1e-10)


def test_a_gain_ratio_by_hand() -> None:
    """9 and 5 rows of two classes (Quinlan 1993, section 2.2): 6 and 2 of them left, 3 and 3 right."""
    (ratio,) = gain_ratio(np.array([[6.0], [2.0]]), np.array([[3.0], [3.0]]))
    assert ratio / 14 == pytest.approx(0.0481 / 0.9852, rel=2e-3)


def test_rounding_alone_has_no_gain_ratio() -> None:
    """Sides of the same shares, one of them with a thousandth of a millionth of the weight."""
    shares = np.random.default_rng(2).gamma(1.0, size=(5, 200))
    assert not gain_ratio(shares * 1e-9, shares).any()
