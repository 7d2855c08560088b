"""Facts that scikit-learn's tests of its calibrated classifiers hold (test_calibration.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import rows
from sklearn.metrics import roc_auc_score

from madtree.score.calibration import isotonic, sigmoid

MAKE = """
CREATE TABLE t AS SELECT i AS id, hashint4(i) / 4294967296.0::float8 AS x, 1 AS one,
    hashint4(i) / 4294967296.0 + hashint4(i + 77) / 8589934592.0 > 0.1 AS late
FROM generate_series(1, 900) AS i;
ALTER TABLE t ADD early boolean, ADD kind text;
UPDATE t SET early = NOT late, kind = CASE WHEN x < -0.2 THEN 'a' WHEN late THEN 'b' ELSE 'c' END;
CREATE TABLE training AS SELECT * FROM t WHERE id <= 500;
CREATE TABLE calibration AS SELECT *, 2 AS two FROM t WHERE id > 500;
CREATE TABLE twice AS SELECT c.*, 1 AS w FROM calibration AS c, generate_series(1, 2);
"""
TRAININGS = {
    "tree": "tree_train('training', 'm', 'id', '{}', 'x', max_depth => 4, pruning_params => 'cp=-1'{})",
    "forest": "forest_train('training', 'm', 'id', '{}', 'x', num_trees => 5, max_tree_depth => 4{})",
    "boost": "boost_train('training', 'm', 'id', '{}', 'x', num_trees => 8{})",
}


def nothing() -> None:
    pass


def calibrated(db: psycopg.Connection, kind: str, outcome: str, table: str, method: str, more: str = "") -> Any:
    """(n_rows,) the probability that `outcome` is true, of the rows of the calibration table."""
    db.execute(f"SELECT madtree.{TRAININGS[kind].format(outcome, ', replace => true' + more)}")  # type: ignore[arg-type]
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute("SELECT madtree.calibrate('m', %s, 'c', %s)", [table, method])
    scores = "tree_predict" if kind == "tree" else "boost_predict"
    db.execute(f"SELECT madtree.{scores}('c', 'calibration', 'scored', 'prob')")  # type: ignore[arg-type]
    db.execute("SELECT madtree.tree_drop('c')")
    return np.array([row["estimated_prob_true"] for row in rows(db, "SELECT * FROM scored ORDER BY id")])


def test_platts_curve_is_that_of_libsvm() -> None:
    """test_sigmoid_calibration: A and B computed by LibSVM's C++ code."""
    scores, outcomes = np.array([5, -4, 1.0]), np.array([True, False, False])
    found = sigmoid(scores, outcomes, np.ones(3), nothing)
    a, b = -0.20261354391187855, 0.65236314980010512
    for score in scores:
        assert found.probability(score) == pytest.approx(1 / (1 + np.exp(a * score + b)), abs=1.5e-6)


def test_large_scores_do_no_harm() -> None:
    """test_calibrated_classifier_cv_works_with_large_confidence_scores"""
    outcomes = np.arange(200) < 134
    scores = 1e5 * outcomes + np.random.default_rng(3).normal(size=200)
    for by in (1.0, 1e6, 1e-9):
        maps = [fit(scores * by, outcomes, np.ones(200), nothing) for fit in (sigmoid, isotonic)]
        areas = [roc_auc_score(outcomes, [own.probability(score) for score in scores * by]) for own in maps]
        assert areas == [1.0, 1.0]


def test_scores_in_another_unit_have_the_same_probabilities() -> None:
    """test_sigmoid_calibration_max_abs_prediction_threshold"""
    random = np.random.default_rng(4)
    scores, outcomes = random.uniform(-2, 2, 100), random.integers(0, 2, 100) == 1
    first = sigmoid(scores, outcomes, np.ones(100), nothing)
    for by in (0.01, 50.0, 1e7):
        other = sigmoid(scores * by, outcomes, np.ones(100), nothing)
        for score in scores[:20]:
            assert other.probability(score * by) == pytest.approx(first.probability(score), abs=1e-9)


@pytest.mark.parametrize("kind", TRAININGS)
def test_classes_that_change_places(db: psycopg.Connection, kind: str) -> None:
    """test_calibration: a sigmoid says the same, and both methods are better than none."""
    db.execute(MAKE)
    late, early = (calibrated(db, kind, outcome, "calibration", "sigmoid") for outcome in ("late", "early"))
    np.testing.assert_allclose(early, 1 - late, atol=1e-9)
    assert np.ptp(late) > 0.3
    actual = np.array([row["late"] for row in rows(db, "SELECT late FROM calibration ORDER BY id")])
    steps = calibrated(db, kind, "late", "calibration", "isotonic")
    db.execute(f"DROP TABLE scored; SELECT madtree.{kind}_predict('m', 'calibration', 'scored', 'prob')")
    before = np.array([row["estimated_prob_true"] for row in rows(db, "SELECT * FROM scored ORDER BY id")])
    brier = [float(np.square(actual - shares).mean()) for shares in (before, late, steps)]
    assert brier[2] < brier[0]
    assert kind == "tree" or brier[1] < brier[0]


@pytest.mark.in_turn
@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
@pytest.mark.parametrize("kind", TRAININGS)
def test_weights_of_two_are_rows_twice(db: psycopg.Connection, kind: str, method: str) -> None:
    """test_calibrated_classifier_cv_double_sample_weights_equivalence"""
    db.execute(MAKE)
    db.execute("ALTER TABLE training ADD w int DEFAULT 1; ALTER TABLE calibration ADD w int DEFAULT 2")
    by_weight = calibrated(db, kind, "late", "calibration", method, ", weights => 'w'")
    by_rows = calibrated(db, kind, "late", "twice", method, ", weights => 'w'")
    np.testing.assert_allclose(by_weight, by_rows, atol=1e-9)


@pytest.mark.parametrize("kind", TRAININGS)
def test_a_class_without_rows(db: psycopg.Connection, kind: str) -> None:
    """test_calibration_less_classes: it has no probability, and the others add up to 1."""
    db.execute(MAKE)
    db.execute(f"SELECT madtree.{TRAININGS[kind].format('kind', '')}")  # type: ignore[arg-type]
    db.execute("DELETE FROM calibration WHERE kind = 'a'; SELECT madtree.calibrate('m', 'calibration', 'c')")
    scores = "tree_predict" if kind == "tree" else "boost_predict"
    db.execute(f"SELECT madtree.{scores}('c', 'training', 'scored', 'prob')")  # type: ignore[arg-type]
    found = rows(db, "SELECT estimated_prob_a AS a, estimated_prob_b AS b, estimated_prob_c AS c FROM scored")
    some = [row for row in found if row["b"] != pytest.approx(1 / 3)]  # of rows that no class claims all are alike
    assert len(some) > 100
    for row in some:
        assert row["a"] == 0
        assert row["b"] + row["c"] == pytest.approx(1)
