"""Positions: which node each row of a block has reached, remembered between passes as far as memory allows."""

from __future__ import annotations

from collections import OrderedDict

from madtree.learn.data import Array, Block, Ints
from madtree.learn.route.leaves import WayDown
from madtree.learn.route.routing import Routing
from madtree.learn.route.stored_nodes import node_type

POSITION_BYTES = 4  # of a row's node in one replica, at most


class Positions:
    """The last positions of each block's rows in each replica; what does not fit `limit` bytes is not kept.

    Positions that are missing are worked out from the root again; they are the same.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._entries: OrderedDict[tuple[int, int], tuple[int, int, Array]] = OrderedDict()
        self._way: tuple[int, WayDown] | None = None  # from the roots, after so many rounds

    def nodes(self, key: tuple[int, int], block: Block, routing: Routing, replica: int, n_groups: int) -> Ints:
        """(n_rows,) the node of each row of a block after all rounds of growth so far.

        `key` tells the block and the replica apart from all others, of other ensembles' members, too.
        """
        found = self._remembered(key, block.codes.n_rows, routing)
        if found is None:
            node = self._way_down(routing).leaves(block, replica, n_groups)
        else:
            node = found[1]
            for _ in range(min(routing.rounds - found[0], routing.deepest)):  # no way is longer than the deepest tree
                node = routing.advance(node, block.codes)
        self._remember(key, routing.rounds, node, len(routing.child))
        return node

    def _way_down(self, routing: Routing) -> WayDown:
        """From the roots to where growth has come."""
        if self._way is None or self._way[1].routing is not routing or self._way[0] != routing.rounds:
            self._way = routing.rounds, WayDown(routing)
        return self._way[1]

    def _remembered(self, key: tuple[int, int], n_rows: int, routing: Routing) -> tuple[int, Array] | None:
        """The rounds after which positions were remembered, and they; None where there are none of these trees."""
        found = self._entries.pop(key, None)
        if found is None:
            return None
        rounds, n_nodes, node = found
        self._bytes -= node.nbytes
        # Trees only grow, and a block keeps its rows. Whoever makes requests up may say otherwise.
        fits = len(node) == n_rows and rounds <= routing.rounds and n_nodes <= len(routing.child)
        return (rounds, node) if fits else None

    def _remember(self, key: tuple[int, int], rounds: int, node: Ints, n_nodes: int) -> None:
        stored: Array = node.astype(node_type(n_nodes), copy=False)
        if stored.nbytes > self._limit:
            return
        self._entries[key] = (rounds, n_nodes, stored)
        self._bytes += stored.nbytes
        while self._bytes > self._limit:
            # The oldest entry is the next to be asked for in a scan, so dropping the newest keeps the others useful.
            _, (_, _, dropped) = self._entries.popitem(last=True)
            self._bytes -= dropped.nbytes
