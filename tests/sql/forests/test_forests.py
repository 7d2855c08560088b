"""forest_train and forest_predict: tables, predictions row by row, groups, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import MAKE, grow, rows, score
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def by_single_trees(db: psycopg.Connection, model: str, n_trees: int, kind: str) -> list[list[Any]]:
    """What each tree says of each row, through the CASE expression of tree_sql."""
    said = []
    for tree in range(1, n_trees + 1):
        case = db.execute("SELECT madtree.tree_sql(%s, 'response', %s)", [model, tree]).fetchone()[0]  # type: ignore[index]
        said.append([row[0] for row in db.execute(f"SELECT ({case})::{kind} FROM t ORDER BY id")])  # type: ignore[arg-type]
    return said


@pytest.mark.parametrize("null_handling", ["max_surrogates=2", "null_as_category=true"])
def test_a_class_is_what_most_trees_say(db: psycopg.Connection, null_handling: str) -> None:
    grow(db, "f", "c", num_trees=7, null_handling_params=null_handling)
    classes = ["high", "low", "middle"]
    said = by_single_trees(db, "f", 7, "text")
    votes = [{c: column.count(c) for c in classes} for column in map(list, zip(*said, strict=True))]
    found = score(db, "f", "response")
    assert [row["estimated_c"] for row in found] == [
        max(classes, key=lambda c: (own[c], -classes.index(c))) for own in votes
    ]
    shares = score(db, "f", "prob")
    assert [[row[f"estimated_prob_{c}"] for c in classes] for row in shares] == [
        [own[c] / 7 for c in classes] for own in votes
    ]


def test_a_number_is_the_mean_of_the_trees_and_shares_are_those_of_the_leaves(db: psycopg.Connection) -> None:
    grow(db, "f", "v", num_trees=5)
    said = np.array(by_single_trees(db, "f", 5, "float8"))
    assert [row["estimated_v"] for row in score(db, "f", "response")] == pytest.approx(
        said.mean(axis=0).tolist(), rel=1e-15
    )
    grow(db, "f", "c", num_trees=5, max_tree_depth=3, replace=True)
    leaves = score(db, "f", "leaf")
    nodes = {
        (row["tree_id"], row["node_id"]): np.array(row["class_weights"]) / sum(row["class_weights"])
        for row in rows(db, "SELECT * FROM f_nodes")
    }
    expected = [
        np.mean([nodes[tree, node] for tree, node in enumerate(row["node_ids"], 1)], axis=0).tolist() for row in leaves
    ]
    found = score(db, "f", "prob_mean")
    assert [[row[f"estimated_prob_{c}"] for c in ("high", "low", "middle")] for row in found] == [
        pytest.approx(own, abs=1e-12) for own in expected
    ]


def test_groups_have_forests_of_their_own_and_unknown_groups_none(db: psycopg.Connection) -> None:
    db.execute(
        "INSERT INTO t SELECT 600 + i, 7, NULL, NULL, NULL, NULL, NULL, 'low', 1 FROM generate_series(1, 3) AS i"
    )
    grow(db, "f", "v", grouping_cols="g", num_trees=4)
    groups = rows(db, "SELECT * FROM f_group ORDER BY gid")
    assert [(row["gid"], row["g"], row["success"], row["n_trees"]) for row in groups] == [
        (1, 0, True, 4),
        (2, 1, True, 4),
        (3, 2, True, 4),
        (4, 7, False, 0),
    ]
    assert all(row["cat_levels_in_text"] == ["a", "b", "c"] for row in groups[:3])
    members = rows(db, "SELECT gid, sample_id, tree_id, g FROM f ORDER BY tree_id")
    assert [(row["gid"], row["sample_id"], row["g"]) for row in members] == [
        (gid, sample, gid - 1) for gid in (1, 2, 3) for sample in (1, 2, 3, 4)
    ]
    db.execute("CREATE TABLE alone AS SELECT * FROM t WHERE g = 1")
    grow(db, "alone_f", "v", source="alone", num_trees=4)
    both = [
        rows(db, f"SELECT oob_error, oob_score, oob_var_importance FROM {m}_group WHERE gid = {gid}")
        for m, gid in (("f", 2), ("alone_f", 1))
    ]
    assert both[0] == both[1]
    found = {row["id"]: row["estimated_v"] for row in score(db, "f", "response")}
    assert {found[601], found[602], found[603]} == {None}
    alone = {row["id"]: row["estimated_v"] for row in score(db, "alone_f", "response", "alone")}
    assert {id_: found[id_] for id_ in alone} == alone


def test_the_order_of_rows_is_nothing(db: psycopg.Connection) -> None:
    """Nor whether they come from a table or a view."""
    db.execute("CREATE TABLE shuffled AS SELECT * FROM t ORDER BY md5(id::text); CREATE VIEW seen AS SELECT * FROM t")
    for source, model in (("t", "f"), ("shuffled", "s"), ("seen", "v")):
        grow(db, model, "c", source=source, num_trees=6, weights="1 + z % 3")
    for suffix in ("", "_nodes", "_group"):
        of_tables = [rows(db, f"SELECT * FROM {model}{suffix} ORDER BY 1, 2, 3") for model in ("f", "s", "v")]
        assert of_tables[0] == of_tables[1] == of_tables[2]


def test_large_tables_are_grown_by_the_same_rules(db: psycopg.Connection) -> None:
    """Rows that do not fit one block, binned by all of them."""
    db.execute(
        "CREATE TABLE large AS SELECT i AS id, i * 31 % 97 AS a, i * 17 % 89 AS b FROM generate_series(1, 90000) AS i"
    )
    db.execute("ALTER TABLE large ADD COLUMN yes bool; UPDATE large SET yes = (a + b + id % 20) > 100")
    grow(db, "f", "yes", "a, b", "large", num_trees=3, max_tree_depth=8, importance=False)
    (group,) = rows(db, "SELECT oob_error, oob_var_importance FROM f_group")
    assert group["oob_var_importance"] is None
    right = "SELECT avg((s.estimated_yes = t.yes)::int)::float8 AS share FROM scored AS s JOIN large AS t USING (id)"
    score(db, "f", "response", "large")
    assert rows(db, right)[0]["share"] == pytest.approx(1 - group["oob_error"], abs=0.03)


def test_the_bins_of_a_large_table_come_from_a_sample(db: psycopg.Connection) -> None:
    """Of more than twice the rows that bins are found in."""
    db.execute(
        "CREATE TABLE large AS SELECT i AS id, sin(i) AS x, sin(i) + cos(i * 3.7) > 0 AS yes "
        "FROM generate_series(1, 230000) AS i"
    )
    grow(db, "f", "yes", "x", "large", num_trees=2, max_tree_depth=3, importance=False)
    (group,) = rows(db, "SELECT oob_error FROM f_group")
    assert group["oob_error"] == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize(("dependent", "theirs"), [("c", RandomForestClassifier), ("v", RandomForestRegressor)])
def test_it_is_about_as_good_as_scikit_learns(db: psycopg.Connection, dependent: str, theirs: Any) -> None:
    grow(db, "f", dependent, "x, y, z", num_trees=60)
    (group,) = rows(db, "SELECT oob_score FROM f_group")
    data = rows(db, f"SELECT x, y, z, {dependent} FROM t ORDER BY id")
    features = [[float(row[name]) for name in "xyz"] for row in data]
    least = {"min_samples_split": 5} if dependent == "v" else {}
    fitted = theirs(60, max_features=1, oob_score=True, random_state=1, **least).fit(
        features, [row[dependent] for row in data]
    )
    assert group["oob_score"] == pytest.approx(fitted.oob_score_, abs=0.03)


def test_who_asks_for_surrogates_that_are_not_there_is_told_how_to_get_them(db: psycopg.Connection) -> None:
    grow(db, "f", "c", num_trees=1)
    with pytest.raises(psycopg.Error, match="f has no surrogates: it was trained with max_surrogates=0") as caught:
        db.execute("SELECT madtree.get_tree_surr('f', 1, 1)")
    assert (
        caught.value.diag.message_hint == "Train it with null_handling_params => 'max_surrogates=5', or see get_tree."
    )


def test_trees_and_importances_are_shown(db: psycopg.Connection) -> None:
    grow(db, "f", "c", num_trees=3, null_handling_params="max_surrogates=1", grouping_cols="g")
    assert "digraph" in db.execute("SELECT madtree.get_tree('f', 2, 3)").fetchone()[0]  # type: ignore[index]
    text = db.execute("SELECT madtree.get_tree('f', 2, 3, false)").fetchone()[0]  # type: ignore[index]
    assert "g = 1" in text
    assert "(0)[" in text
    top = db.execute("SELECT madtree.get_tree('f', 2, 3, false, max_depth => 0)").fetchone()[0]  # type: ignore[index]
    assert text.count("-->") > 1
    assert f"... {text.count('-->')} leaves below" in top
    assert "g = 1" in db.execute("SELECT madtree.get_tree_surr('f', 2, 3)").fetchone()[0]  # type: ignore[index]
    db.execute("SELECT madtree.get_var_importance('f', 'worth')")
    worth = rows(db, "SELECT * FROM worth")
    assert len(worth) == 15
    for name in ("oob_var_importance", "impurity_var_importance"):
        assert sum(row[name] for row in worth[:5]) == pytest.approx(100)
    assert min(row["oob_var_importance"] for row in worth) >= 0
    db.execute("SELECT madtree.tree_drop('f')")
    assert rows(db, "SELECT to_regclass('f_group') AS t")[0]["t"] is None


@pytest.fixture(scope="module")
def models(shared_db: psycopg.Connection) -> psycopg.Connection:
    """A forest and a tree, for calls that fail."""
    shared_db.execute(MAKE)
    grow(shared_db, "f", "c", num_trees=2)
    shared_db.execute("SELECT madtree.tree_train('t', 'tree', 'id', 'c', 'x')")
    return shared_db


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("forest_train('t', 'm', 'id', 'c', 'x', num_trees => 0)", "num_trees must be from 1 to 100000, not 0"),
        (
            "forest_train('t', 'm', 'id', 'c', 'x, y', num_random_features => 3)",
            "num_random_features must be from 1 to 2",
        ),
        ("forest_train('t', 'm', 'id', 'c', 'x', sample_ratio => 0)", "sample_ratio must be above 0 and at most 1"),
        ("forest_train('t', 'm', 'id', 'c', 'x', sampling => 'all')", "sampling must be one of poisson"),
        (
            "forest_train('t', 'm', 'id', 'c', 'x', split_rule => 'worst')",
            "split_rule must be one of best",
        ),
        ("forest_predict('tree', 't', 's')", "tree is a model of single trees, not a forest"),
        ("forest_predict('f', 't', 's', 'probability')", "type must be one of response, prob, prob_mean, leaf"),
        ("tree_predict('f', 't', 's')", "tree_model: f is a forest"),
        ("tree_sql('f', 'leaf')", "type must be one of response, prob, prob_mean, not 'leaf'"),
        ("tree_prune('f', 'p', 0.1)", "model: f is a forest"),
        ("tree_display('f')", "model: f is a forest"),
        ("tree_surr_display('f')", "model: f is a forest"),
        ("tree_cp('f')", "model: f is a forest"),
        ("get_tree('f', 2, 1)", "gid must be from 1 to 1"),
        ("get_tree('f', 1, 3)", "sample_id must be from 1 to 2, not 3"),
        ("get_tree('tree', 1, 1)", "tree is not a forest"),
    ],
)
def test_mistakes_are_sentences(models: psycopg.Connection, call: str, message: str) -> None:
    with pytest.raises(psycopg.Error, match="madtree: ") as caught:
        models.execute(f"SELECT madtree.{call}")  # type: ignore[arg-type]
    assert message in str(caught.value)
