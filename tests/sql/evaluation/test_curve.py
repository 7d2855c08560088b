"""tree_curve: ROC, lift and calibration as rows; tree_reliability."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.rows import dict_row
from sklearn.calibration import calibration_curve
from sklearn.metrics import auc, roc_curve
from training import left_behind, train

DATA = """
CREATE TABLE data AS SELECT i AS id, i * 7919 % 1000 AS x, i % 2 AS g, 1 + i % 5 AS w,
    (ARRAY['a', 'b', 'c'])[1 + (i * 7919 % 1000 / 100 + i * 31 % 7) % 3] AS k,
    i * 7919 % 1000 + i * 104729 % 700 > 900 AS y
FROM generate_series(1, 2000) AS i
"""
GROWN = {"pruning_params": "cp=-1", "max_depth": 5}


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    db.execute(DATA)
    return db


def curve(db: psycopg.Connection, more: str = "") -> list[dict[str, Any]]:
    return db.cursor(row_factory=dict_row).execute(f"SELECT * FROM tree_curve('m', 'data'{more})").fetchall()


def scored(db: psycopg.Connection, column: str, y: str, function: str = "tree_predict", type_: str = "prob") -> Any:
    """Probabilities, whether rows are of the class, and weights."""
    db.execute(f"SELECT {function}('m', 'data', 'out', '{type_}')")
    rows = db.execute(f"SELECT o.{column}, {y}, w FROM out AS o JOIN data USING (id)").fetchall()
    return tuple(map(np.array, zip(*rows, strict=True)))


def is_roc(rows: list[dict[str, Any]], p: Any, y: Any, w: Any = None) -> None:
    """Whether the rows are scikit-learn's ROC curve."""
    fpr, tpr, thresholds = roc_curve(y, p, sample_weight=w, drop_intermediate=False)
    assert [row["threshold"] for row in rows] == thresholds[1:].tolist()
    np.testing.assert_allclose([row["recall"] for row in rows], tpr[1:])
    np.testing.assert_allclose([row["false_positive_rate"] for row in rows], fpr[1:])
    w = np.ones(len(p)) if w is None else w
    for row in rows:
        own, above = p == row["threshold"], p >= row["threshold"]
        assert row["n"] == own.sum()
        expected = np.average(y[own], weights=w[own]), w[above].sum() / w.sum(), np.average(y[above], weights=w[above])
        np.testing.assert_allclose([row[name] for name in ("actual", "share", "precision")], expected)
        assert row["lift"] == pytest.approx(row["precision"] / np.average(y, weights=w))
        assert row["estimated"] == pytest.approx(row["threshold"])


def test_it_is_scikit_learns_roc(data: psycopg.Connection) -> None:
    train(data, "data", "m", "y", "x", **GROWN)
    before = left_behind(data)
    rows = curve(data)
    assert left_behind(data) == before
    assert {(row["tree_id"], row["group_values"]) for row in rows} == {(1, None)}
    p, y, _ = scored(data, "estimated_prob_true", "y")
    is_roc(rows, p, y)
    area = auc([0, *(row["false_positive_rate"] for row in rows)], [0, *(row["recall"] for row in rows)])
    asked = "SELECT value FROM tree_evaluate('m', 'data') WHERE metric = 'auc'"
    assert data.execute(asked).fetchone() == (pytest.approx(area),)


def test_the_other_class_and_one_of_three(data: psycopg.Connection) -> None:
    train(data, "data", "m", "y", "x", **GROWN)
    p, y, _ = scored(data, "estimated_prob_false", "NOT y")
    is_roc(curve(data, ", class => 'false'"), p, y)
    data.execute("DROP TABLE out")
    train(data, "data", "m", "k", "x", replace=True, **GROWN)
    p, y, _ = scored(data, "estimated_prob_b", "k = 'b'")
    is_roc(curve(data, ", class => 'b'"), p, y)


def test_groups_have_curves_and_the_whole_comes_first(data: psycopg.Connection) -> None:
    train(data, "data", "m", "y", "x", weights="w", grouping_cols="g", **GROWN)
    rows = curve(data)
    assert list(Counter(row["tree_id"] for row in rows)) == [None, 1, 2]
    p, y, w = scored(data, "estimated_prob_true", "y")
    is_roc([row for row in rows if row["tree_id"] is None], p, y, w)
    groups = np.array([g for (g,) in data.execute("SELECT g FROM out JOIN data USING (id)").fetchall()])
    for tree in (1, 2):
        found = [row for row in rows if row["tree_id"] == tree]
        g = found[0]["group_values"]["g"]
        is_roc(found, p[groups == g], y[groups == g], w[groups == g])


def test_deciles_of_a_forest(data: psycopg.Connection) -> None:
    data.execute("SELECT forest_train('data', 'm', 'id', 'y', 'x, w', num_trees => 20, min_bucket => 40)")
    p, y, _ = scored(data, "estimated_prob_true", "y", "forest_predict", "prob_mean")
    rows = curve(data, ", max_points => 10")
    assert 8 <= len(rows) <= 10
    assert sum(row["n"] for row in rows) == 2000
    assert rows[-1]["share"] == rows[-1]["recall"] == rows[-1]["false_positive_rate"] == rows[-1]["lift"] == 1
    at = [0, *np.cumsum([row["n"] for row in rows])]
    order = np.argsort(-p, kind="stable")
    for row, begin, end in zip(rows, at[:-1], at[1:], strict=True):
        own = order[begin:end]
        assert row["threshold"] == p[own].min()
        assert (row["estimated"], row["actual"]) == (pytest.approx(p[own].mean()), pytest.approx(y[own].mean()))
        assert row["n"] <= 200 + np.unique(p, return_counts=True)[1].max()  # which cannot be told apart


