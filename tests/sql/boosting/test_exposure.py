"""Boosted rates: what a model with an exposure predicts, and how it is judged."""

from __future__ import annotations

import math

import numpy as np
import psycopg
import pytest
from boosted_data import MAKE, boost, score
from forest_data import rows


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def test_predictions_are_rates_and_a_model_of_rates_with_weights_is_the_same(db: psycopg.Connection) -> None:
    """The exposures are powers of two, so that rates are exact."""
    db.execute("ALTER TABLE t ADD e float8; UPDATE t SET e = 2 ^ (id % 4 - 1)")
    boost(db, "n", loss="poisson", exposure="e")
    rates = [row["estimated_n"] for row in score(db, "response")]
    (base,) = rows(db, "SELECT base_score FROM m_group")[0]["base_score"]
    (mean,) = rows(db, "SELECT sum(n)::float8 / sum(e) AS rate FROM t")
    assert base == pytest.approx(math.log(mean["rate"]), rel=1e-14)
    boost(db, "(n / e)", "other", loss="poisson", weights="e")
    db.execute("DROP TABLE scored")
    others = [[*row.values()][1] for row in score(db, "response", "other")]
    np.testing.assert_allclose(rates, others, rtol=1e-9)
    (summary,) = rows(db, "SELECT exposure, split_criterion, shrink FROM m_summary")
    assert summary == {"exposure": "e", "split_criterion": "mse", "shrink": None}


def test_it_is_judged_by_rates_times_exposures_and_by_round_by_its_rates(db: psycopg.Connection) -> None:
    boost(db, "n", loss="poisson", exposure="w / 2.0", num_trees=3)
    data = rows(db, "SELECT n, w / 2.0::float8 AS e FROM t ORDER BY id")
    counts, exposure = (np.array([float(row[name]) for row in data]) for name in ("n", "e"))
    rate = np.array([row["estimated_n"] for row in score(db, "response")])
    found = {row["metric"]: row["value"] for row in rows(db, "SELECT * FROM madtree.tree_evaluate('m', 't')")}
    assert found["rmse"] == pytest.approx(math.sqrt(np.mean((counts - rate * exposure) ** 2)), rel=1e-9)
    last = rows(db, "SELECT loss, value FROM madtree.boost_staged('m', 't') ORDER BY num_trees DESC LIMIT 1")[0]
    (trained,) = rows(db, "SELECT training_loss FROM m_group")
    lost = np.average(rate - counts / exposure * np.log(rate), weights=exposure)
    assert last["loss"] == pytest.approx(lost, rel=1e-9)
    assert trained["training_loss"] == pytest.approx(lost, rel=1e-9)
    error = np.average((rate - counts / exposure) ** 2, weights=exposure)
    assert last["value"] == pytest.approx(math.sqrt(error), rel=1e-9)


def test_an_exposure_that_is_none_is_told_of(db: psycopg.Connection) -> None:
    boost(db, "n", loss="poisson", exposure="w", num_trees=2)
    db.execute("CREATE TABLE odd AS SELECT * FROM t; UPDATE odd SET w = 0 WHERE id = 5")
    with pytest.raises(psycopg.Error, match="or exposure w is not above 0"):
        db.execute("SELECT * FROM madtree.boost_staged('m', 'odd')")
