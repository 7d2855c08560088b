"""Every way of training gives the same bytes: one process in memory or with a file, resident workers, the aggregate, a
client without functions in the server.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg_host import PsycopgHost
from shares import share
from training import Tables, alike, read_model, train, train_by_client

from madtree.host import Query, Row, Sharing
from madtree.host import psycopg as client
from madtree.request import Tuning

TID = "pg_catalog.tid"
STRATEGIES = ("memory", "workers", "aggregate")
N_ROWS = 6_000
BY_PASSES = Tuning(block_rows=1_500, read_rows=700, surely_large=100)  # what a client does where rows are many
COUNTS = {"target": "b % 3", "split_criterion": "poisson"}
MAKE = f"""
    CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 10 < 7 THEN 0 ELSE i % 5 END AS g,
        (i % 1013 * 7919 % 1013 > 500) <> (i % 7 = 0) AS y, 'class ' || (i * 31 % 977 * 7 + i % 11) / 400 AS many,
        nullif(i * 31 % 977, 5) / 977.0::float8 AS a, nullif(i * 17 % 211, 7) AS b,
        nullif('category ' || i * 13 % 19, 'category 3') AS c, i % 5 AS w, i * 7919 % 4 AS fold
    FROM generate_series(1, {N_ROWS}) i;
    ANALYZE t
