"""boost_train and boost_predict: the same bytes in every way, predictions that are the trees' sums, and the tables."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import psycopg
import pytest
from boosted_data import FEW, HALF, MAKE, boost, score, tables
from forest_data import rows
from psycopg_host import PsycopgHost
from shares import share
from training import train_by_client

from madtree.errors import MadtreeError
from madtree.explain.export import tree_to_json
from madtree.request import Tuning
from madtree.score.predict import score_table

BY_PASSES = Tuning(block_rows=150, read_rows=70, surely_large=100)  # what a client does where rows are many


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


@pytest.mark.parametrize(("turn", "more"), [(0, {}), (1, {"offsets": "b / 30 - 1"})], ids=str)
def test_many_rows_are_the_same_in_every_way(db: psycopg.Connection, turn: int, more: dict[str, str]) -> None:
    """Of so many, trees grow by gradients of few bits."""
    db.execute(
        "CREATE TABLE many AS SELECT i AS id, (i * 31 % 977)::float8 AS a, nullif(i * 17 % 61, 0)::float8 AS b, "
        "chr(97 + i % 7) AS c, (i * 7919 % 1013) + i * 31 % 977 > 900 AS late FROM generate_series(1, 101000) AS i; "
        "ANALYZE many"
    )
    found = []
    for strategy in ("memory", *share(("workers", "aggregate"), 2, turn)):
        boost(db, "late", source="many", strategy=strategy, parallel_workers=2, num_trees=2, **more)
        found.append(tables(db))
    assert found[1:] == found[:1] * (len(found) - 1)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("turn", "target", "more"),
    [
        (0, "y", {}),
        (1, "y", {"weights": "w", "grouping_cols": "g", **HALF}),
        (2, "late", {"grouping_cols": "g", **HALF}),
        (3, "k", {"weights": "w", "loss": "log_loss", "num_trees": 2}),
        (4, "n", {"loss": "poisson", **HALF}),
        (5, "n", {"loss": "poisson", "exposure": "w / 2.0", "weights": "w", "grouping_cols": "g"}),
        (6, "y", {"loss": "absolute_error", "grouping_cols": "g"}),
        (7, "y", {"loss": "quantile", "weights": "w", **HALF}),
        (8, "y", {"loss": "huber", "grouping_cols": "g", **HALF}),
        (10, "late", {"boost_params": "top_rate=0.3, other_rate=0.2", "learning_rate": 0.5, "grouping_cols": "g"}),
        (11, "k", {"boost_params": "top_rate=0.2", "learning_rate": 1, "num_trees": 3, "weights": "w"}),
        (12, "late", {"offsets": "a / 20.0 - 1", "grouping_cols": "g", "weights": "w", **HALF}),
        (13, "y", {"loss": "huber", "offsets": "a / 4.0", "grouping_cols": "g"}),
        (14, "n", {"loss": "poisson", "offsets": "ln(w / 2.0)", "grouping_cols": "g", **HALF}),
        (15, "late", {"loss": "exponential", "offsets": "b / 5", "boost_params": "top_rate=0.3", "learning_rate": 0.5}),
        (9, "y", {"grouping_cols": "g", "monotone": "a=-1, b=1", "interaction_constraints": "[a, b], [a, c]", **HALF}),
    ],
    ids=str,
)
def test_it_is_the_same_in_every_way(db: psycopg.Connection, turn: int, target: str, more: dict[str, Any]) -> None:
    """Those that begin other processes or write tables, rows in another order, and the client's, in turn."""
    boost(db, target, **more)
    expected = tables(db)
    assert {"_group", "_rounds", "_packed"} <= expected.keys()
    for strategy in share(("memory", "workers", "aggregate"), 3, turn):
        boost(db, target, strategy=strategy, parallel_workers=1 + turn % 2, **more)
        assert tables(db) == expected, strategy
    names = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id", "list_of_features": "a, b, c"}
    for tuning in share((None, Tuning(), BY_PASSES), 3, turn // 3):
        if tuning is None:
            db.execute("CREATE TABLE u AS SELECT * FROM t ORDER BY w, y")
            boost(db, target, source="u", **more)
            assert tables(db) == expected, "shuffled"
            continue
        train_by_client(db, tuning, **names, dependent_variable=target, **{**FEW, "loss": None, **more})
        assert tables(db) == expected, tuning


@pytest.mark.one_in(2)
@pytest.mark.in_turn
@pytest.mark.parametrize(("target", "n_classes"), [("y", 0), ("late", 2), ("k", 5), ("n", 0)])
@pytest.mark.parametrize("grouped", [False, True])
def test_predictions_are_what_the_trees_add_up_to(
    db: psycopg.Connection, target: str, n_classes: int, grouped: bool
) -> None:
    """By each tree's expression, whose sums are linked here."""
    more = {"loss": "poisson"} if target == "n" else {}
    boost(db, target, **more, **({"grouping_cols": "g", **HALF} if grouped else {}))
    n_scores = n_classes if n_classes > 2 else 1
    n_rows = 900
    scores = np.full((n_rows, n_scores), np.nan)
    group = np.array([row["g"] for row in rows(db, "SELECT g FROM t ORDER BY id")])
    for one in rows(
        db, f"SELECT gid, base_score, n_trees, {'g' if grouped else 'NULL AS g'} FROM m_group ORDER BY gid"
    ):
        mine = np.ones(n_rows, bool) if one["g"] is None else group == one["g"]
        scores[mine] = one["base_score"]
        assert one["n_trees"] > 0
    for tree in rows(db, "SELECT t.*, m.gid AS of FROM m AS t JOIN m_group AS m USING (gid) ORDER BY tree_id"):
        sql = db.execute("SELECT madtree.tree_sql('m', tree_id => %s)", [tree["tree_id"]]).fetchone()[0]  # type: ignore[index]
        said = np.array([row["said"] for row in rows(db, f"SELECT ({sql}) AS said FROM t ORDER BY id")])
        mine = group == tree["g"] if grouped else np.ones(n_rows, bool)
        scores[mine, (tree["sample_id"] - 1) % n_scores] += said[mine]
    raw = score(db, "raw")
    found = np.array([[value for name, value in row.items() if name != "id"] for row in raw])
    np.testing.assert_array_equal(found, scores)
    response = [row[f"estimated_{target}"] for row in score(db, "response")]
    if not n_classes:
        np.testing.assert_allclose(response, np.exp(scores[:, 0]) if more else scores[:, 0], rtol=1e-13)
        return
    labels = [None] if n_classes < 2 else rows(db, "SELECT dependent_var_levels AS l FROM m_summary")[0]["l"]
    if n_scores == 1:
        second = 1 / (1 + np.exp(-scores[:, 0]))
        shares = np.stack((1 - second, second), axis=1)
        labels = [False, True]
    else:
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    given = score(db, "prob")
    found = np.array([[value for name, value in row.items() if name != "id"] for row in given])
    np.testing.assert_allclose(found, shares, rtol=1e-9)
    assert response == [labels[place] for place in shares.argmax(axis=1)]


def test_the_first_rounds_alone_predict_as_a_model_of_so_many(db: psycopg.Connection) -> None:
    boost(db, "k", num_trees=6)
    first = score(db, "prob", num_trees=2)
    boost(db, "k", "short", num_trees=2)
    assert first == score(db, "prob", "short")


def test_leaves_are_those_of_each_tree(db: psycopg.Connection) -> None:
    boost(db, "late", grouping_cols="g", num_trees=5, **HALF)
    n_trees = {row["g"]: row["n_trees"] for row in rows(db, "SELECT g, n_trees FROM m_group")}
    assert len(set(n_trees.values())) > 1
    group = {row["id"]: row["g"] for row in rows(db, "SELECT id, g FROM t")}
    first_tree = {row["g"]: row["t"] for row in rows(db, "SELECT g, min(tree_id) AS t FROM m GROUP BY g")}
    leaves = {(row["tree_id"], row["node_id"]) for row in rows(db, "SELECT * FROM m_nodes WHERE is_leaf")}
    for row in score(db, "leaf"):
        of = group[row["id"]]
        assert len(row["node_ids"]) == n_trees[of]
        assert all((first_tree[of] + place, node) in leaves for place, node in enumerate(row["node_ids"]))


def test_its_tables_say_how_it_went(db: psycopg.Connection) -> None:
    said = boost(db, "late", num_trees=30, max_leaf_nodes=8, **HALF)
    assert said.startswith("m: boosting for classification, 900 rows, ")
    (group,) = rows(db, "SELECT * FROM m_group")
    rounds = rows(db, "SELECT * FROM m_rounds ORDER BY round")
    losses = [row["validation_loss"] for row in rounds]
    assert group["n_rounds"] == losses.index(min(losses)) == group["n_trees"]
    assert group["validation_loss"] == min(losses)
    assert group["training_loss"] == rounds[group["n_rounds"]]["training_loss"]
    assert len(rounds) <= group["n_rounds"] + 3
    assert 150 < group["n_held_out"] < 300
    (summary,) = rows(db, "SELECT * FROM m_summary")
    assert (summary["method"], summary["loss"], summary["num_trees"]) == ("boost_train", "log_loss", 30)
    assert (summary["subsample"], summary["validation_fraction"], summary["learning_rate"]) == (0.6, 0.25, 0.1)
    trees = rows(db, "SELECT * FROM m ORDER BY tree_id")
    assert [(row["sample_id"], row["round"], row["class"]) for row in trees][:2] == [(1, 1, None), (2, 2, None)]
    boost(db, "k", num_trees=2)
    trees = rows(db, "SELECT * FROM m ORDER BY tree_id")
    classes = rows(db, "SELECT dependent_var_levels AS l FROM m_summary")[0]["l"]
    assert [(row["round"], row["class"]) for row in trees] == [(r, label) for r in (1, 2) for label in classes]


def test_what_reads_models_reads_it(db: psycopg.Connection) -> None:
    boost(db, "k", num_trees=5)
    (listed,) = rows(db, "SELECT kind, n_trees, parameters FROM madtree.models WHERE model ~ '[.]m$'")
    assert (listed["kind"], listed["n_trees"]) == ("classification boosting", 25)
    assert '"learning_rate": 0.1' in str(listed["parameters"]) or listed["parameters"]["learning_rate"] == 0.1
    host = PsycopgHost(db)
    tree = db.execute("SELECT madtree.get_tree('m', 1, 7, false)").fetchone()[0]  # type: ignore[index]
    nodes = rows(db, "SELECT prediction FROM m_nodes WHERE tree_id = 7 AND node_id = 0")
    assert f"(0)[900, {nodes[0]['prediction']:.6g}]" in tree
    tree = db.execute("SELECT madtree.get_tree('m', 1, 1, false)").fetchone()[0]  # type: ignore[index]
    (root,) = rows(db, "SELECT prediction FROM m_nodes WHERE tree_id = 1 AND node_id = 0")
    assert 0 < abs(root["prediction"]) < 1e-12  # of rounding; the first round fits what has the mean 0
    assert "(0)[900, 0]" in tree
    document = json.loads(tree_to_json(host, "m"))
    assert document["format"] == "madtree-boosted"
    assert len(document["trees"]) == 25
    assert len(document["groups"][0]["base_score"]) == 5
    rules = rows(db, "SELECT DISTINCT tree_id FROM madtree.tree_rules('m')")
    assert len(rules) == 25
    db.execute("SELECT madtree.get_var_importance('m', 'worth')")
    worth = rows(db, "SELECT feature, impurity_var_importance FROM worth")
    assert {row["feature"] for row in worth} == {"a", "b", "c"}
    assert sum(row["impurity_var_importance"] for row in worth) == pytest.approx(100)
    found = {row["metric"]: row["value"] for row in rows(db, "SELECT * FROM madtree.tree_evaluate('m', 't')")}
    score(db, "response")
    (right,) = rows(db, "SELECT avg((estimated_k = k)::int)::float8 AS share FROM scored JOIN t USING (id)")
    assert found["accuracy"] == pytest.approx(right["share"])
    dropped = db.execute("SELECT madtree.tree_drop('m')").fetchone()[0]  # type: ignore[index]
    assert '"m_rounds"' in dropped
    assert rows(db, "SELECT to_regclass('m_rounds') AS is_there") == [{"is_there": None}]


def test_it_learns_more_than_a_single_tree(db: psycopg.Connection) -> None:
    boost(db, "y", num_trees=20, max_leaf_nodes=12, learning_rate=0.3)
    found = {row["metric"]: row["value"] for row in rows(db, "SELECT * FROM madtree.tree_evaluate('m', 't')")}
    db.execute("SELECT madtree.tree_train('t', 'one', 'id', 'y', 'a, b, c', max_leaf_nodes => 12)")
    single = {row["metric"]: row["value"] for row in rows(db, "SELECT * FROM madtree.tree_evaluate('one', 't')")}
    assert found["rmse"] < 0.7 * single["rmse"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"loss": "poisson", "target": "k"},
            "loss poisson is for numbers, and dependent_variable k is of type text, which means",
        ),
        (
            {"loss": "poisson", "target": "y", "classification": True},
            "is for numbers, and classification => true means",
        ),
        ({"loss": "log_loss", "target": "y"}, "loss log_loss is for classes, and dependent_variable y"),
        ({"boost_params": "max_cat_threshold=0"}, "boost_params: max_cat_threshold must be from 1 to 65534, not '0'"),
        ({"exposure": "w", "target": "y"}, "exposure is for loss => 'poisson' only, not for the default one"),
        ({"exposure": "w", "target": "y", "loss": "gamma"}, "exposure is for loss => 'poisson' only, not for gamma"),
        ({"exposure": "w - 1", "target": "n", "loss": "poisson"}, "exposure: (w - 1) is not above 0"),
        (
            {"loss": "hinge"},
            "loss must be one of log_loss, exponential, squared_error, absolute_error, quantile, huber, poisson, "
            "gamma, not 'hinge'",
        ),
        ({"learning_rate": 0}, "learning_rate must be above 0 and at most 1, not 0"),
        ({"boost_params": "l3=1"}, "boost_params: the key 'l3' is unknown"),
        ({"validation_params": "fraction=1"}, "validation_params: fraction must be at least 0 and below 1"),
        ({"boost_params": "quantile=1"}, "boost_params: quantile must be above 0 and below 1, not '1'"),
        (
            {"boost_params": "quantile=0.5", "target": "y"},
            "quantile is for the losses quantile and huber, and the loss is squared_error",
        ),
        ({"loss": "exponential", "target": "k"}, "loss exponential is for two classes, and k has 5"),
        ({"loss": "gamma", "target": "y"}, "loss gamma is for numbers above 0, and y has "),
        ({"loss": "poisson", "target": "y"}, "loss poisson is for numbers of at least 0, and y has "),
        ({"grouping_cols": "g AS round"}, "is also the name of a column of a boosted model's tables"),
    ],
)
def test_a_mistake_is_said(db: psycopg.Connection, more: dict[str, Any], said: str) -> None:
    target = more.pop("target", "late")
    with pytest.raises(psycopg.Error) as error:
        boost(db, target, **more)
    assert said in str(error.value)
    assert "Traceback" not in str(error.value)


