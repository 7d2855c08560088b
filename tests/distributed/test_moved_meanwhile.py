"""Tables that Citus takes over while they are read by several statements, which would see rows twice, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
from called import answer
from psycopg_host import PsycopgHost

from madtree.errors import MadtreeError
from madtree.host.protocol import Row


class Overtaken(PsycopgHost):
    """A host by whose first look at a table's rows another session distributes that."""

    def __init__(self, connection: psycopg.Connection, other: psycopg.Connection) -> None:
        super().__init__(connection)
        self._other: psycopg.Connection | None = other

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        rows = super().query(sql, types, params)
        if self._other and '"moved" AS' in sql and "AS label" in sql:
            self._other.execute("SELECT create_distributed_table('moved', 'id', shard_count => 4)")
            self._other = None
        return rows


@pytest.mark.parametrize("level", [psycopg.IsolationLevel.READ_COMMITTED, psycopg.IsolationLevel.REPEATABLE_READ])
@pytest.mark.parametrize("call", ["tree_train('moved', 'm', 'id', 'y', 'x', strategy => 'aggregate')",
                                  "tree_tune('moved', 'm', 'id', 'y', 'x', params => 'max_depth=1,2')"])  # fmt: skip
def test_a_table_that_is_distributed_while_it_is_read(
    cluster: psycopg.Connection, citus: str, call: str, level: psycopg.IsolationLevel
) -> None:
    cluster.execute("DROP TABLE IF EXISTS moved")
    cluster.execute(
        "CREATE TABLE moved AS SELECT i AS id, i % 7 AS x, i % 7 > 3 AS y FROM generate_series(1, 999) AS i"
    )
    with psycopg.connect(citus, autocommit=True) as other:
        other.execute("SELECT set_config('search_path', %s, false)", cluster.execute("SHOW search_path").fetchone())
        cluster.isolation_level = level
        try:
            with pytest.raises(MadtreeError, match='moved" has been distributed while its rows were read') as caught:
                answer(Overtaken(cluster, other), call)
        finally:
            cluster.isolation_level = None
    assert caught.value.sqlstate == "40001"
    cluster.execute("DROP TABLE moved")
