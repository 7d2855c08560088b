"""How the nodes of grown trees are judged: what they predict, their risk, by which trees are pruned, and the errors of
their predictions on rows that were held out.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero
from madtree.learn.problem import Problem
from madtree.learn.requests import Program
from madtree.learn.route import Routing
from madtree.records import dataclass


class Nodes(Protocol):
    """The nodes of grown trees, the roots first, as `learn.grow.GrowingTrees` has them."""

    n_trees: int
    tree: Ints
    depth: Ints
    parent: Ints
    feature: Ints
    sums: Floats
    routing: Routing


@dataclass(frozen=True)
class NodeValues:
    """What nodes are worth.

    Attributes:
        weight, impurity, risk: (n_nodes,); the risk is what pruning weighs against the number of leaves.
        prediction: (n_nodes,) class index or number.
        mean: (n_nodes,) the prediction less the tree's centre; None of classes.
        class_weights: (K, n_nodes) weights of the rows of each class, times what the class counts; None of numbers.
    """

    weight: Floats
    impurity: Floats
    risk: Floats
    prediction: Array
    mean: Floats | None = None
    class_weights: Floats | None = None

    def of(self, nodes: Ints) -> NodeValues:
        """Those of some nodes (m,)."""
        found: dict[str, Any] = {name: each if each is None else each[..., nodes] for name, each in vars(self).items()}
        return NodeValues(**found)


@dataclass(frozen=True)
class KnownNodes:
    """Nodes whose rows are not the replica's.

    Attributes:
        nodes: (m,) their indices.
        values: theirs, (m,) each; None where they follow from their sums as those of all others.
    """

    nodes: Ints
    values: NodeValues | None = None

    def enter(self, values: NodeValues) -> None:
        """Put them in their places among the values of all nodes."""
        if self.values is not None:
            for name, all_values in vars(values).items():
                if all_values is not None:
                    all_values[..., self.nodes] = getattr(self.values, name)


class Judging(Protocol):
    """What a criterion says of nodes.

    Attributes:
        needs_rows: whether values and held-out errors take a pass over the rows, beyond what is summed anyway.
    """

    @property
    def needs_rows(self) -> bool: ...

    def predictions(self, problem: Problem, nodes: Nodes) -> Array:
        """(n_nodes,) class index or number that each node would say as a leaf; of no meaning without rows."""
        ...

    def may_be_split(self, problem: Problem, sums: Floats, tree: Ints) -> Bools:
        """(m,) whether a split of these nodes may gain anything, by their sums."""
        ...

    def values(self, problem: Problem, nodes: Nodes) -> Program[NodeValues]: ...

    def held_out_errors(
        self, problem: Problem, nodes: Nodes, values: NodeValues, held_out: Floats
    ) -> Program[tuple[Floats, Floats]]:
        """(n_nodes,) weighted sums of the errors of each node's prediction on the held-out rows that reach it, and of
        their squares.

        Args:
            held_out: (n_channels, n_nodes) sums of the held-out rows that end in each leaf.
        """
        ...

    def fold_error(self, mean_error: Floats) -> Floats:
        """What is told of a fold whose mean error this is."""
        ...


def pairs_upwards(nodes: Nodes) -> list[tuple[Ints, Ints]]:
    """Left children and their parents, level by level, the deepest first."""
    pairs = []
    for depth in range(int(nodes.depth.max()) - 1, -1, -1):
        parents = flat_nonzero((nodes.depth == depth) & (nodes.feature >= 0))
        pairs.append((nodes.routing.child[parents].astype(np.int64), parents))
    return pairs


def add_upwards(nodes: Nodes, sums: Floats) -> None:
    """Give all inner nodes the sums of their leaves; `sums` (n, n_nodes), in place."""
    for left, parents in pairs_upwards(nodes):
        sums[:, parents] = sums[:, left] + sums[:, left + 1]
