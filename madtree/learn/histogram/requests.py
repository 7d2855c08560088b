"""What growing trees ask of whoever has the rows.

Growing is a program, a generator that yields requests and is sent the answers; it knows nothing about where rows are. A
provider answers them: `at_hand` by the blocks of this process, others by those of parallel workers or of a table.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, TypeVar, cast, get_args

import numpy as np

from madtree.learn.data import Array, Floats, Ints, Steps, Values, require
from madtree.learn.histogram.at_hand_requests import (
    CategoriesRequest,
    DrawnRowsRequest,
    HeldOutRequest,
    TargetsRequest,
    WaveRequest,
    drawn_layout,
)
from madtree.learn.histogram.deviance import LOGARITHMS_AND_PRODUCTS
from madtree.learn.histogram.histogram import HistogramLayout
from madtree.learn.histogram.powers import LIMBS, UP_TO_FOURTH
from madtree.learn.problem import Channels, Problem, column_values
from madtree.learn.route import Routing

T = TypeVar("T")

# What is counted of the rows of some nodes:
# histograms: by code of each feature; sides: the same, with the side of the node's primary split as the class
# (learn.split.surrogates); totals: whatever the codes;
# powers: of the distances to the nodes' means (learn.histogram.powers), of all nodes that are leaves; of counts
# the terms of their deviance (learn.histogram.deviance).
What = Literal["histograms", "sides", "totals", "powers"]
COUNTED: tuple[What, ...] = get_args(What)
_MOST_TREES = 2**31 - 1
MOST_ROWS = 2**48


@dataclass(frozen=True)
class CountRequest:
    """Sums over the rows of some nodes, please. The answer is a state as `transition` makes it: an array of `shape`.

    Attributes:
        slot_of_node: (n_nodes,) int32 slot of each node that is counted, -1 for the others.
        features: from and to, of histograms and sides.
        means: (n_nodes,) less the tree's centre; `powers` of the distances to them. Of counts the base rates.
        powers: exponents; of counts the numbers of the terms.
        held_out: of the rows that each replica is tested on, instead of those that it is grown on; totals and powers.
        n_rows: rows of these nodes, about; for choosing how to count.
        drawn: (n_slots, n_drawn) the features of each slot that are counted (`drawn_layout`), not `features`; of nodes
            of the last level. None where all slots have the same.
    """

    what: What
    problem: Problem
    routing: Routing
    slot_of_node: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    n_slots: int = 0
    features: tuple[int, int] = (0, 0)
    means: Floats = field(default_factory=lambda: np.zeros(0))
    powers: tuple[int, ...] = ()
    held_out: bool = False
    n_rows: int = 0
    drawn: Ints | None = None

    @cached_property
    def channels(self) -> Channels:
        return self.problem.side_channels if self.what == "sides" else self.problem.channels

    @cached_property
    def layout(self) -> HistogramLayout:
        if self.drawn is not None:
            return drawn_layout(self.problem, self.drawn)
        first, last = self.features
        return HistogramLayout(self.channels, self.problem.bins.widths[first:last], self.n_slots, first)

    @property
    def shape(self) -> tuple[int, int]:
        """Of the state: (n_channels, total_bins), (n_channels, n_slots) or (n_powers * LIMBS, n_nodes)."""
        if self.what == "powers":
            return len(self.powers) * LIMBS, len(self.means)
        return self.channels.count, self.n_slots if self.what == "totals" else self.layout.total_bins

    @property
    def dtype(self) -> np.dtype[Any]:
        counts = self.what in ("histograms", "sides")
        return self.channels.dtype(self.problem.most_rows) if counts else np.dtype("<f8")

    @property
    def state_bytes(self) -> int:
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    def zeros(self) -> Array:
        """An empty state."""
        return np.zeros(self.shape, self.dtype)

    def to_values(self) -> dict[str, Any]:
        """As named values and arrays, for `codec.dump`."""
        return {
            **_shared_values(self),
            "means": self.means,
            "powers": self.powers,
            "held_out": self.held_out,
            "n_rows": self.n_rows,
        }


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
    what: Literal["rows"] = "rows"

    @property
    def widths(self) -> Ints:
        return self.problem.bins.widths[slice(*self.features)]

    def to_values(self) -> dict[str, Any]:
        return _shared_values(self)


@dataclass(frozen=True)
class RowsByTreeRequest:
    """How many rows has each tree in each part of the table? The answer: (n_parts, 1 + n_trees) int64, a part's number
    first, in any order; parts are numbered in the order of the table.
    """

    n_trees: int
    what: Literal["rows by tree"] = "rows by tree"

    def to_values(self) -> dict[str, Any]:
        return {"what": self.what, "n_trees": self.n_trees}


@dataclass(frozen=True)
class ReplaceRequest:
    """Give all rows a new column, please: `column` ("fold", "target" or "weight") of every block by a function of
    `learn.problem.columns.COLUMN_FUNCTIONS` from the block's rows, where they stand, and `values`.
    """

    column: str
    function: str
    values: dict[str, Any]
    what: Literal["replace"] = "replace"

    def to_values(self) -> dict[str, Any]:
        return {"what": self.what, "column": self.column, "function": self.function, **self.values}


@dataclass(frozen=True)
class RoundReport:
    """What is told of a round of growth: its number from 0, the nodes searched, the rows in them."""

    number: int
    n_nodes: int
    n_rows: int


Stage = Literal["sample", "pack", "passes", "prune", "write"]  # of a training


@dataclass(frozen=True)
class WaveReport:
    """What is told of a wave of trees: trees of each forest that are done now, of how many, and the wave's nodes."""

    n_done: int
    n_trees: int
    n_nodes: int


