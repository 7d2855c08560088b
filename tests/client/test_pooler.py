"""Through PgBouncer in transaction mode, where no two transactions are of one session."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import psycopg
import pytest
from fix_server import Server
from plain_database import left_over
from pooler import pooled, through
from waiting import wait_until

import madtree

# In the row that it is to be cancelled in: a cancel that comes between two statements is lost.
ACTIVE = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%shop.slow%'"


@pytest.fixture(scope="module")
def port(server: Server, ordinary_user: tuple[str, str]) -> Iterator[int]:
    with pooled(server.dsn, ["postgres", ordinary_user[0]]) as port:
        yield port


def test_the_client_engine(plain: str, port: int, server: Server) -> None:
    url = through(plain, port)
    with madtree.connect(url, engine="client", on_message=lambda line: None) as client:
        with psycopg.connect(url) as other:  # the pool gets a second session while this transaction has the first one
            other.execute("SELECT")
            client.query("SELECT")
        sessions = {client.query("SELECT pg_backend_pid()")[0][0] for _ in range(3)}
        assert len(sessions) > 1
        arguments = "id", "bought", "age, channel, member"
        tree = client.tree_train("shop.visits", "mine.m", *arguments, grouping_cols="region")
        assert tree.message is not None
        assert "900 rows, 5 trees" in tree.message
        forest = client.forest_train("shop.visits", "mine.f", *arguments, num_trees=3, oob_predictions=True)
        client.tree_predict("mine.m", "shop.visits", "mine.p")
        client.forest_predict("mine.f", "shop.visits", "mine.q")
        for model in (tree, forest):
            values = [row.value for row in model.client.tree_evaluate(model.name, "shop.visits")]
            assert 900 in values
        assert len(tree.display()) > 0
        with madtree.connect(url, model_dsn=url, on_message=lambda line: None) as apart:
            apart.tree_train("shop.visits", "mine.m", *arguments, replace=True)
        for name in ("mine.m", "mine.f"):
            client.tree_drop(name)
        client.query("DROP TABLE mine.p; DROP TABLE mine.q")
    assert left_over(plain) == []


def test_a_cancel(plain: str, port: int, server: Server) -> None:
    """It reaches the session that works for the client; the next call is as if nothing had been."""
    with psycopg.connect(server.dsn_of(dbname=psycopg.conninfo.conninfo_to_dict(plain)["dbname"])) as admin:
        admin.autocommit = True
        admin.execute(
            "CREATE FUNCTION shop.slow(id int) RETURNS int LANGUAGE plpgsql STABLE AS"
            " 'BEGIN IF id = 700 THEN PERFORM pg_sleep(600); END IF; RETURN id; END'"
        )
        try:
            with madtree.connect(through(plain, port), engine="client", on_message=lambda line: None) as client:

                def cancel() -> None:
                    wait_until(lambda: admin.execute(ACTIVE).fetchone() is not None, "nothing is read")
                    client.connection.cancel_safe()

                canceller = threading.Thread(target=cancel)
                canceller.start()
                with pytest.raises(psycopg.errors.QueryCanceled):
                    client.tree_train("shop.visits", "mine.m", "id", "bought", "age, shop.slow(id)")
                canceller.join()
                client.tree_train("shop.visits", "mine.m", "id", "bought", "age")
                client.tree_drop("mine.m")
        finally:
            admin.execute("DROP FUNCTION shop.slow(int)")
    assert left_over(plain) == []


def test_the_extension(dsn: str, schema: str, port: int) -> None:
    """Names have their schema: a search path is a session's, too."""
    with madtree.connect(through(dsn, port), engine="extension") as client:
        client.query(
            f"CREATE TABLE {schema}.data AS SELECT i AS id, i % 7 AS x, i % 7 > 3 AS y FROM generate_series(1, 99) AS i"
        )
        client.tree_train(f"{schema}.data", f"{schema}.m", "id", "y", "x")
        client.forest_train(f"{schema}.data", f"{schema}.f", "id", "y", "x", num_trees=2)
        client.tree_predict(f"{schema}.m", f"{schema}.data", f"{schema}.p")
        client.forest_predict(f"{schema}.f", f"{schema}.data", f"{schema}.q")
        metrics = client.tree_evaluate(f"{schema}.m", f"{schema}.data")
        assert {row.metric: row.value for row in metrics}["accuracy"] == 1
        assert {row.model for row in client.models()} >= {f"{schema}.m", f"{schema}.f"}
