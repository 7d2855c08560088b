"""A cancel or an error that comes when PL/Python begins a subtransaction, for which Citus asks other servers; and
errors of other servers.
"""

from __future__ import annotations

import psycopg
import pytest
from private_cluster import nodes_of, run
from psycopg.conninfo import make_conninfo

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
WAITING = """
CREATE FUNCTION waiting() RETURNS void LANGUAGE plpython3u AS $$
import sys
import time

host = sys.modules["madtree.host.plpy"].PlpyHost(plpy)
host.query("SELECT pg_catalog.count(*) AS n FROM spread")
time.sleep(0.2)
host.query("SELECT 1 AS one")
$$
"""
# What Citus calls an internal error: a connection that was lost while it waited for a result, by its library's words;
# an error of a server that it copies rows to; shards that are no more.
LOST = "server closed the connection unexpectedly"
FULL = "could not extend file: No space left on device"
MOVED = "could not find valid entry for shard 102008"
FAILING = """
CREATE FUNCTION failing(x integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION '{message}' USING ERRCODE = 'XX000', HINT = '{hint}';
END $$;
SELECT create_distributed_function('failing(integer)')
"""
FULL_DISK = """
CREATE FUNCTION full_disk() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100';
END $$;
CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION full_disk()
"""
MOVE = """
SELECT citus_move_shard_placement(p.shardid, p.nodename, p.nodeport, to_host, to_port, 'block_writes')
FROM (VALUES (%s, %s)) AS t(to_host, to_port), pg_dist_shard AS s
JOIN pg_dist_shard_placement AS p USING (shardid)
WHERE s.logicalrelid = 'spread'::regclass AND p.nodename <> to_host LIMIT 1
"""


@pytest.mark.parametrize(
    ("message", "hint", "sqlstate", "sentence"),
    [
        (LOST, "", "58000", f"madtree: a server of the cluster failed in a statement: {LOST}"),
        (LOST, "This is a defect of madtree 0.9. Please report it.", "XX000", f"spiexceptions.InternalError: {LOST}"),
        (FULL, "", "53100", f"madtree: the disk of a server is full: {FULL}"),
        (MOVED, "", "40001", f"madtree: shards have been moved or split meanwhile: {MOVED}"),
    ],
)
def test_an_internal_error_of_another_server_is_no_defect_of_ours_unless_it_says_so(
    cluster: psycopg.Connection, message: str, hint: str, sqlstate: str, sentence: str
) -> None:
    with cluster.transaction(force_rollback=True):
        cluster.execute(FAILING.replace("{message}", message).replace("{hint}", hint).encode())
        with pytest.raises(psycopg.Error) as caught:
            cluster.execute("SELECT tree_train('spread', 'm', 'id', 'label', 'failing(n), level')")
    assert caught.value.sqlstate == sqlstate
    assert (caught.value.diag.message_primary or "").startswith(sentence)


def test_a_server_without_room_for_a_work_table_is_named(cluster: psycopg.Connection, citus: str) -> None:
    last = nodes_of(citus)[-1]
    with psycopg.connect(last.dsn, dbname=cluster.info.dbname, autocommit=True) as worker:
        worker.execute("SET citus.enable_ddl_propagation = off")
        worker.execute(FULL_DISK)
        try:
            with pytest.raises(psycopg.errors.DiskFull) as caught:
                cluster.execute("SELECT tree_train('spread', 'm', 'id', 'label', 'n')")
        finally:
            worker.execute("DROP EVENT TRIGGER full_disk; DROP FUNCTION full_disk")
    assert caught.value.diag.message_detail == f"The error is one of the server {last.host}:{last.port}."


def test_predictions_are_not_put_beside_shards_that_are_being_moved(cluster: psycopg.Connection, citus: str) -> None:
    to = nodes_of(citus)[-1]
    cluster.execute("SELECT tree_train('plain', 'm', 'id', 'label', 'n', max_depth => 2)")
    with psycopg.connect(citus) as other:
        other.execute("SELECT set_config('search_path', %s, false)", cluster.execute("SHOW search_path").fetchone())
        other.execute(MOVE, [to.host, to.port])
        with pytest.raises(psycopg.errors.LockNotAvailable, match="madtree: shards are being moved, split or made"):
            cluster.execute("SELECT tree_predict('m', 'spread', 'out')")
        cluster.execute("SELECT tree_predict('m', 'spread', 'pg_temp.out')")
        other.rollback()
    cluster.execute("SELECT tree_predict('m', 'spread', 'out'); DROP TABLE m, m_summary, m_nodes, out")


@pytest.mark.parametrize(
    "statement",
    [
        'host.query("SELECT 1 AS one")',
        'host.query("SELECT $1 AS one", ["pg_catalog.int4"], [1])',
        'host.command("CREATE TEMPORARY TABLE one AS SELECT 1 AS one")',
        'next(host.stream("SELECT 1 AS one"))',
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


def test_a_worker_that_ends_its_session_ends_no_more_than_that(cluster: psycopg.Connection, citus: str) -> None:
    """And a timeout of idle sessions is no reason: a worker's is idle while the coordinator computes."""
    ((schema, database),) = cluster.execute("SELECT current_schema()::text, current_database()::text").fetchall()
    idle = f"ALTER DATABASE {database} SET idle_in_transaction_session_timeout"
    workers = [make_conninfo(node.dsn, dbname=database) for node in nodes_of(citus)[1:]]
    for worker in workers:
        run(worker, f"SET citus.enable_ddl_propagation = off; {idle} = '100ms'")
    try:
        with psycopg.connect(citus, autocommit=True) as session:
            session.execute(f"SET search_path = {schema}, madtree".encode())
            session.execute("SELECT count(*) FROM madtree.models")  # Python is loaded
            session.execute(WAITING.encode())
            with session.transaction():
                session.execute("SELECT madtree_internal.set_up_servers(), waiting()")
            with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
                session.execute("SELECT waiting()")
            with pytest.raises(psycopg.OperationalError):
                session.execute("SELECT 1")
    finally:
        for worker in workers:
            run(worker, f"SET citus.enable_ddl_propagation = off; {idle} = DEFAULT")
    assert cluster.execute("SELECT 1").fetchone() == (1,), "the others' sessions go on"
