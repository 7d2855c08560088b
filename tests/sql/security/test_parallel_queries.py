"""Anybody may say of a function of theirs that it is PARALLEL SAFE, and call madtree in it. In a parallel query
PostgreSQL refuses what PL/Python begins a statement with, in a way that leaves Python broken: some later call of the
session crashes, and with it the server.
"""

from __future__ import annotations

import psycopg
import pytest

MAKE = """
CREATE TABLE t AS SELECT i FROM generate_series(1, 20000) AS i;
CREATE FUNCTION told(integer) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$ BEGIN
    RETURN {}; END $$;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers = {};
"""


@pytest.mark.parametrize("n_workers", [0, 1])
@pytest.mark.parametrize("asked", ["madtree.tree_display('none')", "(SELECT max(model) FROM madtree.models)"])
def test_a_call_in_a_parallel_query_is_refused(db: psycopg.Connection, asked: str, n_workers: int) -> None:
    db.execute(MAKE.format(asked, n_workers))
    with pytest.raises(psycopg.errors.InvalidTransactionState, match="cannot be called in a parallel query"):
        db.execute("SELECT told(i) FROM t WHERE i % 20000 = 0")
