"""Ensembles of small trees: many rows at once come to what a few at a time come to, which are walked down."""

from __future__ import annotations

import psycopg
import pytest

N, PART = 3_000, 1_000  # rows; and of them, so many at a time
MAKE = f"""
CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 13 > 0 THEN sin(i * 7.1) END AS x, cos(i * 3.7)::float4 AS y,
    CASE WHEN i % 17 > 0 THEN 'k' || i * 53 % 40 END AS k, i * 31 % 9 AS z, i % 2 AS g,
    CASE WHEN sin(i * 7.1) + (i * 53 % 40 > 20)::int * cos(i * 3.7) + sin(i * 1.3) / 2 > 0.2 THEN 'yes'
    WHEN i * 31 % 9 > 6 THEN 'maybe' ELSE 'no' END AS c FROM generate_series(1, {N}) i;
CREATE TABLE new AS TABLE t;
UPDATE new SET k = 'unseen' WHERE id % 19 = 0;
UPDATE new SET x = NULL WHERE id % 7 = 0;
UPDATE new SET y = 'NaN' WHERE id % 23 = 0;
"""
CASES = {
    "boosting": ("boost", "boost_train('t', 'm', 'id', 'c', 'x, y, k, z', num_trees => 12)", "prob"),
    "two classes": ("boost", "boost_train('t', 'm', 'id', $$c = 'yes'$$, 'x, y, k, z', num_trees => 12)", "raw"),
    "numbers alone": (
        "boost",
        "boost_train('t', 'm', 'id', 'z', 'x, y', num_trees => 12, max_leaf_nodes => 64, classification => false)",
        "response",
    ),
    "forest": (
        "forest",
        "forest_train('t', 'm', 'id', 'c', 'x, y, k, z', num_trees => 12, max_tree_depth => 4, importance => false)",
        "prob",
    ),
    "groups": ("boost", "boost_train('t', 'm', 'id', 'c', 'x, k', grouping_cols => 'g', num_trees => 4)", "prob"),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", CASES)
def test_many_rows_come_to_what_few_do(db: psycopg.Connection, case: str) -> None:
    kind, train, type_ = CASES[case]
    db.execute(MAKE)
    db.execute(f"SELECT madtree.{train}".encode())
    predict = f"SELECT madtree.{kind}_predict('m', %s, %s, %s)"
    db.execute(predict.encode(), ["new", "whole", type_])
    db.execute("CREATE TABLE parts AS TABLE whole WITH NO DATA")
    for first in range(0, N, PART):
        db.execute(
            f"CREATE OR REPLACE VIEW few AS SELECT * FROM new WHERE id > {first} AND id <= {first + PART}".encode()
        )
        db.execute(predict.encode(), ["few", "part", type_])
        db.execute("INSERT INTO parts TABLE part; DROP TABLE part")
    ((n,),) = db.execute("SELECT count(*) FROM whole").fetchall()
    assert n == N
    assert db.execute("(TABLE whole EXCEPT TABLE parts) UNION ALL (TABLE parts EXCEPT TABLE whole)").fetchall() == []
