"""One set of rows, several trees: the main tree, and for each fold one that is grown without it.

A run with G groups and F folds has G (1 + F) trees: tree c G + g is group g's copy c. Copy 0 is the main tree and takes
all rows; copy c takes the rows that are not in fold c - 1, and is tested on those that are.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data.block import Block
from madtree.learn.data.types import Ints


def roots(block: Block, copy: int, n_groups: int) -> Ints:
    """(n_rows,) int32 the root that each row starts from in a copy; a root's index is its tree's."""
    if block.tree is None:
        return np.full(block.codes.n_rows, copy * n_groups, np.int32)
    started: Ints = block.tree.astype(np.int32) + np.int32(copy * n_groups)
    return started


def held_out(block: Block, copy: int) -> Ints:
    """Indices of the rows that a copy is tested on."""
    if copy == 0 or block.fold is None:
        return np.zeros(0, np.int64)
    return np.flatnonzero(block.fold == copy - 1)


def taught(block: Block, copy: int) -> Ints | None:
    """Indices of the rows that a copy is grown on; None for all."""
    if copy == 0 or block.fold is None:
        return None
    return np.flatnonzero(block.fold != copy - 1)


def slots_of(node: Ints, slot_of_node: Ints, block: Block, copy: int, *, testing: bool) -> Ints:
    """(n_rows,) the slot of each row's node, -1 for rows that this copy does not take."""
    slots: Ints = slot_of_node.take(node)
    if testing:
        tested = np.full(len(slots), -1, slots.dtype)
        rows = held_out(block, copy)
        tested[rows] = slots[rows]
        return tested
    slots[held_out(block, copy)] = -1
    return slots
