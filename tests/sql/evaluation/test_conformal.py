"""conformal_quantiles: held against numpy's quantiles of the same errors, and by how many new rows are covered."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import rows
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

MAKE = """
CREATE TABLE t AS SELECT i AS id, hashint4(i) / 4294967296.0::float8 AS x, hashint4(-i) / 4294967296.0::float8 AS z,
    i % 3 AS g, CASE WHEN i % 7 > 0 THEN 1 + i % 3 ELSE 0 END AS w, 1 + i % 4 AS span
FROM generate_series(1, 6000) AS i;
ALTER TABLE t ADD y float8, ADD late boolean, ADD k text, ADD n int;
UPDATE t SET y = 3 * x + z * z + (1 + g) * (hashint4(id + 7000) / 8589934592.0);
UPDATE t SET late = y > 0.4, k = 'class ' || width_bucket(y, -1, 2, 2), n = greatest(0, ceil(y * span))::int;
CREATE TABLE training AS SELECT * FROM t WHERE id <= 2000;
CREATE TABLE calibration AS SELECT * FROM t WHERE id > 2000 AND id <= 4000;
CREATE TABLE later AS SELECT * FROM t WHERE id > 4000;
"""
# Training, the function that predicts, the type and the outcome.
MODELS: dict[str, tuple[str, str, str]] = {
    "tree": ("tree_train('training', 'm', 'id', 'y', 'x, z')", "tree_predict", "y"),
    "tree of classes": ("tree_train('training', 'm', 'id', 'k', 'x, z')", "tree_predict", "k"),
    "weights": ("tree_train('training', 'm', 'id', 'late', 'x, z', weights => 'w')", "tree_predict", "late"),
    "forest": ("forest_train('training', 'm', 'id', 'y', 'x, z', num_trees => 5)", "forest_predict", "y"),
    "forest of classes": ("forest_train('training', 'm', 'id', 'k', 'x, z', num_trees => 5)", "forest_predict", "k"),
    "boosted classes": ("boost_train('training', 'm', 'id', 'k', 'x, z', num_trees => 6)", "boost_predict", "k"),
    "boosted": ("boost_train('training', 'm', 'id', 'y', 'x, z', num_trees => 6)", "boost_predict", "y"),
}
LEVELS = "0.5, 0.9, 0.95"


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def errors(db: psycopg.Connection, name: str, table: str) -> tuple[Any, Any]:
    """(n_rows,) how wrong the model is about the rows that count, and their groups."""
    training, predict, outcome = MODELS[name]
    type_ = "response" if outcome == "y" else "prob"
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute(f"SELECT madtree.{predict}('m', '{table}', 'scored', '{type_}')")  # type: ignore[arg-type]
    where = "w > 0" if "weights" in training else "true"
    found = rows(
        db, f"SELECT s.*, ({outcome})::text AS actual, g FROM scored AS s JOIN {table} USING (id) WHERE {where}"
    )
    groups = np.array([row["g"] for row in found])
    if outcome == "y":
        return np.array([abs(float(row["actual"]) - row["estimated_y"]) for row in found]), groups
    return np.array([1 - row[f"estimated_prob_{row['actual']}"] for row in found]), groups


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MODELS)
def test_it_is_the_quantile_of_the_errors_and_covers_new_rows(db: psycopg.Connection, name: str) -> None:
    db.execute(f"SELECT madtree.{MODELS[name][0]}")  # type: ignore[arg-type]
    found = rows(db, f"SELECT * FROM madtree.conformal_quantiles('m', 'calibration', '{LEVELS}')")
    wrong, _ = errors(db, name, "calibration")
    n, later = len(wrong), errors(db, name, "later")[0]
    assert [row["level"] for row in found] == [0.5, 0.9, 0.95]
    for row in found:
        expected = np.quantile(wrong, min(1, ceil((n + 1) * row["level"]) / n), method="inverted_cdf")
        assert row["n"] == n
        assert row["quantile"] == pytest.approx(expected, rel=1e-12)
        share = np.mean(later <= row["quantile"])
        assert share > row["level"] - 4 * np.sqrt(row["level"] * (1 - row["level"]) * (1 / n + 1 / len(later)))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MODELS)
def test_mapie_finds_the_same_quantile(db: psycopg.Connection, name: str) -> None:
    """To the bit, of the same errors: by predictions of 0 as far off, and of one class as improbable."""
    pytest.importorskip("mapie")
    from mapie.classification import SplitConformalClassifier
    from mapie.regression import SplitConformalRegressor

    db.execute(f"SELECT madtree.{MODELS[name][0]}")  # type: ignore[arg-type]
    found = rows(db, f"SELECT * FROM madtree.conformal_quantiles('m', 'calibration', '{LEVELS}')")
    wrong, _ = errors(db, name, "calibration")
    for row in found:
        n, level = len(wrong), row["level"]
        if MODELS[name][2] == "y":
            theirs = SplitConformalRegressor(Said().fit(), level).conformalize(np.zeros((n, 1)), wrong)
            quantile = theirs.predict_interval(np.zeros((1, 1)))[1].ravel()[1]
        else:
            actual = np.arange(n) % 2
            shares = np.where(actual[:, None] == [0, 1], 1 - wrong[:, None], wrong[:, None])
            theirs = SplitConformalClassifier(SaidShares().fit(), level).conformalize(shares, actual)
            theirs.predict_set(shares)
            (quantile,) = theirs._mapie_classifier.conformity_score_function_.quantiles_
        assert row["quantile"] == quantile


class Said(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts the first column."""

    def fit(self, X: Any = None, y: Any = None) -> Said:
        self.n_features_in_ = self.fitted_ = 1
        return self

    def predict(self, X: Any) -> Any:
        return np.asarray(X)[:, 0]


