"""What growing trees asks of whoever has the rows, beside sums (`learn.counting.CountRequest`).

Each of these can be sent to another process: `to_values` are its values by name, beside which its problem's have to
stand, and `from_values` the request again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from madtree.learn.columns import COLUMN_FUNCTIONS, ROW_SUMS, column_values, sum_values, summed_rows, with_columns
from madtree.learn.data import Array, Block, Ints, Values, flat_nonzero, require, required
from madtree.learn.problem import FoldHashes, Problem, kept_rows
from madtree.learn.route import Routing
from madtree.records import dataclass

_OfRows = TypeVar("_OfRows", bound="OfRows")
_ARGUMENT = "argument_"


def arguments_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments among the values of a request about rows (`OfRows.function_values`)."""
    n = len(_ARGUMENT)
    return {name[n:]: value for name, value in values.items() if name.startswith(_ARGUMENT)}


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
        return {**own, **self.routing.to_values()}

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
class OfRows:
    """What is made of each block's rows by a named function, and of the nodes that they have reached in trees that have
    just grown.

    Attributes:
        function: its name.
        values: its arguments, as `codec.dump` takes them.
        problem: by which blocks are packed; None where the function needs none.
        routing: of these trees; None where it needs none.
    """

    function: str
    values: dict[str, Any]
    problem: Problem | None = None
    routing: Routing | None = None
    what: ClassVar[str]

    @property
    def n_nodes(self) -> int:
        return 0 if self.routing is None else len(self.routing.child)

    def to_values(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "has_problem": self.problem is not None,
            "has_trees": self.routing is not None,
            **({} if self.routing is None else self.routing.to_values()),
            **self.function_values(),
        }

    def function_values(self) -> dict[str, Any]:
        """What it says beside problem and trees, for whoever knows the nodes of rows."""
        arguments = {f"{_ARGUMENT}{name}": value for name, value in self.values.items()}
        return {"function": self.function, "n_nodes": self.n_nodes, **arguments}

    @classmethod
    def from_values(cls: type[_OfRows], values: Mapping[str, Any]) -> _OfRows:
        """The request that `to_values` tells of; raises MadtreeError where it is none."""
        given, problem, routing = Values(values), None, None
        if given.boolean("has_problem"):
            problem = Problem.from_values(values)
            if given.boolean("has_trees"):
                routing = Routing.from_values(values, problem.n_trees, problem.bins.widths)
        found = cls(given.text("function"), arguments_of(values), problem, routing)
        found._checked  # noqa: B018  (what is wrong is said now)
        return found

    @cached_property
    def _checked(self) -> dict[str, Any]:
        """The function's arguments as it takes them; raises MadtreeError where they are none."""
        raise NotImplementedError


@dataclass(frozen=True)
class ReplaceRequest(OfRows):
    """Give all rows new columns, please. The next requests are about the new rows.

    `function`: one of `learn.columns.COLUMN_FUNCTIONS`. The answer is what rows say with the new columns, as to a
    SumsRequest, where the values ask that of them; so there is a pass less. Else there are no numbers in it.
    """

    what = "replace"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return COLUMN_FUNCTIONS[self.function].columns

    def applied_to(self, block: Block, nodes: Ints | None) -> tuple[Block, Array]:
        """A block with the new columns, and what its rows say; `nodes` (n_rows,) of these, where there are trees. The
        block's own columns may be written over, unless they are read-only.
        """
        return with_columns(block, self.function, self._checked, self.problem, nodes, in_place=True)

    def zeros(self) -> Array:
        """What no row says."""
        return np.zeros(0) if self.then is None else self.then.zeros()

    @cached_property
    def then(self) -> SumsRequest | None:
        """What rows are asked with the new columns, for who does one after the other; None where it is nothing."""
        if self._checked.get("sums") is None:
            return None
        return SumsRequest(COLUMN_FUNCTIONS[self.function].sums, self.values, self.problem)

    @cached_property
    def _checked(self) -> dict[str, Any]:
        return column_values(self.function, self.values, self.problem, self.n_nodes)


@dataclass(frozen=True)
class SumsRequest(OfRows):
    """What do all rows say together, please? The answer is an array of exact sums.

    `function`: one of `learn.columns.ROW_SUMS`.
    """

    what = "sums"

    def of(self, block: Block, nodes: Ints | None) -> Array:
        """What a block's rows say; as `ReplaceRequest.applied_to`."""
        return summed_rows(block, self.function, self._checked, self.problem, nodes)

    def zeros(self) -> Array:
        """What no row says."""
        return ROW_SUMS[self.function].zeros(self._checked)

    @cached_property
    def _checked(self) -> dict[str, Any]:
        return sum_values(self.function, self.values, self.problem, self.n_nodes)


@dataclass(frozen=True)
class RememberRequest:
    """Remember the columns that rows have now, or give them these again, please.

    `back`: the latter.
    """

    back: bool
    what: ClassVar[str] = "remember"

    def to_values(self) -> dict[str, Any]:
        return {"what": self.what, "back": self.back}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> RememberRequest:
        """The request that `to_values` tells of; raises MadtreeError where it is none."""
        return cls(Values(values).boolean("back"))


@dataclass(frozen=True)
class SampleRequest:
    """Go on with a part of the rows, please, as they are now; or with all rows again, as they were.

    Attributes:
        share: of all rows, by a hash of their identities with that seed; 1 for all of them.
    """

    share: float
    seed: int
    what: ClassVar[str] = "sample"

    def of(self, block: Block) -> Block:
        """The rows of a block that are among them."""
        identity = required(block.identity, "identity")
        return block.take(flat_nonzero(kept_rows(identity, self.share, self.seed)))

    def to_values(self) -> dict[str, Any]:
        return {"what": self.what, "share": self.share, "seed": self.seed}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> SampleRequest:
        """The request that `to_values` tells of; raises MadtreeError where it is none."""
        given = Values(values)
        return cls(given.number("share", 0.0, 1.0), given.integer("seed", -(2**63), 2**63 - 1))
