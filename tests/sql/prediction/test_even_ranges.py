"""Ranges of pages for processes that share them: as many for each, of about as many rows, and all rows."""

from __future__ import annotations

import psycopg
import pytest
from psycopg_host import PsycopgHost

from madtree.ingest.page_ranges import PageRanges


@pytest.mark.parametrize("n_rows", [0, 1, 300, 5_000, 20_011])
@pytest.mark.parametrize("processes", [1, 2, 3])
def test_each_process_has_as_many_rows(db: psycopg.Connection, n_rows: int, processes: int) -> None:
    db.execute(f"CREATE TABLE t AS SELECT i AS id, i / 2.0 AS x FROM generate_series(1, {n_rows}) i")
    table = db.execute("SELECT 't'::regclass::oid::int4, pg_relation_size('t') / 8192").fetchone()
    assert table is not None
    # From PostgreSQL 16 on a table grows by several pages at once: the last ones are empty, and ranges are of pages.
    of_page = [n for (n,) in db.execute("SELECT count(*) FROM t GROUP BY (ctid::text::point)[0]").fetchall()]
    most = 2_000
    fullest = most
    if table[1] > len(of_page):
        fullest = -(-most * table[1] // max(n_rows, 1)) * max(of_page, default=0)
    cut = PageRanges.cut(PsycopgHost(db), [table[0]], n_rows, most, processes)
    held = []
    for r in cut.ranges:
        of_range = db.execute("SELECT count(*) FROM t WHERE ctid >= %s::tid AND ctid < %s::tid", [r.low, r.high])
        held += [row[0] for row in of_range]
    assert sum(held) == n_rows
    assert max(held) <= fullest
    if table[1] >= 10 * processes:
        assert len(cut.ranges) % processes == 0
        assert len(cut.ranges) < n_rows / most + processes
        ends = [int(r.low[1:].split(",")[0]) for r in cut.ranges[1:]] + [table[1]]
        assert min(n for n, end in zip(held, ends, strict=True) if end <= len(of_page)) > 0.7 * max(held)


@pytest.mark.parametrize("said", [1, 10**20])
def test_ranges_are_bounded_whatever_is_said_of_the_rows(db: psycopg.Connection, said: int) -> None:
    """As where many were added since the table was analyzed; from PostgreSQL 18 on its owner may say anything."""
    db.execute("CREATE TABLE t AS SELECT i AS id FROM generate_series(1, 20011) i")
    table = db.execute("SELECT 't'::regclass::oid::int4").fetchone()
    assert table is not None
    cut = PageRanges.cut(PsycopgHost(db), [table[0]], said, 1_000, 1)
    within = "SELECT count(*) FROM t WHERE ctid >= %s::tid AND ctid < %s::tid"
    held = [db.execute(within, [r.low, r.high]).fetchall()[0][0] for r in cut.ranges]
    assert sum(held) == 20_011
    assert max(held) <= 8 * 1_000
    assert len(held) <= 20_011 / 500
