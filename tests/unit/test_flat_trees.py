"""Finished trees as arrays: nodes that are none of whole trees, and cancels between the passes over them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.learn.data import Ints
from madtree.learn.walk import FlatSplits, FlatTrees

INNER = np.array([True, True, False, False, False])  # nodes 0 and 1, and the leaves 2, 3 and 4
NODE_ID = np.arange(5)


def of(node_id: Ints, tree_id: Ints, between: Callable[[], None] = lambda: None) -> FlatTrees:
    n = len(node_id)
    feature = np.where(INNER[:n], 0, -1)
    splits = FlatSplits(np.arange(n), feature, np.where(INNER[:n], 0.5, np.nan), np.ones(n, np.bool_))
    return FlatTrees.of(tree_id, node_id, np.ones(n, np.bool_), splits, [False], between=between)


def test_whole_trees_have_their_children_pair_by_pair() -> None:
    assert of(NODE_ID, np.ones(5, np.int64)).child.tolist() == [1, 3, 2, 3, 4]


def test_a_tree_without_nodes_has_no_children() -> None:
    assert of(NODE_ID[:0], NODE_ID[:0]).child.tolist() == []


@pytest.mark.parametrize(
    ("node_id", "tree_id"),
    [
        ([1, 2, 3, 4, 5], [1, 1, 1, 1, 1]),  # no root
        ([0, 1, 2, 3], [1, 1, 1, 1]),  # a child is missing at the end
        ([0, 1, 2, 3, 5], [1, 1, 1, 1, 2]),  # the last child is another tree's
        ([0, 1, 2, 5, 6], [1, 1, 1, 1, 1]),  # children of a leaf
    ],
)
def test_nodes_that_are_not_whole_trees_are_refused(node_id: list[int], tree_id: list[int]) -> None:
    with pytest.raises(MadtreeError, match="its nodes are not whole trees"):
        of(np.array(node_id), np.array(tree_id))


def test_cancels_are_let_in_between_passes() -> None:
    looks: list[int] = []
    of(NODE_ID, np.ones(5, np.int64), lambda: looks.append(1))
    assert len(looks) == 4
