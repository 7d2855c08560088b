"""Monotone and interaction constraints: as scikit-learn has them, on features of at most 255 values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from madtree.learn.criteria.leaf_terms import LeafTerms
from madtree.learn.criteria.newton import LEAST_HESSIAN, bounded_gain, newton_gain
from madtree.learn.data import Floats
from tests.unit.learn.ensemble.test_boosting import raw_scores

DIRECTIONS = [1, 1, -1, 1]


def examples(loss: str, seed: int, missing: bool) -> tuple[Floats, Floats]:
    """Rows of four features that do not go in `DIRECTIONS` everywhere, and their outcomes."""
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 200, (3_000, 4)).astype(float)
    x = features / 200
    z = 4 * x[:, 0] * x[:, 1] - 3 * x[:, 2] + np.sin(9 * x[:, 3]) + rng.normal(size=len(x)) / 2
    if missing:
        # So few that no split parts them from all others, which is a candidate there.
        features[rng.random(features.shape) < 0.004] = np.nan
    return features, {"squared_error": z, "poisson": rng.poisson(np.exp(z / 2)).astype(float)}.get(loss, z > -0.5)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("loss", "weighted", "missing", "more"),
    [
        ("squared_error", True, False, {"l2_regularization": 2.0, "max_leaf_nodes": 12}),
        ("squared_error", False, False, {}),
        ("squared_error", False, True, {}),
        ("poisson", False, False, {}),
        ("log_loss", True, True, {}),
        ("log_loss", False, False, {}),
    ],
)
def test_monotone_constraints_are_scikit_learns(loss: str, weighted: bool, missing: bool, more: dict[str, Any]) -> None:
    """Scores after 10 rounds; and they are not those of trees that are free."""
    features, target = examples(loss, 0, missing)
    weight = np.random.default_rng(1).random(len(target)) + 0.5 if weighted else None
    n_classes = 2 if loss == "log_loss" else 0
    make = HistGradientBoostingClassifier if n_classes else HistGradientBoostingRegressor
    settings = {"loss": loss, "max_iter": 10, "early_stopping": False, "monotonic_cst": DIRECTIONS, **more}
    expected = make(**settings).fit(features, target, sample_weight=weight)._raw_predict(features)
    ours = {"l2": more.get("l2_regularization", 0.0), "max_leaf_nodes": more.get("max_leaf_nodes", 31)}

    def found(monotone: tuple[float, ...]) -> Floats:
        return raw_scores(features, np.asarray(target, float), n_classes, loss, 10, weight, monotone=monotone, **ours)

    np.testing.assert_allclose(found(tuple(map(float, DIRECTIONS))), expected, rtol=1e-5, atol=1e-6)
    assert np.abs(found(()) - expected).max() > 0.3


@pytest.mark.parametrize("groups", [[(0, 1), (2, 3)], [(0, 1), (1, 2), (3,)], [(0, 1, 2), (2, 3, 4)]], ids=str)
def test_interaction_constraints_are_scikit_learns(groups: list[tuple[int, ...]]) -> None:
    rng = np.random.default_rng(0)
    features = rng.integers(0, 200, (3_000, 5)).astype(float)
    x = features / 200
    z = 4 * x[:, 0] * x[:, 1] - 3 * x[:, 2] * x[:, 3] + np.sin(9 * x[:, 3]) * x[:, 4] + rng.normal(size=len(x)) / 2
    other = HistGradientBoostingRegressor(max_iter=10, early_stopping=False, interaction_cst=[set(g) for g in groups])
    expected = other.fit(features, z)._raw_predict(features)
    rest = tuple(set(range(5)).difference(*groups))
    all_groups = (*groups, *([rest] if rest else []))
    found = raw_scores(features, z, 0, "squared_error", 10, interactions=all_groups)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert np.abs(raw_scores(features, z, 0, "squared_error", 10) - expected).max() > 0.3


def test_a_gain_within_bounds_is_the_gain_and_one_at_bounds_that_of_cut_values() -> None:
    left, right = np.array([[4.0], [2.0]]), np.array([[6.0], [-9.0]])  # values -0.5 and 1.5, of the node 0.7
    free = LeafTerms(np.zeros(1), np.array([-1.0]), np.array([2.0]), np.zeros(1))
    assert bounded_gain(left, right, 0.0, free) == newton_gain(left, right)
    cut = LeafTerms(np.zeros(1), np.array([-1.0]), np.array([1.0]), np.zeros(1))
    assert bounded_gain(left, right, 0.0, cut)[0] == pytest.approx(2 * (0.7 + 0.5) - 9 * (0.7 - 1.0))
    for direction, gains in ((1.0, True), (-1.0, False)):
        terms = LeafTerms(np.zeros(1), np.array([-1.0]), np.array([1.0]), np.array([direction]))
        assert (bounded_gain(left, right, 0.0, terms)[0] > 0) == gains
    both = LeafTerms(np.zeros(1), np.array([0.7]), np.array([0.7]), np.zeros(1))
    assert bounded_gain(left, right, 0.0, both)[0] == 0.0
    little = np.array([[LEAST_HESSIAN / 2], [1.0]])
    assert bounded_gain(little, right, 0.0, cut)[0] == 0.0
