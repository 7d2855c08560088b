"""Models of rows with offsets: beside LightGBM's with init_score, of which rows they are, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import lightgbm
import numpy as np
import psycopg
import pytest
from boosted_data import MAKE, boost, score, tables
from forest_data import rows
from scipy.special import expit

# Without categories and missing values: what LightGBM does with these is its own.
NUMBERS = """
    CREATE TABLE p AS SELECT i AS id, i * 31 % 41 AS a, (i * 17 % 23) / 4.0::float8 AS b, i * 7 % 19 AS c,
        ((i * 7919) % 101 - 50) / 40.0::float8 AS o,
        sin(i * 31 % 41 / 6.0) * 3 + (i * 17 % 23) / 9.0 + i * 7919 % 101 / 64.0 AS y
    FROM generate_series(1, 900) i;
    ALTER TABLE p ADD late boolean, ADD n int;
    UPDATE p SET late = y + o > 3, n = greatest(y * exp(o), 0)::int;
    ANALYZE p
"""
IN_LIGHTGBM = {
    "log_loss": ("late", {"objective": "binary"}),
    "squared_error": ("y", {"objective": "regression"}),
    "poisson": ("n", {"objective": "poisson", "poisson_max_delta_step": 1e-12}),
}
N_ROUNDS = 20


@pytest.mark.parametrize("loss", sorted(IN_LIGHTGBM))
def test_the_scores_are_lightgbms_with_init_score(db: psycopg.Connection, loss: str) -> None:
    """LightGBM has no score to begin with beside init_score; so it is handed madtree's with the offsets. It
    guesses rows by hessians, so sides may have any number.
    """
    db.execute(NUMBERS)
    target, own = IN_LIGHTGBM[loss]
    grown = {"num_trees": N_ROUNDS, "max_leaf_nodes": 8, "min_bucket": 1, "learning_rate": 0.1}
    boost(db, target, source="p", loss=loss, offsets="o", **grown)
    db.execute("SELECT madtree.boost_predict('m', 'p', 'raw', 'raw')")
    found = rows(db, "SELECT r.*, a, b, c, o, y, n, late FROM raw r JOIN p USING (id) ORDER BY id")
    (base,) = rows(db, "SELECT base_score FROM m_group")[0]["base_score"]
    features = np.array([[float(row[name]) for name in "abc"] for row in found])
    outcome, offset = (np.array([float(row[name]) for row in found]) for name in (target, "o"))
    data = lightgbm.Dataset(features, outcome, init_score=offset + base, params={"min_data_in_bin": 1})
    options = {
        "num_leaves": 8, "min_data_in_leaf": 1, "learning_rate": 0.1, "min_sum_hessian_in_leaf": 1e-3,
        "verbose": -1, "deterministic": True, "num_threads": 1, "min_data_in_bin": 1, "max_bin": 255,
    }  # fmt: skip
    theirs = lightgbm.train({**options, **own}, data, N_ROUNDS).predict(features, raw_score=True)
    raw = np.array([[*row.values()][1] for row in found])
    np.testing.assert_allclose(raw, offset + base + theirs, rtol=1e-5, atol=1e-5)


def test_the_score_to_begin_with_is_the_best_one(db: psycopg.Connection) -> None:
    """By the derivative of the loss, which is 0 there; with weights, in each group, of the rows in training."""
    db.execute(NUMBERS + "; ALTER TABLE p ADD g int, ADD w float8; UPDATE p SET g = id % 3, w = 1 + id % 4 / 3.0")
    db.execute("ALTER TABLE p ADD later boolean; UPDATE p SET later = id % 5 = 0")
    held_out = {"validation_params": "fold_col=later, n_iter_no_change=1"}
    for target, offsets in (("late", "3 * o"), ("late", "30 * o"), ("late", "100 + o / 8")):
        boost(db, target, source="p", offsets=offsets, weights="w", grouping_cols="g", num_trees=1, **held_out)
        for group in rows(db, "SELECT g, base_score[1] AS base FROM m_group"):
            own = rows(
                db,
                f"SELECT late::int AS y, w, ({offsets})::float8 AS o FROM p WHERE NOT later AND g = %s",
                group["g"],
            )
            y, w, offset = (np.array([float(row[name]) for row in own]) for name in ("y", "w", "o"))
            share = expit(offset + group["base"])
            assert abs(np.sum(w * (share - y))) < 1e-9 * np.sum(w)


def test_a_logarithm_of_exposures_is_an_exposure(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    boost(db, "n", loss="poisson", exposure="w / 2.0", weights="b + 1")
    rates = np.array([row["estimated_n"] for row in score(db, "response")])
    boost(db, "n", loss="poisson", offsets="ln(w / 2.0)", weights="b + 1")
    counts = np.array([row["estimated_n"] for row in score(db, "response")])
    exposure = np.array([float(row["e"]) for row in rows(db, "SELECT w / 2.0 AS e FROM t ORDER BY id")])
    np.testing.assert_allclose(counts, rates * exposure, rtol=1e-9)
    boost(db, "n", loss="poisson", exposure="w", offsets="-ln(2)", weights="b + 1")
    both = np.array([row["estimated_n"] for row in score(db, "response")])
    np.testing.assert_allclose(both, rates / 2, rtol=1e-9)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("target", "offsets", "more"),
    [
        ("y", "7", {}),
        ("late", "-2.5", {}),
        ("late", "0.5", {"loss": "exponential"}),
        ("n", "-3", {"loss": "poisson"}),
        ("y + 20", "2", {"loss": "gamma"}),
        ("y", "1e6", {"loss": "quantile"}),
    ],
)
def test_an_offset_that_all_rows_share_says_nothing(
    db: psycopg.Connection, target: str, offsets: str, more: dict[str, Any]
) -> None:
    db.execute(MAKE)
    boost(db, target, **more)
    expected = np.array([[*row.values()][1] for row in score(db, "raw")])
    boost(db, target, offsets=offsets, **more)
    found = np.array([[*row.values()][1] for row in score(db, "raw")])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_rows_without_an_offset_are_left_out(db: psycopg.Connection) -> None:
    """As such without an outcome; they are counted among those that were."""
    db.execute(MAKE)
    boost(db, "late", offsets="a / 20.0")
    (summary,) = rows(db, "SELECT offsets, total_rows_processed, total_rows_skipped FROM m_summary")
    (known,) = rows(db, "SELECT count(a) AS n, count(*) - count(a) AS others FROM t")
    assert summary == {
        "offsets": "a / 20.0", "total_rows_processed": known["n"], "total_rows_skipped": known["others"],
    }  # fmt: skip
    expected = tables(db)
    db.execute("CREATE TABLE u AS SELECT * FROM t WHERE a IS NOT NULL")
    boost(db, "late", source="u", offsets="a / 20.0")
    assert tables(db) == expected
    prediction = {row["id"]: row["estimated_late"] for row in score(db, "response")}
    lacking = {row["id"] for row in rows(db, "SELECT id FROM t WHERE a IS NULL")}
    assert {id_ for id_, found in prediction.items() if found is None} == lacking


def test_rows_of_a_second_table_have_theirs(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("ALTER TABLE t ADD o float8, ADD later boolean; UPDATE t SET o = w - 2, later = id % 4 = 1")
    boost(db, "late", offsets="o", validation_params="fold_col=later")
    expected = tables(db)
    db.execute("CREATE TABLE u AS SELECT * FROM t WHERE NOT later; CREATE TABLE v AS SELECT * FROM t WHERE later")
    boost(db, "late", source="u", offsets="o", validation_params="table=v")
    assert tables(db) == expected
    db.execute("ALTER TABLE v DROP o")
    with pytest.raises(psycopg.Error, match="validation_params: table v has no column o"):
        boost(db, "late", source="u", offsets="o", validation_params="table=v")


def test_categories_may_be_encoded(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    ordered = {"boost_params": "category_encoding=ordered"}
    boost(db, "y", offsets="w * 2", **ordered)
    first = np.array([[*row.values()][1] for row in score(db, "raw")])
    boost(db, "y", offsets="w * 2 + 1", **ordered)
    np.testing.assert_allclose([[*row.values()][1] for row in score(db, "raw")], first, rtol=1e-9)


@pytest.mark.parametrize(
    ("target", "more", "said"),
    [
        ("k", {}, "offsets are for numbers and for two classes, whose rows have one score; k has 5 classes"),
        ("late", {"offsets": "c"}, "offsets c is of type text; it must be numeric"),
        ("late", {"offsets": "nowhere"}, "offsets: .*nowhere.*"),
        ("late", {"offsets": "nullif(w, w)"}, r"has no usable row: late or \(nullif\(w, w\)\) is NULL in each of"),
        ("late", {"offsets": "1 / b"}, "division by zero"),
        (
            "late",
            {"offsets": "CASE WHEN id = 5 THEN 'NaN' ELSE b END"},
            "is infinite or NaN, or beyond 1e100, in 1 row",
        ),
        ("y", {"offsets": "CASE WHEN id < 5 THEN '-inf' ELSE b END"}, "is infinite or NaN, or beyond 1e100, in 4 rows"),
        ("n", {"offsets": "w * 50", "loss": "poisson"}, "is 50 to 200, and loss poisson takes the exponentials of"),
        ("late", {"boost_params": "method=adaboost"}, "offsets are for boost_params => 'method=gradient', not for"),
    ],
)
def test_a_mistake_is_said(db: psycopg.Connection, target: str, more: dict[str, Any], said: str) -> None:
    db.execute(MAKE)
    with pytest.raises(psycopg.Error, match=said):
        boost(db, target, **{"offsets": "b", **more})


def test_groups_of_one_class_are_trained(db: psycopg.Connection) -> None:
    """No score is too small for such rows: the one to begin with is a number."""
    db.execute(MAKE)
    db.execute("CREATE TABLE u AS SELECT *, id % 3 AS h FROM t; UPDATE u SET late = false, n = 0 WHERE h = 1")
    for target, more in (("late", {}), ("late", {"loss": "exponential"}), ("n", {"loss": "poisson"})):
        boost(db, target, source="u", grouping_cols="h", offsets="b", num_trees=2, **more)
        for group in rows(db, "SELECT success, base_score[1] AS base FROM m_group"):
            assert group["success"]
            assert math.isfinite(group["base"])
