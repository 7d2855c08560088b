"""An extension that was made before Citus is on the coordinator alone: who trains is told, and what the doctor says
cures it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from private_cluster import joined_database, nodes_of

from madtree.doctor import Status, examine

CURE = "CREATE EXTENSION IF NOT EXISTS madtree CASCADE"


@pytest.fixture
def early(citus: str) -> Iterator[psycopg.Connection]:
    """A cluster whose workers have no madtree, with a distributed table t."""
    name = f"madtree_early_{os.getpid()}"
    with (
        joined_database(nodes_of(citus), name, first="CREATE EXTENSION madtree CASCADE") as dsn,
        psycopg.connect(dsn, autocommit=True) as session,
    ):
        session.execute("CREATE TABLE t (id int, x float8, y bool); SELECT create_distributed_table('t', 'id')")
        session.execute("INSERT INTO t SELECT i, i % 17, i % 17 > 5 FROM generate_series(1, 5000) AS i")
        yield session


def test_the_error_says_what_to_do_and_the_doctor_too(early: psycopg.Connection) -> None:
    calls = [
        "SELECT madtree.tree_train('t', 'm', 'id', 'y', 'x')",
        "SELECT madtree.boost_train('t', 'b', 'id', 'y', 'x', num_trees => 2)",
        "SELECT madtree.forest_train('t', 'f', 'id', 'y', 'x', num_trees => 2, strategy => 'aggregate')",
    ]
    for call in calls:
        with pytest.raises(psycopg.Error, match="the other servers of the cluster have no extension madtree") as caught:
            early.execute(call.encode())
        assert caught.value.sqlstate == "55000"
        assert CURE in str(caught.value.diag.message_hint)
    told = [finding for finding in examine(early) if finding.check == "workers"]
    assert {finding.status for finding in told} == {Status.PROBLEM}
    assert all(CURE in str(finding.cure) for finding in told)
    early.execute(CURE)
    for call in calls:
        early.execute(call.encode())
    assert [finding.status for finding in examine(early) if finding.check == "workers"] == [Status.OK]
