"""Requests of ensembles: for whole trees; and for rows, by what was drawn for their nodes or out of bag, which only
those can answer who have all rows at hand, be it as a copy.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Protocol

from madtree.learn.counting import drawn_layout
from madtree.learn.data import Allocator, Array, Block, Floats, Ints, in_memory
from madtree.learn.histogram import HistogramLayout
from madtree.learn.problem import Problem
from madtree.learn.route import Routing
from madtree.records import dataclass


@dataclass(frozen=True)
class DrawnRowsRequest:
    """The rows of some nodes of the last level, please. The answer: `RowsOfNodes` with codes by the place of what was
    drawn, as in `drawn_layout`.

    Attributes:
        slot_of_node: as in `CountRequest`.
        drawn: (n_slots, n_drawn) features of each slot.
    """

    problem: Problem
    routing: Routing
    slot_of_node: Ints
    drawn: Ints

    @property
    def n_slots(self) -> int:
        return len(self.drawn)

    @property
    def layout(self) -> HistogramLayout:
        return drawn_layout(self.problem, self.drawn)


@dataclass(frozen=True)
class HeldOutRequest:
    """The rows that a replica is tested on, please: a `HeldOut`, `with_rows` or without its `block`. The trees grow no
    more, and what was answered before is in use no more.
    """

    problem: Problem
    routing: Routing
    replica: int
    with_rows: bool


@dataclass(frozen=True)
class TargetsRequest:
    """What all rows are to be predicted as, please: `Targets`."""

    problem: Problem


@dataclass(frozen=True)
class Targets:
    """What all rows are to be predicted as, and count for; columns as in `Block`.

    Attributes:
        n_rows: how many.
        allocator: for what is kept of all of them.
    """

    target: Array
    weight: Floats | None
    tree: Ints | None
    n_rows: int
    allocator: Allocator = in_memory


class Ensemble(Protocol):
    """Trees that are grown in waves."""

    @property
    def n_waves(self) -> int: ...

    def to_values(self) -> dict[str, Any]:
        """By which others can grow it as well."""
        ...

    def grow(self, number: int, rows_at_hand: bool = True) -> Generator[Any, Any, Any]:
        """The `Program` that grows wave `number`, from 0; `rows_at_hand`: whether who drives it has all rows in its
        process.
        """
        ...


@dataclass(frozen=True)
class WaveRequest:
    """The trees of a wave, please. Waves are asked for in order, each once, so that others who have all rows may grow
    those that come next.
    """

    ensemble: Ensemble
    number: int


@dataclass(frozen=True)
class HeldOut:
    """The rows that a replica is tested on.

    Attributes:
        place: (n_rows,) of each row among all, ascending; the same for all replicas.
        block: these rows, in that order; None where nobody asked for them.
        node: (n_rows,) the node that each has reached.
        n_all: rows that there are, in the replica or not.
        allocator: for what is kept of the rows, until the next request.
        lasting: for what is kept longer.
    """

    place: Ints
    block: Block | None
    node: Ints
    n_all: int
    allocator: Allocator = in_memory
    lasting: Allocator = in_memory
