"""Boosted models as objects of both clients."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor

import pytest

import madtree

HELD_OUT = {"validation_params": {"fraction": 0.2}, "num_trees": 6, "min_bucket": 5}


def run(program: Coroutine[None, None, object]) -> None:
    """Run it in a thread: an event loop of a browser's tests may be running in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, program).result()


@pytest.fixture
def model(client: madtree.Client, flowers: object) -> madtree.BoostedModel:
    return client.boost_train("flowers", "m", "id", "kind", ["length", "colour"], **HELD_OUT)


def test_its_rounds_are_rows(client: madtree.Client, model: madtree.BoostedModel) -> None:
    losses = model.rounds
    assert [row.round for row in losses] == list(range(len(losses)))
    assert losses[0].training_loss > losses[1].training_loss
    (group,) = model.groups
    assert losses[group.n_rounds].validation_loss == group.validation_loss == min(row.validation_loss for row in losses)


def test_it_is_cut_to_its_first_rounds(url: str, client: madtree.Client, model: madtree.BoostedModel) -> None:
    short = model.cut("short", 2)
    assert short.message == "boost_cut: m cut to 2 rounds into short: 6 of 18 trees"
    assert len(short.trees) == 6
    assert short.tree(4).trees[0].nodes == model.tree(4).trees[0].nodes

    async def program() -> None:
        async with await madtree.connect_async(url) as db:
            shorter = await (await db.boosted("short")).cut("shorter", 1)
            assert shorter.message == "boost_cut: short cut to 1 round into shorter: 3 of 6 trees"
            assert len(await shorter.rounds()) == 2

    run(program())


def test_it_is_measured_by_rounds(url: str, client: madtree.Client, model: madtree.BoostedModel) -> None:
    found = model.staged("flowers")
    (group,) = model.groups
    assert [row.num_trees for row in found] == list(range(group.n_rounds + 1))
    assert found[-1].loss < found[0].loss
    assert found[-1].metric == "accuracy"
    assert found == client.boost_staged("m", "flowers")

    async def program() -> None:
        async with await madtree.connect_async(url) as db:
            assert await (await db.boosted("m")).staged("flowers") == found

    run(program())


def test_it_is_written_as_sql(url: str, client: madtree.Client, model: madtree.BoostedModel) -> None:
    label = model.summary["dependent_var_levels"][0]
    text = model.to_sql("prob", class_=label)
    assert text == client.boost_sql("m", "prob", class_=label)

    async def program() -> None:
        async with await madtree.connect_async(url) as db:
            assert await (await db.boosted("m")).to_sql("prob", class_=label) == text

    run(program())
