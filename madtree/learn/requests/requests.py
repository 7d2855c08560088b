"""What growing trees asks of whoever has the rows, beside sums (`learn.histogram.CountRequest`).

Each of these can be sent to another process: `to_values` are its values by name, and `from_values` the request again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from madtree.learn.data import Ints, Values, require
from madtree.learn.problem import Problem, column_values
from madtree.learn.route import Routing

_MOST_TREES = 2**31 - 1


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
class RowsByTreeRequest:
    """How many rows has each tree in each part of the table? The answer: (n_parts, 1 + n_trees) int64, a part's number
    first, in any order; parts are numbered in the order of the table.
    """

    n_trees: int
    what: ClassVar[str] = "rows by tree"

    def to_values(self) -> dict[str, Any]:
        return {"what": self.what, "n_trees": self.n_trees}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> RowsByTreeRequest:
        """The request that `to_values` tells of; raises MadtreeError where it is none."""
        return cls(Values(values).integer("n_trees", 1, _MOST_TREES))


@dataclass(frozen=True)
class ReplaceRequest:
    """Give all rows a new column, please: `column` ("fold", "target" or "weight") of every block by a function of
    `learn.problem.columns.COLUMN_FUNCTIONS` from the block's rows, where they stand, and `values`.
    """

    column: str
    function: str
    values: dict[str, Any]
    what: ClassVar[str] = "replace"

    def to_values(self) -> dict[str, Any]:
        return {"what": self.what, "column": self.column, "function": self.function, **self.values}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> ReplaceRequest:
        """The request that `to_values` tells of; raises MadtreeError where it is none."""
        return cls(*column_values(Values(values)))
