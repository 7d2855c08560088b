"""Trees of counts: rates over exposures. That they are rpart's is tested in tests/parity."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.rows import dict_row
from sklearn.metrics import mean_poisson_deviance
from sklearn.tree import DecisionTreeRegressor
from training import read_model, train

import madtree

N_ROWS = 600


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(
        f"""
        CREATE TABLE t AS SELECT i AS id, i * 37 % {N_ROWS} AS x, (i * 31 % 211) / 211.0::float8 AS z, i % 7 AS w,
            1 + i * 13 % 5 AS years, CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS g,
            (i * 37 % {N_ROWS} / 200 + i % 2 + CASE WHEN i % 11 = 0 THEN 3 ELSE 0 END) * (i % 4) / 2 AS events
        FROM generate_series(1, {N_ROWS}) i
        """
    )


def trained(db: psycopg.Connection, **more: Any) -> list[dict[str, Any]]:
    """The nodes of a tree of the events, the root first."""
    arguments = {"split_criterion": "poisson", "max_depth": 4, "replace": True, "dependent": "events", **more}
    train(db, "t", "m", arguments.pop("dependent"), "x, z", **arguments)
    return db.cursor(row_factory=dict_row).execute("SELECT * FROM m_nodes ORDER BY tree_id, node_id").fetchall()


def columns(db: psycopg.Connection, names: str) -> list[np.ndarray]:
    return [
        np.array(column, np.float64) for column in zip(*db.execute(f"SELECT {names} FROM t ORDER BY id"), strict=True)
    ]


def test_a_tree_of_rates_is_scikit_learns_where_the_definitions_agree(db: psycopg.Connection) -> None:
    nodes = trained(db, shrink=0, min_split=2, min_bucket=10, pruning_params="cp=-1", weights="w")
    x, z, w, events = columns(db, "x, z, w, events")
    fitted = DecisionTreeRegressor(criterion="poisson", max_depth=4, min_samples_leaf=10)
    used = w > 0
    fitted.fit(np.column_stack((x, z))[used], events[used], w[used])
    tree = fitted.tree_
    assert len(nodes) == tree.node_count > 20
    order = {0: 0}
    for at in range(tree.node_count):
        if tree.children_left[at] >= 0:
            here = next(node for node, place in order.items() if place == at)
            order[2 * here + 1], order[2 * here + 2] = tree.children_left[at], tree.children_right[at]
    for node in nodes:
        at = order[node["node_id"]]
        assert node["n_rows"] == tree.n_node_samples[at]
        assert node["prediction"] == pytest.approx(tree.value[at, 0, 0], rel=1e-12)
        # scikit-learn's impurity is half of the mean deviance.
        assert node["impurity"] == pytest.approx(2 * tree.impurity[at], rel=1e-9, abs=1e-12)
        if not node["is_leaf"]:
            assert node["threshold"] == pytest.approx(tree.threshold[at], rel=1e-6)


def test_rates_are_drawn_to_the_roots_as_far_as_shrink_says(db: psycopg.Connection) -> None:
    events, years = columns(db, "events, years")
    by_shrink = {}
    for shrink in (0, None, 0.1):
        nodes = trained(db, exposure="years", shrink=shrink, pruning_params="cp=-1")
        root, *_, last = nodes
        assert root["prediction"] == pytest.approx(events.sum() / years.sum(), rel=1e-12)
        by_shrink[shrink] = abs(last["prediction"] - root["prediction"])
    assert by_shrink[0] > by_shrink[None] > by_shrink[0.1] > 0


def test_a_count_of_all_alike_rows_splits_nothing(db: psycopg.Connection) -> None:
    (root,) = trained(db, dependent="years * 3", exposure="years / 7.0", weights="0.1 + z")
    assert (root["is_leaf"], root["prediction"]) == (True, pytest.approx(21))
    (root,) = trained(db, dependent="id * 0")
    assert (root["prediction"], root["risk"]) == (0, 0)


def test_an_exposure_of_one_is_none(db: psycopg.Connection) -> None:
    trained(db, pruning_params="n_folds=3, cp=0.001")
    without = read_model(db, "m")
    trained(db, pruning_params="n_folds=3, cp=0.001", exposure="1")
    assert {part: rows for part, rows in read_model(db, "m").items() if part != "_summary"} == {
        part: rows for part, rows in without.items() if part != "_summary"
    }


def test_rows_without_an_exposure_are_left_out(db: psycopg.Connection) -> None:
    (root, *_) = trained(db, exposure="nullif(years, 3)", grouping_cols="g", max_depth=2)
    known = db.execute(
        "SELECT count(*), sum(events)::float8 / sum(years) FROM t WHERE years <> 3 AND g = 'a'"
    ).fetchone()
    assert known is not None
    assert (root["n_rows"], root["prediction"]) == (known[0], pytest.approx(float(known[1])))
    assert db.execute("SELECT exposure, shrink FROM m_summary").fetchone() == ("nullif(years, 3)", 1)


@pytest.mark.parametrize("exposure", [None, "years"])
def test_evaluation_compares_counts_with_expected_ones(db: psycopg.Connection, exposure: str | None) -> None:
    trained(db, exposure=exposure, weights="w")
    found = dict(db.execute("SELECT metric, value FROM madtree.tree_evaluate('m', 't')").fetchall())
    db.execute("SELECT madtree.tree_predict('m', 't', 'scored')")
    events, weight, expected = columns(
        db, f"events, w, (SELECT estimated_events FROM scored s WHERE s.id = t.id) * {exposure or 1}"
    )
    used = weight > 0
    events, weight, expected = events[used], weight[used], expected[used]
    deviance = mean_poisson_deviance(events, expected, sample_weight=weight)
    squares = np.average(np.square(events - expected), weights=weight)
    spread = np.average(np.square(events - np.average(events, weights=weight)), weights=weight)
    assert found["poisson_deviance"] == pytest.approx(deviance)
    assert found["rmse"] == pytest.approx(np.sqrt(squares))
    assert found["mae"] == pytest.approx(np.average(np.abs(events - expected), weights=weight))
    assert found["r2"] == pytest.approx(1 - squares / spread)
    db.execute("CREATE VIEW negative AS SELECT id, -events AS events, x, z, w, years FROM t")
    with pytest.raises(psycopg.Error, match="test_table: events is negative, infinite or NaN"):
        db.execute("SELECT madtree.tree_evaluate('m', 'negative')")


def test_events_where_none_were_to_be_expected_deviate_infinitely(db: psycopg.Connection) -> None:
    db.execute("ALTER TABLE t ADD late int; UPDATE t SET late = x / 300")
    trained(db, dependent="late", shrink=0)
    query = "SELECT value FROM madtree.tree_evaluate('m', 't') WHERE metric = 'poisson_deviance'"
    assert db.execute(query).fetchall() == [(0,)]
    db.execute("UPDATE t SET late = 1")
    assert db.execute(query).fetchall() == [(float("inf"),)]


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_trees_whose_folds_deviate_infinitely_are_pruned_away(db: psycopg.Connection, rule: str) -> None:
    """Where leaves may have no events, `shrink => 0`, and rows held out have some: the least error is a finite one."""
    db.execute("CREATE TABLE rare AS SELECT id, id % 40 AS x, id % 40 / 20 * (id % 3) AS events FROM t")
    db.execute("UPDATE rare SET events = 1 WHERE id IN (17, 55, 90)")
    how = {"split_criterion": "poisson", "shrink": 0, "min_split": 4, "classification": False}
    train(db, "rare", "m", "events", "x", pruning_params=f"n_folds=5, cp=0, rule={rule}", **how)
    found = db.execute("SELECT xerror = 'Infinity', chosen FROM m_cv ORDER BY n_splits").fetchall()
    assert {infinite for infinite, _ in found} == {False, True}
    assert (False, True) in found


def test_whatever_shows_a_model_speaks_of_rates_and_deviances(db: psycopg.Connection) -> None:
    root, *_ = trained(db, exposure="years", max_depth=2)

    def text(query: str) -> str:
        return str(db.execute(query).fetchone()[0])  # type: ignore[index]

    assert "Number of rows and rate of events inside []" in text("SELECT madtree.tree_display('m', false, true)")
    with madtree.connect(db) as client:
        drawn = client.model("m").to_svg()
    assert f"deviance {root['impurity']:.3g}" in drawn
    assert "±" not in drawn
    rules = db.execute("SELECT mean, sd, confidence FROM madtree.tree_rules('m')").fetchall()
    leaves = db.execute("SELECT prediction, NULL::float8, NULL::float8 FROM m_nodes WHERE is_leaf").fetchall()
    assert sorted(rules) == sorted(leaves)
    document = json.loads(text("SELECT madtree.tree_to_json('m')::text"))
    assert (document["task"], document["exposure"], document["parameters"]["shrink"]) == ("regression", "years", 1)
    assert f'score="{root["prediction"]!r}"' in text("SELECT madtree.tree_to_pmml('m')")
    expression = text("SELECT madtree.tree_sql('m')")
    db.execute("SELECT madtree.tree_predict('m', 't', 'scored')")
    differing = f"SELECT count(*) FROM t JOIN scored USING (id) WHERE ({expression}) <> estimated_events"
    assert text(differing) == "0"
    assert text("SELECT parameters ->> 'exposure' FROM madtree.models WHERE schema = current_schema") == "years"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"exposure": "years - 3"}, "exposure: .* is not above 0, or not finite, in 360 rows"),
        ({"exposure": "years * 1e100"}, "double precision cannot hold the sums of their deviances"),
        ({"exposure": "g"}, "exposure g is of type text; it must be numeric"),
        ({"exposure": "years", "split_criterion": "mse", "classification": False}, "exposure is for split_criterion"),
        ({"shrink": -1}, "shrink must be a number of at least 0"),
        ({"shrink": 1, "split_criterion": "gini"}, "shrink is for split_criterion => 'poisson' only"),
        ({"dependent": "x - 5"}, "is negative, -5; split_criterion poisson counts events"),
        ({"dependent": "g"}, "split_criterion poisson is for regression, but dependent_variable g is of type text"),
        (
            {"classification": True},
            "split_criterion poisson is for regression, but classification is true|for regression",
        ),
    ],
)
def test_what_counts_nothing_is_refused(db: psycopg.Connection, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(psycopg.Error, match=message):
        trained(db, **arguments)
