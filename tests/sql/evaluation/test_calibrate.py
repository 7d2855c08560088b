"""calibrate: held against scikit-learn's isotonic regression and sigmoid on the same scores, in all ways of scoring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import rows
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

import madtree
from madtree.score.calibration import isotonic, sigmoid

MAKE = """
CREATE TABLE t AS SELECT i AS id, hashint4(i) / 4294967296.0::float8 AS x,
    CASE WHEN i % 11 > 0 THEN hashint4(-i) / 4294967296.0::float8 END AS z,
    'c' || abs(hashint4(i + 5)) % 9 AS c, i % 3 AS g, CASE WHEN i % 7 > 0 THEN 1 + i % 3 ELSE 0 END AS w
FROM generate_series(1, 4000) AS i;
ALTER TABLE t ADD late boolean, ADD k text;
UPDATE t SET late = 3 * x + coalesce(z, 0.3) + (abs(hashint4(id + 9)) % 9) / 9.0 * (c < 'c4')::int
    + hashint4(id + 7000) / 2147483648.0 > 0.6;
UPDATE t SET k = CASE WHEN x + hashint4(id + 77) / 8589934592.0 < -0.1 THEN 'low' WHEN late THEN 'high' ELSE 'mid' END;
CREATE TABLE training AS SELECT * FROM t WHERE id <= 1500;
CREATE TABLE calibration AS SELECT * FROM t WHERE id > 1500 AND id <= 3000;
CREATE TABLE later AS SELECT * FROM t WHERE id > 3000;
INSERT INTO later SELECT 10000 + i, NULL, NULL, CASE WHEN i % 2 = 0 THEN 'new' END, i % 3, 1, true, 'mid'
FROM generate_series(1, 6) AS i;
"""
# Training, the function that predicts, its type of the numbers that are calibrated, and that of the calibrated model.
MODELS = {
    "tree": ("tree_train('training', 'm', 'id', 'late', 'x, z, c', max_depth => 4)", "tree", "prob"),
    "surrogates": (
        "tree_train('training', 'm', 'id', 'late', 'x, z, c', surrogate_params => 'max_surrogates=2')",
        "tree",
        "prob",
    ),
    "weights": ("tree_train('training', 'm', 'id', 'late', 'x, z', weights => 'w')", "tree", "prob"),
    "forest": ("forest_train('training', 'm', 'id', 'late', 'x, z, c', num_trees => 7)", "forest", "prob_mean"),
    "weighted forest": (
        "forest_train('training', 'm', 'id', 'late', 'x, z', num_trees => 7, weights => 'w', max_tree_depth => 5)",
        "forest",
        "prob_mean",
    ),
    "forest with surrogates": (
        "forest_train('training', 'm', 'id', 'late', 'x, z, c', num_trees => 5, max_tree_depth => 4, "
        "null_handling_params => 'max_surrogates=2')",
        "forest",
        "prob_mean",
    ),
    "boosted": ("boost_train('training', 'm', 'id', 'late', 'x, z, c', num_trees => 10)", "boost", "raw"),
    "exponential": (
        "boost_train('training', 'm', 'id', 'late', 'x, z', loss => 'exponential', num_trees => 8)",
        "boost",
        "raw",
    ),
}
GROUPED = {
    "tree": ("tree_train('training', 'm', 'id', 'late', 'x, z, c', grouping_cols => 'g')", "tree", "prob"),
    "forest": (
        "forest_train('training', 'm', 'id', 'late', 'x, z, c', num_trees => 5, grouping_cols => 'g')",
        "forest",
        "prob_mean",
    ),
    "boosted": (
        "boost_train('training', 'm', 'id', 'late', 'x, z, c', num_trees => 8, grouping_cols => 'g')",
        "boost",
        "raw",
    ),
}


@pytest.fixture
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE)


@pytest.fixture(scope="module")
def _tables_to_read(shared_db: psycopg.Connection) -> None:
    shared_db.execute(MAKE)


@pytest.fixture(scope="module", params=MODELS)
def trained(shared_db: psycopg.Connection, _tables_to_read: None, request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of one of the MODELS, which is trained as m."""
    shared_db.execute(f"SELECT madtree.{MODELS[request.param][0]}")
    yield request.param
    shared_db.execute("SELECT madtree.tree_drop('m')")


