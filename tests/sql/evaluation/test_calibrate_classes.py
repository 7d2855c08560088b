"""calibrate, of models of more than two classes, held against scikit-learn's calibrated classifier of the same scores,
in all ways of scoring.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import rows
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression

import madtree

MAKE = """
CREATE TABLE t AS SELECT i AS id, hashint4(i) / 4294967296.0::float8 AS x,
    CASE WHEN i % 11 > 0 THEN hashint4(-i) / 4294967296.0::float8 END AS z,
    'c' || abs(hashint4(i + 5)) % 9 AS c, i % 3 AS g, CASE WHEN i % 7 > 0 THEN 1 + i % 3 ELSE 0 END AS w
FROM generate_series(1, 3600) AS i;
ALTER TABLE t ADD k text;
UPDATE t SET k = CASE WHEN x + hashint4(id + 77) / 8589934592.0 < -0.15 THEN 'low'
    WHEN coalesce(z, 0.1) + hashint4(id + 78) / 8589934592.0 > 0.2 THEN 'high'
    WHEN c < 'c4' THEN 'mid' ELSE 'no`ne' END;
CREATE TABLE training AS SELECT * FROM t WHERE id <= 1500;
CREATE TABLE calibration AS SELECT * FROM t WHERE id > 1500 AND id <= 2700;
CREATE TABLE later AS SELECT * FROM t WHERE id > 2700;
INSERT INTO later SELECT 10000 + i, NULL, NULL, CASE WHEN i % 2 = 0 THEN 'new' END, i % 3, 1, 'mid'
FROM generate_series(1, 6) AS i;
"""
CLASSES = ["high", "low", "mid", "no`ne"]
BOOST, FOREST = "boost_train('training', 'm', 'id', 'k', ", "forest_train('training', 'm', 'id', 'k', "
# Training, and the type of prediction whose numbers are calibrated.
MODELS = {
    "boosted": (BOOST + "'x, z, c', num_trees => 4, max_leaf_nodes => 8)", "raw"),
    "weighted boosted": (BOOST + "'x, z', num_trees => 4, max_leaf_nodes => 8, weights => 'w')", "raw"),
    "adaboost": (BOOST + "'x, z, c', num_trees => 4, max_leaf_nodes => 8, boost_params => 'method=adaboost')", "raw"),
    "forest": (FOREST + "'x, z, c', num_trees => 5, max_tree_depth => 5)", "prob_mean"),
    "weighted forest": (FOREST + "'x, z', num_trees => 5, weights => 'w', max_tree_depth => 4)", "prob_mean"),
    "forest with surrogates": (
        FOREST + "'x, z, c', num_trees => 4, max_tree_depth => 4, null_handling_params => 'max_surrogates=2')",
        "prob_mean",
    ),
    "grouped boosted": (BOOST + "'x, z, c', num_trees => 3, max_leaf_nodes => 8, grouping_cols => 'g')", "raw"),
    "grouped forest": (FOREST + "'x, z, c', num_trees => 3, max_tree_depth => 4, grouping_cols => 'g')", "prob_mean"),
}
METHODS = ["isotonic", "sigmoid"]


@pytest.fixture(scope="module")
def tables(shared_db: psycopg.Connection, shared_schema: str) -> str:
    """The schema of the tables, which tests read only."""
    shared_db.execute(MAKE)
    return shared_schema


@pytest.fixture
def db(db: psycopg.Connection, schema: str, tables: str) -> psycopg.Connection:
    db.execute(f"SET search_path = {schema}, {tables}, public, madtree".encode())
    return db


def said(db: psycopg.Connection, kind: str, model: str, table: str, type_: str) -> dict[int, list[Any]]:
    """By id what is predicted."""
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute(f"SELECT madtree.{kind}_predict('{model}', '{table}', 'scored', '{type_}')")  # type: ignore[arg-type]
    found = rows(db, f"SELECT s.* FROM scored AS s JOIN {table} USING (id) ORDER BY id")
    return {row["id"]: [value for name, value in row.items() if name not in ("id", "g")] for row in found}


def trained(db: psycopg.Connection, name: str) -> tuple[str, str]:
    """The kind of the model, and the type of what is calibrated."""
    training, type_ = MODELS[name]
    db.execute(f"SELECT madtree.{training}")  # type: ignore[arg-type]
    return training.split("_")[0], type_


def calibrated(db: psycopg.Connection) -> Iterator[str]:
    """The model m calibrated as c by one method after the other."""
    for method in METHODS:
        db.execute("SELECT madtree.calibrate('m', 'calibration', 'c', %s)", [method])
        yield method
        db.execute("SELECT madtree.tree_drop('c')")


class Said(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier whose scores are its only features."""

    def __init__(self, classes: Any = None) -> None:
        self.classes = classes

    @property
    def classes_(self) -> Any:
        return np.array(self.classes)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> Said:
        return self

    def decision_function(self, X: Any) -> Any:
        return np.asarray(X)

    def predict(self, X: Any) -> Any:
        return self.classes_[np.asarray(X).argmax(axis=1)]


