"""tree_refresh of forests and boosted models: held against numpy, LightGBM, and the training itself."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import rows
from psycopg_host import PsycopgHost

import madtree
from madtree.engine import call as by_client

MAKE = """
CREATE TABLE t AS SELECT i AS id, hashint4(i) / 4294967296.0::float8 AS x,
    CASE WHEN i % 11 > 0 THEN hashint4(-i) / 4294967296.0::float8 END AS z,
    'c' || abs(hashint4(i + 5)) % 9 AS c, i % 3 AS g, CASE WHEN i % 7 > 0 THEN 1 + i % 3 / 8.0::float8 ELSE 0 END AS w
FROM generate_series(1, 4000) AS i;
ALTER TABLE t ADD v float8, ADD k text, ADD y boolean, ADD n int;
UPDATE t SET v = 3 * x + coalesce(z, 0.3) + (c < 'c4')::int + hashint4(id + 7) / 4294967296.0;
UPDATE t SET k = CASE WHEN v < 0 THEN 'low' WHEN v < 1 THEN 'mid' ELSE 'high' END, y = v > 0.6, n = floor(exp(v / 2));
CREATE TABLE training AS SELECT * FROM t WHERE id <= 2000;
CREATE TABLE later AS SELECT id, x, z, c, g, w, v + 1 AS v, k, x + v > 0.9 AS y, n + 1 AS n FROM t WHERE id > 2000;
UPDATE later SET c = 'new' WHERE id % 31 = 0;
UPDATE later SET k = NULL, v = NULL, y = NULL WHERE id % 50 = 0;
"""
CLASSES = ("high", "low", "mid")


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def train(db: psycopg.Connection, call: str) -> None:
    db.execute(f"SELECT madtree.{call}")  # type: ignore[arg-type]


def refresh(db: psycopg.Connection, table: str = "later") -> None:
    answer = db.execute(f"SELECT madtree.tree_refresh('m', '{table}', 'new')").fetchone()  # type: ignore[arg-type]
    assert answer is not None
    assert answer[0].startswith("tree_refresh: m refreshed by ")


def leaves(db: psycopg.Connection, predict: str, columns: str, where: str, model: str = "m") -> list[dict[str, Any]]:
    """Rows of the new table that count, each with the ids of its leaves."""
    db.execute(f"DROP TABLE IF EXISTS leaves; SELECT madtree.{predict}('{model}', 'later', 'leaves', 'leaf')")  # type: ignore[arg-type]
    return rows(db, f"SELECT l.node_ids, {columns} FROM leaves AS l JOIN later USING (id) WHERE {where} ORDER BY id")


FORESTS = {
    "classes": ("k", ""),
    "numbers": ("v", ""),
    "weights": ("k", "weights => 'w'"),
    "weighted numbers": ("v", "weights => 'w', null_handling_params => 'max_surrogates=2'"),
    "groups": ("v", "grouping_cols => 'g'"),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", FORESTS)
def test_leaves_of_a_forest_say_what_all_rows_say_that_come_to_them(db: psycopg.Connection, name: str) -> None:
    outcome, options = FORESTS[name]
    more = f", {options}" if options else ""
    train(db, f"forest_train('training', 'm', 'id', '{outcome}', 'x, z, c', num_trees => 7, max_tree_depth => 6{more})")
    refresh(db)
    found = leaves(db, "forest_predict", "v, k, w, g", f"{outcome} IS NOT NULL {'AND w > 0' * ('w' in options)}")
    nodes = rows(
        db,
        "SELECT m.gid, m.sample_id, m.n_rows AS of_tree, n.*, o.prediction AS former, "
        f"o.class_weights AS former_weights, {'m.g' if name == 'groups' else '0 AS g'} "
        "FROM new_nodes AS n JOIN new AS m USING (tree_id) JOIN m_nodes AS o USING (tree_id, node_id)",
    )
    weighted = "weights" in options
    n_empty = 0
    for node in nodes:
        mine = []
        for row in found:
            leaf = row["node_ids"][node["sample_id"] - 1]
            while leaf > node["node_id"]:
                leaf = (leaf - 1) // 2
            if leaf == node["node_id"] and (name != "groups" or row["g"] == node["g"]):
                mine.append(row)
        assert node["n_rows"] == len(mine)
        if not mine:
            n_empty += 1
            assert node["prediction"] == node["former"]
            assert node["class_weights"] == node["former_weights"]
            assert node["risk"] is not None
            assert node["risk"] >= 0 or weighted or outcome == "v"
            continue
        weight = np.array([row["w"] if weighted else 1.0 for row in mine])
        assert node["weight"] == pytest.approx(weight.sum())
        if outcome == "v":
            assert node["prediction"] == pytest.approx(np.average([row["v"] for row in mine], weights=weight))
        else:
            shares = [weight[[row["k"] == each for row in mine]].sum() for each in CLASSES]
            assert node["class_weights"] == pytest.approx(shares)
            assert node["prediction"] == CLASSES[int(np.argmax(shares))]
    assert n_empty < len(nodes) / 2
    groups = rows(db, "SELECT oob_error, oob_score, oob_var_importance, impurity_var_importance FROM new_group")
    assert all(row["oob_error"] is None and row["oob_score"] is None for row in groups)
    assert all(row["impurity_var_importance"] for row in groups)
    assert {row["of_tree"] for row in nodes} == {row["n_rows"] for row in nodes if row["node_id"] == 0}
    db.execute("SELECT madtree.forest_predict('new', 'later', 'scored')")
    assert rows(db, "SELECT count(*) AS n FROM scored")[0]["n"] == 2000
    db.execute("SELECT madtree.get_var_importance('new', 'importance')")
    db.execute("SELECT madtree.tree_shap('new', 'later', 'reasons')")


@pytest.mark.parametrize("outcome", ["k", "v"])
def test_by_waves_and_workers_a_forest_is_the_same_to_the_bit(db: psycopg.Connection, outcome: str) -> None:
    db.execute(
        "CREATE TABLE many AS SELECT i * 10000 + id AS id, x, z, c, w * 0.7 AS w, v, k "
        "FROM later, generate_series(1, 60) AS i; ANALYZE many; "
        "CREATE TABLE shuffled AS SELECT * FROM many ORDER BY md5(id::text)"
    )
    train(db, f"forest_train('training', 'm', 'id', '{outcome}', 'x, z, c', num_trees => 5, weights => 'w')")
    refresh(db, "many")
    db.execute("SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0")
    db.execute("SELECT madtree.tree_refresh('m', 'shuffled', 'other')")
    assert rows(db, "SELECT * FROM new_packed EXCEPT SELECT * FROM other_packed") == []
    assert rows(db, "SELECT * FROM new_nodes LIMIT 1")


BOOSTED = {
    "groups": ("y", "grouping_cols => 'g', boost_params => 'l2_regularization=1.5'"),
    "exponential": ("y", "loss => 'exponential'"),
    "squares": ("v", ""),
    "poisson": ("n", "loss => 'poisson'"),
    "gamma": ("n + 1", "loss => 'gamma'"),
    "multi": ("k", ""),
    "absolute": ("v", "loss => 'absolute_error'"),
    "quantile": ("v", "loss => 'quantile', boost_params => 'quantile=0.8'"),
    "huber": ("v", "loss => 'huber'"),
    "weights": ("y", "weights => 'w'"),
    "weighted quantile": ("v", "loss => 'quantile', weights => 'w'"),
    "weighted huber": ("v", "loss => 'huber', weights => 'w'"),
    "log_loss": ("y", ""),
    "gentle": ("y", "boost_params => 'method=gentle'"),
    "logitboost": ("y", "boost_params => 'method=logitboost'"),
    "exposure": ("n", "loss => 'poisson', exposure => 'w + 1'"),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", BOOSTED)
def test_the_training_rows_give_a_boosted_model_again(db: psycopg.Connection, name: str) -> None:
    outcome, options = BOOSTED[name]
    more = f", {options}" if options else ""
    train(
        db,
        f"boost_train('training', 'm', 'id', '{outcome}', 'x, z, c', num_trees => 6, max_leaf_nodes => 12, "
        f"classification => {'true' if outcome in 'yk' else 'false'}{more})",
    )
    refresh(db, "training")
    both = rows(
        db,
        "SELECT o.node_id, o.tree_id, o.prediction AS former, n.prediction AS said, o.n_rows AS former_rows, n.n_rows, "
        "o.weight AS former_weight, n.weight FROM m_nodes AS o JOIN new_nodes AS n USING (tree_id, node_id)",
    )
    assert len(both) > 100
    scale = max(abs(row["former"]) for row in both)
    for row in both:
        assert row["n_rows"] == row["former_rows"]
        assert row["weight"] == pytest.approx(row["former_weight"], rel=1e-6, abs=1e-6)
        assert row["said"] == pytest.approx(row["former"], rel=1e-6, abs=1e-6 * scale)
    columns = "gid, base_score, loss_threshold, n_rows"
    for old, new in zip(
        *(rows(db, f"SELECT {columns} FROM {m}_group ORDER BY gid") for m in ("m", "new")), strict=True
    ):
        assert new["base_score"] == pytest.approx(old["base_score"], rel=1e-9, abs=1e-12)
        assert new["loss_threshold"] == (old["loss_threshold"] and pytest.approx(old["loss_threshold"], rel=1e-9))
        assert new["n_rows"] == old["n_rows"]
    assert rows(db, "SELECT * FROM madtree.boost_staged('new', 'training')")
    db.execute("SELECT madtree.boost_predict('new', 'later', 'scored')")
    call = db.execute("SELECT madtree.tree_call('new')").fetchone()
    assert call == ("SELECT madtree.tree_refresh('m', 'training', 'new');",)


@pytest.mark.parametrize(("outcome", "objective"), [("y", "binary"), ("v", "regression")])
def test_leaves_are_those_of_lightgbm_refit(db: psycopg.Connection, outcome: str, objective: str) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    train(
        db,
        f"boost_train('training', 'm', 'id', '{outcome}', 'x, z', num_trees => 20, max_leaf_nodes => 8, "
        "min_bucket => 60, boost_params => 'l2_regularization=2')",
    )
    refresh(db)
    text = madtree.connect(db).boosted("m").to_lightgbm().model_to_string()
    # The trees know no learning rate.
    text = re.sub("^tree_sizes=.*\n", "", text, flags=re.MULTILINE).replace("shrinkage=1\n", "shrinkage=0.1\n")
    booster = lightgbm.Booster(model_str=text)
    found = rows(
        db,
        f"SELECT x, coalesce(z, 'NaN') AS z, {outcome} AS y FROM later WHERE v IS NOT NULL ORDER BY id",
    )
    data = np.array([[row["x"], row["z"]] for row in found])
    target = np.array([row["y"] for row in found], np.float64)
    (base,) = rows(db, "SELECT base_score[1] AS base FROM new_group")
    booster.params = {"objective": objective, "lambda_l2": 2.0, "verbose": -1}
    refitted = booster.refit(data, target, decay_rate=0.0, init_score=np.full(len(target), base["base"]))
    db.execute("SELECT madtree.boost_predict('new', 'later', 'scored', 'raw')")
    scored = rows(db, "SELECT s.* FROM scored AS s JOIN later USING (id) WHERE v IS NOT NULL ORDER BY id")
    ours = [value for row in scored for column, value in row.items() if column != "id"]
    theirs = refitted.predict(data, raw_score=True) + base["base"]
    assert ours == pytest.approx(theirs.tolist(), rel=1e-5, abs=1e-5)
    assert np.std(theirs) > 0.1


def test_an_oracle_in_numpy_says_the_same_of_other_rows(db: psycopg.Connection) -> None:
    """Of two classes, with weights, missing values, and categories that training has not seen."""
    train(
        db, "boost_train('training', 'm', 'id', 'y', 'x, z, c', num_trees => 15, max_leaf_nodes => 10, weights => 'w')"
    )
    refresh(db)
    found = leaves(db, "boost_predict", "y, w", "y IS NOT NULL AND w > 0")
    y, w = np.array([row["y"] for row in found], float), np.array([row["w"] for row in found])
    ids = np.array([row["node_ids"] for row in found])
    mean = np.average(y, weights=w)
    score = np.full(len(y), np.log(mean / (1 - mean)))
    (group,) = rows(db, "SELECT base_score[1] AS base FROM new_group")
    assert group["base"] == pytest.approx(score[0])
    nodes = rows(db, "SELECT tree_id, node_id, prediction, n_rows, feature FROM new_nodes")
    said = {(row["tree_id"], row["node_id"]): row for row in nodes}
    by_category = {row["tree_id"] * 2**40 + row["node_id"] for row in nodes if row["feature"] == "c"}
    for tree in range(15):
        share = 1 / (1 + np.exp(-score))
        for leaf in np.unique(ids[:, tree]).tolist():
            here = ids[:, tree] == leaf
            gradient, hessian = (w * (share - y))[here].sum(), (w * share * (1 - share))[here].sum()
            l2 = 10.0 if (tree + 1) * 2**40 + (leaf - 1) // 2 in by_category else 0.0
            value = -0.1 * gradient / (hessian + l2)
            assert said[tree + 1, leaf]["prediction"] == pytest.approx(value, rel=1e-9, abs=1e-12)
            assert said[tree + 1, leaf]["n_rows"] == here.sum()
            score[here] += value


@pytest.mark.parametrize(
    "call",
    [
        "tree_train('training', 'm', 'id', 'v', 'x, z, c', weights => 'w', grouping_cols => 'g')",
        "forest_train('training', 'm', 'id', 'k', 'x, z, c', num_trees => 3)",
        "boost_train('training', 'm', 'id', 'v', 'x, z, c', num_trees => 3, weights => 'w')",
    ],
)
def test_a_client_writes_the_same_bytes(db: psycopg.Connection, call: str) -> None:
    train(db, call)
    refresh(db)
    with db.transaction():
        by_client(PsycopgHost(db), "tree_refresh", ("m", "later", "other"), {})
    nodes = "_nodes" if call.startswith("tree") else "_packed"
    for suffix in ("", nodes):
        of_both = f"(SELECT t::text FROM new{suffix} AS t EXCEPT ALL SELECT t::text FROM other{suffix} AS t)"
        assert rows(db, f"SELECT count(*) AS n FROM {of_both} AS q") == [{"n": 0}]
        assert rows(db, f"SELECT 1 FROM other{suffix}")


def test_groups_that_stop_early_or_have_no_rows(db: psycopg.Connection) -> None:
    train(
        db,
        "boost_train('training', 'm', 'id', 'v', 'x, z, c', num_trees => 60, grouping_cols => 'g', "
        "learning_rate => 0.5, validation_params => 'fraction=0.3, n_iter_no_change=2')",
    )
    counts = [row["n_trees"] for row in rows(db, "SELECT n_trees FROM m_group ORDER BY gid")]
    assert len(set(counts)) > 1
    db.execute("DELETE FROM later WHERE g = 1")
    refresh(db)
    both = rows(
        db, "SELECT t.g, o.prediction AS former, n.prediction AS said, n.n_rows FROM m_nodes AS o JOIN new_nodes AS n "
        "USING (tree_id, node_id) JOIN m AS t USING (tree_id)"
    )  # fmt: skip
    assert all(row["said"] == row["former"] and row["n_rows"] == 0 for row in both if row["g"] == 1)
    assert any(row["said"] != row["former"] for row in both if row["g"] != 1)
    alike = rows(db, "SELECT 1 FROM m_group AS o JOIN new_group AS n USING (gid) WHERE o.base_score = n.base_score")
    assert len(alike) == 1
    # Each group is as if it were alone.
    db.execute(
        "CREATE TABLE alone AS SELECT * FROM later WHERE g = 2; SELECT madtree.tree_refresh('m', 'alone', 'one')"
    )
    of_group = "SELECT tree_id, node_id, prediction, weight FROM {}_nodes JOIN m USING (tree_id) WHERE g = 2"
    assert rows(db, f"{of_group.format('one')} EXCEPT {of_group.format('new')}") == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("boost_params => 'method=adaboost'", "method adaboost"),
        ("boost_params => 'method=real'", "method real"),
        ("monotone => 'x=+1'", "is monotone"),
        ("class_params => 'class_weight=balanced'", "has class_params"),
    ],
)
def test_what_does_not_follow_from_rows_is_refused(db: psycopg.Connection, options: str, said: str) -> None:
    train(db, f"boost_train('training', 'm', 'id', 'y', 'x', num_trees => 2, {options})")
    with pytest.raises(psycopg.Error, match=said) as caught:
        db.execute("SELECT madtree.tree_refresh('m', 'later', 'new')")
    assert "madtree.tree_call" in str(caught.value.diag.message_hint)


def test_encoded_categories_are_refreshed_as_they_are_split(db: psycopg.Connection) -> None:
    train(
        db,
        "boost_train('training', 'm', 'id', 'v', 'x, c', num_trees => 8, boost_params => 'category_encoding=ordered')",
    )
    refresh(db)
    found = leaves(db, "boost_predict", "v", "v IS NOT NULL")
    v = np.array([row["v"] for row in found])
    score = np.full(len(v), v.mean())
    said = {(row["tree_id"], row["node_id"]): row["prediction"] for row in rows(db, "SELECT * FROM new_nodes")}
    for tree in range(8):
        ids = np.array([row["node_ids"][tree] for row in found])
        for leaf in np.unique(ids).tolist():
            here = ids == leaf
            assert said[tree + 1, leaf] == pytest.approx(0.1 * (v - score)[here].mean(), rel=1e-9)
            score[here] += said[tree + 1, leaf]


def test_rows_that_the_loss_is_not_for_are_told(db: psycopg.Connection) -> None:
    train(
        db, "boost_train('training', 'm', 'id', 'n + 1', 'x', num_trees => 2, loss => 'gamma', classification => false)"
    )
    db.execute("UPDATE later SET n = -5 WHERE id = 2001")
    with pytest.raises(psycopg.Error, match=r"n \+ 1 is not above 0, infinite or NaN in 1 row of later"):
        db.execute("SELECT madtree.tree_refresh('m', 'later', 'new')")
    db.execute("DELETE FROM later")
    with pytest.raises(psycopg.Error, match="no row of later counts"):
        db.execute("SELECT madtree.tree_refresh('m', 'later', 'new')")
