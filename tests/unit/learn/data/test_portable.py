"""Exponentials and logarithms of our own: right to the last digit or so, and with the same bits wherever they run."""

from __future__ import annotations

import hashlib

import numpy as np

from madtree.learn.data import portable


def test_exponentials_are_right() -> None:
    rng = np.random.default_rng(1)
    x = np.concatenate((rng.normal(size=20_000) * 4, rng.uniform(-700, 700, 20_000), [0.0, -0.0, 1e-300, 1e-17]))
    expected = np.exp(x)
    assert (np.abs(portable.exp(x) - expected) <= 2 * np.spacing(expected)).all()
    assert portable.exp(np.array([[0.0, 1.0]])).shape == (1, 2)
    np.testing.assert_array_equal(portable.exp(np.array([-1e9, 1e9])), portable.exp(np.array([-700.0, 700.0])))


def test_logarithms_are_right() -> None:
    rng = np.random.default_rng(2)
    x = np.concatenate((np.exp(rng.uniform(-600, 600, 20_000)), rng.uniform(0.4, 2.5, 20_000)))
    expected = np.log(x)
    assert (np.abs(portable.log(x) - expected) <= 2 * np.spacing(np.maximum(np.abs(expected), 1))).all()
    assert portable.log(np.array([1.0])).tolist() == [0.0]


def test_logarithms_of_one_plus_exponentials_are_right_and_so_are_tangents() -> None:
    rng = np.random.default_rng(3)
    x = np.concatenate((rng.uniform(-30, 30, 20_000), rng.uniform(-1, 1, 20_000), np.arange(-22, 22, 1 / 16_384)))
    found, tanh = portable.logistic(x)
    near, expected = x >= -20, np.logaddexp(0, 2 * x)
    assert (np.abs(found - expected) <= 1.3e-12 * expected + 4e-20)[near].all()
    assert (found >= 0).all()
    assert found[~near].max() <= 1e-17
    assert np.abs(tanh - np.tanh(x)).max() <= 7e-13
    ends = [[found.min(), 2e300], [-1.0, 1.0]]
    assert [each.tolist() for each in portable.logistic(np.array([-1e300, 1e300]))] == ends
    assert np.isnan(portable.logistic(np.array([np.nan]))).all()


def test_they_have_the_same_bits_everywhere() -> None:
    x = np.arange(-3_000, 3_000) / 97
    found = portable.exp(x).tobytes() + portable.log(1 + np.abs(x)).tobytes()
    found += b"".join(each.tobytes() for each in portable.logistic(x))
    assert hashlib.sha256(found).hexdigest()[:16] == "2aa845611cea77b8"
