"""Training by the distributed route on a plain server, and a host that treats parts as shards of a cluster.

Nothing here is Citus: `ShardedHost` does with a statement what Citus does with it, as far as results depend on that.
A query that packs runs shard by shard; an aggregate runs on each shard, its state travels as text, and the states are
combined by the aggregate's combine function.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg_host import PsycopgHost

from madtree.host.protocol import Row
from madtree.request.arguments import check_arguments
from madtree.request.tuning import Tuning
from madtree.train.train import train

N_SHARDS = 5
# The arguments of tree_train, in its order.
ARGUMENTS = {
    "training_table_name": "big",
    "output_table_name": "model",
    "id_col_name": "id",
    "dependent_variable": "label",
    "list_of_features": "x, n, level",
    "list_of_features_to_exclude": None,
    "split_criterion": "gini",
    "grouping_cols": None,
    "weights": None,
    "max_depth": 10,
    "min_split": None,
    "min_bucket": None,
    "n_bins": 100,
    "surrogate_params": None,
    "pruning_params": None,
    "verbose": False,
    "seed": 1,
    "replace": False,
    "parallel_workers": None,
    "memory_mb": 64,
    "strategy": "auto",
}
# What has more rows than a block is large.
SMALL_BLOCKS = Tuning(block_rows=4096, part_rows=2048)


class ShardedHost(PsycopgHost):
    """Runs packing and counting shard by shard, where a shard has the parts of one remainder; the last one has none.

    Attributes:
        statements: all SQL that was run.
        states: sizes of the states that travelled, in bytes.
    """

    def __init__(self, connection: psycopg.Connection) -> None:
        super().__init__(connection)
        self.statements: list[str] = []
        self.states: list[int] = []
        self._found: dict[str, list[Row]] = {}  # by cursor

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        if "madtree_internal.run_on_servers(" in sql:
            statement, plan, cursor = params
            parameters = [["bytea"], [plan]] if plan is not None else []
            if cursor is None:
                return [{"n_rows": self.command(statement, *parameters)}]
            self._found[cursor] = self.query(statement, *parameters)
            return [{"n_rows": len(self._found[cursor])}]
        if fetched := re.match(r'FETCH (ALL|FORWARD 1) FROM "(\w+)"$', sql):
            rows = self._found[fetched[2]]
            n_rows = len(rows) if fetched[1] == "ALL" else 1
            self._found[fetched[2]] = rows[n_rows:]
            return rows[:n_rows]
        self.statements.append(sql)
        if not sql.startswith("SELECT madtree_internal.node_statistics("):
            return super().query(sql, types, params)
        texts = []
        for shard in range(N_SHARDS):
            # Backwards, to have another order than the whole table has.
            state = super().query(sql + _of_shard("shard_key", N_SHARDS - 1 - shard), types, params)[0]["shared"]
            self.states.append(0 if state is None else len(state))
            texts.append(None if state is None else f"\\x{bytes(state).hex()}")
        combined: bytes | None = None
        for text in texts:
            rows = self.connection.execute(
                "SELECT madtree_internal.node_statistics_merge(%s::bytea, %s::bytea)", [combined, text]
            )
            combined = rows.fetchone()[0]  # type: ignore[index]
        final = self.connection.execute(
            "SELECT madtree_internal.node_statistics_final(%s::bytea)", [combined]
        ).fetchone()
        return [{"shared": final[0]}]  # type: ignore[index]

    def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        if sql.startswith("CLOSE "):
            return 0
        self.statements.append(sql)
        if re.match(r'INSERT INTO \S+"madtree_states_', sql):
            n_rows = super().command(sql, types, params)
            table = sql.split()[2]
            size = "sum(length(piece::bytea) - 8) * count(DISTINCT shard_key) / count(*)"
            self.states.append(int(self.connection.execute(f"SELECT {size} FROM {table}".encode()).fetchone()[0]))  # type: ignore[index]
            return n_rows
        if "madtree_internal.pack_images(" not in sql:
            return super().command(sql, types, params)
        part = re.search(r'GROUP BY \S+?\.("\w+")', sql)
        assert part is not None, sql
        n_rows = 0
        for shard in range(N_SHARDS):
            of_shard = re.sub(
                r'FROM ("\w+"\."madtree_rows_\w+") AS', rf"FROM (SELECT * FROM \1{_of_shard(part[1], shard)}) AS", sql
            )
            assert of_shard != sql
            n_rows += super().command(of_shard, types, params)
        return n_rows


def _of_shard(part: str, shard: int) -> str:
    """The last shard is empty."""
    return f" WHERE LEAST({part}, {N_SHARDS - 2}) = {shard}"


def train_here(host: PsycopgHost, **arguments: Any) -> None:
    """tree_train with these arguments and small blocks, in this process."""
    with host.connection.transaction():
        train(host, replace(check_arguments(host, *{**ARGUMENTS, **arguments}.values()), tuning=SMALL_BLOCKS))


def train_distributed(
    db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, host: PsycopgHost, **arguments: Any
) -> None:
    """The same as if the training table were distributed."""
    with monkeypatch.context() as patch:
        patch.setattr("madtree.train.source.placement", lambda host, oid: "spread")
        train_here(host, **arguments)


def differences(db: psycopg.Connection, one: str, other: str) -> int:
    """Rows that are in one of two tables only; floats are compared to the bit."""
    found = db.execute(
        f"SELECT count(*) FROM ((TABLE {one} EXCEPT ALL TABLE {other}) UNION ALL "
        f"(TABLE {other} EXCEPT ALL TABLE {one})) AS d"
    ).fetchone()
    return int(found[0])  # type: ignore[index]
