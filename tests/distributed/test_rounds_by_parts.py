"""Rows in parts get their new columns where they are: two rounds of trees are those of one server."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from forced import ShardedHost, differences, train_distributed, train_here
from psycopg_host import PsycopgHost

from madtree.learn.prune import program
from tests.rounds import TWO_ROUNDS

LIMITS = {"dependent_variable": "y", "list_of_features": "x, n", "max_depth": 4, "pruning_params": "cp=-1"}


@pytest.mark.parametrize("more", [{}, {"weights": "w"}], ids=["plain", "weights"])
def test_two_rounds_by_parts_are_those_of_one_server(
    db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    db.execute(
        "CREATE TABLE big AS SELECT i AS id, (i * 31 % 97) / 8.0::float8 AS x, i * 17 % 61 AS n, i % 3 + 1 AS w, "
        "round(sin(i * 31 % 97 / 9.0)::numeric * 9, 2)::float8 + i * 7919 % 1013 / 128.0 AS y "
        "FROM generate_series(1, 30000) AS i; ANALYZE big"
    )
    known: dict[str, Any] = {}
    exec(TWO_ROUNDS, known)
    monkeypatch.setattr(program, "grow", known["two_rounds"])
    train_here(PsycopgHost(db), output_table_name="one", **LIMITS, **more)
    host = ShardedHost(db)
    train_distributed(db, monkeypatch, host, output_table_name="other", **LIMITS, **more)
    assert sum("madtree_internal.new_column(" in statement for statement in host.statements) == 2
    assert differences(db, "one_nodes", "other_nodes") == 0
