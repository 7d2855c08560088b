"""What the orchestrator sees of a crew: a store of blocks that its members keep, and a source of their sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from madtree.host.protocol import Host
from madtree.ingest.page_ranges import PageRanges
from madtree.ingest.row_reader import Packed, Packing, range_queries
from madtree.learn.data.types import Array, Floats, Ints
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.grow.inhand import NODE_BYTES, BlocksInHand
from madtree.learn.histogram.count import forget
from madtree.learn.histogram.histogram import HistogramLayout
from madtree.learn.problem.problem import Problem
from madtree.learn.split.node_rows import RowsOfNodes
from madtree.parallel.cost_model import Workers
from madtree.sqltext import crew as sql
from madtree.sqltext.rows import RowSource
from madtree.sqltext.work import WorkTables
from madtree.storage import member
from madtree.storage.aggregate import PlanSource
from madtree.storage.exchange import Exchange
from madtree.storage.leader import Leader
from madtree.storage.store import HELD_SHARE

T = TypeVar("T")


class CrewBlocks:
    """Blocks that the members of a crew pack and keep, each its own; they exist as long as `fill` lasts."""

    may_query = False

    def __init__(
        self,
        host: Host,
        work: WorkTables,
        made: list[str],
        source: RowSource,
        pages: PageRanges,
        block_rows: int,
        workers: Workers,
    ) -> None:
        """`made`: the parts of the work tables that exist; those made here are added. `block_rows`: at least."""
        self._host, self._work, self._made, self._workers = host, work, made, workers
        self._source, self._pages, self._block_rows = source, pages, block_rows
        self._leader: Leader[Any]

    def fill(self, packing: Packing, then: Callable[[Packed], T]) -> T:
        if "seats" not in self._made:
            self._host.command(self._work.create_seats(1 + self._workers.crew))
            self._made.append("seats")
            self._host.command(self._work.settle("seats", self._workers.crew, "seat"))
        ranges = [(r.relation, r.low, r.high) for r in self._pages.ranges]
        plan = packing.plan(n_trees=packing.problem.n_trees, ranges=ranges, block_rows=self._block_rows)
        queries, careful = range_queries(self._source, self._pages, packing.never_null)
        exchange = Exchange.create(self._work.token)
        try:
            exchange.put("plan", plan)
            leader = Leader(exchange, plan, then)
            self._leader = leader
            member.lead(leader)
            with self._workers.for_crew(self._host):
                query = sql.crew_work(self._work.name("seats"), exchange.name, queries, careful)
                self._host.command(sql.RUN, ["pg_catalog.text"], [query])
            return leader.outcome()
        finally:
            forget(exchange.name)
            member.leave(exchange.name)
            exchange.remove()

    def deal_folds(self, problem: Problem) -> None:
        self._leader.deal_folds(problem)

    def source(self, problem: Problem) -> CrewSource:
        return CrewSource(problem, self._leader)

    def told(self) -> str:
        n = self._leader.n_workers
        return f"packed by this process and {n} worker{'s' * (n != 1)}, who stay for all levels"

    def close(self) -> None:
        """The workers are gone with their blocks, and `fill` has let go of its own."""


class CrewSource(PlanSource):
    """Statistics that each member counts of its own rows.

    Where nodes have become so many that statistics are larger than the rows that they are of, handing them over takes
    longer than counting. From then on this process goes on alone, with all members' rows in hand.
    """

    def __init__(self, problem: Problem, leader: Leader[Any]) -> None:
        super().__init__(problem, leader.exchange.name)
        self._leader = leader
        self._held: BlocksInHand | None = None

    @property
    def in_hand(self) -> bool:
        return self._held is not None

    def rows(self, growing: GrowingTrees, slot_of_node: Ints) -> RowsOfNodes:
        return self._in_hand().rows(growing, slot_of_node)

    def statistics(
        self, growing: GrowingTrees, slot_of_node: Ints, layout: HistogramLayout, *, by_side: bool = False
    ) -> Array:
        if self._held is None and self._is_heavy(growing, slot_of_node, layout):
            self._leader.end()
            self._held = BlocksInHand(self._problem, self._leader.all_blocks(self._problem))
        if self._held is None:
            return super().statistics(growing, slot_of_node, layout, by_side=by_side)
        return self._in_hand().statistics(growing, slot_of_node, layout, by_side=by_side)

    def totals(self, growing: GrowingTrees, slot_of_node: Ints, n_slots: int, *, testing: bool = False) -> Floats:
        if self._held is None:
            return super().totals(growing, slot_of_node, n_slots, testing=testing)
        return self._in_hand().totals(growing, slot_of_node, n_slots, testing=testing)

    def powers(self, growing: GrowingTrees, means: Floats, powers: Sequence[int], *, testing: bool = False) -> Floats:
        if self._held is None:
            return super().powers(growing, means, powers, testing=testing)
        return self._in_hand().powers(growing, means, powers, testing=testing)

    def _sums(self, plan: dict[str, Any], shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
        return self._leader.total(plan)

    def _in_hand(self) -> BlocksInHand:
        assert self._held is not None
        self._leader.interrupts.check()
        return self._held

    def _is_heavy(self, growing: GrowingTrees, slot_of_node: Ints, layout: HistogramLayout) -> bool:
        """A byte takes about as long to hand over as a cell to count, which all members do at the same time."""
        problem = self._problem
        all_rows = int(problem.rows.sum())  # in every copy
        if all_rows * NODE_BYTES > problem.parameters.memory_bytes // HELD_SHARE:
            return False
        n_rows = int(growing.n_rows[np.flatnonzero(slot_of_node >= 0)].sum()) or all_rows  # roots are not counted yet
        state = layout.channels.count * layout.total_bins * layout.channels.dtype(problem.most_rows).itemsize
        return state * (1 + self._leader.n_workers) > n_rows * len(layout.widths)