def test_a_table_of_one_class_or_of_none(data: psycopg.Connection) -> None:
    train(data, "data", "m", "y", "x", **GROWN)
    data.execute("CREATE TABLE bare AS SELECT * FROM data WHERE false; DELETE FROM data WHERE y")
    assert {(row["recall"], row["lift"], row["precision"]) for row in curve(data)} == {(None, None, 0)}
    assert data.execute("SELECT * FROM tree_curve('m', 'bare')").fetchall() == []


@pytest.mark.parametrize(
    ("dependent", "more", "sentence"),
    [
        ("x::float8", "", "tree_model: m is a regression model, and a curve is of a class"),
        ("k", "", "class must be one of 'a', 'b', 'c', not NULL"),
        ("k || 'n''t'", ", class => 'o''no'", "class must be one of 'an''t', 'bn''t', 'cn''t', not 'o''no'"),
        ("y", ", class => 'maybe'", "class must be one of 'false', 'true', not 'maybe'"),
        ("y", ", max_points => 0", "max_points must be at least 1, not 0"),
    ],
)
def test_mistakes_are_named(data: psycopg.Connection, dependent: str, more: str, sentence: str) -> None:
    train(data, "data", "m", dependent, "w")
    with pytest.raises(psycopg.Error) as caught:
        curve(data, more)
    assert caught.value.diag.message_primary == f"madtree: {sentence}"
    assert (caught.value.diag.message_hint == "Name one: class => 'a'.") == (sentence.endswith("'c', not NULL"))


def test_weights_that_cannot_be_are_refused(data: psycopg.Connection) -> None:
    train(data, "data", "m", "y", "x", weights="w")
    data.execute("UPDATE data SET w = -1 WHERE id = 7")
    with pytest.raises(psycopg.Error, match="weights w is negative, infinite or NaN in 1 row of data"):
        curve(data)


def reliability(db: psycopg.Connection, more: str = "") -> list[dict[str, Any]]:
    return db.cursor(row_factory=dict_row).execute(f"SELECT * FROM tree_reliability('m', 'data'{more})").fetchall()


@pytest.mark.parametrize(("n_bins", "k"), [(10, None), (7, None), (1, None), (5, "b")])
def test_reliability_is_scikit_learns_calibration_curve(data: psycopg.Connection, n_bins: int, k: str | None) -> None:
    train(data, "data", "m", "k" if k else "y", "x", weights="w", **GROWN)
    rows = reliability(data, f", n_bins => {n_bins}" + (f", class => '{k}'" if k else ""))
    column, outcome = ("estimated_prob_b", "k = 'b'") if k else ("estimated_prob_true", "y")
    p, y, w = scored(data, column, outcome)
    bins = np.maximum(np.ceil(p * n_bins), 1).astype(int)
    expected = []
    for each in sorted(set(bins.tolist())):
        own = bins == each
        said, found = np.average(p[own], weights=w[own]), np.average(y[own], weights=w[own])
        expected.append(((each - 1) / n_bins, each / n_bins, own.sum(), said, found, w[own].sum() / w.sum()))
    names = ("low", "high", "n", "estimated", "actual", "share")
    np.testing.assert_allclose([[row[name] for name in names] for row in rows], expected, rtol=1e-12)
    error = sum(share * abs(found - said) for *_, said, found, share in expected)
    assert [row["expected_calibration_error"] for row in rows] == pytest.approx([error] * len(rows))


def test_reliability_without_weights(data: psycopg.Connection) -> None:
    train(data, "data", "m", "y", "x", **GROWN)
    p, y, _ = scored(data, "estimated_prob_true", "y")
    found, said = calibration_curve(y, p, n_bins=10)
    rows = reliability(data)
    np.testing.assert_allclose([row["actual"] for row in rows], found)
    np.testing.assert_allclose([row["estimated"] for row in rows], said)


def test_reliability_of_groups_and_other_models(data: psycopg.Connection) -> None:
    train(data, "data", "m", "y", "x", grouping_cols="g", **GROWN)
    rows = reliability(data)
    assert sorted({row["tree_id"] or 0 for row in rows}) == [0, 1, 2]
    for tree_id, where in ((None, "true"), (1, "g = 0"), (2, "g = 1")):
        own = [row for row in rows if row["tree_id"] == tree_id]
        counted = data.execute(f"SELECT count(*) FROM data WHERE {where}").fetchone()
        assert (sum(row["n"] for row in own),) == counted
        assert sum(row["share"] for row in own) == pytest.approx(1)
    for call in (
        "forest_train('data', 'm', 'id', 'y', 'x', num_trees => 3, replace => true)",
        "boost_train('data', 'm', 'id', 'y', 'x', num_trees => 5, replace => true)",
    ):
        data.execute("SELECT tree_drop('m')")
        data.execute(f"SELECT {call}")
        assert sum(row["n"] for row in reliability(data)) == 2000
