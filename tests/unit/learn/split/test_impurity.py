"""A candidate has the same gain in any company, and however its numbers lie in memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from madtree.learn.data.types import Floats
from madtree.learn.split.criterion import entropy_gain, gain_ratio, gini_gain, misclassification_gain, over_classes


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


def test_a_gain_ratio_by_hand() -> None:
    """9 and 5 rows of two classes (Quinlan 1993, section 2.2): 6 and 2 of them left, 3 and 3 right."""
    (ratio,) = gain_ratio(np.array([[6.0], [2.0]]), np.array([[3.0], [3.0]]))
    assert ratio / 14 == pytest.approx(0.0481 / 0.9852, rel=2e-3)


def test_rounding_alone_has_no_gain_ratio() -> None:
    """Sides of the same shares, one of them with a thousandth of a millionth of the weight."""
    shares = np.random.default_rng(2).gamma(1.0, size=(5, 200))
    assert not gain_ratio(shares * 1e-9, shares).any()
