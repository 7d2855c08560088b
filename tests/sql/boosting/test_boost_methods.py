"""The AdaBoost family in the database."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from boosted_data import FEW, MAKE, boost, score, tables
from forest_data import rows
from training import train_by_client

from madtree.request import Tuning

METHODS = ("adaboost", "real", "gentle", "logitboost")


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("more", [{}, {"weights": "w", "grouping_cols": "g", "validation_params": "fraction=0.2"}])
def test_it_is_the_same_in_every_way(db: psycopg.Connection, method: str, more: dict[str, Any]) -> None:
    given = {**more, "boost_params": f"method={method}", "learning_rate": 1.0}
    boost(db, "late", **given)
    expected = tables(db)
    for strategy in ("memory", "workers", "aggregate"):
        boost(db, "late", strategy=strategy, parallel_workers=2, **given)
        assert tables(db) == expected, strategy
    names = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id", "list_of_features": "a, b, c"}
    by_passes = Tuning(block_rows=150, read_rows=70, surely_large=100)
    train_by_client(db, by_passes, **names, dependent_variable="late", **{**FEW, "loss": None, **given})
    assert tables(db) == expected


@pytest.mark.parametrize("method", METHODS)
def test_scores_are_sums_of_what_trees_say(db: psycopg.Connection, method: str) -> None:
    boost(db, "late", boost_params=f"method={method}", learning_rate=1.0)
    (summary,) = rows(db, "SELECT loss, boost_method FROM m_summary")
    loss = "log_loss" if method == "logitboost" else "exponential"
    assert summary == {"loss": loss, "boost_method": method}
    assert rows(db, "SELECT base_score FROM m_group") == [{"base_score": [0.0]}]
    leaves = rows(db, "SELECT tree_id, prediction FROM m_nodes WHERE is_leaf ORDER BY tree_id, node_id")
    by_tree = [{abs(each["prediction"]) for each in leaves if each["tree_id"] == tree} for tree in range(1, 6)]
    assert [len(said) == 1 for said in by_tree] == [method == "adaboost"] * 5
    (raw, prob) = (np.array([list(row.values())[-1] for row in score(db, type_)]) for type_ in ("raw", "prob"))
    times = 1 if method == "logitboost" else 2
    np.testing.assert_allclose(prob, 1 / (1 + np.exp(-times * raw)), rtol=1e-12)
    (staged,) = rows(db, "SELECT value FROM madtree.boost_staged('m', 't') ORDER BY num_trees DESC LIMIT 1")
    assert staged["value"] > 0.8
    (written,) = rows(db, "SELECT madtree.boost_sql('m', 'raw') AS expression")
    said = rows(db, f"SELECT id, ({written['expression']}) AS s FROM t ORDER BY 1")
    assert [row["s"] for row in said] == raw.tolist()


def test_a_group_ends_by_itself(db: psycopg.Connection) -> None:
    """In one group a single split tells the classes apart."""
    db.execute("UPDATE t SET late = b > 3 WHERE g = 0")
    boost(db, "late", grouping_cols="g", boost_params="method=adaboost", max_leaf_nodes=2, min_bucket=1)
    n_rounds = [row["n_rounds"] for row in rows(db, "SELECT n_rounds FROM m_group ORDER BY g")]
    assert (n_rounds[0], max(n_rounds)) == (1, 5)
    assert rows(db, "SELECT count(*) AS n FROM m WHERE g = 0") == [{"n": 1}]


@pytest.mark.parametrize(
    ("target", "given", "said"),
    [
        ("late", {"boost_params": "method=samme"}, "method must be one of gradient, adaboost"),
        (
            "late",
            {"boost_params": "method=real", "loss": "log_loss"},
            "boost_params: method real lowers the loss exponential, not log_loss",
        ),
        ("k", {"boost_params": "method=logitboost"}, "boost_params: method logitboost is for two classes, and k has"),
        ("k", {"boost_params": "method=adaboost"}, "boost_params: method adaboost is for two classes, and k has"),
        ("y", {"boost_params": "method=gentle"}, "loss exponential is for classes"),
        (
            "late",
            {"boost_params": "method=adaboost", "monotone": "b=+1"},
            "monotone is not for method adaboost; it is for gradient, gentle, logitboost",
        ),
        (
            "late",
            {"boost_params": "method=real, top_rate=0.2"},
            "boost_params: top_rate is not for method real",
        ),
    ],
)
def test_a_mistake_is_said(db: psycopg.Connection, target: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        boost(db, target, **given)
    assert said in str(error.value)
    assert "Traceback" not in str(error.value)