@pytest.fixture
def reader(db: psycopg.Connection, schema: str, shared_schema: str, trained: str) -> psycopg.Connection:
    """A connection that reads the tables and the model m, and makes its own tables elsewhere."""
    db.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")
    return db


def said(db: psycopg.Connection, kind: str, model: str, table: str, type_: str) -> dict[int, float]:
    """By id the number of the last class."""
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute(f"SELECT madtree.{kind}_predict('{model}', '{table}', 'scored', '{type_}')")  # type: ignore[arg-type]
    found = rows(db, f"SELECT s.* FROM scored AS s JOIN {table} USING (id)")
    return {row["id"]: [value for name, value in row.items() if name != "id"][-1] for row in found}


def known(db: psycopg.Connection, scores: dict[int, float], weighted: bool) -> tuple[Any, Any, Any]:
    """Scores, outcomes and weights of the calibration table's rows that count."""
    found = [row for row in rows(db, "SELECT id, late, w FROM calibration") if row["w"] > 0 or not weighted]
    weight = np.array([float(row["w"]) if weighted else 1.0 for row in found])
    return np.array([scores[row["id"]] for row in found]), np.array([row["late"] for row in found]), weight


def reference(method: str, scores: Any, outcomes: Any, weight: Any) -> Any:
    """scikit-learn's, fitted."""
    if method == "isotonic":
        return IsotonicRegression(out_of_bounds="clip").fit(scores, outcomes, weight)
    return _SigmoidCalibration().fit(scores, outcomes, weight)


@pytest.mark.one_in(4)
@pytest.mark.in_turn
@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
def test_it_is_scikit_learns_calibration_of_the_same_scores(
    reader: psycopg.Connection, trained: str, method: str
) -> None:
    db, (_, kind, type_) = reader, MODELS[trained]
    of_calibration = said(db, kind, "m", "calibration", type_)
    of_later = said(db, kind, "m", "later", type_)
    answer = db.execute("SELECT madtree.calibrate('m', 'calibration', 'c', %s)", [method]).fetchone()
    assert answer is not None
    assert answer[0].startswith(f"calibrate: m calibrated ({method}) by ")
    fitted = reference(method, *known(db, of_calibration, "weight" in trained))
    made = said(db, "tree" if kind == "tree" else "boost", "c", "later", "prob")
    assert made.keys() == of_later.keys()
    expected = fitted.predict(np.array([of_later[id_] for id_ in made]))
    tolerance = 1e-9 if method == "isotonic" else 2e-3  # scikit-learn's search ends early
    np.testing.assert_allclose(np.array(list(made.values())), expected, rtol=0, atol=tolerance)
    response = said(db, "tree" if kind == "tree" else "boost", "c", "later", "response")
    assert [response[id_] for id_ in made] == [share > 0.5 for share in made.values()]


