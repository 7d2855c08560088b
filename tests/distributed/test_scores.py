"""What is said to Citus where a distributed table is scored. Nothing here is Citus."""

from __future__ import annotations

import re
from dataclasses import replace

import psycopg
import pytest
from called import Listening
from forced import differences
from psycopg_host import PsycopgHost

from madtree.score.case_or_blocks import Work
from madtree.score.evaluate import tree_confusion, tree_evaluate
from madtree.score.predict import tree_predict
from madtree.score.shards import Sharded


@pytest.fixture
def model(db: psycopg.Connection) -> psycopg.Connection:
    """Table t, and models c and r of it, of classes and of numbers, grouped."""
    db.execute("SELECT setseed(0.5)")
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i % 2 AS g, random() AS x, random() AS z FROM generate_series(1, 4000) AS i"
    )
    db.execute("ALTER TABLE t ADD c int; UPDATE t SET c = (x * 2 + z > 1.5)::int")
    db.execute("SELECT tree_train('t', 'c', 'id', 'c', 'x, z', grouping_cols => 'g')")
    db.execute("SELECT tree_train('t', 'r', 'id', 'x + z', 'x, z', max_depth => 4, grouping_cols => 'g')")
    return db


@pytest.mark.parametrize("name", ["c", "r"])
def test_spread_rows_are_counted_apart_from_the_model_and_without_jit(
    model: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    expected = tree_evaluate(PsycopgHost(model), name, "t")
    tree_predict(PsycopgHost(model), name, "t", "plain", "response")
    monkeypatch.setattr("madtree.score.case_or_blocks.placement", lambda host, oid: "spread")
    monkeypatch.setattr("madtree.score.into_table.distribution_column", lambda host, oid: "id")
    host = Listening(model)
    found = tree_evaluate(host, name, "t")
    if name == "c":
        tree_confusion(host, name, "t")
    assert [row["value"] for row in found] == pytest.approx([row["value"] for row in expected], rel=1e-12)
    tree_predict(host, name, "t", "spread", "response")
    assert differences(model, "spread", "plain") == 0
    read = [s for s in host.statements if re.search(r'FROM "\w+"\."t" AS', s) and "CASE WHEN" in s]
    assert len(read) == (3 if name == "c" else 2)
    for statement in read:
        assert "madtree_internal.run_on_servers(" in statement
        assert "ctid" not in statement
        # What is worked out from the counts, by the model's tables, is another statement.
        assert not re.search(r"\b(scopes|totals|labels)\b", statement)


def test_blocks_of_spread_rows_are_not_read_by_place(
    model: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("madtree.score.case_or_blocks.placement", lambda host, oid: "spread")
    monkeypatch.setattr("madtree.score.into_table.distribution_column", lambda host, oid: None)
    monkeypatch.setattr("madtree.score.shards.Sharded.find", lambda host, source: None)
    host = Listening(model)
    tree_predict(host, "c", "t", "scored", "response", in_blocks=True)
    assert any("score_block(" in s for s in host.statements)
    of_rows = [s for s in host.statements if re.search(r'"\w+"\."t"', s)]
    assert of_rows
    assert not any("ctid" in s or "score_pages" in s for s in of_rows)


def test_spread_rows_are_scored_by_an_expression_unless_it_is_too_large() -> None:
    here = Work(rows=1e6, leaves=10_000, features=10, columns=1)
    assert here.in_blocks
    assert not replace(here, spread=True).in_blocks
    assert replace(here, spread=True, leaves=300_000).in_blocks


def test_servers_score_their_rows_where_that_is_quicker_than_to_send_them() -> None:
    held = Sharded([("a", 1), ("b", 2), ("c", 1), ("d", 2)], is_heap=True)
    work = Work(rows=1e6, leaves=20_000, features=10, columns=1, spread=True, members=20)
    assert held.pays(work, 1_000)
    assert not held.pays(replace(work, rows=10_000), 1_000)
    assert not held.pays(work, 2**29), "more than a parameter may have"
    # Processes are worth as much work as it takes to start them, and each takes whole shards.
    assert held.processes(replace(work, rows=10_000)) == 1
    assert held.processes(replace(work, rows=1e9)) == 2
