"""Statistics sources that hand plans on to whoever has the blocks; one of them scans a table with the SQL aggregate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from madtree.host.protocol import Host
from madtree.learn.data import codec
from madtree.learn.data.types import Array, Floats, Ints
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.histogram.count import count_here, plan_values, read_statistics
from madtree.learn.histogram.histogram import HistogramLayout
from madtree.learn.histogram.powers import LIMBS, join_powers
from madtree.learn.problem.problem import Problem
from madtree.learn.split.node_rows import RowsOfNodes
from madtree.parallel.cost_model import Workers
from madtree.sqltext.work import WorkTables

_BYTEA = "pg_catalog.bytea"
_FLOAT8: np.dtype[Any] = np.dtype("<f8")
# Of the memory budget, what the rows' nodes may take between passes.
CACHE_SHARE = 2


class PlanSource(ABC):
    """Statistics by passes over blocks that are elsewhere: what a pass counts goes there as the values of a plan."""

    def __init__(self, problem: Problem, run: str) -> None:
        """`run`: names the run to those who remember something of it from pass to pass."""
        self._problem = problem
        self._run = run
        self.cache_bytes = problem.parameters.memory_bytes // CACHE_SHARE

    @abstractmethod
    def _sums(self, plan: dict[str, Any], shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
        """The sums of one pass, of that shape and dtype."""
        ...

    @property
    def in_hand(self) -> bool:
        return False

    def rows(self, growing: GrowingTrees, slot_of_node: Ints) -> RowsOfNodes:
        raise NotImplementedError("rows that are elsewhere are counted, not fetched")

    def statistics(
        self, growing: GrowingTrees, slot_of_node: Ints, layout: HistogramLayout, *, by_side: bool = False
    ) -> Array:
        return self._pass(
            "sides" if by_side else "statistics",
            growing,
            (layout.channels.count, layout.total_bins),
            layout.channels.dtype(self._problem.most_rows),
            slot_of_node=slot_of_node,
            n_slots=layout.n_slots,
            features=(layout.first, layout.first + len(layout.widths)),
        )

    def totals(self, growing: GrowingTrees, slot_of_node: Ints, n_slots: int, *, testing: bool = False) -> Floats:
        shape = (self._problem.channels.count, n_slots)
        return self._pass("totals", growing, shape, slot_of_node=slot_of_node, n_slots=n_slots, testing=testing)

    def powers(self, growing: GrowingTrees, means: Floats, powers: Sequence[int], *, testing: bool = False) -> Floats:
        shape = (len(powers) * LIMBS, growing.n_nodes)
        sums = self._pass("powers", growing, shape, means=means, powers=list(powers), testing=testing)
        return join_powers(self._problem, powers, sums, growing.tree)

    def _pass(
        self, what: str, growing: GrowingTrees, shape: tuple[int, int], dtype: np.dtype[Any] = _FLOAT8, **rest: Any
    ) -> Array:
        """`rest` goes into the plan."""
        return self._sums(
            plan_values(
                what, self._run, self._problem, growing.routing, int(growing.depth.max()), self.cache_bytes, **rest
            ),
            shape,
            dtype,
        )


class TableSource(PlanSource):
    """Statistics of the frontier by one aggregate over all blocks: many blocks, one process or several."""

    def __init__(self, host: Host, problem: Problem, work: WorkTables, workers: Workers) -> None:
        super().__init__(problem, work.token)
        self._host = host
        self._work = work
        self._workers = workers

    def counts_here(self, state_bytes: int) -> bool:
        """Whether this process counts alone, for which it takes no aggregate."""
        return not self._workers.share(state_bytes)

    def _sums(self, plan: dict[str, Any], shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
        values = codec.dump(plan)
        if self.counts_here(shape[0] * shape[1] * dtype.itemsize):
            return count_here(values, self._host.stream(self._work.blocks()))
        with self._workers.for_passes(self._host):
            state: bytes | None = self._host.query(self._work.statistics(), [_BYTEA], [values])[0]["shared"]
        return read_statistics(state, shape, dtype)
