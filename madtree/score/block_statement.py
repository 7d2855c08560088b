"""The statement that scores a table by blocks: how the new data are cut, and whether workers share the blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from madtree.host import Host, local_settings
from madtree.ingest import OID, PageRanges
from madtree.parallel import without_leader
from madtree.score.case_or_blocks import Work
from madtree.sqltext import work as work_sql
from madtree.sqltext.relation import Relation
from madtree.sqltext.scoreblocks import BlockScan, PageBounds
from madtree.sqltext.workers import plan_of

BLOCK_ROWS = 16_384, 65_536  # at least: what stays in the processor's cache; at most: what larger ones would gain
BLOCK_BYTES = 32 * 2**20  # of a block's rows, which every process has in memory; wide rows make short blocks
PLAN_BYTES_A_ROW = 64  # every block is handed the whole plan: a large one asks for large blocks
TASK_ROWS_A_TREE = 3  # every task looks all groups up anew: many groups ask for large tasks
# PostgreSQL plans log2(tasks) workers at most, and planning takes time with each task.
MAX_TASKS = 128


@dataclass(frozen=True)
class BlockStatement:
    """What creates the table of predictions by blocks, or reads its rows without creating it.

    Attributes:
        blocks: the statements.
        source: the new data, which they read.
        work: of scoring it.
        n_trees: of the model.
    """

    host: Host
    blocks: BlockScan
    source: Relation
    work: Work
    n_trees: int

    def create(self, plan: bytes, types: Sequence[str], params: Sequence[Any]) -> int:
        """Create the target; returns the number of its rows.

        Args:
            plan: of `score.block_plan.build_plan`.
            types, params: SQL types and values of the parameters from $2 on, which the outputs use.
        """
        types, params = ["pg_catalog.bytea", *types], [plan, *params]
        block_rows = self._block_rows(plan)
        ranges = self._ranges(block_rows)
        tasks = self._tasks(ranges, block_rows) if ranges else []
        if self.work.block_workers and len(tasks) > 1 and self._parallel_safe():
            with local_settings(self.host, without_leader(self.work.block_workers)):
                return self.host.command(self.blocks.create(self.blocks.shared(tasks)), types, params)
        return self.host.command(self.blocks.create(self._query(ranges, block_rows)), types, params)

    def query(self, plan: bytes) -> str:
        """The target's rows as a query for one process; its parameters are those of `create`."""
        block_rows = self._block_rows(plan)
        return self._query(self._ranges(block_rows), block_rows)

    def _query(self, ranges: Sequence[PageBounds] | None, block_rows: int) -> str:
        return self.blocks.by_number(block_rows) if ranges is None else self.blocks.by_pages(ranges)

    def _block_rows(self, plan: bytes) -> int:
        rows_that_fit = BLOCK_BYTES // (8 * (1 + len(self.blocks.values)))
        return min(max(len(plan) // PLAN_BYTES_A_ROW, BLOCK_ROWS[0]), BLOCK_ROWS[1], rows_that_fit)

    def _ranges(self, block_rows: int) -> list[PageBounds] | None:
        """Page ranges of about a block's rows each; None if the source is not one plain table."""
        if not self.work.sharable:
            return None
        leaves = [self.source.oid]
        # The planner may think that row-level security hides most of the rows, and be wrong.
        stored = self.host.query(work_sql.EXPECTED_ROWS, [f"{OID}[]"], [leaves])[0]["expected"]
        cut = PageRanges.cut(self.host, leaves, max(int(stored or 0), int(self.work.rows)), block_rows)
        return [(r.low, r.high) for r in cut.ranges]

    def _tasks(self, ranges: Sequence[PageBounds], block_rows: int) -> list[Sequence[PageBounds]]:
        """The ranges as workers take them, some at a time."""
        for_trees = -(-TASK_ROWS_A_TREE * self.n_trees // block_rows)
        size = max(for_trees, -(-len(ranges) // MAX_TASKS), 1)
        return [ranges[i : i + size] for i in range(0, len(ranges), size)]

    def _parallel_safe(self) -> bool:
        """Whether the planner would let workers evaluate the rows' ids and features.

        What is merely restricted stays above the workers, and with it the aggregate, which would else be a partial one.
        """
        with local_settings(self.host, without_leader(self.work.block_workers)):
            return any(
                "Partial Aggregate" in row["QUERY PLAN"] for row in self.host.query(plan_of(self.blocks.count()))
            )
