"""An extension that was made before Citus is on the coordinator alone: who trains is told, and what the doctor says
cures it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from private_cluster import joined_database, nodes_of, run
from psycopg.conninfo import make_conninfo

from madtree.doctor import Status, examine

CURE = "CREATE EXTENSION IF NOT EXISTS madtree CASCADE"
BODY = "LANGUAGE plpgsql AS $$ BEGIN INSERT INTO called DEFAULT VALUES; RETURN NULL; END $$"
PLANTED = f"""
SET citus.enable_ddl_propagation = off; CREATE SCHEMA madtree_internal; CREATE TABLE called (at timestamptz);
CREATE FUNCTION madtree_internal.array_image(anyarray) RETURNS bytea {BODY};
CREATE FUNCTION madtree_internal.server_info() RETURNS json {BODY}
"""


@pytest.fixture
def early(citus: str) -> Iterator[tuple[psycopg.Connection, list[str]]]:
    """A cluster whose workers have no madtree, with a distributed table t."""
    name = f"madtree_early_{os.getpid()}"
    with (
        joined_database(nodes_of(citus), name, first="CREATE EXTENSION madtree CASCADE") as dsn,
        psycopg.connect(dsn, autocommit=True) as session,
    ):
        session.execute("CREATE TABLE t (id int, x float8, y bool); SELECT create_distributed_table('t', 'id')")
        session.execute("INSERT INTO t SELECT i, i % 17, i % 17 > 5 FROM generate_series(1, 5000) AS i")
        workers = [make_conninfo(node.dsn, dbname=name) for node in nodes_of(citus)[1:]]
        for worker in workers:  # whoever may create schemas there
            run(worker, PLANTED)
        yield session, workers


def test_the_error_says_what_to_do_and_the_doctor_too(early: tuple[psycopg.Connection, list[str]]) -> None:
    """And nothing is called there that has a name of madtree's."""
    session, workers = early
    calls = [
        "SELECT madtree.tree_train('t', 'm', 'id', 'y', 'x')",
        "SELECT madtree.boost_train('t', 'b', 'id', 'y', 'x', num_trees => 2)",
        "SELECT madtree.forest_train('t', 'f', 'id', 'y', 'x', num_trees => 2, strategy => 'aggregate')",
    ]
    for call in calls:
        with pytest.raises(psycopg.Error, match="the other servers of the cluster have no extension madtree") as caught:
            session.execute(call.encode())
        assert caught.value.sqlstate == "55000"
        assert CURE in str(caught.value.diag.message_hint)
    told = [finding for finding in examine(session) if finding.check == "workers"]
    assert {finding.status for finding in told} == {Status.PROBLEM}
    assert all(CURE in str(finding.cure) for finding in told)
    for worker in workers:
        with psycopg.connect(worker) as other:
            assert other.execute("TABLE called").fetchall() == []
            other.execute("SET citus.enable_ddl_propagation = off; DROP SCHEMA madtree_internal CASCADE")
    session.execute(CURE)
    for call in calls:
        session.execute(call.encode())
    assert [finding.status for finding in examine(session) if finding.check == "workers"] == [Status.OK]
