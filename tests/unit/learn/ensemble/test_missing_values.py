"""Boosted trees of rows whose values are missing, beside scikit-learn's HistGradientBoosting, which tries to part them
from all others, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from madtree.learn.data import Floats
from madtree.trees import FeatureKind
from tests.unit.learn.ensemble.test_boosting import raw_scores

N_ROUNDS = 4


def example(n_rows: int = 3_000) -> tuple[Floats, Floats]:
    """(n_rows, 4) features of 42 values, and outcomes. Values of the first one are missing by chance; of the second one
    the lowest, of the third one the largest; and of the fourth one those of rows with the largest outcomes.
    """
    rng = np.random.default_rng(4)
    features = rng.integers(0, 42, (n_rows, 4)).astype(float)
    outcome = features @ np.array([1.0, -0.6, 0.4, 0.9]) + 4 * np.sin(features[:, 1] / 4) + rng.normal(0, 1, n_rows)
    features[rng.random(n_rows) > 0.9, 0] = np.nan
    features[features[:, 1] == 0, 1] = np.nan
    features[features[:, 2] == 41, 2] = np.nan
    most = np.quantile(outcome, 0.7)
    features[outcome >= most, 3] = np.nan
    return features, np.minimum(outcome, most)


def with_sides(features: Floats) -> Floats:
    """Each feature twice: with a value below all others where it is missing, and with one above all others."""
    low, high = np.nanmin(features, axis=0) - 1, np.nanmax(features, axis=0) + 1
    missing = np.isnan(features)
    return np.concatenate((np.where(missing, low, features), np.where(missing, high, features)), axis=1)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("min_bucket", [20, 400])
@pytest.mark.parametrize(("loss", "n_classes"), [("squared_error", 0), ("log_loss", 2), ("log_loss", 3)])
def test_missing_values_are_scikit_learns(loss: str, n_classes: int, min_bucket: int) -> None:
    features, outcome = example()
    target = outcome
    if n_classes:
        target = np.searchsorted(np.quantile(outcome, [0.4, 0.65][: n_classes - 1]), outcome).astype(float)
    given: dict[str, Any] = {"max_iter": N_ROUNDS, "early_stopping": False, "min_samples_leaf": min_bucket}
    kind = HistGradientBoostingClassifier if n_classes else HistGradientBoostingRegressor
    expected = kind(**given).fit(features, target)
    found = raw_scores(features, target, n_classes, loss, N_ROUNDS, min_bucket=min_bucket)
    raw = expected._raw_predict(features)
    assert np.allclose(found, raw, rtol=1e-5, atol=1e-5 * np.abs(raw).max())


def test_a_side_for_missing_values_is_a_value_below_or_above_all_others() -> None:
    features, outcome = example()
    found = raw_scores(features, outcome, 0, "squared_error", N_ROUNDS)
    expected = raw_scores(with_sides(features), outcome, 0, "squared_error", N_ROUNDS)
    assert np.allclose(found, expected, rtol=1e-9)


def test_rows_without_a_value_are_parted_from_all_others() -> None:
    rng = np.random.default_rng(6)
    features = rng.random((600, 2)).round(2)
    features[rng.random(600) < 0.3, 1] = np.nan
    outcome = np.isnan(features[:, 1]).astype(float)
    found = raw_scores(features, outcome, 0, "squared_error", 1, max_leaf_nodes=2, learning_rate=1.0)
    assert np.allclose(found[:, 0], outcome, atol=1e-9)


@pytest.mark.parametrize("n_categories", [3, 40])
def test_rows_without_a_category_are_parted_from_all_others(n_categories: int) -> None:
    rng = np.random.default_rng(8)
    category = rng.integers(0, n_categories, 2_000).astype(float)
    category[rng.random(2_000) < 0.3] = np.nan
    outcome = np.isnan(category).astype(float)
    kinds = [FeatureKind.UNORDERED]
    given = {"max_leaf_nodes": 2, "learning_rate": 1.0, "kinds": kinds}
    found = raw_scores(category[:, None], outcome, 0, "squared_error", 1, **given)
    assert np.allclose(found[:, 0], outcome, atol=0.02)  # of many categories values are smaller, by cat_l2
