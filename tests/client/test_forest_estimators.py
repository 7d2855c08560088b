"""The estimators of forests: scikit-learn's own checks, and the same forests and answers on tables and on frames."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import psycopg
import pytest
from estimator_checks import check
from shares import share
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import cross_val_score

import madtree

FEATURES = ["length", "Width", "colour", "wild"]
KINDS = {
    True: (madtree.RandomForestClassifier, RandomForestClassifier),
    False: (madtree.RandomForestRegressor, RandomForestRegressor),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", share([madtree.RandomForestClassifier, madtree.RandomForestRegressor], 2))
def test_scikit_learns_checks_pass_but_for_those_that_are_listed(client: madtree.Client, kind: Any) -> None:
    estimator = kind(client, n_estimators=3)
    check(estimator, kind is madtree.RandomForestRegressor)


@pytest.mark.usefixtures("flowers")
def test_the_spread_of_importances_over_a_single_tree_is_unknown(client: madtree.Client) -> None:
    ours, _ = KINDS[True]
    wood = ours(client, n_estimators=1, list_of_features=FEATURES, num_permutations=1).fit("flowers", "kind")
    assert np.isfinite(wood.oob_importances_).all()
    assert np.isnan(wood.oob_importances_std_).all()


@pytest.mark.in_turn
@pytest.mark.usefixtures("flowers")
@pytest.mark.parametrize("y", ["kind", "price"])
@pytest.mark.parametrize("missing", [{}, {"max_surrogates": 2}, {"null_as_category": True}])
def test_a_table_and_its_copy_give_the_same_forest_and_the_same_answers(
    client: madtree.Client, y: str, missing: dict[str, Any]
) -> None:
    ours, _ = KINDS[y == "kind"]
    estimator = ours(client, n_estimators=7, list_of_features=FEATURES, num_permutations=1, oob_score=True, **missing)
    frame = client.query("SELECT * FROM flowers ORDER BY id").to_pandas()
    X = frame[FEATURES]

    in_place = clone(estimator).fit("flowers", y, "weight")
    copied = clone(estimator).fit(X.set_axis(range(1, 301)), frame[y], frame["weight"])
    # Samples are drawn by the ids, which count from 1 in the table and from 0 in a copy.
    client.query("CREATE TABLE numbered AS SELECT *, id - 1 AS place FROM flowers")
    alike = clone(estimator).set_params(id_col_name="place", list_of_features=FEATURES).fit("numbered", y, "weight")

    assert alike.feature_importances_.tolist() == copied.feature_importances_.tolist()
    assert alike.oob_score_ == copied.oob_score_ > 0.3
    assert alike.oob_importances_.tolist() == copied.oob_importances_.tolist()
    assert copied.oob_importances_std_.shape == (4,)
    np.testing.assert_array_equal(alike.apply("numbered"), copied.apply(X))
    assert in_place.apply(X).shape == (300, 7)
    assert in_place.feature_importances_.sum() == pytest.approx(1)
    assert in_place.feature_names_in_.tolist() == copied.feature_names_in_.tolist() == FEATURES
    for fitted in (in_place, copied):
        np.testing.assert_array_equal(fitted.predict("flowers"), fitted.predict(X))
        expected = fitted.score(X, frame[y], frame["weight"])
        assert fitted.score("flowers", y, "weight") == pytest.approx(expected, rel=1e-12)
        theirs = fitted.to_sklearn()
        np.testing.assert_array_equal(theirs.predict(X), fitted.predict(X))
        if y == "kind":
            np.testing.assert_array_equal(fitted.predict_proba("flowers"), theirs.predict_proba(X))
            assert fitted.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert list(client.query("SELECT relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()")) == []
    again = pickle.loads(pickle.dumps(copied))
    np.testing.assert_array_equal(again.predict(X), copied.predict(X))


@pytest.mark.parametrize("is_classifier", [True, False])
def test_it_is_about_as_good_as_scikit_learns(client: madtree.Client, is_classifier: bool) -> None:
    X, y = (load_breast_cancer if is_classifier else load_diabetes)(return_X_y=True)
    ours, theirs = KINDS[is_classifier]
    mine = ours(client, n_estimators=30, min_samples_leaf=3, oob_score=True)
    other = theirs(30, min_samples_leaf=3, random_state=0, oob_score=True)
    scores = [cross_val_score(each, X, y, cv=2).mean() for each in (mine, other)]
    assert scores[0] == pytest.approx(scores[1], abs=0.04)
    mine.fit(X, y)
    other.fit(X, y)
    assert mine.oob_score_ == pytest.approx(other.oob_score_, abs=0.05)
    assert np.corrcoef(mine.feature_importances_, other.feature_importances_)[0, 1] > 0.6
    same = mine.to_sklearn()
    np.testing.assert_allclose(same.feature_importances_, mine.feature_importances_, rtol=1e-9)
    np.testing.assert_array_equal(same.apply(X), mine.apply(X))


def test_scikit_learns_parameters_reach_the_server(client: madtree.Client) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 9))
    y = X[:, 0] + X[:, 1] > 0

    def trained(**parameters: Any) -> dict[str, Any]:
        madtree.RandomForestClassifier(client, n_estimators=2, model="kept", replace=True, **parameters).fit(X, y)
        return client.forest("kept").summary

    summary = trained(max_features="log2", max_depth=4, min_samples_split=0.1, min_samples_leaf=3, max_samples=0.5)
    assert (summary["num_random_features"], summary["max_tree_depth"], summary["sample_ratio"]) == (3, 4, 0.5)
    assert (summary["min_split"], summary["min_bucket"], summary["num_trees"]) == (20, 3, 2)
    assert trained(max_samples=50, max_features=None)["sample_ratio"] == 0.25
    for features, drawn in ((None, 9), (0.5, 4), ("sqrt", 3), (2, 2)):
        assert trained(max_features=features, random_state=7)["num_random_features"] == drawn
    client.query("CREATE TABLE points (id int PRIMARY KEY, a float8, b float8, c float8[], y float8)")
    client.query("INSERT INTO points SELECT i, sin(i), cos(i), ARRAY[i, i % 7], i % 3 FROM generate_series(1, 90) AS i")
    regressor = madtree.RandomForestRegressor(client, n_estimators=3, model="kept", replace=True).fit("points", "y")
    assert client.forest("kept").summary["num_random_features"] == regressor.n_features_in_ == 4


@pytest.mark.parametrize(
    ("parameters", "message", "hint"),
    [
        ({"n_estimators": 0}, "n_estimators must be an integer of at least 1, not 0", ""),
        ({"max_features": "all"}, "max_features must be 'sqrt', 'log2', None for all features", ""),
        ({"max_features": 0.0}, "max_features must be", ""),
        ({"max_samples": 1.5}, "max_samples must be None, an integer of at least 1, or a share", ""),
        ({"oob_score": "yes"}, "oob_score must be True or False, not 'yes'", ""),
        ({"oob_score": True, "bootstrap": False}, "oob_score needs rows that are out of bag", "bootstrap=True"),
        ({"max_samples": 0.5, "bootstrap": False}, "max_samples is about bootstrap samples", "bootstrap=True"),
        ({"class_weight": "balanced_subsample"}, "balanced_subsample", ""),
    ],
)
def test_what_cannot_be_done_is_said(
    client: madtree.Client, parameters: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(ValueError, match=r"(?s).*") as caught:
        madtree.RandomForestClassifier(client, **parameters).fit([[0.0], [1.0]], [0, 1])
    assert message in str(caught.value)
    assert hint in str(getattr(caught.value, "hint", ""))


def test_rows_without_a_key_are_told_apart_by_their_places(client: madtree.Client, db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE loose AS SELECT g AS x, g % 7 AS z, g > 100 AS big FROM generate_series(200, 1, -1) AS g; "
        "CREATE VIEW seen AS SELECT * FROM loose"
    )
    fitted = madtree.RandomForestClassifier(client, n_estimators=5, oob_score=True).fit("loose", "big")
    assert fitted.predict("loose")[[0, 199]].tolist() == [True, False]
    assert 0.9 < fitted.oob_score_ <= 1
    assert len({tuple(row) for row in fitted._trees.nodes.n_rows[fitted._trees.roots[:-1], None]}) > 1
    with pytest.raises(ValueError, match="id_col_name must name a column that tells the rows of seen apart"):
        clone(fitted).fit("seen", "big")


def test_a_named_forest_stays_in_the_database(client: madtree.Client) -> None:
    X, y = np.arange(60.0)[:, None], np.repeat(["b", "a", "c"], 20)
    estimator = madtree.RandomForestClassifier(client, n_estimators=5, model="kept").fit(X, y)
    assert estimator.classes_.tolist() == ["a", "b", "c"]
    client.query("CREATE TABLE new AS SELECT i AS id, i::float8 AS x0 FROM generate_series(0, 59) AS i")
    client.forest("kept").predict("new", "scored", "prob_mean")
    scored = [list(row)[1:] for row in client.query("SELECT * FROM scored ORDER BY 1")]
    assert estimator.predict_proba(X).tolist() == scored
    with pytest.raises(madtree.MadtreeError, match="exists already"):
        estimator.fit(X, y)
