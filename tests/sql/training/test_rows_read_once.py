"""Rows that are read once: from memory or from a file, the same numbers; and blocks that this process writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg_host import PsycopgHost
from shares import share
from surveying import surveyed

from madtree.host.protocol import Row
from madtree.ingest.page_ranges import PageRanges, Reading
from madtree.ingest.row_spool import RowSpool
from madtree.request import arguments

_MAKE = (
    "CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 50 > 0 THEN i % 3 END AS y, nullif(i % 40, 7) / 4.0 AS a, "
    "'level ' || i % 6 AS b, ARRAY[i, i / 2, nullif(i % 9, 0)]::float8[] AS x FROM generate_series(1, {rows}) i"
)


def _spool(db: psycopg.Connection, in_memory: int) -> RowSpool:
    host = PsycopgHost(db)
    found = surveyed(host, arguments.check_arguments(host, "t", "m", "id", "y", "a, b, x"))
    pages = PageRanges.cut(host, found.source.oids, 5_000, 700)
    reading = Reading(host, found.source.rows, pages)
    return RowSpool.read(reading, found.row_format(found.profile), in_memory, part_bytes=8 * 6 * 900)


@pytest.mark.parametrize("in_memory", [100, 2**24], ids=["file", "memory"])
def test_rows_come_back_as_they_were_read(db: psycopg.Connection, in_memory: int) -> None:
    db.execute(_MAKE.format(rows=5_000))
    db.execute("DELETE FROM t WHERE id BETWEEN 1000 AND 2500; UPDATE t SET x = NULL WHERE id = 77")
    spool = _spool(db, in_memory)
    rows = db.execute(
        "SELECT y, a, b, x[1], x[2], x[3], id FROM t WHERE y IS NOT NULL ORDER BY tableoid, ctid"
    ).fetchall()
    expected: list[list[Any]] = list(zip(*rows, strict=True))  # type: ignore[arg-type]
    assert spool.n_rows == len(rows) > 3_000
    for feature, column in ((0, 1), (2, 3), (3, 4), (4, 5)):
        values = np.array([np.nan if v is None else float(v) for v in expected[column]])
        assert np.array_equal(spool.feature(feature), values, equal_nan=True)
    for first, last in ((0, 3_000), (850, 950), (0, 900), (1_800, spool.n_rows)):  # in any order
        some = spool.rows(first, last, spool._format)
        assert len(some.features) == 5
        assert some.target.tolist() == list(map(float, expected[0][first:last]))
        assert some.features[1].tolist() == [float(b[-1]) for b in expected[2][first:last]]
        keep = some.target == 1
        kept = some.select(keep).select(np.arange(int(keep.sum())) % 2 == 0)
        assert np.array_equal(kept.features[3], some.features[3][keep][::2], equal_nan=True)
    spool.close()


def test_a_spool_of_no_rows(db: psycopg.Connection) -> None:
    db.execute(_MAKE.format(rows=50))
    db.execute("UPDATE t SET y = 1; DELETE FROM t WHERE id > 1")
    host = PsycopgHost(db)
    task = arguments.check_arguments(host, "t", "m", "id", "y", "a, b, x")
    found = surveyed(host, task)
    db.execute("DELETE FROM t")
    reading = Reading(host, found.source.rows, PageRanges.cut(host, found.source.oids, 50, 700))
    spool = RowSpool.read(reading, found.row_format(found.profile), 100)
    assert (spool.n_rows, len(spool.feature(0))) == (0, 0)
    spool.close()


@pytest.mark.parametrize("in_memory", [100, 2**24], ids=["file", "memory"])
def test_some_rows_of_groups_come_back_with_their_trees(db: psycopg.Connection, in_memory: int) -> None:
    """The last number of a row is NULL for the first time where many rows have been read."""
    db.execute(_MAKE.format(rows=5_000))
    db.execute("UPDATE t SET a = id WHERE a IS NULL AND id < 4000; UPDATE t SET x = ARRAY[id, id, id]")
    host = PsycopgHost(db)
    task = arguments.check_arguments(host, "t", "m", "id", "y", "b, x, a", grouping_cols="id % 4")
    found = surveyed(host, task)
    pages = PageRanges.cut(host, found.source.oids, 5_000, 700)
    condition = f"madtree_g1 > 1 AND {found.source.rows.usable}"
    size = in_memory, 8 * 7 * 900
    reading = Reading(host, found.source.rows, pages)
    spool = RowSpool.read(reading, found.row_format(found.profile), *size, condition=condition)
    expected = db.execute(
        f"SELECT tree_id, a FROM t JOIN {found.source.rows.groups} ON g1 = id % 4 WHERE y IS NOT NULL AND g1 > 1 "
        "ORDER BY t.ctid"
    ).fetchall()
    assert spool.n_rows == len(expected) > 2_000
    assert spool.trees().tolist() == [tree for tree, _ in expected]
    values = np.array([np.nan if a is None else float(a) for _, a in expected])
    assert np.isnan(values).any()
    assert np.array_equal(spool.feature(4), values, equal_nan=True)
    spool.close()


def test_numbers_are_checked_for_null_once_they_have_been(db: psycopg.Connection) -> None:
    """Only page ranges in which a number is NULL for the first time are read twice."""
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i % 2 AS y, CASE WHEN i <> 2500 THEN i END AS a, i / 2.0 AS b, "
        "CASE WHEN i % 4000 > 0 THEN i END AS c FROM generate_series(1, 5000) i"
    )
    host = _CountingHost(db)
    found = surveyed(host, arguments.check_arguments(host, "t", "m", "id", "y", "a, b, c"))
    pages = PageRanges.cut(host, found.source.oids, 5_000, 700)
    host.queries.clear()
    spool = RowSpool.read(Reading(host, found.source.rows, pages), found.row_format(found.profile), 2**20)
    assert np.flatnonzero(np.isnan(spool.feature(0))).tolist() == [2499]
    assert np.flatnonzero(np.isnan(spool.feature(2))).tolist() == [3999]
    assert len(host.queries) == len(pages.ranges) + 2
    assert [query.count("COALESCE") for query in host.queries if query.count("COALESCE") < 4][-1] == 2
    spool.close()


def test_rows_without_a_dependent_are_counted_though_they_are_not_kept(db: psycopg.Connection) -> None:
    """A table that is known to be large is not counted before; many bins make all its rows be read once."""
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 50 > 0 THEN i % 3 = 0 END AS y, i % 1000 / 8.0 AS a "
        "FROM generate_series(1, 300000) i"
    )
    db.execute("ANALYZE t")
    db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'y', 'a', max_depth => 2, n_bins => 1000)")
    rows = db.execute("SELECT total_rows_processed, total_rows_skipped FROM m_summary").fetchone()
    assert rows == (294_000, 6_000)


class _CountingHost(PsycopgHost):
    def __init__(self, connection: psycopg.Connection) -> None:
        super().__init__(connection)
        self.queries: list[str] = []

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        self.queries.append(sql)
        return super().query(sql, types, params)


@pytest.mark.parametrize("n_folds", share([2, 10], 2, 1))
def test_a_table_that_is_wide_for_its_memory_goes_to_a_file(db: psycopg.Connection, n_folds: int) -> None:
    """100,000 rows of 30 features do not fit half of 8 MB: some blocks are in a file; and with ten folds not even
    all of their rows' positions fit.
    """
    db.execute(_MAKE.format(rows=100_000))
    db.execute("ALTER TABLE t ALTER a TYPE float8")  # PostgreSQL computes with numeric several times as long
    features = ", ".join(["b", *(f"(a * {i} + id % {i + 2})" for i in range(1, 30))])
    trees = []
    for workers in (0, 1):
        db.execute(
            f"SELECT madtree.tree_train('t', 'm', 'id', 'y', '{features}', max_depth => 2, memory_mb => 8, "
            f"replace => true, pruning_params => 'n_folds={n_folds}', parallel_workers => {workers})"
        )
        query = "SELECT array_agg(n::text ORDER BY node_id) FROM m_nodes n"
        trees.append((db.execute(query).fetchone(), db.execute("SELECT array_agg(c::text) FROM m_cv c").fetchone()))
    assert trees[0] == trees[1]
    assert db.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'madtree\\_%\\_%'").fetchone() == (0,)
