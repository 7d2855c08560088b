"""The estimators: scikit-learn's own checks, and the same trees and answers on tables, frames and arrays."""

from __future__ import annotations

import pickle
from typing import Any

import joblib
import numpy as np
import pandas as pd
import psycopg
import pytest
from estimator_checks import check
from shares import share
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import export_text

import madtree

ESTIMATORS = [madtree.DecisionTreeClassifier, madtree.DecisionTreeRegressor]
FEATURES = ["length", "Width", "colour", "wild"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("kind", "parameters"),
    share(
        [
            (madtree.DecisionTreeClassifier, {"max_surrogates": 2, "n_bins": 0}),
            (madtree.DecisionTreeClassifier, {"min_samples_leaf": 6}),
            (madtree.DecisionTreeRegressor, {"min_samples_leaf": 6, "max_surrogates": 2, "n_bins": 0}),
            (madtree.DecisionTreeRegressor, {}),
        ],
        2,
    ),
)
def test_scikit_learns_checks_pass_but_for_those_that_are_listed(
    client: madtree.Client, kind: Any, parameters: dict[str, Any]
) -> None:
    estimator = kind(client, **parameters)
    check(estimator, kind is madtree.DecisionTreeClassifier)


def frame_of(client: madtree.Client) -> pd.DataFrame:
    return client.query("SELECT * FROM flowers ORDER BY id").to_pandas()


def temporary(client: madtree.Client) -> list[Any]:
    """What is left in the session's temporary schema."""
    return list(client.query("SELECT relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()"))


@pytest.mark.usefixtures("flowers")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("y", ["kind", "price"])
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("surrogates", [0, 2])
def test_a_table_and_its_copy_give_the_same_tree_and_the_same_answers(
    client: madtree.Client, y: str, weight: str | None, surrogates: int
) -> None:
    kind = madtree.DecisionTreeClassifier if y == "kind" else madtree.DecisionTreeRegressor
    estimator = kind(client, list_of_features=FEATURES, max_surrogates=surrogates, min_samples_split=5)
    frame = frame_of(client)
    X, weights = frame[FEATURES], None if weight is None else frame[weight]

    in_place = clone(estimator).fit("flowers", y, sample_weight=weight)
    copied = clone(estimator).fit(X, frame[y], sample_weight=weights)

    assert temporary(client) == []
    assert in_place.get_n_leaves() == copied.get_n_leaves() > 4
    assert in_place.get_depth() == copied.get_depth()
    assert in_place.feature_importances_.tolist() == copied.feature_importances_.tolist()
    assert in_place.feature_names_in_.tolist() == copied.feature_names_in_.tolist() == FEATURES
    for fitted in (in_place, copied):
        np.testing.assert_array_equal(fitted.apply("flowers"), fitted.apply(X))
        np.testing.assert_array_equal(fitted.predict("flowers"), fitted.predict(X))
        assert fitted.score("flowers", y, weight) == pytest.approx(fitted.score(X, frame[y], weights), rel=1e-12)
        if y == "kind":
            np.testing.assert_array_equal(fitted.predict_proba("flowers"), fitted.predict_proba(X))
            assert fitted.classes_.tolist() == [0, 1, 2]
        np.testing.assert_array_equal(fitted.to_sklearn().predict(X), fitted.predict(X))
    np.testing.assert_array_equal(in_place.predict(X), copied.predict(X))


@pytest.mark.usefixtures("flowers")
@pytest.mark.parametrize("library", ["to_polars", "to_arrow", "to_dicts"])
def test_other_libraries_frames_do_as_well(client: madtree.Client, library: str) -> None:
    rows = client.query('SELECT length, "Width", colour, wild FROM flowers ORDER BY id')
    frame = getattr(rows, library)() if library != "to_dicts" else {name: rows.column(name) for name in rows.columns}
    target = client.query("SELECT kind FROM flowers ORDER BY id").column("kind")
    estimator = madtree.DecisionTreeClassifier(client).fit(frame, target)
    same = madtree.DecisionTreeClassifier(client).fit(rows.to_pandas(), target)
    assert estimator.feature_names_in_.tolist() == FEATURES
    np.testing.assert_array_equal(estimator.apply(frame), same.apply(rows.to_pandas()))