@pytest.mark.one_in(4)
@pytest.mark.in_turn
@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
def test_every_way_of_scoring_says_the_same(reader: psycopg.Connection, trained: str, method: str) -> None:
    db, (_, kind, _) = reader, MODELS[trained]
    db.execute("SELECT madtree.calibrate('m', 'calibration', 'c', %s)", [method])
    kind = "tree" if kind == "tree" else "boost"
    made = said(db, kind, "c", "later", "prob")
    response = said(db, kind, "c", "later", "response")
    expressions = [
        db.execute(f"SELECT madtree.{kind}_sql('c', '{type_}')").fetchone()[0]  # type: ignore[arg-type, index]
        for type_ in ("prob", "response")
    ]
    found = rows(db, f"SELECT id, {expressions[0]} AS p, {expressions[1]} AS response FROM later")
    np.testing.assert_allclose([row["p"] for row in found], [made[row["id"]] for row in found], rtol=1e-15)
    assert all(row["response"] == response[row["id"]] for row in found)
    client = madtree.connect(db)
    model = client.model("c") if kind == "tree" else client.boosted("c")
    frame = rows(db, "SELECT x, z, c FROM later ORDER BY id")
    columns = {column: [row[column] for row in frame] for column in ("x", "z", "c")}
    pandas = pytest.importorskip("pandas")
    in_client = np.asarray(model.predict(pandas.DataFrame(columns), type="prob"))
    assert in_client[:, -1].tolist() == [made[id_] for id_ in sorted(made)]
    listed = rows(db, "SELECT kind, parameters->>'loss' AS loss FROM madtree.models WHERE name = 'c'")
    loss = {"isotonic": "isotonic", "sigmoid": "log_loss"}[method]
    assert listed == [
        {"kind": f"classification{' boosting' * (kind == 'boost')}", "loss": loss if kind == "boost" else None}
    ]
    document = db.execute("SELECT madtree.tree_to_json('c')").fetchone()[0]  # type: ignore[index]
    assert document["classes"] == ["false", "true"]


@pytest.mark.in_turn
@pytest.mark.usefixtures("_tables")
@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
@pytest.mark.parametrize("name", GROUPED)
def test_each_group_is_calibrated_by_its_rows(db: psycopg.Connection, name: str, method: str) -> None:
    training, kind, type_ = GROUPED[name]
    db.execute(f"SELECT madtree.{training}")  # type: ignore[arg-type]
    db.execute("DELETE FROM calibration WHERE g = 2 AND late")
    of_calibration, of_later = (said(db, kind, "m", table, type_) for table in ("calibration", "later"))
    db.execute("SELECT madtree.calibrate('m', 'calibration', 'c', %s)", [method])
    made = said(db, "tree" if kind == "tree" else "boost", "c", "later", "prob")
    for group in range(3):
        where = f"WHERE g = {group}" if group < 2 else ""
        own = rows(db, f"SELECT id, late FROM calibration {where}")
        fitted = reference(
            method,
            np.array([of_calibration[row["id"]] for row in own]),
            np.array([row["late"] for row in own]),
            np.ones(len(own)),
        )
        ids = [row["id"] for row in rows(db, f"SELECT id FROM later WHERE g = {group}")]
        expected = fitted.predict(np.array([of_later[id_] for id_ in ids]))
        tolerance = 1e-9 if method == "isotonic" else 5e-3
        np.testing.assert_allclose([made[id_] for id_ in ids], expected, rtol=0, atol=tolerance)


