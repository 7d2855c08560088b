"""What is known of each row's score beforehand, an offset: models of all losses held against boosting by hand with the
offset added to the score, and against the same said in other ways.

Each round's tree parts all cells of two features of two values, so that by hand a leaf is a cell.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import psycopg
import pytest
from boosted_data import boost
from forest_data import rows
from scipy.special import expit

N_ROUNDS, RATE = 6, 0.3
MAKE = """
    CREATE TABLE t AS SELECT i AS id, i % 2 AS a, (i / 2) % 2 AS b, 'x' AS c,
        ((i * 7919) % 101 - 50) / 40.0::float8 AS o,
        (i * 31 % 29 + 1) / 4.0::float8 + i % 2 + 2 * ((i / 2) % 2) AS y, (i * 17 % 13 + 5 * (i % 2)) % 7 AS n,
        (i * 37 % 11 + 3 * (i % 2) - 4 * ((i / 2) % 2)) > 4 AS late
    FROM generate_series(1, 801) i;
    ANALYZE t
"""
Values = np.ndarray
Derivatives = Callable[[Values, Values], tuple[Values, Values]]

# Gradient and hessian by the score, of outcomes and scores with their offsets.
STEPS: dict[str, Derivatives] = {
    "squared_error": lambda y, score: (score - y, np.ones_like(y)),
    "poisson": lambda y, score: (np.exp(score) - y, np.exp(score)),
    "gamma": lambda y, score: (1 - y * np.exp(-score), y * np.exp(-score)),
    "exponential": lambda y, score: ((1 - 2 * y) * np.exp((1 - 2 * y) * score), np.exp((1 - 2 * y) * score)),
    "log_loss": lambda y, score: (expit(score) - y, expit(score) * expit(-score)),
}
OUTCOMES = {"poisson": "n", "exponential": "late", "log_loss": "late"}
QUANTILES = {"quantile": 0.8, "huber": 0.9}
SAID = {
    "squared_error": ("(y - o)", {}),
    "absolute_error": ("(y - o)", {}),
    "quantile": ("(y - o)", {"boost_params": "quantile=0.8"}),
    "huber": ("(y - o)", {"boost_params": "quantile=0.9"}),
    "poisson": ("n", {"exposure": "exp(o)"}),
    "gamma": ("(y / exp(o))", {}),
    "exponential": ("late", {"weights": "exp(CASE WHEN late THEN -o ELSE o END)"}),
}


def by_hand(loss: str, y: Values, offset: Values, cell: Values) -> Values:
    """(4,) the score of each cell, without offset."""
    scores, everywhere = np.zeros(4), np.zeros(len(y), int)
    if loss in STEPS:
        for _ in range(60):  # to the constant score that is best
            gradient, hessian = STEPS[loss](y, scores[cell] + offset)
            scores -= gradient.sum() / hessian.sum()
    else:
        scores += of_residuals(loss, y - offset, everywhere, 1)[0]
    for _ in range(N_ROUNDS):
        if loss in STEPS:
            gradient, hessian = STEPS[loss](y, scores[cell] + offset)
            scores -= RATE * np.bincount(cell, gradient) / np.bincount(cell, hessian)
        else:
            scores += RATE * of_residuals(loss, y - offset - scores[cell], cell, 4, of_leaves=True)
    return scores


def of_residuals(loss: str, residual: Values, cell: Values, n_cells: int, *, of_leaves: bool = False) -> Values:
    """(n_cells,) what leaves add by the residuals of their rows (Friedman 2001, section 4.4)."""
    level = 0.8 if loss == "quantile" else 0.5
    cut = quantile(np.abs(residual), 0.9)
    found = np.array([quantile(residual[cell == each], level) for each in range(n_cells)])
    if loss == "huber" and of_leaves:
        left = residual - found[cell]
        found += np.bincount(cell, np.clip(left, -cut, cut)) / np.bincount(cell)
    return found


def quantile(values: Values, level: float) -> float:
    return float(np.quantile(values, level, method="averaged_inverted_cdf"))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("loss", sorted(SAID))
def test_an_offset_is_said_by_what_there_is(db: psycopg.Connection, loss: str) -> None:
    db.execute(MAKE)
    target, more = SAID[loss]
    boost(db, target, loss=loss, num_trees=N_ROUNDS, learning_rate=RATE, max_leaf_nodes=4, min_bucket=5, **more)
    db.execute("SELECT madtree.boost_predict('m', 't', 'scored', 'raw')")
    raw, y, offset, cell = scored(db, loss)
    np.testing.assert_allclose(raw, by_hand(loss, y, offset, cell)[cell], rtol=1e-9, atol=1e-11)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("loss", [*STEPS, "absolute_error", *QUANTILES])
def test_a_score_is_offset_base_and_what_trees_add(db: psycopg.Connection, loss: str) -> None:
    db.execute(MAKE)
    train(db, loss)
    db.execute("SELECT madtree.boost_predict('m', 't', 'scored', 'raw')")
    raw, y, offset, cell = scored(db, loss)
    np.testing.assert_allclose(raw, by_hand(loss, y, offset, cell)[cell] + offset, rtol=1e-9, atol=1e-11)


def train(db: psycopg.Connection, loss: str, **more: object) -> None:
    quantile = {"boost_params": f"quantile={QUANTILES[loss]}"} if loss in QUANTILES else {}
    grown = {"num_trees": N_ROUNDS, "learning_rate": RATE, "max_leaf_nodes": 4, "min_bucket": 5}
    boost(db, OUTCOMES.get(loss, "y"), loss=loss, **grown, **{"offsets": "o", **quantile, **more})


def scored(db: psycopg.Connection, loss: str) -> tuple[Values, Values, Values, np.ndarray]:
    """Of all rows the score, the outcome, the offset, and the number of the cell."""
    found = rows(db, "SELECT s.*, a, b, o, y, n, late FROM scored s JOIN t USING (id) ORDER BY id")
    names = OUTCOMES.get(loss, "y"), "o", "a", "b"
    y, offset, a, b = (np.array([float(row[name]) for row in found]) for name in names)
    return np.array([[*row.values()][1] for row in found]), y, offset, (2 * a + b).astype(int)
