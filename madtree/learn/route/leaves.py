"""Where the ways of rows end once trees are grown."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import USUAL_BLOCK_ROWS, Block, Ints
from madtree.learn.problem import roots
from madtree.learn.route.routing import Routing
from madtree.learn.walk import CodeMatrix, Descent


def leaves(routing: Routing, block: Block, replica: int, n_groups: int) -> Ints:
    """(n_rows,) the leaf that each row of a block ends in, of a replica of its group's tree."""
    if routing.asks_more_than_cuts or block.codes.layout.n_wide:
        node = roots(block, replica, n_groups)
        for _ in range(routing.deepest):
            node = routing.advance(node, block.codes)
        return node
    inner = routing.child != np.arange(len(routing.child))
    descent = Descent(
        routing.feature.astype(np.int64),
        np.where(inner, np.clip(routing.cut, 0, 254), 255).astype(np.uint8),
        routing.child.astype(np.int64),
        inner & (routing.missing_right != 0),
        len(block.codes.narrow),
        routing.deepest,
        np.array([replica * n_groups]),
    )
    found: Ints = np.empty(block.codes.n_rows, np.int32)
    for first in range(0, len(found), USUAL_BLOCK_ROWS):
        rows = slice(first, first + USUAL_BLOCK_ROWS)
        root = replica if n_groups == 1 else replica * n_groups + block.tree[rows]  # type: ignore[index]
        found[rows] = descent.leaves(root, CodeMatrix(block.codes.narrow[:, rows]))
    return found
