"""The files of a crew: what one process puts there others find whole, and blocks come back as they were kept."""

from __future__ import annotations

import json
import os
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from core.data import cut, problem_of, sample_rows

from madtree.host.temporary import SERVER_TEMPORARY
from madtree.learn.data.block import Block
from madtree.learn.data.parameters import Parameters
from madtree.learn.data.types import Array
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.histogram.count import CountPlan, count_blocks, plan_values
from madtree.learn.problem.columns import ColumnReader
from madtree.learn.problem.problem import Problem
from madtree.storage.exchange import Exchange, is_running, waited_for
from madtree.storage.kept import KeptBlocks


@pytest.fixture(autouse=True)
def _data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a server's processes work."""
    (tmp_path / SERVER_TEMPORARY).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)


def _claimed(name: str, n: int) -> list[int]:
    exchange = Exchange(name)
    return [exchange.claim() for _ in range(n)]


def test_no_number_is_claimed_twice() -> None:
    exchange = Exchange.create("0123456789abcdef")
    with get_context("fork").Pool(4) as pool:
        numbers = pool.starmap(_claimed, [(exchange.name, 250)] * 4)
    assert sorted(number for mine in numbers for number in mine) == list(range(1000))


def test_what_is_put_is_found_by_its_prefix_until_it_is_dropped() -> None:
    exchange = Exchange.create("ab")
    assert exchange.get("packed-7") is None
    exchange.put("packed-7", b"seven")
    exchange.put("answer-7", b"")
    assert list(exchange.with_prefix("packed-")) == ["7"]
    assert (exchange.get("packed-7"), exchange.get("answer-7")) == (b"seven", b"")
    exchange.drop("packed-7")
    assert exchange.get("packed-7") is None
    exchange.remove()
    assert not exchange.exists


@pytest.mark.parametrize("name", ["", "..", "pgsql_tmp1.madtree_", "pgsql_tmp1.madtree_a/b", "pgsql_tmp.madtree_a"])
def test_names_lead_nowhere_else(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of a crew"):
        Exchange(name)


def test_the_remains_of_killed_leaders_are_removed_and_nothing_else() -> None:
    context = get_context("fork")
    process = context.Process(target=Exchange.create, args=("dead",))
    process.start()
    process.join()
    dead = SERVER_TEMPORARY / f"pgsql_tmp{process.pid}.madtree_dead"
    other = SERVER_TEMPORARY / f"pgsql_tmp{process.pid}.0.sharedfileset"
    alive = SERVER_TEMPORARY / f"pgsql_tmp{os.getppid()}.madtree_a11e"
    for directory in (other, alive):
        directory.mkdir()
    assert dead.exists()
    assert not is_running(process.pid or 0)
    Exchange.create("beef")
    assert not dead.exists()
    assert other.exists()
    assert alive.exists()


def test_waiting_ends() -> None:
    found = iter([None, None, "found"])
    assert waited_for(lambda: next(found), 10) == "found"
    assert waited_for(lambda: None, 0.01) is None


def _counted(problem: Problem, blocks: list[tuple[int, Block]]) -> Array:
    slots = np.zeros(problem.n_trees, np.int32)
    rest = {"slot_of_node": slots, "n_slots": 1, "features": (0, 5)}
    trees = GrowingTrees(problem.n_trees, 9)
    values = plan_values("statistics", os.urandom(4).hex(), problem, trees.routing, 0, 2**20, **rest)
    return count_blocks(CountPlan(values), blocks)


@pytest.mark.parametrize("n_classes", [0, 3])
@pytest.mark.parametrize("block_rows", [1, 700, 10_000])
def test_blocks_come_back_as_they_were_kept(n_classes: int, block_rows: int) -> None:
    """Joined or not; with folds, which are given to parts by their numbers."""
    rows = sample_rows(3000, n_classes, weighted=True, n_trees=3)
    problem, block = problem_of(rows, n_classes, Parameters(), n_trees=3)
    assert block.tree is not None
    parts = cut(block, np.arange(len(rows.target)), 7)
    exchange = Exchange.create("ab")
    store = KeptBlocks(exchange.open("blocks-1", "w+b"), block_rows)
    for number in (4, 0, 6, 2):
        store.add(number, parts[number])
    store.finish()
    found = dict(store.parts())
    assert list(found) == [4, 0, 6, 2]
    for number, tree in found.items():
        np.testing.assert_array_equal(tree, parts[number].tree)
    spans = store.set_folds([np.full(len(tree), number, np.uint8) for number, tree in found.items()])
    elsewhere = KeptBlocks(exchange.open("blocks-1", "rb"), index=json.loads(json.dumps(store.index())))
    elsewhere.see_folds(spans.tolist())
    elsewhere.map()

    reader = ColumnReader(problem)
    back = Block.join([block for _, block in elsewhere.blocks(reader)])
    expected = Block.join([parts[number] for number in found])
    for name in ("target", "weight", "tree"):
        np.testing.assert_array_equal(getattr(back, name), getattr(expected, name))
    np.testing.assert_array_equal(back.codes.narrow, expected.codes.narrow)
    np.testing.assert_array_equal(back.fold, np.repeat(list(found), [len(tree) for tree in found.values()]))
    np.testing.assert_array_equal(_counted(problem, list(store.blocks(reader))), _counted(problem, [(0, expected)]))


def test_a_process_may_have_nothing_to_keep() -> None:
    rows = sample_rows(100, 2)
    problem, block = problem_of(rows, 2, Parameters())
    empty = cut(block, np.arange(0), 1)[0]
    reader = ColumnReader(problem)
    exchange = Exchange.create("ab")
    for parts in ([], [empty]):
        store = KeptBlocks(exchange.open(f"blocks-{len(parts)}", "w+b"))
        for number, part in enumerate(parts):
            store.add(number, part)
        store.finish()
        store.set_folds([np.zeros(0, np.uint8) for _ in store.parts()])
        assert list(store.blocks(reader)) == []
