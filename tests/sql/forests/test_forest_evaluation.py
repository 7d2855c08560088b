"""tree_evaluate and tree_confusion of forests, against scikit-learn's metrics of what forest_predict says."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import CLASSES, MAKE_BOTH, grow_bare, rows, score
from sklearn import metrics

WEIGHT = "1 + id % 3"


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE_BOTH)


def evaluated(db: psycopg.Connection, model: str) -> dict[Any, dict[str, float | None]]:
    """By the number of the group, None for all together."""
    found: dict[Any, dict[str, float | None]] = {}
    for row in rows(db, "SELECT * FROM madtree.tree_evaluate(%s, 'test')", model):
        found.setdefault(row["tree_id"], {})[row["metric"]] = row["value"]
    return found


def judged(db: psycopg.Connection, model: str, dependent: str) -> list[dict[str, Any]]:
    """The rows that count, with their predictions."""
    said = score(db, model, "response", "test")
    known = {row["id"]: row for row in rows(db, "SELECT * FROM test")}
    both = [known[row["id"]] | row for row in said]
    return [row for row in both if row[f"estimated_{dependent}"] is not None and row[dependent] is not None]


@pytest.mark.parametrize("weighted", [False, True])
def test_classes_are_judged_by_votes_and_their_probabilities_by_means(db: psycopg.Connection, weighted: bool) -> None:
    grow_bare(db, "f", "c", num_trees=7, max_tree_depth=4, weights=WEIGHT if weighted else None)
    counted = judged(db, "f", "c")
    weight = [1 + row["id"] % 3 if weighted else 1 for row in counted]
    actual, said = [row["c"] for row in counted], [row["estimated_c"] for row in counted]
    means = {row["id"]: [row[f"estimated_prob_{c}"] for c in CLASSES] for row in score(db, "f", "prob_mean", "test")}
    shares = [dict(zip(CLASSES, means[row["id"]], strict=True)).get(row["c"], 0.0) for row in counted]
    losses = -np.log(np.clip(shares, 2.0**-52, 1))
    found = evaluated(db, "f")[1]
    assert found.pop("n") == 603
    assert found.pop("n_skipped") == 1
    assert found == {
        "accuracy": pytest.approx(metrics.accuracy_score(actual, said, sample_weight=weight), rel=1e-12),
        "balanced_accuracy": pytest.approx(
            metrics.balanced_accuracy_score(actual, said, sample_weight=weight), rel=1e-12
        ),
        "log_loss": pytest.approx(np.average(losses, weights=weight), rel=1e-12),
    }
    cells = rows(db, "SELECT * FROM madtree.tree_confusion('f', 'test')")
    counts = Counter(zip(actual, said, strict=True))
    assert {(row["actual"], row["predicted"]): row["n"] for row in cells} == {
        (a, p): counts[a, p] for a in [*CLASSES, "odd"] for p in CLASSES
    }
    assert sum(row["weight"] for row in cells) == sum(weight)


def test_two_classes_have_an_area_under_the_curve(db: psycopg.Connection) -> None:
    grow_bare(db, "f", "v > 0 AS b", num_trees=6, max_tree_depth=3)
    shares = {row["id"]: row["estimated_prob_true"] for row in score(db, "f", "prob_mean", "test")}
    known = rows(db, "SELECT id, v > 0 AS b FROM test WHERE v IS NOT NULL")
    area = metrics.roc_auc_score([row["b"] for row in known], [shares[row["id"]] for row in known])
    assert evaluated(db, "f")[1]["auc"] == pytest.approx(area, rel=1e-12)


def test_groups_are_judged_by_their_own_forests_and_all_together(db: psycopg.Connection) -> None:
    db.execute("INSERT INTO t SELECT 700, 9, 1, 1, 1, 'a', 1, NULL, NULL")  # a group that cannot be trained
    grow_bare(db, "f", "v", num_trees=4, grouping_cols="g", weights=WEIGHT)
    counted = judged(db, "f", "v")
    found = evaluated(db, "f")
    for group, mine in [(None, counted), *((g + 1, [row for row in counted if row["g"] == g]) for g in range(3))]:
        weight = [1 + row["id"] % 3 for row in mine]
        pair = [row["v"] for row in mine], [row["estimated_v"] for row in mine]
        assert found[group]["n"] == len(mine)
        assert found[group]["rmse"] == pytest.approx(
            metrics.mean_squared_error(*pair, sample_weight=weight) ** 0.5, rel=1e-12
        )
        assert found[group]["mae"] == pytest.approx(metrics.mean_absolute_error(*pair, sample_weight=weight), rel=1e-12)
        assert found[group]["r2"] == pytest.approx(metrics.r2_score(*pair, sample_weight=weight), rel=1e-12)
    assert found[None]["n_skipped"] == 3  # of no forest, and without an outcome
    assert found[4] == {"n": 0, "n_skipped": 0, "rmse": None, "mae": None, "r2": None}
    names = rows(db, "SELECT DISTINCT tree_id, group_values FROM madtree.tree_evaluate('f', 'test') ORDER BY tree_id")
    assert [row["group_values"] for row in names] == [{"g": 0}, {"g": 1}, {"g": 2}, {"g": 9}, None]


def test_who_measures_a_forest_on_its_own_rows_is_told(db: psycopg.Connection) -> None:
    grow_bare(db, "f", "c", num_trees=3)
    notices: list[str] = []
    db.add_notice_handler(lambda found: notices.append(found.message_primary or ""))
    db.execute("SELECT madtree.tree_evaluate('f', 'test')")
    assert not notices
    db.execute("SELECT madtree.tree_evaluate('f', 't')")
    (said,) = notices
    assert said.startswith("f was trained on t: its trees have seen these rows")
    assert "the error on rows that each tree has not seen is in " in said


def test_it_evaluates_where_nothing_may_be_written(db: psycopg.Connection) -> None:
    grow_bare(db, "f", "c", num_trees=3, grouping_cols="g")
    before = evaluated(db, "f")
    db.execute("SET default_transaction_read_only = on")
    assert evaluated(db, "f") == before


def test_unfit_outcomes_and_weights_are_refused(db: psycopg.Connection) -> None:
    db.execute("ALTER TABLE t ADD COLUMN w float8; UPDATE t SET w = 1")
    grow_bare(db, "f", "v", num_trees=3, weights="w")
    db.execute("ALTER TABLE test ADD COLUMN w float8; UPDATE test SET w = CASE id WHEN 5 THEN -1 ELSE 1 END")
    with pytest.raises(psycopg.Error, match="weights w is negative, infinite or NaN in 1 row of test"):
        db.execute("SELECT madtree.tree_evaluate('f', 'test')")
    with pytest.raises(psycopg.Error, match="f is a regression model, and a confusion matrix needs classes"):
        db.execute("SELECT madtree.tree_confusion('f', 'test')")
