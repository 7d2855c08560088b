"""Rows without any feature, without an outcome or of weight 0 take no part: every strategy makes the same model of a
table that has some, to the byte, and counts the rows that it has learned from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import psycopg
import pytest
from shares import share
from training import read_model, train_by_client

from madtree.request import Tuning

# Rows without a feature are more than those with one, and their outcomes are larger.
MAKE = """
CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 5 < 2 THEN sin(i) END AS x, CASE WHEN i % 5 < 2 THEN i % 7 END AS z,
    i % 2 AS g, CASE WHEN i % 5 < 2 THEN 1 + i * 31 % 17 / 4.0::float8 ELSE 1000 + i % 9 END AS y,
    CASE WHEN i % 15 = 0 THEN 0 ELSE 1 + i % 3 END AS w
FROM generate_series(1, 430) AS i;
UPDATE t SET x = 5 + id WHERE w = 0 AND x IS NOT NULL
"""
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "boosted": ("boost", {"num_trees": 4, "min_bucket": 3}),
    "boosted, groups, weights": ("boost", {"num_trees": 4, "min_bucket": 3, "grouping_cols": "g", "weights": "w"}),
    "boosted counts": ("boost", {"num_trees": 4, "min_bucket": 3, "loss": "poisson"}),
    "boosted, held out": ("boost", {"num_trees": 6, "min_bucket": 3, "validation_params": "fraction=0.3"}),
    "forest": ("forest", {"num_trees": 4}),
    "forest, groups": ("forest", {"num_trees": 4, "grouping_cols": "g"}),
    "random splits": ("forest", {"num_trees": 6, "split_rule": "random", "weights": "w"}),
    "random splits, groups": ("forest", {"num_trees": 6, "split_rule": "random", "weights": "w", "grouping_cols": "g"}),
    "tree": ("tree", {"weights": "w", "pruning_params": "n_folds=3"}),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("turn", "case"), list(enumerate(CASES)))
def test_they_leave_no_trace(db: psycopg.Connection, turn: int, case: str) -> None:
    db.execute(MAKE)
    kind, more = CASES[case]
    names = "".join(f", {name} => %s" for name in more)
    models = []
    for strategy in ("memory", *share(("workers", "aggregate"), 2, turn)):
        db.execute(
            "SELECT madtree."
            f"{kind}_train('t', 'm', 'id', 'y', 'x, z', replace => true, strategy => %s, parallel_workers => 1{names})",  # type: ignore[arg-type]
            [strategy, *more.values()],
        )
        packed = [] if kind == "tree" else db.execute("SELECT * FROM m_packed ORDER BY tree_id").fetchall()
        models.append((read_model(db, "m"), packed))
    assert models[1:] == models[:1] * (len(models) - 1)
    counted = (
        "x IS NOT NULL OR z IS NOT NULL" if "weights" not in more else "w > 0 AND (x IS NOT NULL OR z IS NOT NULL)"
    )
    (n_rows,) = db.execute(f"SELECT count(*) FROM t WHERE {counted}").fetchone()  # type: ignore[arg-type,misc]
    (found,) = db.execute("SELECT total_rows_processed FROM m_summary").fetchone()  # type: ignore[misc]
    assert found == n_rows


@pytest.mark.parametrize("kind", ["tree", "forest", "boost"])
def test_a_table_of_such_rows_alone_is_refused(db: psycopg.Connection, kind: str) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, NULL::float8 AS x, i % 5 / 2.0::float8 AS y FROM generate_series(1, 50) i"
    )
    for strategy in ("memory", "workers", "aggregate"):
        with pytest.raises(psycopg.Error, match="t has no usable row: every feature is NULL in each of its rows"):
            db.execute(f"SELECT madtree.{kind}_train('t', 'm', 'id', 'y', 'x', strategy => '{strategy}')")  # type: ignore[arg-type]
    assert db.execute("SELECT to_regclass('m')").fetchone() == (None,)


GROUPED: dict[str, tuple[str, dict[str, Any]]] = {
    "tree": ("tree", {"max_competitors": 2}),
    "tree, surrogates, folds": ("tree", {"surrogate_params": "max_surrogates=1", "pruning_params": "n_folds=3"}),
    "tree of classes": ("tree", {"split_criterion": "gini", "classification": True}),
    "forest": ("forest", {"num_trees": 4, "num_permutations": 1}),
    "boosted": ("boost", {"num_trees": 4}),
    "boosted, held out": ("boost", {"num_trees": 6, "validation_params": "fraction=0.3, n_iter_no_change=2"}),
    "adaboost": ("boost", {"num_trees": 4, "boost_params": "method=adaboost", "classification": True}),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", GROUPED)
def test_a_group_of_such_rows_has_no_model(db: psycopg.Connection, case: str) -> None:
    """By every strategy it is one of the failed groups, with the same message, and its rows are skipped."""
    db.execute(MAKE + "; UPDATE t SET g = 7 WHERE x IS NULL AND id < 60; UPDATE t SET y = id % 2 WHERE id > 60")
    kind, more = GROUPED[case]
    dependent = "round(y) > 0" if "classification" in more else "y"
    names = "".join(f", {name} => %s" for name in more)
    models = []
    for strategy in ("memory", "workers", "aggregate"):
        db.execute(
            f"SELECT madtree.{kind}_train('t', 'm', 'id', '{dependent}', 'x, z', grouping_cols => 'g', "  # type: ignore[arg-type]
            f"replace => true, strategy => %s, parallel_workers => 1{names})",
            [strategy, *more.values()],
        )
        packed = [] if kind == "tree" else db.execute("SELECT * FROM m_packed ORDER BY tree_id").fetchall()
        models.append((read_model(db, "m"), packed))
        found = db.execute("SELECT num_all_groups, num_failed_groups, total_rows_processed FROM m_summary").fetchone()
        assert found == (3, 1, 172), strategy
        of_groups = "m" if kind == "tree" else "m_group"
        messages = db.execute(f"SELECT g, message IS NULL FROM {of_groups} ORDER BY g").fetchall()  # type: ignore[arg-type]
        assert messages == [(0, True), (1, True), (7, False)], strategy
    assert models[1] == models[0]
    assert models[2] == models[0]


@pytest.mark.parametrize("kind", ["tree", "forest", "boost"])
def test_a_large_group_of_such_rows_leaves_small_ones_their_models(db: psycopg.Connection, kind: str) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, CASE WHEN i <= 60 THEN sin(i) END AS x, i % 7 / 2.0::float8 AS y, "
        "i > 60 AS g FROM generate_series(1, 5060) i"
    )
    given = {"tree": {}, "forest": {"num_trees": 2}, "boost": {"num_trees": 2, "loss": "squared_error"}}[kind]
    train_by_client(
        db,
        replace(Tuning(), block_rows=2000, read_rows=1000),
        training_table_name="t",
        output_table_name="m",
        id_col_name="id",
        dependent_variable="y",
        list_of_features="x",
        grouping_cols="g",
        **given,
    )
    found = db.execute("SELECT num_all_groups, num_failed_groups, total_rows_processed FROM m_summary").fetchone()
    assert found == (2, 1, 60)
