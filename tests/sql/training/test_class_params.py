"""`class_params`: priors, losses and class weights. Trees by priors and losses are rpart's, as tests/parity shows."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from training import train

# Two groups; the second has no row of class c. Rare classes lie where x is large.
MAKE = """
CREATE TABLE t AS SELECT i AS id, i % 3 = 0 AS second, i * 37 % 101 / 10.0::float8 AS x, i * 53 % 29 AS z,
    CASE WHEN i * 7919 % 100 > 8 + 20 * (i * 37 % 101 / 101.0) THEN 'a'
    WHEN i % 2 = 0 AND i % 3 > 0 THEN 'c' ELSE 'b' END AS y, 1 + i % 4 / 4.0::float8 AS w
FROM generate_series(1, 900) AS i
"""
NODES = (
    "SELECT tree_id, node_id, feature, threshold, prediction, risk, class_weights, improvement, impurity FROM {}_nodes"
)


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def rows(db: psycopg.Connection, query: str) -> list[dict[str, Any]]:
    return db.cursor(row_factory=dict_row).execute(query).fetchall()


def nodes(db: psycopg.Connection, model: str) -> list[dict[str, Any]]:
    return rows(db, NODES.format(model) + " ORDER BY tree_id, node_id")


def alike(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows to compare others with, numbers but for rounding."""
    numbers = ("risk", "class_weights", "improvement", "impurity")
    return [
        {
            name: pytest.approx(value, rel=1e-9, abs=1e-9) if name in numbers and value is not None else value
            for name, value in row.items()
        }
        for row in found
    ]


OPTIONS = {"max_depth": 4, "pruning_params": "cp=-1", "min_impurity_decrease": 0.0001}


def test_balanced_class_weights_are_scikit_learns(db: psycopg.Connection) -> None:
    """n / (K n_k) for each row of class k, as compute_class_weight has it, by the rows and classes of each tree."""
    db.execute(
        "CREATE TABLE by_hand AS SELECT t.*, t.w * g.n / (g.k * c.n)::float8 AS of_class FROM t "
        "JOIN (SELECT second, count(*) AS n, count(DISTINCT y) AS k FROM t GROUP BY second) AS g USING (second) "
        "JOIN (SELECT second, y, count(*) AS n FROM t GROUP BY second, y) AS c USING (second, y)"
    )
    for criterion in ("gini", "entropy"):
        more = {**OPTIONS, "split_criterion": criterion, "grouping_cols": "second", "replace": True}
        train(db, "t", "m", "y", "x, z", weights="w", class_params="class_weight=balanced", **more)
        train(db, "by_hand", "expected", "y", "x, z", weights="of_class", **more)
        assert nodes(db, "m") == alike(nodes(db, "expected"))
        assert rows(db, "SELECT max(n_leaves) > 4 AS grown FROM m") == [{"grown": True}]
    assert rows(db, "SELECT sum(weight) = (SELECT sum(w) FROM t) AS same FROM m_nodes WHERE node_id = 0") == [
        {"same": True}
    ]


def test_class_weights_are_weights_of_rows(db: psycopg.Connection) -> None:
    by_hand = "w * CASE y WHEN 'a' THEN 0.5 WHEN 'b' THEN 3 ELSE 4 END"
    for more in (OPTIONS, {**OPTIONS, "max_leaf_nodes": 6}, {**OPTIONS, "pruning_params": "cp=0.001"}):
        train(db, "t", "m", "y", "x, z", weights="w", class_params="class_weight=0.5:3:4", replace=True, **more)
        train(db, "t", "expected", "y", "x, z", weights=by_hand, replace=True, **more)
        assert nodes(db, "m") == alike(nodes(db, "expected"))