"""


class ReadingHost(client.PsycopgHost):
    """A client that remembers which page ranges it has read."""

    def __init__(self, connection: psycopg.Connection) -> None:
        super().__init__(connection)
        self.ranges: list[tuple[str, ...]] = []

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        self.ranges += [tuple(params)] if TID in types else []
        return super().query(sql, types, params)

    def data_ahead(self, queries: Iterable[Query], sharing: Sharing | None = None) -> Generator[list[Row], None, None]:
        wanted = list(queries)
        self.ranges += [tuple(params) for _, _, params in wanted]
        return super().data_ahead(wanted, sharing)


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def trained(db: psycopg.Connection, strategy: str, target: str = "y", **more: Any) -> Tables:
    """The tables of the model of a training, but for the summary, which tells how it was asked for."""
    arguments = {"max_depth": 6, "replace": True, "strategy": strategy, "parallel_workers": 2, **more}
    train(db, "t", "m", target, "a, b, c", **arguments)
    return trees_of(db)


def trained_by_client(db: psycopg.Connection | PsycopgHost, tuning: Tuning, target: str = "y", **more: Any) -> Tables:
    """The same of a training in this process."""
    names = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id", "dependent_variable": target}
    train_by_client(db, tuning, **names, list_of_features="a, b, c", **{"max_depth": 6, "replace": True, **more})
    return trees_of(db if isinstance(db, psycopg.Connection) else db.connection)


def trees_of(db: psycopg.Connection) -> Tables:
    return {part: rows for part, rows in read_model(db, "m").items() if part != "_summary"}


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("turn", "more"),
    list(
        enumerate(
            [
                {},
                {"weights": "w", "split_criterion": "entropy"},
                {"target": "a + b"},
                {
                    "target": "a * b",
                    "weights": "w",
                    "pruning_params": "n_folds=3",
                    "surrogate_params": "max_surrogates=2",
                },
                {"target": "many", "max_depth": 9, "min_split": 4},
                {"grouping_cols": "g", "surrogate_params": "max_surrogates=2"},
                {"grouping_cols": "g", "pruning_params": "n_folds=3, fold_col=fold"},
                {"grouping_cols": "g", "pruning_params": "n_folds=3"},
                {"pruning_params": "n_folds=4, rule=1se"},
                {"max_depth": 30, "min_split": 2, "min_bucket": 1},
                {"n_bins": 0, "max_depth": 8},
                {"surrogate_params": "null_as_category=true, max_surrogates=1", "weights": "w"},
                {"memory_mb": 8, "max_depth": 12, "min_split": 2},
                {"max_leaf_nodes": 9, "max_depth": 12, "pruning_params": "cp=-1, n_folds=2, fold_col=fold"},
                {"target": "a * b", "max_leaf_nodes": 12, "surrogate_params": "max_surrogates=2", "grouping_cols": "g"},
                {
                    "class_params": "prior=0.3:0.7, loss=0 1 4 0",
                    "weights": "w",
                    "pruning_params": "n_folds=3, fold_col=fold",
                },
                {"target": "many", "class_params": "class_weight=balanced", "grouping_cols": "g", "n_bins": 0},
                {"split_criterion": "gain_ratio", "min_impurity_decrease": 0.001, "max_leaf_nodes": 20},
                COUNTS,
                COUNTS | {"exposure": "0.1 + a", "weights": "w", "pruning_params": "n_folds=3, cp=0.0001"},
                {
                    "feature_costs": "a=2, c=1.5",
                    "max_leaf_nodes": 12,
                    "n_bins": 0,
                    "surrogate_params": "max_surrogates=1",
                },
                {"max_competitors": 2, "grouping_cols": "g", "pruning_params": "n_folds=2, fold_col=fold"},
                {"max_competitors": 1, "target": "many", "min_split": 4, "memory_mb": 8},
                COUNTS
                | {"exposure": "w + 1", "grouping_cols": "g", "shrink": 0, "surrogate_params": "max_surrogates=1"},
            ]
        )
    ),
    ids=lambda value: (
        ", ".join(f"{name}={given}" for name, given in value.items()) or "plain" if isinstance(value, dict) else ""
    ),
)
def test_every_strategy_gives_the_same_bytes(db: psycopg.Connection, turn: int, more: dict[str, Any]) -> None:
    """Those that begin other processes or write tables, and the client's, in turn."""
    expected = trained(db, "auto", **more, parallel_workers=0)
    for strategy in share(("memory", "workers", "aggregate"), 3, turn):
        assert trained(db, strategy, **more, parallel_workers=1 + turn % 2) == expected, strategy
    for tuning in share((Tuning(), BY_PASSES), 2, turn // 2):
        found = trained_by_client(db, tuning, **more)
        assert found == expected or alike(found, expected, more), tuning


@pytest.mark.parametrize("more", [{}, {"target": "a * b", "weights": "w"}, {"grouping_cols": "id % 2"}], ids=str)
def test_a_client_finds_bins_in_the_same_sample(db: psycopg.Connection, more: dict[str, Any]) -> None:
    """And, of a table that is read once, all values of features that have few."""
    host = ReadingHost(db)
    tuning = replace(BY_PASSES, least_sample=1_500)
    expected = trained_by_client(PsycopgHost(db), tuning, n_bins=10, **more)
    assert trained_by_client(host, tuning, n_bins=10, **more) == expected
    assert host.ranges
    assert "grouping_cols" in more or len(host.ranges) == len(set(host.ranges)), "a page range was read twice"


def test_a_name_that_is_none_is_refused(db: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error, match="strategy must be one of auto, memory, workers, aggregate, not 'disk'"):
        trained(db, "disk")
    with pytest.raises(psycopg.Error, match="strategy: workers needs one at least, and parallel_workers is 0"):
        trained(db, "workers", parallel_workers=0)


def test_names_are_read_in_any_case(db: psycopg.Connection) -> None:
    assert trained(db, " Aggregate ") == trained(db, "memory")


def test_the_aggregate_is_shared_out_where_workers_are_asked_for(db: psycopg.Connection) -> None:
    """The plan that docs/algorithm.md shows: partial states, a Gather, the sums of them."""
    db.execute(
        "CREATE TABLE blocks AS SELECT i AS block_id, repeat('x', 5000) AS filler FROM generate_series(1, 9) i;"
        "ALTER TABLE blocks SET (parallel_workers = 2);"
        "ANALYZE blocks; SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0;"
        "SET max_parallel_workers_per_gather = 2"
    )
    plan = db.execute(
        "EXPLAIN (COSTS OFF) SELECT madtree_internal.node_statistics("
        "block_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '') FROM blocks"
    ).fetchall()
    nodes = [line.strip().removeprefix("->").strip() for (line,) in plan]
    assert nodes[:4] == ["Finalize Aggregate", "Gather", "Workers Planned: 2", "Partial Aggregate"]


def test_workers_where_there_can_be_none_are_an_error(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE FUNCTION doubled(v int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL UNSAFE "
        "AS 'BEGIN RETURN 2 * v; END'"
    )
    with pytest.raises(psycopg.Error, match=r"strategy: resident workers are not possible here: .*not PARALLEL SAFE"):
        db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'y', 'doubled(b), a', strategy => 'workers')")
    assert db.execute("SELECT to_regclass('m')").fetchone() == (None,)


def test_nothing_is_left_of_the_table_of_blocks(db: psycopg.Connection) -> None:
    trained(db, "aggregate")
    left = db.execute("SELECT relname FROM pg_class WHERE relname LIKE 'madtree\\_%' AND relkind = 'r'").fetchall()
    assert left == []
