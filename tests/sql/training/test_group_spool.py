"""Rows of small groups on their way from the table's order into that of blocks: the trees are those of rows that
PostgreSQL has sorted, for parallel workers.
"""

from __future__ import annotations

import psycopg
import pytest
from training import Tables, read_model

N_ROWS = 140_000  # of three blocks
ROWS = f"""
    SELECT i AS id, i % 700 AS g, (i * 7919 % 1013 > 500) <> (i % 7 = 0) AS y, sin(i) AS a, cos(i * 3.7) AS b,
        i % 101 AS c, ARRAY[i % 13, i % 17]::float8[] AS d
    FROM generate_series(1, {N_ROWS}) AS i
"""
MADE = {
    "no NULL": f"CREATE TABLE t AS {ROWS}",
    "NULLs in the last pages": f"CREATE TABLE t AS {ROWS}; UPDATE t SET c = NULL WHERE id % 1000 = 999",
    "NULLs everywhere": f"CREATE TABLE t AS {ROWS}; UPDATE t SET a = nullif(a, sin(g)), d[2] = NULL WHERE id % 2 = 0",
    "outcomes that are NULL": f"CREATE TABLE t AS {ROWS}; UPDATE t SET y = NULL WHERE id % 1000 > 700",
    "partitions": f"""
        CREATE TABLE t (id integer, g integer, y boolean, a float8, b numeric, c integer, d float8[])
            PARTITION BY LIST (c);
        CREATE TABLE few PARTITION OF t FOR VALUES IN (1, 2, 3, 50, 51, 99);
        CREATE TABLE empty PARTITION OF t FOR VALUES IN (1000);
        CREATE TABLE others PARTITION OF t DEFAULT;
        INSERT INTO t {ROWS};
        UPDATE t SET a = NULL WHERE c = 99
    """,
    "a view": f"CREATE TABLE rows AS {ROWS}; CREATE VIEW t AS SELECT * FROM rows WHERE id % 10 > 0",
    "columns of other names' names": f"""
        CREATE VIEW made AS {ROWS};
        CREATE TABLE t AS SELECT *, a AS madtree_low, b AS block, c AS images FROM made
    """,
}


def trained(db: psycopg.Connection, features: str, memory: int, workers: int) -> Tables:
    db.execute(
        f"SELECT madtree.tree_train('t', 'm', 'id', 'y', '{features}', grouping_cols => 'g', max_depth => 4,"
        f" replace => true, parallel_workers => {workers}, memory_mb => {memory})"
    )
    return {name: rows for name, rows in read_model(db, "m").items() if name != "_summary"}


@pytest.mark.one_in(7)
@pytest.mark.parametrize("memory", [64, 16], ids=["in memory", "in a file"])
@pytest.mark.parametrize("made", MADE)
def test_rows_that_are_not_sorted_give_the_same_trees(db: psycopg.Connection, made: str, memory: int) -> None:
    db.execute(f"{MADE[made]}; ANALYZE")
    features = "a, b, c, d" if made != "columns of other names' names" else "madtree_low, block, images"
    alone, shared = (trained(db, features, memory, workers) for workers in (0, 1))
    assert alone == shared
    n_rows, n_groups = db.execute("SELECT sum(n_rows), count(*) FROM m").fetchone()
    assert (n_rows, n_groups) == db.execute("SELECT count(y), count(DISTINCT g) FROM t").fetchone()
    assert n_rows > 2 * 65_536 or made in ("a view", "outcomes that are NULL")