def test_a_prior_makes_probabilities_those_of_other_rows(db: psycopg.Connection) -> None:
    """Of rows of which so many are of each class; a group without a class has the others' only."""
    train(db, "t", "m", "y", "x, z", class_params="prior=0.25:0.5:0.25", grouping_cols="second", min_bucket=500)
    roots = rows(
        db, "SELECT m.second, n.class_weights AS w, n.risk, n.prediction FROM m JOIN m_nodes n USING (tree_id)"
    )
    found = {row["second"]: [value / sum(row["w"]) for value in row["w"]] for row in roots}
    assert found == {False: pytest.approx([0.25, 0.5, 0.25]), True: pytest.approx([1 / 3, 2 / 3, 0])}
    assert {row["prediction"] for row in roots} == {"b"}
    db.execute("SELECT madtree.tree_predict('m', 't', 'scored', 'prob')")
    query = "SELECT DISTINCT second, estimated_prob_a AS a, estimated_prob_b AS b FROM scored JOIN t USING (id)"
    assert {row["second"]: [row["a"], row["b"]] for row in rows(db, query)} == {
        group: shares[:2] for group, shares in found.items()
    }


LOSS = "loss=0 1 1 4 0 1 4 1 0"


def test_losses_decide_what_is_predicted_and_pruned(db: psycopg.Connection) -> None:
    train(db, "t", "m", "y", "x, z", class_params=LOSS, pruning_params="cp=0, n_folds=3", max_depth=4, seed=2)
    whole = rows(db, "SELECT * FROM m_nodes ORDER BY node_id")
    loss = [[0, 1, 1], [4, 0, 1], [4, 1, 0]]
    for node in whole:
        costs = [sum(w * row[k] for w, row in zip(node["class_weights"], loss, strict=True)) for k in range(3)]
        assert node["risk"] == min(costs) == costs["abc".index(node["prediction"])]
    assert {node["prediction"] for node in whole} > {"a"}
    # The sums stay what they were counted as.
    assert whole[0]["class_weights"] == [
        float(row["n"]) for row in rows(db, "SELECT count(*) AS n FROM t GROUP BY y ORDER BY y")
    ]
    db.execute(
        "SELECT madtree.tree_predict('m', 't', 'scored'); SELECT madtree.tree_predict('m', 't', 'ended', 'leaf')"
    )
    joined = "scored JOIN ended USING (id) JOIN m_nodes USING (node_id)"
    assert rows(db, f"SELECT count(*) AS n FROM {joined} WHERE estimated_y <> prediction") == [{"n": 0}]
    (expression,) = db.execute("SELECT madtree.tree_sql('m')").fetchone() or ()
    assert rows(db, f"SELECT count(*) AS n FROM t JOIN scored USING (id) WHERE {expression} <> estimated_y") == [
        {"n": 0}
    ]


def test_losses_decide_what_a_permutation_and_a_calibrated_copy_say(db: psycopg.Connection) -> None:
    """By them the class that is predicted is not the most probable one."""
    train(db, "t", "m", "y", "x, z", class_params=LOSS, pruning_params="cp=-1", max_depth=4)
    db.execute("SELECT madtree.calibrate('m', 't', 'c')")
    for model in ("m", "c"):
        (judged,) = rows(db, f"SELECT value FROM madtree.tree_evaluate('{model}', 't') WHERE metric = 'accuracy'")
        query = f"SELECT DISTINCT value FROM madtree.permutation_importance('{model}', 't', metric => 'accuracy')"
        assert [row["value"] for row in rows(db, query)] == [pytest.approx(judged["value"], rel=1e-12)]
    query = "SELECT class_weights AS w, prediction FROM c_nodes WHERE is_leaf"
    loss = [[0, 1, 1], [4, 0, 1], [4, 1, 0]]
    likeliest = 0
    for row in rows(db, query):
        costs = [sum(w * line[k] for w, line in zip(row["w"], loss, strict=True)) for k in range(3)]
        assert costs["abc".index(row["prediction"])] == pytest.approx(min(costs))
        likeliest += row["w"]["abc".index(row["prediction"])] == max(row["w"])
    assert likeliest < len(rows(db, query))


