"""Workers that are chosen by themselves for single queries: whether PostgreSQL may start them, and where it may not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import psycopg
from psycopg_host import PsycopgHost

from madtree.request import arguments
from madtree.request.tuning import Costs, Tuning
from madtree.train.train import train

_MAKE = (
    "CREATE TABLE t AS SELECT i AS id, i % 40 AS g, (i * 7919 % 1013 > 500)::int AS y, i * 31 % 977 AS a, "
    "i * 17 % 211 AS b FROM generate_series(1, {rows}) i; ANALYZE t"
)


class _Watching(PsycopgHost):
    """Remembers the statements that count and that workers may share."""

    def __init__(self, connection: psycopg.Connection) -> None:
        super().__init__(connection)
        self.shared: list[str] = []

    def _run(self, sql: str, types: Sequence[str], params: Sequence[Any], **how: Any) -> Any:
        allowed = self.connection.execute("SHOW max_parallel_workers_per_gather").fetchone()
        if allowed and int(allowed[0]) and "node_statistics" in sql and "EXPLAIN" not in sql:
            self.shared.append(sql)
        return super()._run(sql, types, params, **how)


# Workers pay from the first row on.
QUICK_START = Tuning(cores=8, costs=Costs(start=1e-9, per_worker=0, routed_row=0, handed_byte=0, stored_value=0))


def _train(
    db: psycopg.Connection, features: str = "a, b", tuning: Tuning = QUICK_START, output: str = "m", **more: Any
) -> _Watching:
    with db.transaction():
        db.execute("SET LOCAL max_parallel_workers_per_gather = 2")
        host = _Watching(db)
        task = arguments.check_arguments(host, "t", output, "id", "y", features, replace=True, **more)
        train(host, replace(task, tuning=tuning))
        assert db.execute("SHOW max_parallel_workers_per_gather").fetchone() == ("2",)
    return host


def _nodes(db: psycopg.Connection) -> Any:
    return db.execute("SELECT array_agg(n::text ORDER BY tree_id, node_id) FROM m_nodes n").fetchone()


def test_tables_of_blocks_are_counted_by_workers(db: psycopg.Connection) -> None:
    db.execute(_MAKE.format(rows=140_000))
    host = _train(db, strategy="aggregate")
    assert any("node_statistics" in sql for sql in host.shared)
    shared = _nodes(db)
    assert not _train(db, strategy="aggregate", parallel_workers=0).shared
    assert _nodes(db) == shared


def test_a_small_table_is_left_to_one_process(db: psycopg.Connection) -> None:
    db.execute(_MAKE.format(rows=140_000))
    assert not _train(db, tuning=Tuning()).shared
    assert not _train(db, tuning=Tuning(), strategy="aggregate").shared


def test_temporary_tables_are_the_sessions_own(db: psycopg.Connection) -> None:
    db.execute(_MAKE.format(rows=140_000))
    assert not _train(db, output="pg_temp.m", strategy="aggregate").shared


def test_workers_do_not_change_groups_by_a_bit(db: psycopg.Connection) -> None:
    """Folds go by a row's place, surrogates by its missing values, large groups by passes: all of it at once."""
    db.execute(_MAKE.format(rows=140_000))
    db.execute("UPDATE t SET a = NULL WHERE id % 11 = 0; UPDATE t SET g = 1 WHERE id > 60000")
    models = []
    for n in (0, 3):
        db.execute(
            "SELECT madtree.tree_train('t', 'm', 'id', 'y', 'a, b', grouping_cols => 'g', max_depth => 5, "
            "surrogate_params => 'max_surrogates=2', pruning_params => 'n_folds=3', replace => true, "
            f"parallel_workers => {n})"
        )
        parts = ("m", "m_nodes", "m_surrogates", "m_cv")
        models.append(
            [db.execute(f"SELECT array_agg(r::text ORDER BY r::text) FROM {part} r").fetchone() for part in parts]
        )
    assert models[0] == models[1]