def test_arrays_predict_as_well_as_scikit_learns_tree(client: madtree.Client) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])[y]
    estimator = madtree.DecisionTreeClassifier(client, max_depth=4)
    assert cross_val_score(estimator, X, names, cv=3).mean() > 0.9
    estimator.fit(X, names)
    assert estimator.classes_.tolist() == ["benign", "malignant"]
    assert estimator.score(X, names) == accuracy_score(names, estimator.predict(X)) > 0.95
    assert estimator.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert '--> "malignant"' in estimator.display()
    assert export_text(estimator.to_sklearn()).startswith("|--- ")
    assert estimator.to_sklearn().predict(X).tolist() == estimator.predict(X).tolist()
    X, y = load_diabetes(return_X_y=True)
    regressor = madtree.DecisionTreeRegressor(client, n_folds=5).fit(X, y)
    assert regressor.score(X, y) == r2_score(y, regressor.predict(X)) > 0.3
    assert is_regressor(regressor)
    assert is_classifier(estimator)


def test_a_grid_search_takes_it(client: madtree.Client) -> None:
    X, y = load_diabetes(return_X_y=True)
    search = GridSearchCV(
        madtree.DecisionTreeRegressor(client), {"max_depth": [1, 3], "min_samples_split": [5, 40]}, cv=2
    )
    search.fit(X, y)
    assert search.best_estimator_.connection is client
    assert search.best_params_["max_depth"] == 3
    assert temporary(client) == []


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([True, False], "b"), ([3, -1], "i"), ([2.0, 1.0], "f"), (["b", "Ä", "a", "B"], "U"),
        (np.array(["x", "ü"], object), "O"), (np.array([2**63, 1], np.uint64), "u"),
    ],
)  # fmt: skip
def test_labels_come_back_as_they_were(client: madtree.Client, labels: Any, kind: str) -> None:
    y = np.resize(np.asarray(labels), 40)
    X = np.arange(40)[:, None] % len(labels)
    estimator = madtree.DecisionTreeClassifier(client).fit(X, y)
    assert estimator.classes_.tolist() == sorted(labels)
    assert estimator.classes_.dtype.kind == kind
    assert estimator.predict(X).tolist() == y.tolist()
    assert estimator.predict_proba(X)[0].argmax() == estimator.classes_.tolist().index(labels[0])


def test_a_class_without_weight_is_known_and_never_predicted(client: madtree.Client) -> None:
    X, y = np.arange(30.0)[:, None], np.arange(30) // 10
    estimator = madtree.DecisionTreeClassifier(client).fit(X, y, sample_weight=(y != 1).astype(float))
    assert estimator.classes_.tolist() == [0, 1, 2]
    assert set(estimator.predict(X)) == {0, 2}
    assert estimator.predict_proba(X)[:, 1].tolist() == [0] * 30


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("flowers")
@pytest.mark.parametrize("kind", [*ESTIMATORS, madtree.RandomForestClassifier, madtree.RandomForestRegressor])
def test_the_strategy_is_handed_on_and_changes_no_answer(client: madtree.Client, kind: Any) -> None:
    y = "kind" if is_classifier(kind()) else "price"
    usual = kind(client, list_of_features=FEATURES).fit("flowers", y)
    other = kind(client, list_of_features=FEATURES, strategy="memory").fit("flowers", y)
    np.testing.assert_array_equal(other.predict("flowers"), usual.predict("flowers"))
    with pytest.raises(madtree.CallError, match="strategy must be"):
        kind(client, list_of_features=FEATURES, strategy="magic").fit("flowers", y)


@pytest.mark.usefixtures("flowers")
def test_a_feature_that_costs_too_much_is_not_asked(client: madtree.Client) -> None:
    usual = madtree.DecisionTreeClassifier(client, list_of_features=FEATURES).fit("flowers", "kind")
    dearest = FEATURES[int(usual.feature_importances_.argmax())]
    costs = {f'"{dearest}"': 1_000_000.0}
    other = madtree.DecisionTreeClassifier(client, list_of_features=FEATURES, feature_costs=costs, max_depth=1)
    assert other.fit("flowers", "kind").feature_importances_[FEATURES.index(dearest)] == 0


