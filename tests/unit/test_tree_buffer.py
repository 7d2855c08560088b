"""Trees that wait until there are enough of them to be written by one statement."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from memory_host import MemoryHost

from madtree.learn.prune import TrainedTrees, TreeColumns, TreeKeys
from madtree.train.batches import TreeBuffer


def buffer() -> TreeBuffer:
    host: Any = MemoryHost()
    return TreeBuffer(host, in_file=False)


def tree_of(n_nodes: int) -> TrainedTrees:
    key = TreeKeys(np.ones(1, np.int64), np.ones(1, np.int64))
    columns = replace(TreeColumns.untrained(key, 1, 0.0), n_nodes=np.array([n_nodes]))
    return replace(TrainedTrees.none(1, 0), trees=columns)


def test_trees_wait_until_they_have_enough_nodes_and_the_next_ones_again() -> None:
    waiting = buffer()
    given = []
    for _ in range(6):
        waiting.add(tree_of(3))
        given.append([each.trees.n_nodes.tolist() for each in waiting.drained(9)])
    assert given == [[], [], [[3, 3, 3]], [], [], [[3, 3, 3]]]


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
        assert list(waiting.drained(1_000)) == []
    assert Counted.looks <= 50