def reference(method: str, scores: Any, outcomes: Any, weight: Any, later: Any) -> Any:
    """scikit-learn's calibrated probabilities of `later` (n_rows, n_classes) scores."""
    calibrated = CalibratedClassifierCV(FrozenEstimator(Said(CLASSES)), method=method)
    # Its folds would be calibrated one by one.
    calibrated.ensemble = False
    return calibrated.fit(scores, outcomes, sample_weight=weight).predict_proba(later)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MODELS)
def test_it_is_scikit_learns_calibrated_classifier(db: psycopg.Connection, name: str) -> None:
    kind, type_ = trained(db, name)
    of_calibration = said(db, kind, "m", "calibration", type_)
    of_later = said(db, kind, "m", "later", type_)
    known = rows(db, "SELECT id, k, g, w FROM calibration ORDER BY id")
    weighted, grouped = "weighted" in name, "grouped" in name
    used = [row for row in known if row["w"] or not weighted]
    group_of = {row["id"]: row["g"] for row in rows(db, "SELECT id, g FROM later")}
    for method in calibrated(db):
        made = said(db, "boost", "c", "later", "prob")
        for group in range(3) if grouped else [None]:
            own = [row for row in used if group in (None, row["g"])]
            ids = [id_ for id_ in made if group in (None, group_of[id_])]
            expected = reference(
                method,
                np.array([of_calibration[row["id"]] for row in own]),
                np.array([row["k"] for row in own]),
                np.array([float(row["w"]) for row in own]) if weighted else None,
                np.array([of_later[id_] for id_ in ids]),
            )
            tolerance = 1e-9 if method == "isotonic" else 3e-3  # scikit-learn's search ends early
            np.testing.assert_allclose(np.array([made[id_] for id_ in ids]), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", ["boosted", "forest"])
def test_sigmoids_are_the_most_likely_ones(db: psycopg.Connection, name: str) -> None:
    from scipy.optimize import root

    kind, type_ = trained(db, name)
    scores = np.array(list(said(db, kind, "m", "calibration", type_).values()))
    later = np.array(list(said(db, kind, "m", "later", type_).values()))
    outcomes = np.array([row["k"] for row in rows(db, "SELECT k FROM calibration ORDER BY id")])
    expected = np.empty_like(later)
    for place, class_ in enumerate(CLASSES):
        is_class, own = outcomes == class_, scores[:, place]
        target = np.where(is_class, (is_class.sum() + 1) / (is_class.sum() + 2), 1 / ((~is_class).sum() + 2))

        def gradient(ab: Any, own: Any = own, target: Any = target) -> Any:
            error = expit(ab[0] * own + ab[1]) - target
            return [(error * own).sum(), error.sum()]

        found = root(gradient, [0.0, 0.0], tol=1e-14).x
        expected[:, place] = expit(found[0] * later[:, place] + found[1])
    db.execute("SELECT madtree.calibrate('m', 'calibration', 'c', 'sigmoid')")
    made = np.array(list(said(db, "boost", "c", "later", "prob").values()))
    np.testing.assert_allclose(made, expected / expected.sum(axis=1, keepdims=True), rtol=0, atol=1e-9)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MODELS)