def test_a_key_that_means_nothing_without_another_is_told(db: psycopg.Connection, notices: list[str]) -> None:
    boost(db, "late", boost_params="other_rate=0.2, prior_weight=3", validation_params="tol=0.1", num_trees=1)
    assert notices == [
        "validation_params: tol changes nothing where no rows are held out to stop by",
        "boost_params: other_rate changes nothing where top_rate is 1",
        "boost_params: prior_weight changes nothing where category_encoding is not ordered",
    ]


def test_odd_tables(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE empty AS SELECT * FROM t WHERE false; CREATE TABLE one AS SELECT * FROM t LIMIT 1")
    db.execute("CREATE TABLE flat AS SELECT id, g, a, b, c, w, 3.0::float8 AS y, true AS late FROM t")
    with pytest.raises(psycopg.Error, match="empty has no rows"):
        boost(db, "y", source="empty")
    boost(db, "y", source="one")
    boost(db, "y", source="flat")
    assert {row["estimated_y"] for row in score(db, "response")} == {3.0}
    boost(db, "late", source="flat")
    assert {row["estimated_late"] for row in score(db, "response")} == {True}
    db.execute("UPDATE t SET y = NULL, late = NULL WHERE g = 3")
    boost(db, "y", grouping_cols="g")
    (failed,) = rows(db, "SELECT * FROM m_group WHERE NOT success")
    assert (failed["g"], failed["n_trees"]) == (3, 0)
    found = score(db, "response")
    assert sum(row["estimated_y"] is None for row in found) == len(rows(db, "SELECT id FROM t WHERE g = 3")) > 0


def test_a_model_that_somebody_changed_is_refused(db: psycopg.Connection) -> None:
    boost(db, "k", grouping_cols="g")
    for damage, said in (
        (
            "UPDATE m_group SET base_score = ARRAY[1.0] WHERE gid = 2",
            "base_score of group 2 is not a finite number for each score",
        ),
        ("UPDATE m_summary SET loss = 'squared_error'", "loss in its summary is none for what it predicts"),
        ("DELETE FROM m_packed WHERE tree_id = 3", "tree 3 has no nodes"),
        (
            "ALTER TABLE m_packed DROP CONSTRAINT m_packed_pkey; "
            "INSERT INTO m_packed SELECT * FROM m_packed WHERE tree_id = 3",
            'its table "m_packed" has several rows with the key, tree_id 3',
        ),
        ("UPDATE m_summary SET dependent_var_type = 'nosuch'", "there is no such type"),
        ("ALTER TABLE m_group DROP COLUMN base_score", "its table _group lacks the column base_score"),
    ):
        with db.transaction(force_rollback=True):
            db.execute(damage)
            with pytest.raises(psycopg.Error, match=said), db.transaction():
                score(db, "response")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_scores_to_begin_with_that_are_no_numbers_are_refused(db: psycopg.Connection, value: str) -> None:
    """By all functions alike: some said that bytes of theirs were damaged, and some handed them out."""
    boost(db, "y")
    db.execute("UPDATE m_group SET base_score = ARRAY[%s::float8]", [value])
    for call in (
        "boost_predict('m', 't', 'out')", "boost_sql('m')", "tree_to_pmml('m')", "tree_shap('m', 't', 'out')",
        "boost_staged('m', 't')", "tree_evaluate('m', 't')", "partial_dependence('m', 't', 'a')",
        "permutation_importance('m', 't')", "tree_to_json('m')",
    ):  # fmt: skip
        with pytest.raises(psycopg.Error, match="m is damaged: base_score of group 1 is not a finite number"):
            db.execute(f"SELECT count(r) FROM madtree.{call} AS r".encode())


def test_trees_of_other_numbers_are_refused(db: psycopg.Connection) -> None:
    """Their nodes are of no tree, and a tree of a group has none."""
    boost(db, "y")
    db.execute("UPDATE m_packed SET tree_id = 1000 WHERE tree_id = 1")
    for call in (
        "boost_predict('m', 't', 'out')", "boost_sql('m')", "tree_to_pmml('m')", "tree_shap('m', 't', 'out')",
        "tree_explain('m', 't', '1')", "boost_staged('m', 't')", "partial_dependence('m', 't', 'a')",
    ):  # fmt: skip
        with pytest.raises(psycopg.Error, match=r"m is damaged: tree (1000 is not there, but|1 has no nodes)"):
            db.execute(f"SELECT count(r) FROM madtree.{call} AS r".encode())


def test_functions_of_other_kinds_refuse_it(db: psycopg.Connection) -> None:
    boost(db, "late")
    host = PsycopgHost(db)
    for function in ("tree_predict", "forest_predict"):
        with pytest.raises(MadtreeError) as error:
            score_table(host, "m", "t", "out", "response", function=function)
        assert error.value.hint == "Score by it with madtree.boost_predict."
