"""Boosting by class weights: the same as by weights of rows; and the base score without what they put into it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import psycopg
import pytest
from boosted_data import FEW, MAKE, boost, score, tables
from forest_data import rows
from shares import share
from training import train_by_client

from madtree.request import Tuning


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def raw(db: psycopg.Connection, model: str = "m") -> np.ndarray:
    found = score(db, "raw", model)
    return np.array([[value for name, value in row.items() if name != "id"] for row in found])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("target", "given", "weight", "method"),
    [
        ("late", "class_weight=balanced", "n_all / (2.0 * n_class)", "gradient"),
        ("late", "class_weight=0.5:3", "CASE WHEN late THEN 3 ELSE 0.5 END", "gradient"),
        ("late", "prior=0.75:0.25", "(CASE WHEN late THEN 0.25 ELSE 0.75 END) * n_all / n_class", "gradient"),
        ("k", "class_weight=balanced", "n_all / (5.0 * n_class)", "gradient"),
        ("k", "class_weight=balanced", "n_all / (5.0 * n_class)", "adaboost"),
    ],
)
def test_it_is_the_model_of_rows_with_such_weights(
    db: psycopg.Connection, target: str, given: str, weight: str, method: str
) -> None:
    db.execute(
        f"CREATE TABLE counted AS SELECT *, ({weight})::float8 AS of_class FROM (SELECT *, count(*) OVER () AS n_all, "
        f"count(*) OVER (PARTITION BY {target}) AS n_class FROM t) AS c"
    )
    boost(db, target, class_params=given, boost_params=f"method={method}")
    boost(db, target, "other", "counted", weights="of_class", boost_params=f"method={method}")
    np.testing.assert_allclose(raw(db), raw(db, "other"), rtol=1e-9, atol=1e-12)
    both = [rows(db, f"SELECT training_loss FROM {model}_group")[0]["training_loss"] for model in ("m", "other")]
    assert both[0] == pytest.approx(both[1], rel=1e-12)
    (summary,) = rows(db, "SELECT class_params, correct_prior FROM m_summary")
    assert summary == {"class_params": given, "correct_prior": False}


@pytest.mark.parametrize(("loss", "half"), [("log_loss", 1), ("exponential", 2)])
def test_correct_prior_takes_the_logarithm_of_the_weights_ratio_out_of_the_score(
    db: psycopg.Connection, loss: str, half: int
) -> None:
    boost(db, "late", loss=loss, class_params="class_weight=balanced")
    weighted = raw(db)
    boost(db, "late", loss=loss, class_params="class_weight=balanced", correct_prior=True)
    (n,) = rows(db, "SELECT count(*) FILTER (WHERE late) AS yes, count(*) FILTER (WHERE NOT late) AS no FROM t")
    # Balanced weights are the inverse of the classes' rows.
    np.testing.assert_allclose(raw(db), weighted - math.log(n["no"] / n["yes"]) / half, rtol=1e-12, atol=1e-14)


def test_of_several_classes_scores_still_add_up_to_0_and_odds_are_corrected(db: psycopg.Connection) -> None:
    boost(db, "k", class_params="class_weight=1:2:3:4:8")
    weighted = raw(db)
    boost(db, "k", class_params="class_weight=1:2:3:4:8", correct_prior=True)
    factors = np.log([1, 2, 3, 4, 8])
    np.testing.assert_allclose(raw(db), weighted - (factors - factors.mean()), rtol=1e-11, atol=1e-13)


def test_corrected_probabilities_are_about_those_of_the_rows(db: psycopg.Connection) -> None:
    boost(db, "late", num_trees=40, class_params="class_weight=1:4", correct_prior=True)
    (share,) = rows(db, "SELECT avg(late::int)::float8 AS late FROM t")
    found = np.mean([[*row.values()][-1] for row in score(db, "prob")])
    assert found == pytest.approx(share["late"], abs=0.04)
    boost(db, "late", num_trees=40, class_params="class_weight=1:4")
    assert np.mean([[*row.values()][-1] for row in score(db, "prob")]) > found + 0.02


@pytest.mark.parametrize(("turn", "target"), [(0, "late"), (1, "k")])
def test_it_is_the_same_in_every_way(db: psycopg.Connection, turn: int, target: str) -> None:
    more = {"class_params": "class_weight=balanced", "correct_prior": True, "weights": "w", "grouping_cols": "g"}
    boost(db, target, **more)
    expected = tables(db)
    for strategy in share(("workers", "aggregate"), 2, turn):
        boost(db, target, strategy=strategy, parallel_workers=1, **more)
        assert tables(db) == expected, strategy
    names = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id", "list_of_features": "a, b, c"}
    by_passes = Tuning(block_rows=150, read_rows=70, surely_large=100)
    train_by_client(db, by_passes, **names, dependent_variable=target, **{**FEW, "loss": None, **more})
    assert tables(db) == expected


@pytest.mark.parametrize(
    ("target", "more", "said"),
    [
        ("y", {"class_params": "class_weight=balanced"}, "class_params are for classification"),
        ("late", {"class_params": "class_weight=1:2:3"}, "class_weight has 3 numbers, and there should be 2"),
        ("late", {"class_params": "loss=0 1 5 0"}, "boosting takes class_weight or prior"),
        ("late", {"correct_prior": True}, "correct_prior: there is nothing to correct without class_params"),
    ],
)
def test_a_mistake_is_said(db: psycopg.Connection, target: str, more: dict[str, Any], said: str) -> None:
    with pytest.raises(psycopg.Error, match=said):
        boost(db, target, **more)
