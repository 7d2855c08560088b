"""The client that is awaited: the same calls, transactions, models and errors as the other's."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd
import psycopg
import pytest
from waiting import wait_until_blocked

import madtree
from madtree.client.async_models import AsyncModel
from madtree.client.caller import Caller
from madtree.client.functions import FunctionCalls


def run(program: Coroutine[Any, Any, object]) -> None:
    """Run it in a thread: an event loop of a browser's tests may be running in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, program).result()


NOT_AWAITED = {"connection", "conninfo", "host", "work", "reading"}  # of a session that the caller holds


def test_it_has_all_that_the_other_client_has() -> None:
    pairs = (
        (madtree.Client, madtree.AsyncClient, NOT_AWAITED),
        (FunctionCalls, madtree.AsyncClient, set[str]()),
        (madtree.Model, AsyncModel, set[str]()),
        (madtree.Forest, madtree.AsyncForest, set[str]()),
        (madtree.BoostedModel, madtree.AsyncBoostedModel, set[str]()),
    )
    for sync, awaited, left_out in pairs:
        of_models = {name for name in dir(sync) if not issubclass(sync, Caller) and not name.startswith("_")}
        for name in of_models | {name for name in vars(sync) if not name.startswith("_")} - left_out:
            assert inspect.iscoroutinefunction(getattr(awaited, name)), name
    assert inspect.signature(madtree.AsyncClient.tree_train) == inspect.signature(madtree.Client.tree_train)
    assert madtree.AsyncClient.tree_train.__doc__ == madtree.Client.tree_train.__doc__


@pytest.mark.usefixtures("flowers")
def test_its_answers_are_those_of_the_other_client(url: str, client: madtree.Client) -> None:
    frame = pd.DataFrame({"length": [1.0, 9.0], "colour": ["red", None]})
    heard: list[str] = []

    async def program() -> None:
        async with await madtree.connect_async(url, on_message=heard.append) as db:
            model = await db.tree_train("flowers", "m", "id", "kind", ["length", "colour"], verbose=True)
            same = client.model("m")
            assert isinstance(model, AsyncModel)
            assert str(model.message).startswith("m: classification (3 classes), 293 rows")
            assert await model.nodes() == same.nodes
            assert (await model.summary())["total_rows_processed"] == 293
            assert await model.predict(frame) == same.predict(frame)
            assert sorted(await model.predict("flowers")) == sorted(same.predict("flowers"))
            assert await model.evaluate("flowers") == same.evaluate("flowers")
            assert await model.importance() == same.importance()
            assert await model.to_svg() == same.to_svg()
            pruned = await model.prune("small", 0.1)
            assert await pruned.display() == client.model("small").display()
            # Calls of several tasks take turns on the one connection.
            both = await asyncio.gather(db.tree_rules("m"), db.tree_rules("small"))
            assert [len(rules) for rules in both] == [len(client.tree_rules(name)) for name in ("m", "small")]

    run(program())
    assert any(line.startswith("level 0: ") for line in heard)


@pytest.mark.usefixtures("flowers")
def test_forests_are_awaited_as_models_are(url: str, client: madtree.Client) -> None:
    async def program() -> None:
        async with await madtree.connect_async(url) as db:
            forest = await db.forest_train("flowers", "f", "id", "kind", ["length", "colour"], num_trees=3)
            same = client.forest("f")
            assert isinstance(forest, madtree.AsyncForest)
            assert str(forest.message).startswith("f: forest for classification (3 classes), 293 rows, 3 trees")
            assert await forest.trees() == same.trees
            assert await forest.groups() == same.groups
            assert await forest.oob_error() == same.oob_error
            assert (await forest.summary())["num_trees"] == 3
            assert await forest.importance() == same.importance()
            assert await forest.tree(2) == same.tree(2)
            assert "scored" in await (await db.forest("f")).predict("flowers", "scored")
            await forest.drop()
            with pytest.raises(madtree.MadtreeError, match="relation f does not exist"):
                await forest.trees()

    run(program())
    assert len(client.query("SELECT * FROM scored")) == 300


@pytest.mark.usefixtures("flowers")
def test_your_transaction_stays_yours_and_a_refusal_takes_back_its_own_work(url: str, client: madtree.Client) -> None:
    async def program() -> None:
        async with await psycopg.AsyncConnection.connect(url) as mine:
            await mine.execute("CREATE TABLE made_before ()")
            db = await madtree.connect_async(mine)
            await db.tree_train("flowers", "m", "id", "kind", "*")
            with pytest.raises(madtree.CallError, match="column nothing does not exist") as caught:
                await db.tree_train("flowers", "n", "id", "kind", "nothing")
            assert caught.value.hint or caught.value.sqlstate == "42703"
            assert len(await (await db.model("m")).trees()) == 1
            await db.close()
            await mine.rollback()

    run(program())
    assert client.query("SELECT to_regclass('m') AS m, to_regclass('made_before') AS t")[0] == (None, None)


@pytest.mark.usefixtures("flowers")
def test_a_cancelled_task_cancels_its_call_on_the_server(url: str, db: psycopg.Connection, dsn: str) -> None:
    async def program(pid_of: list[int]) -> None:
        async with await madtree.connect_async(url) as awaited:
            pid = awaited.connection.info.backend_pid
            with psycopg.connect(dsn) as blocker:
                blocker.execute(f'LOCK TABLE "{db.execute("SELECT current_schema()").fetchone()[0]}".flowers')  # type: ignore[index]
                task = asyncio.create_task(awaited.tree_train("flowers", "m", "id", "kind", "*"))
                await asyncio.to_thread(wait_until_blocked, db, pid)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            # The connection is as it was, and nothing is left.
            assert (await awaited.query("SELECT to_regclass('m') IS NULL"))[0][0]
            pid_of.append(pid)

    pids: list[int] = []
    run(program(pids))
    assert len(pids) == 1


def test_what_is_no_asynchronous_connection_is_refused(db: psycopg.Connection) -> None:
    with pytest.raises(TypeError, match="connection must be a URL or connection string here, not Connection"):
        run(madtree.connect_async(db))  # type: ignore[arg-type]
