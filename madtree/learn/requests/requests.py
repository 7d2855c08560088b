"""What growing trees asks of whoever has the rows, beside sums (`learn.counting.CountRequest`).

Each of these can be sent to another process: `to_values` are its values by name, and `from_values` the request again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from madtree.learn.columns import COLUMN_FUNCTIONS, column_values, with_column
from madtree.learn.data import Block, Ints, Values, require
from madtree.learn.problem import FoldHashes, Problem
from madtree.learn.route import Positions, Routing
from madtree.records import dataclass


@dataclass(frozen=True)
class RowsRequest:
    """The rows of some nodes, please. The answer is `RowsOfNodes`; only from providers that have rows at hand.

    Attributes:
        features: from and to, those whose codes will be looked at.
    """

    problem: Problem
    routing: Routing
    slot_of_node: Ints
    features: tuple[int, int]
    what: ClassVar[str] = "rows"

    @property
    def widths(self) -> Ints:
        return self.problem.bins.widths[slice(*self.features)]

    def to_values(self) -> dict[str, Any]:
        own = {"what": self.what, "slot_of_node": self.slot_of_node, "features": self.features}
        return {**own, **self.problem.to_values(), **self.routing.to_values()}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> RowsRequest:
        """The request that `to_values` tells of; raises MadtreeError where it is none."""
        given, problem = Values(values), Problem.from_values(values)
        routing = Routing.from_values(values, problem.n_trees, problem.bins.widths)
        n_nodes = len(routing.child)
        first, last = given.integers("features", 2, 0, len(problem.bins.widths))
        require(first <= last, "features", "from and to")
        return cls(problem, routing, given.ints("slot_of_node", (n_nodes,), -1, n_nodes - 1, np.int32), (first, last))


@dataclass(frozen=True)
class FoldHashesRequest:
    """How many rows of each tree have which hash, of those by which rows are put into folds? The answer is what
    `FoldHashes.counted` gives of all blocks, in any order.
    """

    hashes: FoldHashes
    what: ClassVar[str] = "fold hashes"

    def to_values(self) -> dict[str, Any]:
        return {"what": self.what, **vars(self.hashes)}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> FoldHashesRequest:
        """The request that `to_values` tells of; raises MadtreeError where it is none."""
        return cls(FoldHashes.from_values(values))


@dataclass(frozen=True)
class ReplaceRequest:
    """Give all rows a new column, please, by a function of each block's rows, and of the nodes that they have reached
    in trees that have just grown. The next requests are about the new rows.

    Attributes:
        function: name of one of `learn.problem.COLUMN_FUNCTIONS`, which say what column it makes of what values.
        problem, routing: of these trees; None where the function needs none.
    """

    function: str
    values: dict[str, Any]
    problem: Problem | None = None
    routing: Routing | None = None
    what: ClassVar[str] = "replace"

    @property
    def column(self) -> str:
        """The name of the column."""
        return COLUMN_FUNCTIONS[self.function].column

    def made(self, block: Block) -> Block:
        """A block with the new column. Its rows go down the trees for that."""
        return with_column(block, self.function, self.values, self.problem, self._nodes(block))

    def _nodes(self, block: Block) -> Ints | None:
        """(n_replicas, n_rows) the node that each row has reached."""
        if self.problem is None or self.routing is None:
            return None
        n_groups, on_their_way = self.problem.n_groups, Positions(0)
        replicas = range(self.problem.n_replicas)
        return np.stack([on_their_way.nodes((0, r), block, self.routing, r, n_groups) for r in replicas])

    def to_values(self) -> dict[str, Any]:
        own = {"what": self.what, "has_trees": self.routing is not None, **self.function_values()}
        if self.problem is None or self.routing is None:
            return own
        return {**self.problem.to_values(), **self.routing.to_values(), **own}

    def function_values(self) -> dict[str, Any]:
        """What it says beside the trees, for whoever knows the nodes of rows."""
        n_nodes = 0 if self.routing is None else len(self.routing.child)
        return {"function": self.function, "n_nodes": n_nodes, **self.values}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> ReplaceRequest:
        """The request that `to_values` tells of; raises MadtreeError where it is none."""
        given = Values(values)
        if not given.boolean("has_trees"):
            return cls(*column_values(given, None, 0))
        problem = Problem.from_values(values)
        routing = Routing.from_values(values, problem.n_trees, problem.bins.widths)
        return cls(*column_values(given, problem, len(routing.child)), problem, routing)
