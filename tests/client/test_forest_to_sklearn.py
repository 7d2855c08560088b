"""`to_sklearn` of a forest: scikit-learn's forest predicts what forest_predict says, to the bit."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import psycopg
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import Pipeline

import madtree

PLAIN, MIXED = ["length", "Width", "wide"], ["length", "colour", "wild", "day", "wide"]


@pytest.fixture(autouse=True)
def _rows(client: madtree.Client, flowers: None) -> None:
    """Thresholds that are neighbours in float64 and one number in float32; dates; categories that training lacks."""
    client.query("ALTER TABLE flowers ADD COLUMN wide float8, ADD COLUMN day date")
    client.query("UPDATE flowers SET wide = 1e9 + id % 17 * 1e-3, day = date '2024-02-27' + (id % 5)::int")
    client.query("CREATE TABLE new AS SELECT * FROM flowers")
    client.query(
        "INSERT INTO new (id, length, colour, wild, day, wide) SELECT 1000 + i, i / 10.0, "
        "CASE WHEN i % 2 = 0 THEN 'unseen' END, NULL, NULL, CASE WHEN i % 3 > 0 THEN 1e9 + i * 1e-4 END "
        "FROM generate_series(1, 60) AS i"
    )


def scored(client: madtree.Client, type_: str, where: str = "true") -> np.ndarray[Any, Any]:
    client.query("DROP TABLE IF EXISTS scored")
    client.forest("f").predict("new", "scored", type_)
    rows = client.query(f"SELECT s.* FROM scored AS s JOIN new USING (id) WHERE {where} ORDER BY id")
    values = [list(row)[1:] if type_ == "prob_mean" else list(row)[1] for row in rows]
    return np.array(values)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("features", [PLAIN, MIXED], ids=["numbers", "mixed"])
@pytest.mark.parametrize("y", ["kind", "price"])
@pytest.mark.parametrize("missing", ["max_surrogates=0", "max_surrogates=3", "null_as_category=true"])
def test_it_predicts_what_the_database_predicts(
    client: madtree.Client, features: list[str], y: str, missing: str
) -> None:
    forest = client.forest_train("flowers", "f", "id", y, features, num_trees=6, null_handling_params=missing)
    rows = client.query(f"SELECT {', '.join(map(quoted, features))} FROM new ORDER BY id").to_pandas()

    estimator = forest.to_sklearn()

    bare = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    assert isinstance(bare, RandomForestClassifier if y == "kind" else RandomForestRegressor)
    if features == PLAIN and missing == "max_surrogates=0":
        assert bare is estimator
    assert estimator.predict(rows).tolist() == scored(client, "response").tolist()
    leaves = scored(client, "leaf")
    assert leaves_of(estimator, rows).tolist() == leaves.tolist()
    if y == "kind":
        assert estimator.predict_proba(rows).tolist() == scored(client, "prob_mean").tolist()
        soft = forest.to_sklearn(voting="soft")
        assert soft.predict(rows).tolist() == soft.predict_proba(rows).argmax(axis=1).tolist()
    whole = madtree.to_sklearn(forest.read())
    assert whole.predict(rows).tolist() == estimator.predict(rows).tolist()
    one = madtree.to_sklearn(forest.read(), 2)
    assert len(one.predict(rows)) == len(rows)
    again = pickle.loads(pickle.dumps(estimator))
    assert again.predict(rows).tolist() == estimator.predict(rows).tolist()


def quoted(name: str) -> str:
    return f'"{name}"'


def leaves_of(estimator: Any, X: Any) -> np.ndarray[Any, Any]:
    """The leaves' numbers in madtree, found by scikit-learn's structures of the trees."""
    forest = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    places = forest.apply(estimator[:-1].transform(X) if isinstance(estimator, Pipeline) else X)
    found = np.empty_like(places)
    for number, fitted in enumerate(forest.estimators_):
        tree, ids = fitted.tree_, {0: 0}
        for at in range(tree.node_count):
            if tree.children_left[at] >= 0:
                ids |= {tree.children_left[at]: 2 * ids[at] + 1, tree.children_right[at]: 2 * ids[at] + 2}
        found[:, number] = [ids[at] for at in places[:, number]]
        if isinstance(estimator, Pipeline):  # scikit-learn's own walk ends in the same leaves
            encoded = estimator[:-1].transform(X).astype(np.float32)
            assert tree.apply(encoded).tolist() == places[:, number].tolist()
    return found


def test_the_structure_is_scikit_learns_own(client: madtree.Client) -> None:
    forest = client.forest_train("flowers", "f", "id", "kind", PLAIN, num_trees=3, max_tree_depth=4)
    estimator = forest.to_sklearn()
    nodes = client.query("SELECT * FROM f_nodes ORDER BY tree_id, node_id").to_dicts()
    for number, fitted in enumerate(estimator.estimators_, 1):
        own = {node["node_id"]: node for node in nodes if node["tree_id"] == number}
        assert fitted.tree_.node_count == len(own)
        assert fitted.tree_.n_node_samples[0] == own[0]["n_rows"]
        assert fitted.tree_.threshold[0] == own[0]["threshold"]
        assert fitted.tree_.feature[0] == PLAIN.index(own[0]["feature"].strip('"'))
    assert estimator.feature_importances_.sum() == pytest.approx(1)
    assert estimator.feature_names_in_.tolist() == PLAIN
    paths, begins = estimator.decision_path(np.zeros((2, 3)))
    assert paths.shape == (2, len(nodes))
    assert begins[-1] == len(nodes)
    assert isinstance(clone(estimator), RandomForestClassifier)


def test_of_groups_one_is_named(client: madtree.Client) -> None:
    client.query("ALTER TABLE new ADD COLUMN empty float8")
    forest = client.forest_train(
        "flowers", "f", "id", "price", ["length", "colour"], grouping_cols="wild", num_trees=4,
        null_handling_params="null_as_category=true",
    )  # fmt: skip
    rows = client.query("SELECT length, colour FROM new WHERE wild ORDER BY id").to_pandas()
    (gid,) = [group.gid for group in forest.groups if group.wild]
    estimator = forest.to_sklearn(gid)
    assert estimator.predict(rows).tolist() == scored(client, "response", "wild").tolist()
    with pytest.raises(madtree.MadtreeError, match="f has a forest for each of 2 groups"):
        forest.to_sklearn()
    with pytest.raises(ValueError, match="f has a forest for each group"):
        madtree.to_sklearn(forest.read())
    with pytest.raises(madtree.MadtreeError, match="gid must be from 1 to 2"):
        forest.to_sklearn(3)
    with pytest.raises(ValueError, match="voting must be one of hard, soft, not 'loud'"):
        forest.to_sklearn(1, voting="loud")
    client.tree_train("flowers", "single", "id", "kind", "length")
    with pytest.raises(madtree.MadtreeError, match="single is no forest"):
        client.forest("single").to_sklearn()


def test_a_forest_shows_its_trees(client: madtree.Client, db: psycopg.Connection) -> None:
    forest = client.forest_train(
        "flowers", "f", "id", "kind", ["length", "colour"], grouping_cols="wild", num_trees=3, max_tree_depth=2
    )
    assert [(row.gid, row.sample_id) for row in forest.trees] == [(g, s) for g in (1, 2) for s in (1, 2, 3)]
    assert forest.tree(2, 2).trees[0].tree_id == 5
    assert "<svg" in forest.plot(2, gid=2).svg
    assert {row.feature for row in forest.importance()} == {"length", "colour"}
    with pytest.raises(madtree.MadtreeError, match="sample_id must be from 1 to 3"):
        forest.tree(4)
    assert forest.drop()