@pytest.mark.usefixtures("_tables")
def test_a_table_without_rows_is_told_by_its_argument_and_what_helps(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('training', 'm', 'id', 'k', 'x, z, c', max_depth => 4)")
    db.execute("CREATE TABLE empty AS SELECT * FROM calibration LIMIT 0")
    with pytest.raises(psycopg.Error, match=r"calibration_table: .*empty.* has no row that m predicts") as error:
        db.execute("SELECT madtree.calibrate('m', 'empty', 'c')")
    assert (
        error.value.diag.message_hint
        == "Give a table or view that has rows; of a grouped model, of groups that it knows."
    )


@pytest.mark.usefixtures("_tables")
def test_a_tree_of_many_classes_is_calibrated_class_by_class(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('training', 'm', 'id', 'k', 'x, z, c', max_depth => 4)")
    db.execute("SELECT madtree.tree_predict('m', 'calibration', 'before', 'prob')")
    db.execute("SELECT madtree.tree_predict('m', 'later', 'then', 'prob')")
    db.execute("SELECT madtree.calibrate('m', 'calibration', 'c')")
    db.execute("SELECT madtree.tree_predict('c', 'later', 'after', 'prob')")
    classes = ["high", "low", "mid"]
    columns = ", ".join(f"estimated_prob_{name}" for name in classes)
    before = rows(db, f"SELECT k, {columns} FROM before JOIN calibration USING (id)")
    then, after = (
        np.array([list(row.values()) for row in rows(db, f"SELECT {columns} FROM {table} ORDER BY id")])
        for table in ('"then"', "after")
    )
    expected = np.empty_like(then)
    for place, name in enumerate(classes):
        scores = np.array([row[f"estimated_prob_{name}"] for row in before])
        fitted = IsotonicRegression(out_of_bounds="clip").fit(scores, np.array([row["k"] == name for row in before]))
        expected[:, place] = fitted.predict(then[:, place])
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(after, expected, atol=1e-9)


@pytest.mark.usefixtures("_tables")
def test_probabilities_become_true(db: psycopg.Connection) -> None:
    """Of a model that has learnt its rows by heart."""
    arguments = "'training', 'm', 'id', 'late', 'x, z, c', num_trees => 40, learning_rate => 0.5"
    db.execute(f"SELECT madtree.boost_train({arguments})")  # type: ignore[arg-type]
    db.execute("SELECT madtree.calibrate('m', 'calibration', 'c')")
    before, after = (
        rows(db, f"SELECT DISTINCT expected_calibration_error AS e FROM madtree.tree_reliability('{name}', 'later')")
        for name in ("m", "c")
    )
    assert after[0]["e"] < before[0]["e"] / 2


def test_the_maps_are_scikit_learns() -> None:
    random = np.random.default_rng(5)
    for n, levels in ((2, 2), (50, 5), (1000, 1000), (1000, 30)):
        scores = np.round(random.normal(size=n) * levels / 4) / levels * 4
        weights = random.integers(1, 5, n).astype(float)
        outcomes = random.random(n) < 1 / (1 + np.exp(-2 * scores))
        outcomes[:2] = [True, False]
        asked = np.linspace(-5, 5, 501)
        steps = isotonic(scores, outcomes, weights, lambda: None)
        theirs = IsotonicRegression(out_of_bounds="clip").fit(scores, outcomes, weights)
        np.testing.assert_allclose([*map(steps.probability, asked)], theirs.predict(asked), atol=1e-9)
        even = steps.even_score
        if abs(even) < 1e300:
            assert steps.probability(even) <= 0.5 < steps.probability(np.nextafter(even, np.inf))
        curve = sigmoid(scores, outcomes, weights, lambda: None)
        exact = platt(scores, outcomes, weights)
        np.testing.assert_allclose([*map(curve.probability, asked)], exact(asked), atol=1e-9)


def test_scores_that_say_nothing_become_one_level() -> None:
    scores, outcomes = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, True, False, False])
    steps = isotonic(scores, outcomes, np.ones(4), lambda: None)
    assert {steps.probability(score) for score in (-1.0, 1.0, 2.5, 9.0)} == {0.5}
    alone = isotonic(np.ones(4), outcomes, np.ones(4), lambda: None)
    assert (alone.scores, alone.probabilities) == ((1.0,), (0.5,))
    curve = sigmoid(np.ones(4), outcomes, np.ones(4), lambda: None)
    assert curve.probability(1.0) == pytest.approx(0.5)


def platt(scores: Any, outcomes: Any, weights: Any) -> Any:
    """The maximum of the same likelihood by scipy's search, from its gradient."""
    from scipy.optimize import root
    from scipy.special import expit

    positive, negative = weights[outcomes].sum(), weights[~outcomes].sum()
    target = np.where(outcomes, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def gradient(ab: Any) -> Any:
        error = weights * (expit(ab[0] * scores + ab[1]) - target)
        return [(error * scores).sum(), error.sum()]

    found = root(gradient, [0.0, 0.0], tol=1e-14)
    return lambda asked: expit(found.x[0] * asked + found.x[1])