def test_every_way_of_scoring_says_the_same(db: psycopg.Connection, name: str) -> None:
    trained(db, name)
    frame = rows(db, "SELECT id, x, z, c, g FROM later ORDER BY id")
    pandas = pytest.importorskip("pandas")
    client = madtree.connect(db)
    for _method in calibrated(db):
        made, response = (said(db, "boost", "c", "later", type_) for type_ in ("prob", "response"))
        raw = said(db, "boost", "c", "later", "raw")
        expressions = [
            db.execute("SELECT madtree.boost_sql('c', %s)", [type_]).fetchone()[0]  # type: ignore[index]
            for type_ in ("prob", "response", "raw")
        ]
        of_one = db.execute("SELECT madtree.boost_sql('c', 'prob', class => 'mid')").fetchone()[0]  # type: ignore[index]
        names = ("p", "response", "raw", "mid")
        listed = ", ".join(f"{sql} AS {name}" for sql, name in zip([*expressions, of_one], names, strict=True))
        found = rows(db, f"SELECT id, {listed} FROM later ORDER BY id")
        np.testing.assert_allclose([row["p"] for row in found], [made[row["id"]] for row in found], rtol=1e-14)
        np.testing.assert_allclose([row["mid"] for row in found], [made[row["id"]][2] for row in found], rtol=1e-14)
        assert [row["response"] for row in found] == [response[row["id"]][0] for row in found]
        assert [row["raw"] for row in found] == [raw[row["id"]] for row in found]
        shares = np.array([made[row["id"]] for row in found])
        np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
        likeliest = np.take_along_axis(shares, np.array([[CLASSES.index(row["response"])] for row in found]), 1)
        np.testing.assert_allclose(likeliest[:, 0], shares.max(axis=1), rtol=1e-14)
        for gid in (1, 2, 3) if "grouped" in name else (None,):
            own = [row for row in frame if gid in (None, row["g"] + 1)]
            columns = pandas.DataFrame({column: [row[column] for row in own] for column in ("x", "z", "c")})
            boosted = client.boosted("c")
            assert np.asarray(boosted.predict(columns, type="prob", gid=gid)).tolist() == [
                made[row["id"]] for row in own
            ]
            assert list(boosted.predict(columns, gid=gid)) == [response[row["id"]][0] for row in own]


