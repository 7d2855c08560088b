"""Rows that are read once: from memory or from a file, the same numbers; and blocks that this process writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg_host import PsycopgHost

from madtree import arguments
from madtree.pages import PageRanges
from madtree.rowspool import RowSpool
from madtree.run import Run
from madtree.stopwatch import Stopwatch
from madtree.workers import Workers

_MAKE = (
    "CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 50 > 0 THEN i % 3 END AS y, nullif(i % 40, 7) / 4.0 AS a, "
    "'level ' || i % 6 AS b, ARRAY[i, i / 2, nullif(i % 9, 0)]::float8[] AS x FROM generate_series(1, {rows}) i"
)


def _spool(db: psycopg.Connection, in_memory: int) -> RowSpool:
    host = PsycopgHost(db)
    run = Run(host, arguments.check(host, "t", "m", "id", "y", "a, b, x"), Workers(), Stopwatch("sample"))
    pages = PageRanges.cut(host, run.oids, 5_000, 700)
    return RowSpool.read(host, run.source, pages, run._row_format(), in_memory)


@pytest.mark.parametrize("in_memory", [100, 2**24], ids=["file", "memory"])
def test_rows_come_back_as_they_were_read(db: psycopg.Connection, in_memory: int) -> None:
    db.execute(_MAKE.format(rows=5_000))
    db.execute("DELETE FROM t WHERE id BETWEEN 1000 AND 2500; UPDATE t SET x = NULL WHERE id = 77")
    spool = _spool(db, in_memory)
    rows = db.execute(
        "SELECT y, a, b, x[1], x[2], x[3], id FROM t WHERE y IS NOT NULL ORDER BY tableoid, ctid"
    ).fetchall()
    expected: list[list[Any]] = list(zip(*rows, strict=True))  # type: ignore[arg-type]
    for feature, column in ((0, 1), (2, 3), (3, 4), (4, 5)):
        values = np.array([np.nan if v is None else float(v) for v in expected[column]])
        assert np.array_equal(spool.feature(feature), values, equal_nan=True)
    for _ in range(2):  # as often as one likes
        parts = list(spool.parts())
        assert len(parts) > 3
        assert np.concatenate([p.target for p in parts]).tolist() == list(map(float, expected[0]))
        assert np.concatenate([p.features[1] for p in parts]).tolist() == [float(b[-1]) for b in expected[2]]
    spool.close()


def test_a_table_that_is_wide_for_its_memory_is_written_by_this_process(db: psycopg.Connection) -> None:
    """100,000 rows of 40 features do not fit half of 8 MB; a worker packs the same blocks."""
    db.execute(_MAKE.format(rows=100_000))
    features = ", ".join(["b", *(f"(a * {i} + id % {i + 2})" for i in range(1, 40))])
    trees = []
    for workers in (0, 1):
        db.execute(
            f"SELECT madtree.tree_train('t', 'm', 'id', 'y', '{features}', max_depth => 4, memory_mb => 8, "
            f"replace => true, pruning_params => 'n_folds=2', parallel_workers => {workers})"
        )
        query = "SELECT array_agg(n::text ORDER BY node_id) FROM m_nodes n"
        trees.append((db.execute(query).fetchone(), db.execute("SELECT array_agg(c::text) FROM m_cv c").fetchone()))
    assert trees[0] == trees[1]
    assert db.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'madtree\\_%\\_%'").fetchone() == (0,)
