"""forest_train with `split_rule => 'random'`, extremely randomized trees, and with every row in each tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import FEATURES, MAKE, grow, rows, score
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def test_all_rows_are_in_each_tree_and_none_out_of_bag(db: psycopg.Connection) -> None:
    grow(db, "f", "c", num_trees=4, split_rule="random", sampling="none", null_handling_params="max_surrogates=2")
    assert [row["n_rows"] for row in rows(db, "SELECT n_rows FROM f")] == [600] * 4
    (group,) = rows(db, "SELECT * FROM f_group")
    for name in ("oob_error", "oob_score"):
        assert group[name] is None
    assert set(group["oob_var_importance"]) <= {None}
    assert min(group["impurity_var_importance"]) > 0
    (summary,) = rows(db, "SELECT split_rule, sampling FROM f_summary")
    assert summary == {"split_rule": "random", "sampling": "none"}
    db.execute("SELECT madtree.get_var_importance('f', 'worth')")
    worth = rows(db, "SELECT * FROM worth")
    assert {row["oob_var_importance"] for row in worth} == {None}
    assert sum(row["impurity_var_importance"] for row in worth) == pytest.approx(100)
    # Grown out on all rows, trees know each of them.
    said = score(db, "f", "response")
    assert [row["estimated_c"] for row in said] == [row["c"] for row in rows(db, "SELECT c FROM t ORDER BY id")]


def test_the_order_of_rows_and_other_groups_are_nothing(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE shuffled AS SELECT * FROM t ORDER BY md5(id::text)")
    db.execute("CREATE TABLE alone AS SELECT * FROM t WHERE g = 1")
    for source, model, grouping in (("t", "f", "g"), ("shuffled", "s", "g"), ("alone", "a", None)):
        grow(db, model, "v", source=source, num_trees=5, split_rule="random", grouping_cols=grouping)
    for suffix in ("", "_nodes", "_group"):
        shown = [rows(db, f"SELECT * FROM {m}{suffix} ORDER BY 1, 2, 3") for m in "fs"]
        assert shown[0] == shown[1]
    said = {row["id"]: row["estimated_v"] for row in score(db, "f", "response")}
    assert {row["id"]: row["estimated_v"] for row in score(db, "a", "response", "alone")} == {
        id_: value for id_, value in said.items() if id_ % 3 == 1
    }
    grow(db, "best", "v", num_trees=5, grouping_cols="g")
    assert rows(db, "SELECT * FROM best_nodes ORDER BY 1, 2") != rows(db, "SELECT * FROM f_nodes ORDER BY 1, 2")


@pytest.mark.parametrize("dependent", ["c", "v"])
def test_they_are_as_good_as_scikit_learns(db: psycopg.Connection, dependent: str) -> None:
    """On rows that no tree has seen: the means over five seeds, which differ by a twentieth from chance alone."""
    db.execute("CREATE TABLE seen AS SELECT * FROM t WHERE id % 3 > 0; CREATE TABLE new AS SELECT * FROM t WHERE g = 0")
    data = {name: rows(db, f"SELECT x, y, z, {dependent} AS d FROM {name} ORDER BY id") for name in ("seen", "new")}
    values = {name: [[float(row[f]) for f in "xyz"] for row in own] for name, own in data.items()}
    truth = {name: np.array([row["d"] for row in own]) for name, own in data.items()}
    limits: dict[str, Any] = {"num_trees": 30, "num_random_features": 2, "min_split": 2, "importance": False}
    theirs = ExtraTreesClassifier if dependent == "c" else ExtraTreesRegressor
    ours_said, theirs_said = [], []
    for seed in range(5):
        more = {"split_rule": "random", "sampling": "none", "seed": seed, "replace": True}
        grow(db, "f", dependent, "x, y, z", "seen", **limits, **more)
        said = np.array([row[f"estimated_{dependent}"] for row in score(db, "f", "response", "new")])
        fitted = theirs(30, max_features=2, random_state=seed).fit(values["seen"], truth["seen"])
        for found, of in ((ours_said, said), (theirs_said, fitted.predict(values["new"]))):
            found.append(np.mean(of != truth["new"]) if dependent == "c" else np.mean((of - truth["new"]) ** 2))
    assert np.mean(ours_said) == pytest.approx(np.mean(theirs_said), rel=0.1)
    grow(db, "f", dependent, FEATURES, num_trees=30, split_rule="random", replace=True)
    (group,) = rows(db, "SELECT oob_score FROM f_group")
    assert group["oob_score"] > 0.8
