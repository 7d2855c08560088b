"""A tree of at most 4,096 rows tries every threshold, whatever `n_bins` says; each group by its own number of rows."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from training import train
from trees import read_nodes

FEW = 4_096
STEP = 1_234  # between quantiles
STRATEGIES = ("auto", "memory", "workers", "aggregate")


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    """Two groups; y jumps at `STEP` in each. Of one row more in each no outcome is known, of another one no weight."""
    db.execute(f"""CREATE TABLE t AS SELECT 2 * i + g AS id, g, i::float8 AS x, 1.0::float8 AS w,
                    CASE WHEN i > {STEP} THEN 1.0 ELSE 0.0 END::float8 AS y
                   FROM generate_series(1, {FEW} + 1) AS i, generate_series(0, 1) AS g WHERE i <= {FEW} + g;
                   INSERT INTO t SELECT -1 - g, g, 0, 1, NULL FROM generate_series(0, 1) AS g;
                   INSERT INTO t SELECT -3 - g, g, 0, NULL, 0 FROM generate_series(0, 1) AS g;
                   ANALYZE t""")


def root_thresholds(db: psycopg.Connection, table: str, **more: Any) -> dict[int, float]:
    """By tree."""
    train(db, table, "m", "y", "x", weights="w", n_bins=4, max_depth=1, replace=True, **more)
    return {tree: nodes[0]["threshold"] for tree, nodes in read_nodes(db, "m").items()}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_group_by_its_own_rows(db: psycopg.Connection, strategy: str) -> None:
    found = root_thresholds(db, "t", grouping_cols="g", strategy=strategy)
    assert found == {1: STEP + 0.5, 2: 1025.5}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rows_without_any_feature_are_counted(db: psycopg.Connection, strategy: str) -> None:
    """They are left out of the tree, but are usable for all that is known before features are read."""
    db.execute("CREATE TABLE one AS SELECT * FROM t WHERE g = 0")
    assert root_thresholds(db, "one", strategy=strategy) == {1: STEP + 0.5}
    db.execute("INSERT INTO one VALUES (0, 0, NULL, 1, 0)")
    assert root_thresholds(db, "one", strategy=strategy) == {1: 1024.5}


def test_integers_and_no_bins(db: psycopg.Connection) -> None:
    """Integers of more than 1,024 values are binned otherwise; with `n_bins => 0` nothing is."""
    db.execute("CREATE TABLE one AS SELECT id, g, x::int AS x, w, y FROM t WHERE g = 0")
    assert root_thresholds(db, "one") == {1: STEP + 0.5}
    db.execute(f"INSERT INTO one VALUES (0, 0, {FEW + 1}, 1, 1)")
    assert root_thresholds(db, "one") != {1: STEP + 0.5}
    train(db, "one", "m", "y", "x", n_bins=0, max_depth=1, replace=True)
    assert read_nodes(db, "m")[1][0]["threshold"] == STEP + 0.5