def test_a_model_is_pruned_later_as_it_would_have_been_trained(db: psycopg.Connection) -> None:
    for criterion in ("gini", "misclassification"):
        more = {
            "class_params": "prior=0.5:0.25:0.25, " + LOSS,
            "split_criterion": criterion,
            "max_depth": 4,
            "replace": True,
        }
        train(db, "t", "grown", "y", "x, z", **more)
        for cp in (0.01, 0.05, 0.5):
            db.execute("DROP TABLE IF EXISTS cut, cut_nodes, cut_summary")
            db.execute("SELECT madtree.tree_prune('grown', 'cut', %s)", [cp])
            train(db, "t", "m", "y", "x, z", pruning_params=f"cp={cp}", **more)
            assert nodes(db, "cut") == nodes(db, "m")


def test_the_cp_table_of_each_group_is_the_stored_one_or_follows_from_the_nodes(db: psycopg.Connection) -> None:
    more = {"class_params": "prior=0.5:0.25:0.25, " + LOSS, "grouping_cols": "second", "max_depth": 5}
    train(db, "t", "m", "y", "x, z", pruning_params="cp=0.01", **more)
    train(db, "t", "v", "y", "x, z", pruning_params="cp=0.01, n_folds=3", **more)
    ask = "SELECT group_values->'second' AS second, cp, n_splits, rel_error, xerror FROM madtree.tree_cp('{}')"
    plain, stored = (rows(db, ask.format(model)) for model in ("m", "v"))
    assert len({row["second"] for row in plain}) == 2
    assert len(plain) > 4
    assert {row["xerror"] for row in plain} == {None}
    near = [{name: pytest.approx(row[name], abs=1e-12) for name in ("cp", "rel_error")} | {
        "second": row["second"], "n_splits": row["n_splits"]} for row in stored]  # fmt: skip
    assert [{name: value for name, value in row.items() if name != "xerror"} for row in plain] == near
    query = "SELECT second, cp, n_splits, rel_error, xerror FROM v_cv ORDER BY second, cp DESC"
    assert stored == rows(db, query)
    # Each row is the tree that tree_prune makes at its cp.
    for row in stored:
        db.execute("DROP TABLE IF EXISTS cut, cut_nodes, cut_summary")
        db.execute("SELECT madtree.tree_prune('m', 'cut', %s)", [max(row["cp"], 0.01)])
        (cut,) = rows(db, f"SELECT n_leaves - 1 AS n_splits FROM cut WHERE second = {row['second']}")
        assert cut == {"n_splits": row["n_splits"]}


def test_what_was_used_is_told_wherever_a_model_is(db: psycopg.Connection) -> None:
    train(db, "t", "m", "y", "x, z", class_params="Prior = 0.25 0.5 .25, loss=[[0,1,1],[9,0,1],[9,1,0]]", max_depth=2)
    told = "prior=0.25:0.5:0.25, loss=0 1 1 9 0 1 9 1 0"
    assert rows(db, "SELECT class_params FROM m_summary") == [{"class_params": told}]
    (document,) = db.execute("SELECT madtree.tree_to_json('m')").fetchone() or ()
    assert (document if isinstance(document, dict) else json.loads(document))["parameters"]["class_params"] == told
    (pmml,) = db.execute("SELECT madtree.tree_to_pmml('m')").fetchone() or ()
    assert f'<Extension name="class_params" value="{told}" />' in str(pmml)
    (drawn,) = db.execute("SELECT madtree.tree_display('m', false, true)").fetchone() or ()
    assert f"- Classes count by class_params: {told}." in drawn
    schema = rows(db, "SELECT current_schema() AS name")[0]["name"]
    listed = rows(db, f"SELECT parameters->>'class_params' AS told FROM madtree.models WHERE schema = '{schema}'")
    assert listed == [{"told": told}]
