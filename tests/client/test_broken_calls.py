"""Calls of the client engine that end too early, by a lost connection, a timeout, Ctrl-C: what is said and left."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from stopping_rows import ASLEEP, LATE, assert_nothing_is_left, count
from waiting import wait_until

import madtree
from madtree.host.psycopg import PsycopgHost


@pytest.mark.parametrize(("table", "row", "connections"), [("visits", 700, 1), ("many", LATE, 1), ("many", LATE, 2)])
def test_a_connection_that_breaks(
    plain: str, admin: psycopg.Connection, table: str, row: int, connections: int
) -> None:
    with madtree.connect(plain, engine="client", connections=connections) as client:
        with pytest.raises(madtree.LostConnectionError) as told:
            client.tree_train(f"shop.{table}", "mine.m", "id", "bought", f"age, shop.end_at(id, {row})")
        error = told.value
        during = "while rows were read" if table == "many" else "in the middle of the call"
        assert f"broke {during}: terminating connection due to administrator command" in error.message
        assert error.hint == "Nothing of it is left in the server. Connect anew and call again."
        assert (error.sqlstate, isinstance(error, psycopg.OperationalError)) == ("57P01", True)
        assert client.connection.closed == (connections == 1)
        assert_nothing_is_left(admin, plain, n_sessions=connections - 1)
        if connections == 2:  # it was another one that broke
            client.tree_train("shop.visits", "mine.m", "id", "bought", "age")
            client.tree_drop("mine.m")


def test_a_call_on_a_connection_that_is_gone(plain: str) -> None:
    with madtree.connect(plain, engine="client") as client:
        client.connection.close()
        with pytest.raises(madtree.LostConnectionError, match=r"the connection to the server broke .*: .*closed"):
            client.tree_train("shop.visits", "mine.m", "id", "bought", "age")


def test_a_statement_timeout_says_what_helps(plain: str, admin: psycopg.Connection) -> None:
    url = make_conninfo(plain, options="-c statement_timeout=500ms")
    with madtree.connect(url, engine="client") as client:
        with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout") as told:
            client.tree_train("shop.visits", "mine.m", "id", "bought", "age, shop.sleep_at(id, 700)")
        notes = getattr(told.value, "__notes__", None)  # of Python 3.11
        assert notes is None or "options='-c statement_timeout=0'" in notes[0]
        assert_nothing_is_left(admin, plain, n_sessions=1)


def test_a_session_whose_client_is_at_work_is_not_idle(plain: str) -> None:
    def think(line: str) -> None:
        if line.startswith("level 0"):
            time.sleep(0.5)

    url = make_conninfo(plain, options="-c idle_in_transaction_session_timeout=100ms")
    with madtree.connect(url, engine="client", on_message=think) as client:
        client.tree_train("shop.visits", "mine.m", "id", "bought", "age", verbose=True)
        assert client.query("SHOW idle_in_transaction_session_timeout")[0] == ("100ms",)
        client.tree_drop("mine.m")


@pytest.mark.parametrize("connections", [1, 2])
def test_a_task_that_is_cancelled_while_rows_are_read(plain: str, admin: psycopg.Connection, connections: int) -> None:
    async def program() -> None:
        async with await madtree.connect_async(plain, engine="client", connections=connections) as client:
            features = f"age, shop.sleep_at(id, {LATE})"
            task = asyncio.create_task(client.tree_train("shop.many", "mine.m", "id", "bought", features))
            await asyncio.to_thread(wait_until, lambda: count(admin, ASLEEP), "never came to the row")
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await client.tree_train("shop.visits", "mine.m", "id", "bought", "age")
            await client.tree_drop("mine.m")

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, program()).result()
    assert_nothing_is_left(admin, plain)


@pytest.fixture
def heeded() -> Iterator[None]:
    """Ctrl-C is heeded, as in a terminal: a suite in the background is told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize("connections", [1, 2])
def test_ctrl_c_while_rows_are_read(plain: str, admin: psycopg.Connection, connections: int) -> None:
    def interrupt() -> None:
        wait_until(lambda: count(admin, ASLEEP), "never came to the row")
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    with madtree.connect(plain, engine="client", connections=connections) as client, ThreadPoolExecutor(1) as pool:
        interrupted = pool.submit(interrupt)
        with pytest.raises(KeyboardInterrupt):
            client.tree_train("shop.many", "mine.m", "id", "bought", f"age, shop.sleep_at(id, {LATE})")
        interrupted.result()
        assert_nothing_is_left(admin, plain, n_sessions=1)
        client.tree_train("shop.visits", "mine.m", "id", "bought", "age")
        client.tree_drop("mine.m")


def test_ctrl_c_in_the_middle_of_a_statement(plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not while psycopg waits for the server: then it ends the statement itself."""
    with psycopg.connect(plain) as connection:
        host, wait = PsycopgHost(connection), connection.wait
        interrupts = [False, True]  # of BEGIN, and of the statement behind it

        def interrupted(generator: Any, *interval: Any) -> Any:
            if not interrupts or not interrupts.pop(0):
                return wait(generator, *interval)
            next(generator)  # it has been sent
            generator.close()
            raise KeyboardInterrupt

        monkeypatch.setattr(connection, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            host.query("SELECT pg_catalog.pg_sleep(600)")
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        assert host.query("SELECT 1 AS one") == [{"one": 1}]
