"""The statistics source that scans the blocks with the SQL aggregate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from madtree.blocks.count import CountPlan, read_statistics
from madtree.core.forest import Forest
from madtree.core.powers import LIMBS, join_powers
from madtree.core.problem import Problem
from madtree.core.statistics import StatisticsLayout
from madtree.core.sweep import PlayedRows
from madtree.core.types import Array, Floats, Ints
from madtree.host.protocol import Host
from madtree.sqltext.work import WorkTables
from madtree.workers import Workers

_BYTEA = "pg_catalog.bytea"
# Of the memory budget, what the rows' nodes may take between passes.
CACHE_SHARE = 2


class TableSource:
    """Statistics of the frontier by one aggregate over all blocks: many blocks, one process or several."""

    def __init__(self, host: Host, problem: Problem, work: WorkTables, workers: Workers) -> None:
        self._host = host
        self._problem = problem
        self._work = work
        self._workers = workers
        self.cache_bytes = problem.parameters.memory_bytes // CACHE_SHARE

    @property
    def in_hand(self) -> bool:
        return False

    def rows(self, forest: Forest, slot_of_node: Ints) -> PlayedRows:
        raise NotImplementedError("rows in a table are counted, not fetched")

    def statistics(
        self, forest: Forest, slot_of_node: Ints, layout: StatisticsLayout, *, by_side: bool = False
    ) -> Array:
        dtype = layout.planes.dtype(self._problem.most_rows)
        state = self._run(
            "sides" if by_side else "statistics",
            forest,
            layout.planes.count * layout.n_cells * dtype.itemsize,
            slot_of_node=slot_of_node,
            n_slots=layout.n_slots,
            features=(layout.first, layout.first + len(layout.widths)),
        )
        shape = (layout.planes.count, layout.n_cells)
        return read_statistics(state, shape, dtype)

    def totals(self, forest: Forest, slot_of_node: Ints, n_slots: int, *, testing: bool = False) -> Floats:
        n_bytes = 8 * self._problem.planes.count * n_slots
        state = self._run("totals", forest, n_bytes, slot_of_node=slot_of_node, n_slots=n_slots, testing=testing)
        return read_statistics(state, (self._problem.planes.count, n_slots), np.dtype("<f8"))

    def powers(self, forest: Forest, means: Floats, powers: Sequence[int], *, testing: bool = False) -> Floats:
        n_bytes = 8 * len(powers) * LIMBS * forest.n_nodes
        state = self._run("powers", forest, n_bytes, means=means, powers=list(powers), testing=testing)
        sums = read_statistics(state, (len(powers) * LIMBS, forest.n_nodes), np.dtype("<f8"))
        return join_powers(self._problem, powers, sums, forest.tree)

    def _run(self, what: str, forest: Forest, state_bytes: int, **rest: Any) -> bytes | None:
        plan = CountPlan.dump(what, self._work.token, self._problem, forest, self.cache_bytes, **rest)
        with self._workers.for_pass(self._host, state_bytes):
            state: bytes | None = self._host.query(self._work.statistics(), [_BYTEA], [plan])[0]["shared"]
        return state
