"""Costs of features; tests/parity holds their trees against rpart's."""

from __future__ import annotations

import psycopg
import pytest
from training import train

WRONG = {
    "x": "feature_costs: 'x' is not a pair feature=cost",
    "x=0": "feature_costs: the cost of x must be a number above 0, not '0'",
    "x=dear": "feature_costs: the cost of x must be a number above 0, not 'dear'",
    "x=2, X = 3": "feature_costs: x is given twice",
    "y=2": "feature_costs: y is none of the features",
    "nothing=2": "feature_costs: column nothing does not exist in t",
}


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i AS x, ARRAY[i + i % 9, i % 5] AS a, i / 50 + i % 2 / 3.0::float8 AS y "
        "FROM generate_series(1, 200) i"
    )


def root(db: psycopg.Connection, features: str, costs: str | None) -> tuple[str, float]:
    train(db, "t", "m", "y", features, feature_costs=costs, max_depth=1, replace=True)
    found = db.execute("SELECT feature, improvement FROM m_nodes WHERE node_id = 0").fetchone()
    assert found is not None
    return found


def test_a_dear_feature_gives_way_and_its_gain_is_told_at_its_cost(db: psycopg.Connection) -> None:
    feature, gain = root(db, "x, a", None)
    assert feature == "x"
    assert root(db, "x, a", "x=1.0, a=1") == ("x", gain)
    assert root(db, "x, a", "x=0.5") == ("x", 2 * gain)
    other, less = root(db, "x, a", "x=2")
    assert other == "(a)[1]"
    assert gain / 2 < less < gain
    assert root(db, "x, a", "x=2, a=4") == ("x", gain / 2)
    assert root(db, "x, (a)[1] + (a)[2], x % 3 = 1", "x % 3 = 1 = 0.5, (a)[1] + (a)[2] = 3")[0] == "x"
    assert db.execute("SELECT feature_costs FROM m_summary").fetchall() == [("x % 3 = 1 = 0.5, (a)[1] + (a)[2] = 3",)]


def test_the_whole_trees_impurity_falls_by_the_gain_whatever_it_costs(db: psycopg.Connection) -> None:
    least = root(db, "x", None)[1] / 200 * 0.999
    for cost in ("x=10", "x=0.1"):
        train(db, "t", "m", "y", "x", feature_costs=cost, min_impurity_decrease=least, replace=True)
        assert db.execute("SELECT n_leaves FROM m").fetchone() == (2,)


@pytest.mark.parametrize("costs", WRONG)
def test_what_is_no_cost_is_refused(db: psycopg.Connection, costs: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        root(db, "x, a", costs)
    assert caught.value.diag.message_primary == f"madtree: {WRONG[costs]}"