class SaidShares(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Says the columns as the probabilities of its classes."""

    def fit(self, X: Any = None, y: Any = None) -> SaidShares:
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.asarray(X)

    def predict(self, X: Any) -> Any:
        return np.asarray(X).argmax(axis=1)


def test_each_group_has_its_own(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('training', 'm', 'id', 'y', 'x, z', grouping_cols => 'g')")
    found = rows(db, "SELECT * FROM madtree.conformal_quantiles('m', 'calibration')")
    assert [row["tree_id"] for row in found] == [None, 1, 2, 3]
    db.execute("SELECT madtree.tree_predict('m', 'calibration', 'scored')")
    scored = rows(db, "SELECT abs(estimated_y - y) AS wrong, t.g FROM scored JOIN t USING (id)")
    for row in found:
        own = [e["wrong"] for e in scored if row["tree_id"] is None or e["g"] == row["tree_id"] - 1]
        assert row["n"] == len(own)
        assert row["quantile"] == pytest.approx(sorted(own)[ceil((len(own) + 1) * 0.9 - 1e-9) - 1], rel=1e-12)
    assert found[1]["quantile"] < found[3]["quantile"]


def test_counts_over_exposures(db: psycopg.Connection) -> None:
    more = "split_criterion => 'poisson', exposure => 'span'"
    db.execute(f"SELECT madtree.tree_train('training', 'm', 'id', 'n', 'x, z', {more})")  # type: ignore[arg-type]
    (found,) = rows(db, "SELECT * FROM madtree.conformal_quantiles('m', 'calibration', '0.8')")
    db.execute("SELECT madtree.tree_predict('m', 'calibration', 'scored')")
    wrong = [e["e"] for e in rows(db, "SELECT abs(n - estimated_n * span) AS e FROM scored JOIN t USING (id)")]
    assert found["quantile"] == pytest.approx(sorted(wrong)[ceil(2001 * 0.8) - 1], rel=1e-12)


def test_a_group_with_few_rows_has_none_and_a_table_with_few_is_refused(db: psycopg.Connection) -> None:
    told: list[str] = []
    db.add_notice_handler(lambda said: told.append(str(said.message_primary)))
    db.execute("SELECT madtree.tree_train('training', 'm', 'id', 'y', 'x, z', grouping_cols => 'g')")
    db.execute("CREATE TABLE few AS SELECT * FROM calibration WHERE g > 0 OR id < 2020")
    found = rows(
        db, "SELECT tree_id, n, quantile IS NULL AS lacks FROM madtree.conformal_quantiles('m', 'few', '0.95')"
    )
    assert [(row["tree_id"], row["lacks"]) for row in found] == [(None, False), (1, True), (2, False), (3, False)]
    assert any("too few rows of 1 group, whose quantile is NULL: a group needs at least 19" in each for each in told)
    db.execute("CREATE TABLE fewer AS SELECT * FROM calibration LIMIT 18")
    with pytest.raises(psycopg.Error, match=r"levels: 0\.95 takes at least 19 rows, and fewer has 18 that can be used"):
        db.execute("SELECT * FROM madtree.conformal_quantiles('m', 'fewer', '0.5, 0.95')")
    db.execute("INSERT INTO fewer SELECT * FROM later LIMIT 1")
    assert rows(db, "SELECT n FROM madtree.conformal_quantiles('m', 'fewer', '0.95') LIMIT 1") == [{"n": 19}]


@pytest.mark.parametrize("levels", ["0", "1", "1.5", "-0.1", "NaN", "x", "", "0.9,", "1e-99999999", None])
def test_a_level_that_is_none_is_refused(db: psycopg.Connection, levels: str | None) -> None:
    db.execute("SELECT madtree.tree_train('training', 'm', 'id', 'y', 'x, z')")
    with pytest.raises(psycopg.Error, match="levels must be numbers between 0 and 1"):
        db.execute("SELECT * FROM madtree.conformal_quantiles('m', 'calibration', %s)", [levels])


def test_an_outcome_that_is_no_number_is_said(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('training', 'm', 'id', 'y', 'x, z')")
    db.execute("UPDATE calibration SET y = 'NaN' WHERE id = 2500")
    with pytest.raises(psycopg.Error, match="calibration_table: y is infinite or NaN in 1 row of calibration"):
        db.execute("SELECT * FROM madtree.conformal_quantiles('m', 'calibration')")
