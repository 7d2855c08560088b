"""What the orchestrator sees of a crew: a store of blocks that its members keep, and a source of their sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from madtree.blocks.count import forget
from madtree.blockstore import HELD_SHARE
from madtree.core.forest import Forest
from madtree.core.inhand import NODE_BYTES, BlocksInHand
from madtree.core.problem import Problem
from madtree.core.statistics import StatisticsLayout
from madtree.core.sweep import PlayedRows
from madtree.core.types import Array, Floats, Ints
from madtree.crew import member
from madtree.crew.exchange import Exchange
from madtree.crew.leader import Leader
from madtree.host.protocol import Host
from madtree.pages import PageRanges
from madtree.rowpacker import Packed, Packing, range_queries
from madtree.source import PlanSource
from madtree.sqltext import crew as sql
from madtree.sqltext.rows import RowSource
from madtree.sqltext.work import WorkTables
from madtree.workers import Workers

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

    def rows(self, forest: Forest, slot_of_node: Ints) -> PlayedRows:
        return self._in_hand().rows(forest, slot_of_node)

    def statistics(
        self, forest: Forest, slot_of_node: Ints, layout: StatisticsLayout, *, by_side: bool = False
    ) -> Array:
        if self._held is None and self._is_heavy(forest, slot_of_node, layout):
            self._leader.end()
            self._held = BlocksInHand(self._problem, self._leader.all_blocks(self._problem))
        if self._held is None:
            return super().statistics(forest, slot_of_node, layout, by_side=by_side)
        return self._in_hand().statistics(forest, slot_of_node, layout, by_side=by_side)

    def totals(self, forest: Forest, slot_of_node: Ints, n_slots: int, *, testing: bool = False) -> Floats:
        if self._held is None:
            return super().totals(forest, slot_of_node, n_slots, testing=testing)
        return self._in_hand().totals(forest, slot_of_node, n_slots, testing=testing)

    def powers(self, forest: Forest, means: Floats, powers: Sequence[int], *, testing: bool = False) -> Floats:
        if self._held is None:
            return super().powers(forest, means, powers, testing=testing)
        return self._in_hand().powers(forest, means, powers, testing=testing)

    def _sums(self, plan: dict[str, Any], shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
        return self._leader.total(plan)

    def _in_hand(self) -> BlocksInHand:
        assert self._held is not None
        self._leader.interrupts.check()
        return self._held

    def _is_heavy(self, forest: Forest, slot_of_node: Ints, layout: StatisticsLayout) -> bool:
        """A byte takes about as long to hand over as a cell to count, which all members do at the same time."""
        problem = self._problem
        all_rows = int(problem.rows.sum())  # in every copy
        if all_rows * NODE_BYTES > problem.parameters.memory_bytes // HELD_SHARE:
            return False
        n_rows = int(forest.n_rows[np.flatnonzero(slot_of_node >= 0)].sum()) or all_rows  # roots are not counted yet
        state = layout.planes.count * layout.n_cells * layout.planes.dtype(problem.most_rows).itemsize
        return state * (1 + self._leader.n_workers) > n_rows * len(layout.widths)