@dataclass(frozen=True)
class BlocksReport:
    """What is told of small groups, whose levels are too many and too short to tell of: blocks that are done, of how
    many.
    """

    n_done: int
    n_blocks: int


@dataclass(frozen=True)
class Progress:
    """Nothing is asked; whoever drives may tell of this, and let the server look for cancels.

    Attributes:
        stage: that begins now, or None.
        round: what has been searched, or None.
        wave, blocks: what has been grown, or None.
        note: a line that a user may want to know.
    """

    stage: Stage | None = None
    round: RoundReport | None = None
    wave: WaveReport | None = None
    blocks: BlocksReport | None = None
    note: str = ""


BREATH = Progress()

Request = (
    CountRequest
    | RowsRequest
    | DrawnRowsRequest
    | HeldOutRequest
    | CategoriesRequest
    | TargetsRequest
    | WaveRequest
    | RowsByTreeRequest
    | ReplaceRequest
    | Progress
)
# Asks until it comes to a result of type T.
Program = Generator[Request, Any, T]


class Provider(Protocol):
    """Who has the rows, and answers requests."""

    def answer(self, request: Request) -> Steps[Any]:
        """Answer any request but Progress, step by step; raises InexactSumError where sums are no longer exact."""
        ...


def _shared_values(request: CountRequest | RowsRequest) -> dict[str, Any]:
    return {
        "what": request.what,
        **request.problem.to_values(),
        **request.routing.to_values(),
        "slot_of_node": request.slot_of_node,
        "features": request.features,
        **({"n_slots": request.n_slots} if isinstance(request, CountRequest) else {}),
    }


def request_of(values: dict[str, Any]) -> CountRequest | RowsRequest | RowsByTreeRequest | ReplaceRequest:
    """The request that `to_values` tells of; raises MadtreeError where it is none."""
    given = Values(values)
    what = given.text("what", (*COUNTED, "rows", "rows by tree", "replace"))
    if what == "rows by tree":
        return RowsByTreeRequest(given.integer("n_trees", 1, _MOST_TREES))
    if what == "replace":
        return ReplaceRequest(*column_values(given))
    problem = Problem.from_values(values)
    routing = Routing.from_values(values, problem.n_trees, problem.bins.widths)
    n_nodes = len(routing.child)
    first, last = given.integers("features", 2, 0, len(problem.bins.widths))
    require(first <= last, "features", "from and to")
    if what == "rows":
        slots = given.ints("slot_of_node", (n_nodes,), -1, n_nodes - 1, np.int32)
        return RowsRequest(problem, routing, slots, (first, last))
    is_powers = what == "powers"
    n_slots = given.integer("n_slots", 0, n_nodes)
    return CountRequest(
        cast("What", what),
        problem,
        routing,
        given.ints(
            "slot_of_node", (_length(values, "slot_of_node", n_nodes, not is_powers),), -1, n_slots - 1, np.int32
        ),
        n_slots,
        (first, last),
        given.floats("means", (_length(values, "means", n_nodes, is_powers),), finite=False),
        checked_powers(given, problem, what),
        given.boolean("held_out"),
        given.integer("n_rows", 0, MOST_ROWS),
    )


def checked_powers(given: Values, problem: Problem, what: str) -> tuple[int, ...]:
    """The exponents of a request for `what`; raises MadtreeError where they are none, or it cannot be for powers."""
    require(what != "powers" or problem.target_grid is not None, "what", "powers of a regression only")
    known = LOGARITHMS_AND_PRODUCTS if problem.parameters.outcome.leaf_sums == "deviance" else UP_TO_FOURTH
    powers = given.integers("powers", None, 1, max(known))
    require(len(powers) <= len(known), "powers", f"no more than {len(known)}")
    return tuple(powers)


def _length(values: dict[str, Any], name: str, n_nodes: int, needed: bool) -> int:
    """Of an array with an entry for each node, that may be empty where it is not needed."""
    return n_nodes if needed or np.size(values.get(name, ())) else 0
