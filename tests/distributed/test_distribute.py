"""What is said to Citus of tables to distribute, and that nothing is said to plain PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
from psycopg_host import PsycopgHost

from madtree.host.protocol import Row
from madtree.ingest import distribute, placement
from madtree.sqltext.distributed import DistributedTables
from madtree.storage.distributed import count_shards, part_rows


class Recorder:
    """A host with or without Citus that keeps what it is asked."""

    has_extension = False

    def __init__(self, method: str | None, *, citus: bool = True, itself: bool = True) -> None:
        self._method, self._citus, self._itself = method, citus, itself
        self.asked: list[tuple[str, list[Any]]] = []

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        if "pg_extension" in sql:
            return [{"found": 1}] if self._citus else []
        self.asked.append((sql, list(params)))
        if "pg_dist_shard" in sql:
            return [{"n_shards": 6}]
        return [{"method": self._method, "itself": self._itself}] if self._method else []

    def command(self, sql: str) -> int:
        return len(self.query(sql))


@pytest.mark.parametrize(
    ("method", "itself", "held"),
    [
        ("h", True, "spread"),
        ("r", True, "spread"),
        ("a", True, "spread"),
        ("n", True, "whole"),
        ("h", False, "viewed"),
        ("n", False, "whole"),
        (None, True, None),
    ],
)
def test_placements_are_told_apart(method: str | None, itself: bool, held: str | None) -> None:
    assert placement(Recorder(method, itself=itself), 1) == held  # type: ignore[arg-type]


def test_the_catalogue_of_citus_is_not_asked_for_where_it_is_not(db: psycopg.Connection) -> None:
    host = PsycopgHost(db)
    db.execute("CREATE TABLE t (part int)")
    assert placement(host, 1) is None
    distribute(host, "t", "part", n_shards=6)
    assert count_shards(host, 1) == 1
    distribute(host, "t", "part", beside="t")


def test_rows_get_a_colocation_group_of_their_own_and_blocks_lie_beside_them() -> None:
    host, tables = Recorder(None), DistributedTables('O"dd', "ff00")
    n_shards = count_shards(host, 77)  # type: ignore[arg-type]
    distribute(host, tables.name("rows"), tables.shard_key, n_shards=n_shards)  # type: ignore[arg-type]
    distribute(host, tables.name("blocks"), "shard_key", beside=tables.name("rows"))  # type: ignore[arg-type]
    rows, blocks = '"O""dd"."madtree_rows_ff00"', '"O""dd"."madtree_blocks_ff00"'
    (count, counted), *distributed = host.asked
    assert "pg_catalog.pg_dist_shard" in count
    assert counted == [77]
    call = "SELECT pg_catalog.create_distributed_table('{}'::pg_catalog.regclass, '{}', colocate_with => "
    assert distributed == [
        (call.format(rows, "madtree_key_ff00") + "'none', shard_count => 6)", []),
        (call.format(blocks, "shard_key") + f"'{rows}')", []),
    ]


def test_the_rows_and_blocks_tables_have_the_column_they_are_distributed_by(
    db: psycopg.Connection, schema: str
) -> None:
    tables = DistributedTables(schema, "ff00")
    db.execute('CREATE TABLE source ("Part" int, madtree_part int, ctid_of text)')
    db.execute(tables.create_rows(None, "source AS madtree_source").encode())
    db.execute(tables.create_part_blocks().encode())
    found = db.execute(
        "SELECT relname, relpersistence, attname FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid "
        "WHERE relnamespace = %s::regnamespace AND relname LIKE 'madtree%%' AND attnum = 1 ORDER BY 1",
        [schema],
    ).fetchall()
    assert found == [("madtree_blocks_ff00", "u", "shard_key"), ("madtree_rows_ff00", "u", "madtree_key_ff00")]


@pytest.mark.parametrize(
    ("n_numbers", "rows"), [(1, 65_536), (64, 65_536), (128, 32_768), (1_000, 4_194), (10**6, 1_024)]
)
def test_wide_rows_make_small_parts(n_numbers: int, rows: int) -> None:
    assert part_rows(n_numbers, 65_536) == rows


@pytest.mark.parametrize("by", [None, '"I d"'], ids=["place", "id"])
def test_rows_are_dealt_out_evenly(db: psycopg.Connection, schema: str, by: str | None) -> None:
    db.execute('CREATE TABLE source AS SELECT NULLIF(i, 7) AS "I d", 1 AS x FROM generate_series(1, 40000) AS i')
    tables = DistributedTables(schema, "ff00")
    db.execute(tables.create_rows(["x"], "source AS madtree_source").encode())
    db.execute(tables.distribute_rows(["x"], "source AS madtree_source", 10, [5, 7, 11], by).encode())
    found = db.execute(f"SELECT {tables.part}, count(*) FROM {tables.name('rows')} GROUP BY 1 ORDER BY 1".encode())
    parts, sizes = zip(*found.fetchall(), strict=True)
    assert parts == tuple(range(10))
    assert all(3_700 < size < 4_300 for size in sizes)
    keys = db.execute(
        f"SELECT DISTINCT {tables.part}, {tables.shard_key} FROM {tables.name('rows')} ORDER BY 1".encode()
    ).fetchall()
    assert keys == [(part, (5, 7, 11)[part % 3]) for part in range(10)]


@pytest.mark.parametrize("level", [psycopg.IsolationLevel.READ_COMMITTED, psycopg.IsolationLevel.REPEATABLE_READ])
def test_all_of_it_in_one_transaction(cluster: psycopg.Connection, level: psycopg.IsolationLevel) -> None:
    """Rows that it has read before may be of this server, and others see nothing of a table that it has made."""
    cluster.execute("CREATE TABLE everywhere AS SELECT id, n, label FROM plain WHERE id <= 3000")
    cluster.execute("SELECT create_reference_table('everywhere')")
    cluster.execute("CREATE TABLE former AS SELECT id, label AS estimated_label FROM plain WHERE id <= 9")
    cluster.isolation_level = level
    try:
        with cluster.transaction(force_rollback=True):
            cluster.execute("SELECT count(*) FROM everywhere")
            cluster.execute("SELECT tree_train('everywhere', 'm', 'id', 'label', 'n', max_depth => 2)")
            cluster.execute("SELECT create_distributed_table('former', 'id')")
            for out in ("out", "out", "former"):
                cluster.execute(f"SELECT tree_predict('m', 'spread', '{out}', replace => true)")
            n_rows = cluster.execute("SELECT count(*) FROM spread").fetchone()
            for out in ("out", "former"):
                assert cluster.execute(f"SELECT count(*) FROM {out}").fetchone() == n_rows
    finally:
        cluster.isolation_level = None
        cluster.execute("DROP TABLE everywhere, former")
