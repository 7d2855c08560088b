"""The table of out-of-bag predictions, held against the error that training reports of the same votes."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import MAKE, grow, rows, score

N_TREES = 25


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("ALTER TABLE t ADD COLUMN w float8; UPDATE t SET w = 1 + id % 4, x = CASE WHEN id % 13 > 0 THEN x END")


def errors(db: psycopg.Connection, dependent: str, weight: str, oob: str = "f_oob") -> dict[Any, float]:
    """By group, the weighted error of the predictions that are there."""
    said = rows(db, f"SELECT g, {weight} AS w, {dependent} AS is, o.* FROM t JOIN {oob} AS o USING (id)")
    found = {}
    for group in {row["g"] for row in said}:
        mine = [row for row in said if row["g"] == group and row["n_oob_trees"]]
        wrong = [
            float(row["is"] != row["estimated_c"]) if dependent == "c" else (row["is"] - row["estimated_v"]) ** 2
            for row in mine
        ]
        found[group] = np.average(wrong, weights=[row["w"] for row in mine])
    return found


@pytest.mark.in_turn
@pytest.mark.parametrize("dependent", ["c", "v"])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"weights": "w", "sample_ratio": 0.7, "null_handling_params": "max_surrogates=2"},
        {"sampling": "without_replacement", "null_handling_params": "null_as_category=true"},
    ],
    ids=["plain", "weights, a part of the rows, surrogates", "without replacement, NULL as category"],
)
def test_the_predictions_are_those_that_the_error_is_of(
    db: psycopg.Connection, dependent: str, more: dict[str, Any]
) -> None:
    grow(db, "f", dependent, grouping_cols="g", num_trees=N_TREES, importance=False, oob_predictions=True, **more)
    reported = {row["g"]: row["oob_error"] for row in rows(db, "SELECT g, oob_error FROM f_group")}
    found = errors(db, dependent, "w" if "weights" in more else "1")
    assert found == pytest.approx(reported, rel=1e-9)
    said = rows(db, "SELECT * FROM f_oob")
    assert len(said) == 600
    share = more.get("sample_ratio", 1) * np.exp(-1)
    assert np.mean([row["n_oob_trees"] for row in said]) == pytest.approx(share * N_TREES, rel=0.1)
    if dependent == "c":
        classes = ("high", "low", "middle")
        for row in said:
            votes = [row[f"estimated_prob_{name}"] * row["n_oob_trees"] for name in classes]
            assert sum(votes) == pytest.approx(row["n_oob_trees"])
            assert votes == pytest.approx(np.round(votes))
            assert row["estimated_c"] == classes[int(np.argmax(np.round(votes)))]


def test_rates_are_judged_as_they_are_predicted(db: psycopg.Connection) -> None:
    """Those of small leaves are drawn to the root's. So one that has seen no event predicts a few, out of bag, too."""
    db.execute("UPDATE t SET v = greatest(id * 7919 % 101 - 90, 0)")
    grow(db, "f", "v", num_trees=N_TREES, split_criterion="poisson", importance=False, oob_predictions=True)
    (found,) = rows(db, "SELECT avg((v - estimated_v) ^ 2) AS error FROM t JOIN f_oob USING (id) WHERE n_oob_trees > 0")
    (least,) = rows(db, "SELECT min(estimated_v) AS rate FROM f_oob")
    assert least["rate"] > 0
    assert rows(db, "SELECT oob_error FROM f_group")[0]["oob_error"] == pytest.approx(found["error"], rel=1e-9)