@pytest.mark.usefixtures("flowers")
def test_a_named_model_stays_in_the_database(client: madtree.Client) -> None:
    frame = frame_of(client)
    estimator = madtree.DecisionTreeClassifier(client, model='"Kept"', replace=True)
    estimator.fit(frame[FEATURES], np.where(frame["wild"], "wild", "tame"))
    scored = dict(tuple(row) for row in client.model('"Kept"').predict("flowers"))
    assert estimator.predict("flowers").tolist() == [scored[number] for number in frame["id"]]
    assert set(scored.values()) == {"tame", "wild"}
    estimator.fit(frame[FEATURES], frame["kind"])
    with pytest.raises(madtree.MadtreeError, match="exists already"):
        estimator.set_params(replace=False).fit(frame[FEATURES], frame["kind"])


@pytest.mark.usefixtures("flowers")
def test_pickles_predict_without_a_connection(client: madtree.Client, url: str) -> None:
    frame = frame_of(client)
    with psycopg.connect(url) as mine:
        estimator = madtree.DecisionTreeClassifier(mine).fit(frame[FEATURES], frame["kind"])
        assert clone(estimator).connection is mine
        again = pickle.loads(pickle.dumps(estimator))
    assert again.predict(frame[FEATURES]).tolist() == estimator.predict(frame[FEATURES]).tolist()
    again = pickle.loads(pickle.dumps(estimator.set_params(connection=url)))
    assert again.predict("flowers").tolist() == estimator.predict(frame[FEATURES]).tolist()


@pytest.mark.usefixtures("flowers")
def test_dates_and_times_go_the_same_way_here_and_there(client: madtree.Client) -> None:
    client.query(
        """CREATE TABLE moments AS SELECT id, price, date '2020-01-01' + id AS d, timestamp '1999-12-31 23:59:59.999'
        + id * interval '1.000001 s' AS ts, timestamptz '2024-02-29' - id * interval '7 min' AS tz,
        time '00:00' + id * interval '123.456789 s' AS t, id * interval '1 day 0.1 s' AS i, id::numeric / 7 AS n
        FROM flowers"""
    )
    frame = client.query("SELECT * FROM moments ORDER BY id").to_pandas()
    for name in ("d", "ts", "tz", "t", "i", "n"):
        fitted = madtree.DecisionTreeRegressor(client, id_col_name="id", list_of_features=name, n_bins=0)
        fitted.fit("moments", "price")
        assert fitted.get_n_leaves() > 20, name
        np.testing.assert_array_equal(fitted.predict("moments"), fitted.predict(frame))
        copied = clone(fitted).fit(frame[[name]], frame["price"])
        np.testing.assert_array_equal(copied.predict("moments"), fitted.predict(frame))


def test_nanoseconds_are_cut_off_alike(client: madtree.Client) -> None:
    start = pd.Timestamp("2024-06-30 23:59:59.999999")
    moments = pd.Series([start + pd.Timedelta(nanoseconds=400 * number) for number in range(40)])
    for column in (moments, moments.dt.tz_localize("Europe/Paris"), moments - start, moments.to_numpy()):
        frame = {"moment": column}
        fitted = madtree.DecisionTreeRegressor(client, n_bins=0, model="kept", replace=True)
        fitted.fit(frame, np.arange(40.0))
        assert fitted.get_n_leaves() == 16
        assert client.model("kept").predict(frame).column("estimated_y") == fitted.predict(frame).tolist()


@pytest.mark.usefixtures("flowers")
def test_what_does_not_go_together_is_said(client: madtree.Client) -> None:
    classifier, regressor = madtree.DecisionTreeClassifier(client), madtree.DecisionTreeRegressor(client)
    with pytest.raises(TypeError, match="with a table, y must be the name of its target column, not list"):
        classifier.fit("flowers", [1, 2])
    with pytest.raises(TypeError, match="with a table, sample_weight must be the name of a column"):
        classifier.fit("flowers", "kind", [1.0])
    with pytest.raises(madtree.MadtreeError, match="asks for a regression, but dependent_variable colour is of type"):
        regressor.fit("flowers", "colour")
    whole = regressor.fit("flowers", "kind")
    assert not whole.model_.is_classification
    assert temporary(client) == []
    client.query("CREATE VIEW seen AS SELECT * FROM flowers")
    with pytest.raises(ValueError, match=r"id_col_name must name a column that tells the rows of seen apart: .* kept"):
        clone(classifier).set_params(model="kept").fit("seen", "kind")
    with pytest.raises(madtree.MadtreeError, match="relation nothing does not exist"):
        classifier.fit("nothing", "kind")
    with pytest.raises(ValueError, match="max_depth must be"):
        classifier.set_params(max_depth=-1).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="is not a possible name in PostgreSQL: it must have 1 to 63 bytes"):
        regressor.fit({"ü" * 32: [1.0, 2.0]}, [1.0, 2.0])
    with pytest.raises(ValueError, match="X has 1600 features; a table of PostgreSQL's can have 1590"):
        regressor.fit(np.zeros((3, 1600)), [1.0, 2.0, 3.0])
    assert temporary(client) == []


