"""permutation_importance, held against what all exchanges of values come to on average."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import rows

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost

MAKE = """
CREATE TABLE t AS SELECT n AS id, CASE WHEN n % 10 < 7 THEN 'A' ELSE 'B' END AS g, sin(n * 7.1) AS x,
    cos(n * 3.7) AS "Odd name", 'c' || n * 13 % 4 AS c, sin(n * 1.7) AS noise, n % 4 + 0.5 AS w, 1.0 + n % 3 AS span
FROM generate_series(1, 400) AS n;
ALTER TABLE t ADD v float8, ADD k text, ADD n int;
UPDATE t SET v = x * 3 + "Odd name" + (c = 'c2')::int;
UPDATE t SET k = 'class ' || width_bucket(v, -3, 3, 2), n = greatest(v + 3, 0)::int;
CREATE TABLE test AS SELECT * FROM t WHERE id % 7 = 0;
"""
FEATURES = 'x, "Odd name", c'
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "tree of classes": ("tree", "k", {"weights": "w"}),
    "tree of numbers, groups": ("tree", "v", {"grouping_cols": "g"}),
    "forest of classes": ("forest", "k", {"num_trees": 5, "importance": False}),
    "forest of numbers": ("forest", "v", {"num_trees": 5, "importance": False, "weights": "w"}),
    "boosted classes": ("boost", "k", {"num_trees": 5, "min_bucket": 3}),
    "boosted numbers": ("boost", "v", {"num_trees": 5, "min_bucket": 3}),
    "boosted counts": ("boost", "n", {"num_trees": 5, "min_bucket": 3, "loss": "poisson", "exposure": "span"}),
}
METRICS = {"k": ("log_loss", "accuracy"), "v": ("rmse", "mae"), "n": ("rmse", "mae")}


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def train(db: psycopg.Connection, kind: str, dependent: str, more: dict[str, Any], features: str = FEATURES) -> None:
    names = "".join(f", {name} => %s" for name in more)
    db.execute(
        f"SELECT madtree.{kind}_train('t', 'm', 'id', %s, %s{names})",  # type: ignore[arg-type]
        [dependent, features, *more.values()],
    )


def importance(db: psycopg.Connection, source: str = "test", **more: Any) -> dict[str, dict[str, Any]]:
    names = "".join(f", {name} => %s" for name in more)
    query = f"SELECT * FROM madtree.permutation_importance('m', %s{names})"
    found = rows(db, query, source, *more.values())
    assert [row["importance"] for row in found] == sorted((row["importance"] for row in found), reverse=True)
    return {row["features"]: row for row in found}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", MODELS)
def test_the_value_is_what_tree_evaluate_says(db: psycopg.Connection, name: str) -> None:
    kind, dependent, more = MODELS[name]
    train(db, kind, dependent, more)
    whole = dict(db.execute("SELECT metric, value FROM madtree.tree_evaluate('m', 'test') WHERE group_values IS NULL"))
    for metric in METRICS[dependent]:
        found = importance(db, metric=metric)
        assert len(found) == 3
        for row in found.values():
            assert row["metric"] == metric
            assert row["n"] == 57
            if dependent != "n":  # of counts tree_evaluate judges the counts, and here rates are
                assert row["value"] == pytest.approx(whole[metric], rel=1e-12)


@pytest.mark.in_turn
@pytest.mark.parametrize("together", ["x", '"Odd name"', "c", '[x, "Odd name"]'])
@pytest.mark.parametrize("kind", ["tree", "boost"])
def test_it_is_the_mean_over_all_pairs_of_rows(db: psycopg.Connection, kind: str, together: str) -> None:
    """Each row has each row's values as often, so by the mean absolute error of all pairs."""
    train(db, kind, "v", {"min_bucket": 3} | ({"num_trees": 9} if kind == "boost" else {}))
    names = together.strip("[]").split(", ")
    columns = ", ".join(f"{'b' if name in names else 'a'}.{name}" for name in FEATURES.split(", "))
    db.execute(f"CREATE TABLE pairs AS SELECT a.id * 1000 + b.id AS id, a.v, {columns} FROM test a, test b")  # type: ignore[arg-type]
    mae = "SELECT value FROM madtree.tree_evaluate('m', %s) WHERE metric = 'mae'"
    (pairs,), (as_is,) = (db.execute(mae, [table]).fetchone() for table in ("pairs", "test"))  # type: ignore[misc]
    found = importance(db, features=together, metric="mae", n_repeats=100)[together]
    assert found["value"] == pytest.approx(as_is, rel=1e-12)
    assert abs(found["importance"] - (pairs - as_is)) < 5 * found["stddev"] / 10
    assert found["stddev"] > 0


