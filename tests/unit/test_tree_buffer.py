"""Trees that wait until there are enough of them to be written by one statement."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from memory_host import MemoryHost

from madtree.learn.prune import TrainedTrees, TreeColumns, TreeKeys
from madtree.train.batches import NODES_TOGETHER, TreeBuffer


def buffer(*, in_file: bool = False) -> TreeBuffer:
    host: Any = MemoryHost()
    return TreeBuffer(host, in_file=in_file)


def tree_of(n_nodes: int) -> TrainedTrees:
    key = TreeKeys(np.ones(1, np.int64), np.ones(1, np.int64))
    columns = replace(TreeColumns.untrained(key, 1, 0.0), n_nodes=np.array([n_nodes]))
    return replace(TrainedTrees.none(1, 0), trees=columns)


def test_trees_wait_until_they_have_enough_nodes_and_the_next_ones_again() -> None:
    waiting = buffer()
    given = []
    for _ in range(6):
        waiting.add(tree_of(300))
        given.append([each.trees.n_nodes.tolist() for each in waiting.drained(900)])
    assert given == [[], [], [[300, 300, 300]], [], [], [[300, 300, 300]]]


def test_small_trees_stand_in_the_file_together_and_the_last_ones_in_memory() -> None:
    waiting = buffer(in_file=True)
    for n_nodes in range(300):
        waiting.add(tree_of(n_nodes))
    given = [each.trees.n_nodes.tolist() for each in waiting.drained()]
    assert [number for each in given for number in each] == list(range(300))
    assert 2 < len(given) < 10
    assert list(waiting.drained()) == []


def test_many_trees_of_few_nodes_do_not_wait_for_many_nodes() -> None:
    waiting = buffer()
    for _ in range(NODES_TOGETHER // 60):
        waiting.add(tree_of(1))
    assert len(list(waiting.drained(NODES_TOGETHER))) == 1


def test_a_pause_takes_as_long_however_many_trees_wait() -> None:
    class Counted:
        looks = 0

        @property
        def n_nodes(self) -> Any:
            Counted.looks += 1
            return np.array([3])

    waiting = buffer()
    some: Any = SimpleNamespace(trees=Counted())
    for _ in range(50):
        waiting.add(some)
        assert list(waiting.drained(NODES_TOGETHER)) == []
    assert Counted.looks <= 50
