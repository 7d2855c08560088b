"""Counts for whoever keeps the nodes of rows beside them: a request tells of the nodes that are counted alone."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from madtree.learn.counting.count_request import COUNTED, CountRequest, What
from madtree.learn.data import Array, Block, Ints, Values, ascends, require
from madtree.learn.problem import Problem
from madtree.learn.route import MOST_NODES, Routing, StoredNodes, places
from madtree.records import dataclass


def frontier_values(request: CountRequest) -> dict[str, Any]:
    """A request as named values and arrays, for `codec.dump`."""
    nodes = np.flatnonzero(request.slot_of_node >= 0).astype(np.int32)
    widths = request.problem.bins.widths
    return {
        "what": request.what,
        **request.problem.counting_values(),
        "n_nodes": len(request.routing.child),
        "nodes": nodes,
        "slots": request.slot_of_node[nodes],
        # Surrogates are looked for by the sides to which these nodes' own splits send rows.
        **(request.routing.of_nodes(nodes, widths).to_values() if request.what == "sides" else {}),
        "n_slots": request.n_slots,
        **request.counted_values(),
    }


@dataclass(frozen=True)
class Frontier:
    """What `frontier_values` tells of.

    Attributes:
        request: whose nodes are numbered by their places among those that are counted; the last number stands for all
            others. Powers are taken of all nodes, which keep their numbers.
        place_of_node: (n_nodes,) that number; None where nodes keep theirs.
    """

    request: CountRequest
    n_nodes: int
    place_of_node: Ints | None

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> Frontier:
        """Raises MadtreeError where these are no such values."""
        given = Values(values)
        what = cast("What", given.text("what", COUNTED))
        problem = Problem.from_values(values)
        widths = problem.bins.widths
        n_nodes = given.integer("n_nodes", problem.n_trees, MOST_NODES)
        nodes = given.ints("nodes", (None,), 0, n_nodes - 1, np.int32)
        require(ascends(nodes), "nodes", "ascending")
        n_slots = given.integer("n_slots", 0, len(nodes))
        slots = given.ints("slots", (len(nodes),), 0, n_slots - 1, np.int32)
        routing = Routing.leaves(0, 1)
        if what == "sides":
            routing = Routing.from_values(values, problem.n_trees, widths, nodes, n_nodes)
            routing.add_leaves(n_nodes, 1)
        is_powers = what == "powers"
        slots = np.append(slots, np.int32(-1))
        request = CountRequest.counted(given, what, problem, routing, slots, n_slots, n_nodes)
        return cls(request, n_nodes, None if is_powers else places(nodes, n_nodes, len(nodes)))

    def positions(self, nodes: bytes | None, block: Block) -> FrontierNodes:
        """Where a block's rows are, by the nodes that are kept beside it."""
        problem = self.request.problem
        stored = StoredNodes(nodes, block, problem.n_replicas, problem.n_groups, self.n_nodes)
        return FrontierNodes(stored, self.place_of_node)


class FrontierNodes:
    """In place of `Positions`: the nodes are known."""

    def __init__(self, stored: StoredNodes, place_of_node: Ints | None) -> None:
        self._stored, self._place_of_node = stored, place_of_node

    def nodes(self, key: tuple[int, int], block: Block, routing: Routing, replica: int, n_groups: int) -> Ints:
        """(n_rows,) the node of each row of the block, by the numbers of the frontier's request."""
        node: Array = self._stored.of(replica)
        return node if self._place_of_node is None else self._place_of_node.take(node)
