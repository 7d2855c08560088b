"""What is counted: the one request that `transition` knows; and how much is asked for at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, Literal, cast, get_args

import numpy as np

from madtree.learn.data import Array, Floats, Ints, Values, require
from madtree.learn.histogram import HistogramLayout
from madtree.learn.leaf_sums import LIMBS, LOGARITHMS_AND_PRODUCTS, UP_TO_FOURTH
from madtree.learn.problem import Channels, Problem
from madtree.learn.route import Routing
from madtree.records import dataclass

# What is counted of the rows of some nodes:
# histograms: by code of each feature; sides: the same, with the side of the node's primary split as the class
# (learn.split.surrogates); totals: whatever the codes; limbs: the same without the row counts, which stay 0, of
# regression; powers: of the distances to the nodes' means (learn.leaf_sums), of all nodes that are leaves; of counts
# the terms of their deviance (learn.leaf_sums).
What = Literal["histograms", "sides", "totals", "limbs", "powers"]
COUNTED: tuple[What, ...] = get_args(What)
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
        waiting: (n,) the leaves that are or will be asked for, where rows are best put in the order of nodes: those of
            other leaves may be left behind. Whoever has no rows at hand counts them where they are. None elsewhere.
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
    waiting: Ints | None = None

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
        return self.channels.count, self.n_slots if self.what in ("totals", "limbs") else self.layout.total_bins

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
        """As named values and arrays, for `codec.dump`; beside them the problem's have to stand."""
        return {
            "what": self.what,
            **self.routing.to_values(),
            "slot_of_node": self.slot_of_node,
            "n_slots": self.n_slots,
            **self.counted_values(),
            **({} if self.waiting is None else {"waiting": self.waiting}),
        }

    def counted_values(self) -> dict[str, Any]:
        """What it says beside problem, routing and slots."""
        return {
            "features": self.features,
            **({"means": self.means} if self.what == "powers" else {}),
            "powers": self.powers,
            "held_out": self.held_out,
            "n_rows": self.n_rows,
            **({} if self.drawn is None else {"drawn": self.drawn}),
        }

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> CountRequest:
        """The request that `to_values` tells of, beside its problem's; raises MadtreeError where it is none."""
        given = Values(values)
        what = cast("What", given.text("what", COUNTED))
        problem = Problem.from_values(values)
        routing = Routing.from_values(values, problem.n_trees, problem.bins.widths)
        n_nodes = len(routing.child)
        n_slots = given.integer("n_slots", 0, n_nodes)
        n_counted = n_nodes if what != "powers" or np.size(values.get("slot_of_node", ())) else 0
        slots = given.ints("slot_of_node", (n_counted,), -1, n_slots - 1, np.int32)
        return cls.counted(given, what, problem, routing, slots, n_slots, n_nodes)

    @classmethod
    def counted(
        cls,
        given: Values,
        what: What,
        problem: Problem,
        routing: Routing,
        slot_of_node: Ints,
        n_slots: int,
        n_nodes: int,
    ) -> CountRequest:
        """A request with what `counted_values` tells of; raises MadtreeError where that is none.

        `n_nodes`: that powers are of.
        """
        first, last = given.integers("features", 2, 0, len(problem.bins.widths))
        require(first <= last, "features", "from and to")
        waiting = given.ints("waiting", (None,), 0, len(routing.child) - 1) if "waiting" in given else None
        fits = what == "histograms" and first < last and "drawn" not in given
        require(waiting is None or fits, "waiting", "of histograms of features that are not drawn")
        return cls(
            what,
            problem,
            routing,
            slot_of_node,
            n_slots,
            (first, last),
            given.floats("means", (n_nodes,), finite=False) if what == "powers" else np.zeros(0),
            _powers(given, problem, what),
            given.boolean("held_out"),
            given.integer("n_rows", 0, MOST_ROWS),
            _drawn(given, what, n_slots, len(problem.bins.widths)),
            waiting,
        )


def drawn_layout(problem: Problem, drawn: Ints) -> HistogramLayout:
    """Of histograms by features that were drawn, `drawn` (n_slots, n_drawn): by their places, each with room for the
    codes of the widest feature.
    """
    widths = np.full(drawn.shape[1], problem.bins.widths.max(), np.int64)
    return HistogramLayout(problem.channels, widths, len(drawn))


def state_limit(problem: Problem) -> int:
    """Bytes that one array of histograms may take."""
    return problem.parameters.memory_bytes // problem.tuning.state_share


def batches(n_nodes: int, widths: Ints, bin_bytes: int, limit: int) -> list[tuple[slice, int, int]]:
    """Slots and features (from, to) of each pass.

    As many features as fit the limit with all nodes: each number of the data is then counted once, while nodes that
    come in turns need the rows to be looked through again each time. Where not even one feature fits, part of the
    nodes.
    """
    size = max(min(n_nodes, limit // (int(widths.max()) * bin_bytes)), 1)
    ranges, first, total = [], 0, 0
    for i, width in enumerate(widths.tolist()):
        if i > first and total + size * width * bin_bytes > limit:
            ranges.append((first, i))
            first, total = i, 0
        total += size * width * bin_bytes
    ranges.append((first, len(widths)))
    return [(slice(i, min(i + size, n_nodes)), a, b) for i in range(0, n_nodes, size) for a, b in ranges]


def by_rows(n_rows: Ints, rows_together: int) -> Iterator[slice]:
    """Stretches of nodes with about `rows_together` rows together; `n_rows` (n,) of each."""
    first = 0
    while first < len(n_rows):
        last = first + max(1, int(np.searchsorted(np.cumsum(n_rows[first:]), rows_together, side="right")))
        yield slice(first, last)
        first = last


def _powers(given: Values, problem: Problem, what: What) -> tuple[int, ...]:
    """The exponents of a request for `what`; raises MadtreeError where they are none, or it cannot be for powers."""
    of_numbers = what in ("limbs", "powers")
    require(not of_numbers or problem.target_grid is not None, "what", "limbs and powers of a regression only")
    known = LOGARITHMS_AND_PRODUCTS if problem.parameters.outcome.leaf_sums == "deviance" else UP_TO_FOURTH
    powers = given.integers("powers", None, 1, max(known))
    require(len(powers) <= len(known), "powers", f"no more than {len(known)}")
    return tuple(powers)


def _drawn(given: Values, what: What, n_slots: int, n_features: int) -> Ints | None:
    """The features that were drawn for each slot, where the request is for these."""
    if "drawn" not in given:
        return None
    require(what == "histograms", "drawn", "of histograms only")
    drawn = given.ints("drawn", (n_slots, None), 0, n_features - 1)
    require(drawn.shape[1] <= n_features, "drawn", "no more than there are features")
    return drawn
