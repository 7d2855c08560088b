"""Rows without any feature, without an outcome or of weight 0 take no part: every strategy makes the same model of a
table that has some, to the byte, and counts the rows that it has learned from.
"""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from training import read_model

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


@pytest.mark.parametrize("case", CASES)
def test_they_leave_no_trace(db: psycopg.Connection, case: str) -> None:
    db.execute(MAKE)
    kind, more = CASES[case]
    names = "".join(f", {name} => %s" for name in more)
    models = []
    for strategy in ("memory", "workers", "aggregate"):
        db.execute(
            f"SELECT madtree.{kind}_train('t', 'm', 'id', 'y', 'x, z', replace => true, strategy => %s{names})",  # type: ignore[arg-type]
            [strategy, *more.values()],
        )
        packed = [] if kind == "tree" else db.execute("SELECT * FROM m_packed ORDER BY tree_id").fetchall()
        models.append((read_model(db, "m"), packed))
    assert models[1] == models[0]
    assert models[2] == models[0]
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
