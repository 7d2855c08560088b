"""Classes are told apart by their text, as rows are known again by it: also where their type holds some to be equal."""

from __future__ import annotations

import psycopg
import pytest

KINDS = {
    "collation": """(ARRAY['yes', 'YES', 'no'])[1 + i % 3] COLLATE "any case" """,
    "jsonb": "(ARRAY['1.0', '1.00', '2'])[1 + i % 3]::jsonb",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("grouping", [None, "g"])
def test_no_row_is_left_out(db: psycopg.Connection, kind: str, grouping: str | None) -> None:
    db.execute("CREATE COLLATION \"any case\" (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    db.execute(
        f"CREATE TABLE t AS SELECT i AS id, i % 3 AS x, i % 2 AS g, {KINDS[kind]} AS y FROM generate_series(1, 90) i"
    )
    db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'y', 'x', grouping_cols => %s)", [grouping])
    metrics = db.execute("SELECT metric, min(value) FROM madtree.tree_evaluate('m', 't') GROUP BY metric").fetchall()
    assert dict(metrics)["accuracy"] == 1
    assert db.execute("SELECT sum(n_rows) FROM m").fetchone() == (90,)


@pytest.mark.parametrize("type_", ["numeric", "real", "double precision"])
def test_equal_numbers_are_one_class(db: psycopg.Connection, type_: str) -> None:
    numbers = "ARRAY['0.10', '0.1', '-0', '0']"
    db.execute(
        f"CREATE TABLE t AS SELECT i AS id, i / 2 AS x, ({numbers})[1 + i]::{type_} AS y FROM generate_series(0, 3) i"
    )
    options = "classification => true, min_split => 2, min_bucket => 1"
    db.execute(f"SELECT madtree.tree_train('t', 'm', 'id', 'y', 'x', {options})")
    assert db.execute("SELECT dependent_var_levels FROM m_summary").fetchone() == (["0", "0.1"],)
    assert "'m', 'id', 'y', 'x'," in db.execute("SELECT madtree.tree_call('m')").fetchone()[0]  # type: ignore[index]
    for new in (type_, "numeric(9, 4)", "real", "double precision", "text"):
        db.execute(f"CREATE TEMP TABLE new AS SELECT id, x, y::{new} AS y FROM t")
        found = db.execute("SELECT value FROM madtree.tree_evaluate('m', 'new') WHERE metric = 'accuracy'").fetchone()
        assert found == (1,), new
        db.execute("DROP TABLE new")
