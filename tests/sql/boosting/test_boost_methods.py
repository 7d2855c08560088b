"""The AdaBoost family in the database."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from boosted_data import FEW, MAKE, boost, score, tables
from forest_data import rows
from shares import share
from training import train_by_client

from madtree.request import Tuning

METHODS = ("adaboost", "real", "gentle", "logitboost")
OF_TARGETS = [*((method, "late") for method in METHODS), ("adaboost", "k")]


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


@pytest.mark.one_in(2)
@pytest.mark.in_turn
@pytest.mark.parametrize(("method", "target"), OF_TARGETS)
@pytest.mark.parametrize("more", [{}, {"weights": "w", "grouping_cols": "g", "validation_params": "fraction=0.2"}])
def test_it_is_the_same_in_every_way(db: psycopg.Connection, method: str, target: str, more: dict[str, Any]) -> None:
    given = {**more, "boost_params": f"method={method}", "learning_rate": 1.0}
    boost(db, target, **given)
    expected = tables(db)
    turn = OF_TARGETS.index((method, target)) + len(more)
    for strategy in share(("memory", "workers", "aggregate"), 3, turn):
        boost(db, target, strategy=strategy, parallel_workers=1, **given)
        assert tables(db) == expected, strategy
    names = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id", "list_of_features": "a, b, c"}
    by_passes = Tuning(block_rows=150, read_rows=70, surely_large=100)
    train_by_client(db, by_passes, **names, dependent_variable=target, **{**FEW, "loss": None, **given})
    assert tables(db) == expected


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_scores_are_sums_of_what_trees_say(db: psycopg.Connection, method: str) -> None:
    boost(db, "late", boost_params=f"method={method}", learning_rate=1.0, num_trees=5)
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
    boost(db, "late", grouping_cols="g", boost_params="method=adaboost", max_leaf_nodes=2, min_bucket=1, num_trees=5)
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
        ("k", {"boost_params": "method=real"}, "boost_params: method real is for two classes, and k has"),
        ("k", {"loss": "exponential"}, "loss exponential is for two classes, and k has"),
        (
            "y",
            {"boost_params": "method=gentle"},
            "boost_params: method gentle is for classes, and dependent_variable y is of type double precision, which "
            "means regression: its losses are squared_error",
        ),
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


def test_of_many_classes_a_round_is_one_tree_that_votes(db: psycopg.Connection) -> None:
    boost(db, "k", boost_params="method=adaboost", learning_rate=1.0, num_trees=5)
    (summary,) = rows(db, "SELECT loss, boost_method FROM m_summary")
    assert summary == {"loss": "exponential", "boost_method": "adaboost"}
    of_trees = rows(
        db,
        "SELECT t.round, t.class, array_agg((n.node_id, n.feature, n.threshold, n.n_rows)::text ORDER BY n.node_id) "
        "AS nodes, array_agg(n.prediction ORDER BY n.node_id) FILTER (WHERE n.is_leaf) AS said "
        "FROM m t JOIN m_nodes n USING (tree_id) GROUP BY t.tree_id, t.round, t.class ORDER BY t.tree_id",
    )
    n_classes = rows(db, "SELECT count(DISTINCT k) AS n FROM t")[0]["n"]
    assert n_classes > 2
    assert len(of_trees) == 5 * n_classes
    for first in range(0, len(of_trees), n_classes):
        of_round = of_trees[first : first + n_classes]
        assert len({tuple(each["nodes"]) for each in of_round}) == 1
        said = np.array([each["said"] for each in of_round])
        say = said.max() * n_classes / (n_classes - 1)
        votes = (said == said.max(axis=0)).astype(float)
        np.testing.assert_allclose(said, say * (votes - 1 / n_classes), rtol=1e-12)
        assert votes.sum(axis=0).tolist() == [1.0] * said.shape[1]
    raw, prob = (np.array([[*row.values()][1:] for row in score(db, type_)]) for type_ in ("raw", "prob"))
    np.testing.assert_allclose(prob, np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True), rtol=1e-12)
    actual = rows(db, "SELECT id, dense_rank() OVER (ORDER BY k) - 1 AS place, k FROM t ORDER BY id")
    place = np.array([row["place"] for row in actual])
    lost = np.exp(-raw[np.arange(len(raw)), place]).mean()
    (staged,) = rows(db, "SELECT loss, value FROM madtree.boost_staged('m', 't') ORDER BY num_trees DESC LIMIT 1")
    (trained,) = rows(db, "SELECT training_loss FROM m_group")
    assert staged["loss"] == pytest.approx(lost, rel=1e-12)
    assert trained["training_loss"] == pytest.approx(lost, rel=1e-12)
    likeliest = [row["estimated_k"] for row in score(db, "response")]
    right = np.mean([said == row["k"] for said, row in zip(likeliest, actual, strict=True)])
    assert staged["value"] == pytest.approx(right)
    assert right > 0.7
    (written,) = rows(db, "SELECT madtree.boost_sql('m', 'raw') AS expression")
    said = rows(db, f"SELECT id, ({written['expression']}) AS s FROM t ORDER BY 1")
    assert [row["s"] for row in said] == raw.tolist()


def test_many_classes_have_weights_and_rows_that_are_held_out(db: psycopg.Connection) -> None:
    boost(db, "k", boost_params="method=adaboost", weights="w", validation_params="fraction=0.3", num_trees=9)
    probabilities = [[*row.values()][1:] for row in score(db, "prob")]
    assert [sum(row) for row in probabilities] == pytest.approx([1.0] * len(probabilities))
    (group,) = rows(db, "SELECT n_rounds, n_trees, validation_loss FROM m_group")
    assert group["n_trees"] == group["n_rounds"] * len(probabilities[0])
    held_out = rows(db, "SELECT round, validation_loss FROM m_rounds ORDER BY validation_loss, round LIMIT 1")[0]
    assert (group["n_rounds"], group["validation_loss"]) == tuple(held_out.values())


SINGLE = ("loss=log_loss", "loss=exponential", *(f"method={method}" for method in METHODS))


@pytest.mark.one_in(4)
@pytest.mark.in_turn
@pytest.mark.parametrize("how", SINGLE)
@pytest.mark.parametrize("held_out", [False, True])
def test_what_is_always_the_same_class_is_certain(db: psycopg.Connection, how: str, held_out: bool) -> None:
    """As scikit-learn's HistGradientBoostingClassifier and AdaBoostClassifier have it: the probability is 1, but for
    some 1e-15. The rows in training of group 2 are of one class alone, those of group 3 of the other.
    """
    db.execute("ALTER TABLE t ADD f boolean; UPDATE t SET f = id % 4 = 0")
    db.execute("UPDATE t SET late = CASE WHEN f THEN id % 3 = 0 WHEN g IN (2, 3) THEN g = 2 ELSE late END")
    name, value = how.split("=")
    given = {"boost_params": how} if name == "method" else {"loss": value}
    if held_out:
        given["validation_params"] = "fold_col=f, n_iter_no_change=2"
    else:
        db.execute("DELETE FROM t WHERE f")
    boost(db, "late", grouping_cols="g", **given)
    models = ["m"]
    if not held_out and value not in ("adaboost", "real"):
        db.execute("SELECT madtree.tree_refresh('m', 't', 'refreshed')")
        models.append("refreshed")
    group = {row["id"]: row["g"] for row in rows(db, "SELECT id, g FROM t")}
    for model in models:
        found: dict[int, list[float]] = {}
        for row in score(db, "prob", model):
            found.setdefault(group[row["id"]], []).append(list(row.values())[-1])
        assert min(found[2]) > 1 - 1e-14
        assert max(found[3]) < 1e-14
        assert max(found[0]) - min(found[0]) > 0.05


def test_a_class_alone_among_many_is_certain(db: psycopg.Connection) -> None:
    db.execute("UPDATE t SET k = 'class 1' WHERE g = 0")
    boost(db, "k", grouping_cols="g", boost_params="method=adaboost")
    said = {row["id"]: row["estimated_prob_class 1"] for row in score(db, "prob")}
    assert min(said[row["id"]] for row in rows(db, "SELECT id FROM t WHERE g = 0")) > 1 - 1e-13
