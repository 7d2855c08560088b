"""Nodes below which all leaves say the same, against a look at each node's leaves."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.walk import where_leaves_agree


def grown(rng: np.random.Generator, n_trees: int, n_splits: int) -> np.ndarray:
    """The first children of nodes that were split in any order; the roots come first."""
    child = list(range(n_trees))
    for _ in range(n_splits):
        leaf = int(rng.choice([i for i, first in enumerate(child) if first == i]))
        child[leaf] = len(child)
        child += [len(child), len(child) + 1]
    return np.array(child)


@pytest.mark.parametrize(("n_splits", "n_classes"), [(0, 2), (1, 2), (40, 1), (60, 2), (60, 3)])
def test_agreement_is_that_of_all_leaves_below(n_splits: int, n_classes: int) -> None:
    rng = np.random.default_rng(n_splits + n_classes)
    for _ in range(20):
        child = grown(rng, 3, n_splits)
        said = rng.integers(0, n_classes, len(child))

        def leaves(node: int, child: np.ndarray = child, said: np.ndarray = said) -> set[int]:
            first = int(child[node])
            return {int(said[node])} if first == node else leaves(first) | leaves(first + 1)

        agree, told = where_leaves_agree(child, np.arange(3), said)
        for node in range(len(child)):
            below = leaves(node)
            assert agree[node] == (len(below) == 1)
            assert told[node] == (below.pop() if agree[node] else said[node])