def test_null_is_the_default(db: psycopg.Connection) -> None:
    train(db, "tree", "v", {"max_depth": 3})
    nothing = dict.fromkeys(("features", "metric", "n_repeats", "seed", "max_rows"))
    assert importance(db, **nothing) == importance(db)


def test_what_no_tree_asks_is_not_important(db: psycopg.Connection) -> None:
    train(db, "tree", "v", {"max_depth": 2}, "x, noise")
    found = importance(db)
    assert found["noise"]["importance"] == found["noise"]["stddev"] == 0
    assert found["x"]["importance"] > 0.5


def test_values_are_exchanged_within_groups(db: psycopg.Connection) -> None:
    """Each group has one value of `s`, so nothing can be exchanged."""
    db.execute("ALTER TABLE t ADD s float8; UPDATE t SET s = (g = 'A')::int; ALTER TABLE test ADD s float8")
    db.execute("UPDATE test SET s = (g = 'A')::int")
    train(db, "forest", "v", {"grouping_cols": "g", "num_trees": 3}, "x, s")
    assert importance(db)["s"]["importance"] == 0
    train_alone = "SELECT madtree.forest_train('t', 'm', 'id', 'v', 's', num_trees => 3, replace => true)"
    db.execute(train_alone)
    assert importance(db, metric="mae")["s"]["importance"] != 0


def test_rows_that_do_not_count(db: psycopg.Connection) -> None:
    train(db, "tree", "k", {"weights": "w", "grouping_cols": "g"})
    before = importance(db)
    db.execute(
        "INSERT INTO test (id, g, k, w, x) VALUES (901, 'A', 'new', 1, 0), (902, 'A', NULL, 1, 0), "
        "(903, 'Z', 'class 1', 1, 0), (904, 'B', 'class 1', 0, 0), (905, 'B', 'class 1', NULL, 0)"
    )
    after = importance(db)
    assert {name: (row["value"], row["n"]) for name, row in after.items()} == {
        name: (row["value"], row["n"]) for name, row in before.items()
    }
    db.execute("INSERT INTO test (id, g, k, w, x) VALUES (906, 'A', 'class 1', -1, 0)")
    with pytest.raises(psycopg.Error, match="weights w is negative, infinite or NaN in 1 row of test"):
        importance(db)


def test_the_same_bytes_in_whatever_order_and_by_the_client(
    db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(db, "boost", "k", {"num_trees": 5})
    db.execute("CREATE VIEW shuffled AS SELECT * FROM t ORDER BY md5(id::text || 'x')")
    found = importance(db, "t", max_rows=100, seed=7)
    assert next(iter(found.values()))["n"] == 100
    assert importance(db, "shuffled", max_rows=100, seed=7) == found != importance(db, "t", max_rows=100, seed=8)
    monkeypatch.setattr("madtree.score.rows_at_hand.MOST_ROWS", 250)  # two repeats at once, and not all of them
    with db.transaction():
        answer = call(PsycopgHost(db), "permutation_importance", ("m", "t"), {"max_rows": 100, "seed": 7})
    assert answer.rows == [[*row.values()] for row in found.values()]
    assert np.isfinite([row["importance"] for row in found.values()]).all()
