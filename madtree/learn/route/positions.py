"""Which node each row of a block has reached, remembered between passes as far as memory allows."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from madtree.learn.data.block import Block
from madtree.learn.data.types import Array, Ints
from madtree.learn.problem.replicas import roots
from madtree.learn.route.routing import Routing


class AssignmentCache:
    """The last assignment of each block and copy of a run; what does not fit `limit` bytes is not kept.

    An assignment that is missing is worked out from the root again; the result is the same.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._entries: OrderedDict[tuple[int, int], tuple[int, Array]] = OrderedDict()

    def nodes(self, block_id: int, block: Block, routing: Routing, depth: int, copy: int, n_groups: int) -> Ints:
        """(n_rows,) the node of each row after `depth` steps from the root of its tree in a copy (core.replicas)."""
        found = self._entries.pop((block_id, copy), None)
        if found is not None and found[0] <= depth:
            done, stored = found
            self._bytes -= stored.nbytes
            node: Ints = stored.astype(np.int32)
        else:
            done, node = 0, roots(block, copy, n_groups)
        for _ in range(done, depth):
            node = routing.advance(node, block.codes)
        self._remember((block_id, copy), depth, node, len(routing.child))
        return node

    def _remember(self, key: tuple[int, int], depth: int, node: Ints, n_nodes: int) -> None:
        stored: Array = node.astype(np.uint16) if n_nodes <= 65_536 else node
        if stored.nbytes > self._limit:
            return
        self._entries[key] = (depth, stored)
        self._bytes += stored.nbytes
        while self._bytes > self._limit:
            # The oldest entry is the next to be asked for in a scan, so dropping the newest keeps the others useful.
            _, (_, dropped) = self._entries.popitem(last=True)
            self._bytes -= dropped.nbytes
