"""The statistics source that scans the blocks with the SQL aggregate."""

from __future__ import annotations

import numpy as np

from madtree import blocks
from madtree.blocks import CountPlan
from madtree.core.forest import Forest
from madtree.core.problem import Problem
from madtree.core.squares import square_grid
from madtree.core.statistics import StatisticsLayout
from madtree.core.types import Array, Floats, Ints
from madtree.host.protocol import Host
from madtree.sqltext.work import WorkTables

_BYTEA = "pg_catalog.bytea"
# Of the memory budget, what the rows' nodes may take between passes.
_CACHE_SHARE = 4


class TableSource:
    """Statistics of the frontier by one aggregate over all blocks: many blocks, one process or several."""

    def __init__(self, host: Host, problem: Problem, work: WorkTables) -> None:
        self._host = host
        self._problem = problem
        self._work = work
        self._cache_bytes = problem.parameters.memory_bytes // _CACHE_SHARE

    def statistics(self, forest: Forest, slot_of_node: Ints, layout: StatisticsLayout) -> Array:
        plan = CountPlan.dump(
            self._work.token,
            int(forest.depth.max()),
            self._problem,
            forest,
            self._cache_bytes,
            layout=layout,
            slot_of_node=slot_of_node,
        )
        shape = (layout.planes.count, layout.n_cells)
        return blocks.read_statistics(self._run(plan), shape, layout.planes.dtype(self._problem.n_rows))

    def squares(self, forest: Forest, means: Floats) -> Floats:
        plan = CountPlan.dump(
            self._work.token, int(forest.depth.max()), self._problem, forest, self._cache_bytes, means=means
        )
        grid = square_grid(self._problem)
        sums = blocks.read_statistics(self._run(plan), (grid.limbs, forest.n_nodes), np.dtype("<f8"))
        return grid.join(sums, forest.tree)

    def _run(self, plan: bytes) -> bytes | None:
        state: bytes | None = self._host.query(self._work.statistics(), [_BYTEA], [plan])[0]["state"]
        return state