@pytest.mark.in_turn
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["boosted", "forest"])
def test_whatever_reads_models_reads_calibrated_ones(db: psycopg.Connection, name: str, method: str) -> None:
    trained(db, name)
    db.execute("SELECT madtree.calibrate('m', 'calibration', 'c', %s)", [method])
    made = said(db, "boost", "c", "later", "prob")
    raw = said(db, "boost", "c", "later", "raw")
    actual = {row["id"]: row["k"] for row in rows(db, "SELECT id, k FROM later")}
    lost = -np.mean([np.log(max(made[id_][CLASSES.index(actual[id_])], 2.0**-52)) for id_ in made])
    evaluated = rows(db, "SELECT * FROM madtree.tree_evaluate('c', 'later') WHERE metric = 'log_loss'")
    assert evaluated[0]["value"] == pytest.approx(lost)
    reliability = rows(db, "SELECT * FROM madtree.tree_reliability('c', 'later', class => 'mid')")
    assert sum(row["n"] for row in reliability) == len(made)
    total = sum(row["n"] * row["estimated"] for row in reliability) / len(made)
    assert total == pytest.approx(np.mean([shares[2] for shares in made.values()]))
    quantile = rows(db, "SELECT quantile FROM madtree.conformal_quantiles('c', 'later', '0.8')")[0]["quantile"]
    missed = sorted(1 - made[id_][CLASSES.index(actual[id_])] for id_ in made)
    assert quantile == pytest.approx(missed[int(np.ceil(0.8 * (len(made) + 1))) - 1], abs=1e-12)
    db.execute("SELECT madtree.tree_shap('c', 'later', 'contributions', class => 'low')")
    for row in rows(db, "SELECT * FROM contributions"):
        parts = [value for column, value in row.items() if column not in ("id", "class")]
        assert sum(parts) == pytest.approx(raw[row["id"]][1], abs=1e-9)
    n_trees = {"boosted": 4, "forest": 5}[name] * len(CLASSES)
    document = rows(db, "SELECT madtree.tree_to_json('c')::jsonb AS d")[0]["d"]
    assert len(document["trees"]) == n_trees
    (group,) = document["groups"]
    assert (len(group["calibration"]) == len(CLASSES)) == (method == "isotonic") if "calibration" in group else True
    listed = rows(db, 'SELECT tree_id, gid, sample_id, round, "class" FROM c ORDER BY tree_id')
    assert listed == [
        {"tree_id": n + 1, "gid": 1, "sample_id": n + 1, "round": n // 4 + 1, "class": CLASSES[n % 4]}
        for n in range(n_trees)
    ]
    assert rows(db, "SELECT n_trees, n_rounds FROM c_group") == [{"n_trees": n_trees, "n_rounds": n_trees // 4}]
    shown = db.execute("SELECT madtree.get_tree('c', 1, 2)").fetchone()
    assert shown is not None
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="was calibrated"):
        db.execute("SELECT madtree.tree_to_pmml('c')")


@pytest.mark.parametrize("method", METHODS)
def test_a_calibrated_model_can_be_calibrated_again(db: psycopg.Connection, method: str) -> None:
    trained(db, "forest")
    db.execute("SELECT madtree.calibrate('m', 'calibration', 'c', 'isotonic')")
    db.execute("SELECT madtree.calibrate('c', 'calibration', 'again', %s)", [method])
    db.execute("SELECT madtree.calibrate('m', 'calibration', 'once', %s)", [method])
    again, once = (said(db, "boost", name, "later", "prob") for name in ("again", "once"))
    assert again.keys() == once.keys()
    np.testing.assert_allclose(list(again.values()), list(once.values()), rtol=0, atol=1e-9)


def test_rows_that_no_class_claims_say_all_alike(db: psycopg.Connection) -> None:
    """And a class that the calibration table lacks has no part."""
    db.execute("CREATE TABLE calibration AS TABLE calibration")
    trained(db, "forest")
    shares = said(db, "forest", "m", "calibration", "prob_mean")
    sure = {id_: own.index(max(own)) for id_, own in shares.items() if max(own) > 0.55}
    for place in (0, 1):
        ids = [id_ for id_, own in sure.items() if own == place]
        db.execute("UPDATE calibration SET k = %s, w = -1 WHERE id = ANY(%s)", [CLASSES[place], ids])
    db.execute("DELETE FROM calibration WHERE w <> -1")
    scores = said(db, "forest", "m", "calibration", "prob_mean")
    later = said(db, "forest", "m", "later", "prob_mean")
    db.execute("SELECT madtree.calibrate('m', 'calibration', 'c')")
    outcomes = np.array([row["k"] for row in rows(db, "SELECT k FROM calibration ORDER BY id")])
    parts = np.stack(
        [
            IsotonicRegression(out_of_bounds="clip")
            .fit([own[place] for own in scores.values()], outcomes == class_)
            .predict([own[place] for own in later.values()])
            for place, class_ in enumerate(CLASSES)
        ],
        axis=1,
    )
    assert (parts[:, 2] == 0).all()
    total = parts.sum(axis=1, keepdims=True)
    assert (total == 0).any()
    expected = np.where(total > 0, parts / np.where(total > 0, total, 1), 0.25)
    made = said(db, "boost", "c", "later", "prob")
    np.testing.assert_allclose(list(made.values()), expected, atol=1e-9)
    sql = db.execute("SELECT madtree.boost_sql('c', 'prob')").fetchone()[0]  # type: ignore[index]
    found = rows(db, f"SELECT {sql} AS p FROM later ORDER BY id")
    np.testing.assert_allclose([row["p"] for row in found], list(made.values()), rtol=1e-14)


@pytest.mark.in_turn
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["weighted boosted", "weighted forest"])
def test_other_libraries_say_the_same_or_are_told_that_they_cannot(
    db: psycopg.Connection, name: str, method: str
) -> None:
    pytest.importorskip("lightgbm")
    trained(db, name)
    db.execute("SELECT madtree.calibrate('m', 'calibration', 'c', %s)", [method])
    boosted = madtree.connect(db).boosted("c")
    with pytest.raises(madtree.CallError, match=r"was calibrated (by isotonic|class by class)"):
        boosted.to_lightgbm()
    made, response = (said(db, "boost", "c", "later", type_) for type_ in ("prob", "response"))
    frame = np.array([[row["x"], row["z"]] for row in rows(db, "SELECT x, z FROM later ORDER BY id")], dtype=np.float64)
    estimator = boosted.to_sklearn()
    np.testing.assert_array_equal(estimator.predict_proba(frame), list(made.values()))
    assert [[label] for label in estimator.predict(frame)] == list(response.values())