def test_a_feature_is_worth_what_predicted_rates_lose_by_its_permutation(db: psycopg.Connection) -> None:
    db.execute("UPDATE t SET v = greatest(id * 7919 % 101 - 90, 0)")
    more = {"num_trees": 1, "split_criterion": "poisson", "num_permutations": 1000, "oob_predictions": True}
    grow(db, "f", "v", "x", **more)
    said = rows(db, "SELECT v, estimated_v AS rate FROM t JOIN f_oob USING (id) WHERE n_oob_trees > 0")
    value, rate = (np.array([row[name] for row in said]) for name in ("v", "rate"))
    lost = np.mean((value[:, None] - rate) ** 2) - np.mean((value - rate) ** 2)
    (found,) = rows(db, "SELECT oob_var_importance FROM f_group")
    spread = np.std((value[:, None] - rate) ** 2)
    assert found["oob_var_importance"] == pytest.approx([lost], abs=4 * spread / np.sqrt(1000 * len(said)))


@pytest.mark.parametrize("dependent", ["c", "v"])
def test_one_tree_says_of_its_rows_what_it_says_of_any_and_nothing_of_those_in_its_bag(
    db: psycopg.Connection, dependent: str
) -> None:
    db.execute("ALTER TABLE t ALTER COLUMN id TYPE text")
    grow(db, "f", dependent, num_trees=1, importance=False, oob_predictions=True)
    predicted = {row["id"]: row[f"estimated_{dependent}"] for row in score(db, "f", "response")}
    for row in rows(db, "SELECT * FROM f_oob"):
        assert row[f"estimated_{dependent}"] == (predicted[row["id"]] if row["n_oob_trees"] else None)
        if dependent == "c":
            assert (row["estimated_prob_low"] is None) == (row["n_oob_trees"] == 0)
    (counted,) = rows(db, "SELECT count(*) AS n, sum(n_oob_trees) AS out FROM f_oob")
    assert counted["n"] == 600
    assert 150 < counted["out"] < 300


def test_the_table_comes_and_goes_with_its_model(db: psycopg.Connection) -> None:
    grow(db, "f", "c", num_trees=2, importance=False, oob_predictions=True)
    made = "SELECT to_regclass('f_oob') IS NOT NULL AS made"
    assert rows(db, made) == [{"made": True}]
    with pytest.raises(psycopg.errors.DuplicateTable):
        grow(db, "f", "c", num_trees=2)
    grow(db, "f", "c", num_trees=2, importance=False, replace=True)
    assert rows(db, made) == [{"made": False}]
    grow(db, "f", "v", num_trees=2, importance=False, replace=True, oob_predictions=True)
    db.execute("DROP TABLE f CASCADE")
    grow(db, "f", "c", num_trees=2, importance=False, oob_predictions=True)
    assert "f_oob" in db.execute("SELECT madtree.tree_drop('f')").fetchone()[0]  # type: ignore[index]
    assert rows(db, made) == [{"made": False}]


def test_without_samples_no_row_is_out_of_bag(db: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error, match="with sampling 'none' no row is out of bag"):
        grow(db, "f", "c", sampling="none", oob_predictions=True)
    assert rows(db, "SELECT to_regclass('f') AS f") == [{"f": None}]


@pytest.mark.parametrize("dependent", ["c", "v"])
def test_a_tree_for_which_no_row_was_drawn_has_seen_all(db: psycopg.Connection, dependent: str) -> None:
    db.execute("CREATE TABLE few AS SELECT * FROM t WHERE id <= 5")
    grow(db, "f", dependent, source="few", grouping_cols="g", num_trees=8, importance=False, oob_predictions=True)
    trees = {row["g"]: row["n"] for row in rows(db, "SELECT g, count(*) AS n FROM f GROUP BY g")}
    assert trees == {0: 8, 1: 8, 2: 8}
    said = rows(db, "SELECT g, o.* FROM few JOIN f_oob AS o USING (id)")
    (alone,) = [row for row in said if row["g"] == 0]
    assert (alone["n_oob_trees"], alone[f"estimated_{dependent}"]) == (0, None)
    of_pairs = {row["g"]: row["oob_error"] for row in rows(db, "SELECT g, oob_error FROM f_group WHERE g > 0")}
    db.execute("DELETE FROM t WHERE id > 5 OR g = 0")
    assert errors(db, dependent, "1") == pytest.approx(of_pairs, rel=1e-9)
