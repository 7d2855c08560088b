"""Nodes that rows have reached, as they are kept beside a block, and how they move on as trees grow.

Whoever keeps them so needs only the splits that are new, and not the trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.learn.data import Array, Block, Codes, Ints, Values, ascends, flat_nonzero, require
from madtree.learn.problem import roots
from madtree.learn.route.routing import Routing
from madtree.records import dataclass
from madtree.trees import MAX_DEPTH_LIMIT

MOST_NODES = 2**26  # of all trees; an array of one number for each takes 256 MB
_TYPES = ("|u1", "<u2", "<i4")


class StoredNodes:
    """The nodes of a block's rows in each replica; all rows are at their roots where nothing is kept yet."""

    def __init__(self, column: bytes | None, block: Block, n_replicas: int, n_groups: int, n_nodes: int) -> None:
        """`column`: those of one replica after the other, each as `node_bytes` gives them.

        Raises:
            MadtreeError: these are not nodes of so many rows, or not below `n_nodes`.
        """
        self._block, self._n_groups = block, n_groups
        self._nodes: Array | None = None
        if column is not None:
            n = n_replicas * block.codes.n_rows
            types = {n * np.dtype(name).itemsize: np.dtype(name) for name in _TYPES}
            require(len(column) in types, "nodes", "one of each row in each replica")
            node = np.frombuffer(column, types[len(column)])
            require(n == 0 or (int(node.min()) >= 0 and int(node.max()) < n_nodes), "nodes", "those of the trees")
            self._nodes = node.reshape(n_replicas, -1)

    def of(self, replica: int) -> Ints:
        """(n_rows,) the node of each row in a replica."""
        if self._nodes is None:
            return roots(self._block, replica, self._n_groups)
        node: Ints = self._nodes[replica]
        return node


def node_type(n_nodes: int) -> np.dtype[Any]:
    """The smallest type that tells so many nodes apart."""
    return np.dtype(_TYPES[(n_nodes > 2**8) + (n_nodes > 2**16)])


def node_bytes(node: Ints, n_nodes: int) -> bytes:
    """Nodes (n_rows,) as they are kept."""
    kept: bytes = node.astype(node_type(n_nodes), copy=False).tobytes()
    return kept


@dataclass(frozen=True)
class NewSplits:
    """The splits by which rows move on.

    Attributes:
        n_nodes: of all trees, with the children of these splits.
        rounds: of growth that they are of; a row moves one step down in each at most.
        nodes: (m,) int32 that have been split, ascending.
        routing: their entries.
        from_roots: whether rows begin at the roots, wherever they have been.
    """

    n_nodes: int
    rounds: int
    nodes: Ints
    routing: Routing
    from_roots: bool

    @classmethod
    def since(cls, routing: Routing, rounds: int, n_nodes: int, widths: Ints, *, from_roots: bool) -> NewSplits:
        """What `routing` has more than after its first `rounds` rounds, when it had `n_nodes` nodes."""
        own = np.arange(len(routing.child))
        nodes = flat_nonzero((routing.child != own) & (routing.child >= n_nodes)).astype(np.int32)
        steps = min(routing.rounds - rounds, routing.deepest)
        return cls(len(own), steps, nodes, routing.of_nodes(nodes, widths), from_roots)

    def to_values(self) -> dict[str, Any]:
        """As named values and arrays, for `codec.dump`."""
        own = {"n_nodes": self.n_nodes, "new_rounds": self.rounds, "nodes": self.nodes, "from_roots": self.from_roots}
        return {**own, **self.routing.to_values()}

    @classmethod
    def from_values(cls, values: dict[str, Any], n_roots: int, widths: Ints) -> NewSplits:
        """What `to_values` tells of; raises MadtreeError where it is none. Arguments as in `Routing.from_values`."""
        given = Values(values)
        n_nodes = given.integer("n_nodes", n_roots, MOST_NODES)
        nodes = given.ints("nodes", (None,), 0, n_nodes - 1, np.int32)
        require(ascends(nodes), "nodes", "ascending")
        routing = Routing.from_values(values, n_roots, widths, nodes, n_nodes)
        require((routing.child != nodes).all(), "child", "one that a split has")
        rounds = given.integer("new_rounds", 0, MAX_DEPTH_LIMIT)
        return cls(n_nodes, rounds, nodes, routing, given.boolean("from_roots"))

    def place_of_node(self) -> Ints:
        """(n_nodes,) int32 the place of each node among `nodes`, -1 for the others."""
        return places(self.nodes, self.n_nodes, -1)

    def moved(self, node: Ints, codes: Codes, place_of_node: Ints) -> Ints:
        """(n_rows,) int32 the nodes of rows after these splits, from those before; `place_of_node`: that method's."""
        node = node.astype(np.int32)
        for _ in range(self.rounds):
            place = place_of_node.take(node)
            rows = flat_nonzero(place >= 0)
            if len(rows) == 0:
                break
            node[rows] = self.routing.advance(place.take(rows), codes, rows)
        return node


def places(nodes: Ints, n_nodes: int, other: int) -> Ints:
    """(n_nodes,) int32 the place of each node among `nodes` (m,), `other` for those that are not among them."""
    place: Ints = np.full(n_nodes, other, np.int32)
    place[nodes] = np.arange(len(nodes), dtype=np.int32)
    return place
