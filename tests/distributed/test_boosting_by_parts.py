"""Rows in parts get their new columns, and are summed, where they are: a boosted model is that of one server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import psycopg
import pytest
from forced import SMALL_BLOCKS, ShardedHost, differences
from psycopg_host import PsycopgHost

from madtree.request import check_boost_arguments
from madtree.train.train import train

ARGUMENTS = {"training_table_name": "big", "id_col_name": "id", "dependent_variable": "y", "list_of_features": "x, n"}


def boost(host: PsycopgHost, output: str, **more: Any) -> None:
    with host.connection.transaction():
        task = check_boost_arguments(host, output_table_name=output, **ARGUMENTS, num_trees=3, max_leaf_nodes=6, **more)
        train(host, replace(task, tuning=SMALL_BLOCKS))


@pytest.mark.parametrize(
    "more",
    [{}, {"weights": "w", "validation_params": "fraction=0.2", "boost_params": "subsample=0.7"}],
    ids=["plain", "more"],
)
def test_a_model_by_parts_is_that_of_one_server(
    db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    db.execute(
        "CREATE TABLE big AS SELECT i AS id, (i * 31 % 97) / 8.0::float8 AS x, i * 17 % 61 AS n, i % 3 + 1 AS w, "
        "round(sin(i * 31 % 97 / 9.0)::numeric * 9, 2)::float8 + i * 7919 % 1013 / 128.0 AS y "
        "FROM generate_series(1, 30000) AS i; ANALYZE big"
    )
    boost(PsycopgHost(db), "one", **more)
    host = ShardedHost(db)
    with monkeypatch.context() as patch:
        patch.setattr("madtree.train.source.placement", lambda host, oid: "spread")
        boost(host, "other", **more)
    assert sum("madtree_internal.new_column(" in statement for statement in host.statements) >= 4
    for suffix in ("_packed", "_rounds", "_group"):
        assert differences(db, f"one{suffix}", f"other{suffix}") == 0
