"""Losses whose leaves are quantiles: held against boosting by hand with the definition of quantiles that is documented,
and that against scikit-learn with its own two, so that nothing else tells them apart.

Outcomes are few whole numbers, so that rows are on their score, and share a residual; leaves have single rows.
"""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from boosted_by_hand import Model, middle_quantile, scores_by_hand
from boosted_data import boost
from forest_data import rows
from sklearn.ensemble import HistGradientBoostingRegressor

MODELS = {
    "absolute_error": Model("absolute_error", 0.5, 6, 0.5, 7, 1),
    "absolute_error, few rows a leaf": Model("absolute_error", 0.5, 3, 1.0, 9, 5, l2=1.0),
    "quantile 0.75": Model("quantile", 0.75, 4, 1.0, 8, 2),
    "quantile 0.125": Model("quantile", 0.125, 5, 0.3, 6, 1),  # which float32, as scikit-learn has it, has, too
}
WEIGHTS = {"none": None, "whole": "w", "fractions": "v"}
MAKE = """
    CREATE TABLE t AS SELECT i AS id, i * 31 % 17 AS a, nullif(i * 17 % 23, 7) / 4.0::float8 AS b,
        nullif((i * 31 % 17 + i * 17 % 23) / 7 + i * 7919 % 101 / 40, i % 40) AS y,
        i * 7 % 3 + 1 AS w, (i * 7907 % 97 + 1) / 97.0::float8 AS v
    FROM generate_series(1, 160) i;
    ANALYZE t
"""


def read(db: psycopg.Connection, weights: str | None, source: str) -> tuple[np.ndarray, ...]:
    """Features, outcomes and weights of the rows in training, and the scores that `source` has of them."""
    found = rows(
        db, f"SELECT a, b, y, w, v, s.estimated_y AS score FROM t JOIN {source} s USING (id) WHERE y IS NOT NULL"
    )
    columns = {
        name: np.array([np.nan if row[name] is None else float(row[name]) for row in found]) for name in found[0]
    }
    features = np.stack((columns["a"], columns["b"]), axis=1)
    weight = columns[weights] if weights else np.ones(len(found))
    return features, columns["y"], weight, columns["score"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("weights", "strategy"), [(None, "auto"), ("w", "auto"), ("v", "auto"), ("v", "aggregate")], ids=str
)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_scores_are_those_by_hand(db: psycopg.Connection, model: Model, weights: str | None, strategy: str) -> None:
    db.execute(MAKE)
    params = f"l2_regularization={model.l2}" + (f", quantile={model.level}" if model.loss == "quantile" else "")
    boost(
        db, "y", features="a, b", loss=model.loss, weights=weights, boost_params=params, strategy=strategy,
        num_trees=model.n_rounds, learning_rate=model.rate, max_leaf_nodes=model.leaves, min_bucket=model.min_bucket,
    )  # fmt: skip
    db.execute("SELECT madtree.boost_predict('m', 't', 'scored')")
    features, outcome, weight, scores = read(db, weights, "scored")
    expected = scores_by_hand(features, outcome, weight, model, middle_quantile)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)


def linear_quantile(values: np.ndarray, weights: np.ndarray, level: float) -> float:
    """Between two neighbours (Hyndman and Fan 1996, definition 7): scikit-learn's where rows have no weights."""
    return float(np.quantile(values, level))


def lower_quantile(values: np.ndarray, weights: np.ndarray, level: float) -> float:
    """The least value up to which weights have that share, as scikit-learn has it where rows have weights."""
    order = np.argsort(values, kind="stable")
    share = weights[order].cumsum()
    return float(values[order][np.searchsorted(share, level * share[-1])])


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_by_hand_with_its_quantiles_scores_are_scikit_learns(
    db: psycopg.Connection, model: Model, weights: str | None
) -> None:
    db.execute(MAKE + "; CREATE VIEW scored AS SELECT id, 0 AS estimated_y FROM t")
    features, outcome, weight, _ = read(db, weights, "scored")
    other = HistGradientBoostingRegressor(
        loss=model.loss, quantile=model.level if model.loss == "quantile" else None, max_iter=model.n_rounds,
        learning_rate=model.rate, max_leaf_nodes=model.leaves, min_samples_leaf=model.min_bucket,
        l2_regularization=model.l2, early_stopping=False,
    ).fit(features, outcome, sample_weight=weight if weights else None)  # fmt: skip
    expected = scores_by_hand(features, outcome, weight, model, lower_quantile if weights else linear_quantile)
    np.testing.assert_allclose(other.predict(features), expected, rtol=1e-9, atol=1e-9)
