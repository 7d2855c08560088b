"""What the rows out of bag say, held against rows that no tree has seen, and against scikit-learn's permutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import grow, rows, score
from sklearn.base import BaseEstimator
from sklearn.inspection import permutation_importance

from madtree.learn.data import Block, CodeLayout
from madtree.learn.problem import Bootstrap, identities

# The signal is in a, b and k; n and m are noise, p is a permutation of a.
MAKE = """
CREATE TABLE s AS SELECT i AS id, random() AS a, random() AS b, random() AS n, random() AS m, (random() * 4)::int AS k,
    random() AS e FROM generate_series(1, 3000) AS i;
CREATE TABLE t AS SELECT s.*, o.a AS p, s.a + 2 * s.b * s.b + s.k / 4.0 + (s.e - 0.5) AS v
FROM s JOIN s AS o ON o.id = 1 + s.id * 1237 % 3000;
ALTER TABLE t ADD COLUMN c text;
UPDATE t SET c = CASE WHEN v > 2 THEN 'high' WHEN v > 1.2 THEN 'middle' ELSE 'low' END;
CREATE TABLE seen AS SELECT * FROM t WHERE id <= 1000;
CREATE TABLE new AS SELECT * FROM t WHERE id > 1000;
"""
FEATURES = ("a", "b", "k", "n", "m", "p")
LISTED = ", ".join(FEATURES)


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute("SELECT setseed(0.3)")
    db.execute(MAKE)


@pytest.mark.in_turn
@pytest.mark.parametrize("split_rule", ["best", "random"])
@pytest.mark.parametrize("dependent", ["c", "v"])
def test_the_error_out_of_bag_is_that_of_new_rows_and_noise_is_worth_nothing(
    db: psycopg.Connection, dependent: str, split_rule: str
) -> None:
    grow(db, "f", dependent, LISTED, "seen", num_trees=40, split_rule=split_rule, num_permutations=2)
    (group,) = rows(db, "SELECT * FROM f_group")
    of = {row["id"]: row[dependent] for row in rows(db, f"SELECT id, {dependent} FROM new")}
    said = {row["id"]: row[f"estimated_{dependent}"] for row in score(db, "f", "response", "new")}
    lost = [float(said[i] != of[i]) if dependent == "c" else (said[i] - of[i]) ** 2 for i in of]
    # Of the difference between means over a thousand rows out of bag and two thousand new ones.
    error = np.std(lost) * np.sqrt(1 / 1000 + 1 / 2000)
    assert group["oob_error"] == pytest.approx(np.mean(lost), abs=3 * error)
    worth = dict(zip(FEATURES, group["oob_var_importance"], strict=True))
    spread = dict(zip(FEATURES, group["oob_var_importance_sd"], strict=True))
    for signal in "abk":
        assert worth[signal] > 10 * spread[signal] / 40**0.5
    for noise in "nmp":
        assert abs(worth[noise]) < 0.2 * min(worth[signal] for signal in "abk")


def test_negative_importances_are_kept(db: psycopg.Connection) -> None:
    """Of noise alone they go both ways; they are shown as 0 only where they are scaled to 100."""
    db.execute("ALTER TABLE seen ADD COLUMN o text; UPDATE seen SET o = (random() * 2)::int::text")
    grow(db, "f", "o", LISTED, "seen", num_trees=40)
    (group,) = rows(db, "SELECT oob_var_importance FROM f_group")
    raw = group["oob_var_importance"]
    assert min(raw) < 0
    db.execute("SELECT madtree.get_var_importance('f', 'worth')")
    told = {row["feature"]: row for row in rows(db, "SELECT * FROM worth")}
    assert [told[feature]["raw_oob_importance"] for feature in FEATURES] == raw
    assert min(row["oob_var_importance"] for row in told.values()) == 0


def test_a_single_tree_has_importances_and_no_spread(db: psycopg.Connection) -> None:
    grow(db, "f", "c", LISTED, "seen", num_trees=1)
    (group,) = rows(db, "SELECT oob_var_importance, oob_var_importance_sd FROM f_group")
    assert max(group["oob_var_importance"]) > 0
    assert group["oob_var_importance_sd"] == [None] * len(FEATURES)
    db.execute("SELECT madtree.get_var_importance('f', 'worth')")
    told = rows(db, "SELECT raw_oob_importance, oob_importance_sd FROM worth")
    assert [row["raw_oob_importance"] for row in told] == group["oob_var_importance"]
    assert {row["oob_importance_sd"] for row in told} == {None}


class NodeTree(BaseEstimator):
    """A tree of a forest, read from its node table, as scikit-learn's inspection takes it: all features are numbers."""

    def __init__(self, nodes: dict[int, dict[str, Any]]) -> None:
        self.nodes = nodes

    def fit(self, features: Any, target: Any) -> NodeTree:
        return self

    def predict(self, features: Any) -> Any:
        said = []
        for row in features.tolist():
            node = self.nodes[0]
            while node["feature"] is not None:
                right = row[FEATURES.index(node["feature"])] > node["threshold"]
                node = self.nodes[2 * node["node_id"] + 1 + right]
            said.append(node["prediction"])
        return np.array(said)


@pytest.mark.parametrize("dependent", ["c", "v"])
def test_importances_are_those_of_scikit_learn_on_the_same_trees(db: psycopg.Connection, dependent: str) -> None:
    """Of each tree, by permutations among its rows out of bag; both are means over permutations drawn at random."""
    n_trees, n_repeats = 6, 20
    limits = {"num_trees": n_trees, "max_tree_depth": 5, "num_permutations": n_repeats, "seed": 7}
    grow(db, "f", dependent, LISTED, "seen", **limits)
    data = rows(db, f"SELECT id, {LISTED}, {dependent} AS y FROM seen ORDER BY id")
    features = np.array([[float(row[f]) for f in FEATURES] for row in data])
    target = np.array([row["y"] for row in data])
    # Which rows are out of bag is a hash of seed, tree and id.
    codes = CodeLayout.for_widths(np.array([2])).empty(len(data))
    identity = identities(np.array([float(row["id"]) for row in data]))
    block = Block(codes, np.zeros(len(data), np.uint8), identity=identity)
    found = []
    for member in range(n_trees):
        of_tree = rows(db, f"SELECT * FROM f_nodes WHERE tree_id = {member + 1}")
        tree = NodeTree({row["node_id"]: row for row in of_tree})
        out = Bootstrap(7, 0, n_trees).held_out(block, member)
        scoring = "accuracy" if dependent == "c" else "neg_mean_squared_error"
        permuted = permutation_importance(
            tree, features[out], target[out], scoring=scoring, n_repeats=n_repeats, random_state=member
        )
        found.append(permuted["importances"])
    theirs = np.mean(found, axis=(0, 2))
    error = np.sqrt(np.var(found, axis=2, ddof=1).sum(axis=0) / n_repeats) / n_trees
    (group,) = rows(db, "SELECT oob_var_importance, oob_var_importance_sd FROM f_group")
    assert (np.abs(np.array(group["oob_var_importance"]) - theirs) <= 4 * np.sqrt(2) * error + 1e-12).all()
    # The standard deviation over trees is theirs, too, but for what is left of chance in each tree.
    spread = np.std(np.mean(found, axis=2), axis=0, ddof=1)
    assert group["oob_var_importance_sd"] == pytest.approx(spread, abs=6 * error.max())