def test_a_score_of_a_table_takes_equal_numbers_for_one_class(client: madtree.Client) -> None:
    outcome = "('{1.0,1.00,2.50}'::numeric[])[1 + i / 20]"
    client.query(f"CREATE TABLE sizes AS SELECT i / 20 AS x, {outcome} AS y FROM generate_series(0, 59) AS i")
    for kind in (madtree.DecisionTreeClassifier, madtree.RandomForestClassifier):
        assert kind(client).fit("sizes", "y").score("sizes", "y") == 1


@pytest.mark.usefixtures("flowers")
def test_a_score_of_a_table_leaves_out_rows_without_outcome_or_weight(client: madtree.Client) -> None:
    client.query("UPDATE flowers SET price = NULL, kind = NULL WHERE id % 7 = 0")
    frame = frame_of(client).dropna(subset=["price"])
    regressor = madtree.DecisionTreeRegressor(client, list_of_features=FEATURES).fit("flowers", "price")
    assert regressor.score("flowers", "price") == pytest.approx(regressor.score(frame, frame["price"]))
    classifier = madtree.DecisionTreeClassifier(client, list_of_features=FEATURES).fit("flowers", "kind")
    heavy = frame[frame["weight"] > 1]
    assert classifier.score("flowers", "kind", "weight - 1") == pytest.approx(
        classifier.score(heavy, heavy["kind"].astype(int), heavy["weight"] - 1)
    )


def test_a_padded_text_and_an_enum_are_classes_as_the_model_knows_them(client: madtree.Client) -> None:
    client.query("CREATE TYPE \"Mood\" AS ENUM ('sad', 'ok', 'happy')")
    client.query(
        """CREATE TABLE moods AS SELECT g AS id, g AS x, (ARRAY['happy', 'ok', 'sad'])[1 + g / 40]::"Mood" AS mood,
        (ARRAY['a', 'b', 'c'])[1 + g / 40]::char(5) AS padded FROM generate_series(0, 119) AS g"""
    )
    for y, classes in (("mood", ["sad", "ok", "happy"]), ("padded", ["a", "b", "c"])):
        estimator = madtree.DecisionTreeClassifier(client, id_col_name="id", list_of_features="x").fit("moods", y)
        assert estimator.classes_.tolist() == classes
        assert estimator.score("moods", y) == 1
        assert estimator.predict("moods")[[0, 119]].tolist() == [*estimator.predict([[0], [119]])]


@pytest.mark.usefixtures("flowers")
@pytest.mark.parametrize("labels", [[7, 3, 5], [0, 1, 2], [1.0, 2.0, 3.0]])
def test_a_table_is_scored_by_whatever_the_classes_are(client: madtree.Client, labels: list[float]) -> None:
    frame = frame_of(client)
    y = np.asarray(labels)[frame["kind"]]
    estimator = madtree.DecisionTreeClassifier(client).fit(frame[FEATURES], y)
    score = estimator.score("flowers", f"(ARRAY{labels})[1 + kind]")
    assert score == pytest.approx(estimator.score(frame[FEATURES], y))
    assert score > 0.5


@pytest.mark.usefixtures("flowers")
def test_expressions_cannot_end_the_statement(client: madtree.Client) -> None:
    estimator = madtree.DecisionTreeClassifier(client).fit("flowers", "kind")
    for text in ("kind; DROP TABLE flowers", "kind) FROM flowers --", "kind, id"):
        with pytest.raises(madtree.MadtreeError, match=r"^y (must|has) "):
            estimator.score("flowers", text)


@pytest.mark.usefixtures("flowers")
def test_a_url_serves_several_threads(url: str, client: madtree.Client) -> None:
    frame = frame_of(client)
    estimator = madtree.DecisionTreeClassifier(url)
    with joblib.parallel_backend("threading"):
        scores = cross_val_score(estimator, frame[FEATURES], frame["kind"], cv=4, n_jobs=4)
    alone = cross_val_score(clone(estimator).set_params(connection=client), frame[FEATURES], frame["kind"], cv=4)
    assert scores.tolist() == alone.tolist()
