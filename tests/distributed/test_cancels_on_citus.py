"""A cancel that comes when PL/Python begins a subtransaction, for which Citus asks other servers."""

from __future__ import annotations

import psycopg
import pytest

# Sends itself a cancel while it has a transaction on other servers. Python's frames must have been left in order: what
# an error of the subtransaction's leaves behind makes the server crash at some later call.
CANCELED = """
CREATE FUNCTION canceled() RETURNS bool LANGUAGE plpython3u AS $$
import os
import signal
import sys

host = sys.modules["madtree.host.plpy"].PlpyHost(plpy)
host.query("SELECT pg_catalog.count(*) AS n FROM spread")
GD["left"] = False
try:
    os.kill(os.getpid(), signal.SIGINT)
    {statement}
finally:
    GD["left"] = True
$$;
CREATE FUNCTION left_in_order() RETURNS bool LANGUAGE plpython3u AS 'return GD["left"]'
"""


@pytest.mark.parametrize(
    "statement",
    [
        'host.query("SELECT 1 AS one")',
        'host.query("SELECT $1 AS one", ["pg_catalog.int4"], [1])',
        'host.command("CREATE TEMPORARY TABLE one AS SELECT 1 AS one")',
        'next(host.stream("SELECT 1 AS one"))',
        'next(host.stream("SELECT $1 AS one", ["pg_catalog.int4"], [1]))',
    ],
)
def test_a_cancel_leaves_python_in_order(cluster: psycopg.Connection, statement: str) -> None:
    with cluster.transaction(force_rollback=True):
        cluster.execute("SELECT count(*) FROM madtree.models")  # Python is loaded
        cluster.execute(CANCELED.replace("{statement}", statement).encode())
        canceled = psycopg.errors.QueryCanceled, psycopg.errors.ExternalRoutineException
        with pytest.raises(canceled, match="canceling statement"), cluster.transaction():
            cluster.execute("SELECT canceled()")
        assert cluster.execute("SELECT left_in_order()").fetchone() == (True,)
