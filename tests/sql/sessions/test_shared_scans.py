"""Where PostgreSQL's workers share scans of a model's tables, its rows come in another order; models mean the same."""

from __future__ import annotations

import psycopg
import pytest

from madtree.sqltext import models

SHARED = "SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0"


@pytest.fixture
def shared(db: psycopg.Connection) -> psycopg.Connection:
    """A session in which they do, with models `m` and `b`."""
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i % 3 AS g, 'k' || i % 7 AS k, i * 31 % 100 AS x, i % 7 > 3 AS y "
        "FROM generate_series(1, 300) i"
    )
    db.execute("SELECT tree_train('data', 'm', 'id', 'y', 'k', grouping_cols => 'g', min_split => 4)")
    db.execute("SELECT boost_train('data', 'b', 'id', 'y', 'k, x', grouping_cols => 'g', num_trees => 30)")
    db.execute(SHARED)
    return db


@pytest.mark.parametrize("model", ["m", "b"])
def test_the_look_at_rows_is_in_order(shared: psycopg.Connection, schema: str, model: str) -> None:
    """What is looked at twice must come in the same order twice, or an unchanged model seems to be another one."""
    tables = shared.execute(
        "SELECT substr(relname, 2), oid FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r' "
        "AND relname ~ %s ORDER BY reltuples DESC, 1 DESC",
        [schema, f"^{model}(_|$)"],
    ).fetchall()
    suffixes = [suffix for suffix, _ in tables]
    for statement in (models.row_marks(schema, model, suffixes), models.row_versions(schema, model, dict(tables))):
        found = [row[0] for row in shared.execute(statement)]  # type: ignore[arg-type]
        in_order = shared.execute("SELECT unnest(%s::text[]) AS s ORDER BY s", [suffixes]).fetchall()
        assert found == [suffix for (suffix,) in in_order]
        assert len(found) >= 3
