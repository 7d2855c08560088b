"""The statements that score a table by blocks: how the new data are cut, who scores them, whether workers share them.

Where the session has the extension, one statement reads, scores and writes. Where not, each block comes to this process
as bytes, and its ids go back with what the rows come to: 8 bytes a number one way, a few bytes a row the other.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host, Row, local_settings, planned
from madtree.ingest import OID, PageRanges, distribute_to_stay
from madtree.learn.data import Floats, finished, sent_rows
from madtree.learn.walk import MOST_ROWS
from madtree.parallel import cores, sharing, without_leader
from madtree.records import dataclass
from madtree.score.block_scorer import score_rows
from madtree.score.case_or_blocks import Work, reader
from madtree.score.shards import scored_by_shards
from madtree.sqltext import work as work_sql
from madtree.sqltext.query import Binary
from madtree.sqltext.quote import ident
from madtree.sqltext.relation import Relation
from madtree.sqltext.rows import PageBounds
from madtree.sqltext.scoreblocks import SAID_OF_BLOCKS, BlockScan
from madtree.sqltext.shards import pages_of
from madtree.sqltext.workers import plan_of

BYTEA = "pg_catalog.bytea"
# At least so many that what a block costs by itself is little; at most what is scored at once. A million rows of ten
# features take a twentieth (tree_predict) to a fifth less (deep trees by the ten) than with half of that.
BLOCK_ROWS = 32_768, MOST_ROWS
BLOCK_BYTES = 32 * 2**20  # of a block's rows and what is said of them, which every process has in memory
PLAN_BYTES_A_ROW = 32  # every block is handed the whole plan: a large one asks for large blocks
TASK_ROWS_A_TREE = 3  # every task looks all groups up anew: many groups ask for large tasks
# PostgreSQL plans log2(tasks) workers at most, and planning takes time with each task.
MAX_TASKS = 128
# Ids travel as text, as in a dump, and must come back as they were.
IDS_IN_FULL = {"extra_float_digits": "1"}
_TEXT = "pg_catalog.text"


def _too_many(most_bytes: int) -> MadtreeError:
    return MadtreeError(
        f"test_table has too many rows: what they come to takes more than {most_bytes // 2**20} MB, and where nothing "
        "may be written no table can hold it",
        hint="Evaluate where you may write: in another transaction, or by a client with model_dsn, which keeps such "
        "rows at the models' server. Or evaluate some of the rows, in a view.",
        sqlstate="54000",
    )


@dataclass(frozen=True)
class BlockStatement:
    """What creates the table of predictions by blocks, or reads its rows without creating it.

    Attributes:
        blocks: the statements.
        empty: the one that creates the table without rows.
        source: the new data, which they read.
        work: of scoring it.
        n_trees: of the model.
        columns: name and type of each of the table of predictions.
        beside: whether that is distributed by its first column, beside the new data.
    """

    host: Host
    blocks: BlockScan
    empty: str
    source: Relation
    work: Work
    n_trees: int
    columns: Sequence[tuple[str, str]] = ()
    beside: bool = False

    def create(self, plan: bytes) -> int:
        """Create the target; returns the number of its rows.

        Args:
            plan: of `score.block_plan.build_plan`.
        """
        if not self.host.has_extension:
            return self._create_from_outside(plan)
        if self.work.spread:
            return self._create_of_spread(plan)
        with self._scoring(plan, without_leader(self.work.block_workers)) as blocks:
            return self.host.command(self.blocks.create(self.blocks.rows(blocks)), [BYTEA], [plan])

    def _create_of_spread(self, plan: bytes) -> int:
        with self._where_rows_are(plan, BlockScan.rows, self.columns) as query:
            self._make_empty()
            if query is not None:
                return reader(self.host, self.work).command(self.blocks.insert(query), [BYTEA], [plan])
        with self._gathered() as here, here._scoring(plan, {}) as blocks:
            return self.host.command(self.blocks.insert(here.blocks.rows(blocks)), [BYTEA], [plan])

    def _make_empty(self) -> None:
        """Make the target without rows."""
        self.host.command(self.empty)
        if self.beside:
            scan = self.blocks.scan
            distribute_to_stay(self.host, scan.target, scan.id_name, scan.source)

    def _where_rows_are(
        self, plan: bytes, of_blocks: Callable[[BlockScan, str], str], columns: Sequence[tuple[str, str]]
    ) -> AbstractContextManager[str | None]:
        """The query of what `of_blocks` asks of scored blocks, as `scored_by_shards` has it."""
        block_rows = self._block_rows(plan)

        def query(own: BlockScan, by_pages: bool) -> str:
            pages = pages_of(own.scan.source, block_rows)
            return of_blocks(own, own.by_ranges(pages) if by_pages else own.by_number(block_rows))

        return scored_by_shards(self.host, self.source, self.blocks, self.work, len(plan), query, columns)

    def aggregates(self, plan: bytes) -> Iterator[bytes]:
        """What the scorer says of the rows of each block together, by a plan that asks for that."""
        if not self.host.has_extension:
            yield from (outcomes for _, outcomes in self._scored_outside(plan))
            return
        yield from (bytes(row["outcomes"]) for row in self._aggregate_rows(plan) if row["outcomes"] is not None)

    def _aggregate_rows(self, plan: bytes) -> list[Row]:
        """The `outcomes` of all blocks, NULL of pages without rows."""
        if self.work.spread:
            with self._where_rows_are(plan, BlockScan.together, [("outcomes", BYTEA)]) as query:
                if query is not None:
                    return reader(self.host, self.work).query(query, [BYTEA], [plan])
        # What is said has few bytes, so that the leader need not wait for it, and takes a processor for itself.
        workers = self.work.block_workers
        workers = min(workers, cores() - 1) if self.host.in_server else workers
        with self._gathered() as here, here._scoring(plan, sharing(workers)) as blocks:
            return self.host.query(Binary(SAID_OF_BLOCKS), [_TEXT, BYTEA], [here.blocks.together(blocks), plan])

    @contextmanager
    def _gathered(self) -> Iterator[BlockStatement]:
        """This statement over rows of this server.

        Those of others come here once, as what is scored. In the statement itself Citus would write them to a file, the
        blocks to another one, and with what is said of each row the whole of its block: more than it lets a file have.
        """
        if not self.work.spread:
            yield self
            return
        table = f"pg_temp.{ident(f'madtree_gathered_{secrets.token_hex(8)}')}"
        reader(self.host, self.work).command(self.blocks.gather(table))
        yield replace(self, blocks=replace(self.blocks, gathered=table), work=replace(self.work, spread=False))
        self.host.command(f"DROP TABLE {table}")

    @contextmanager
    def _scoring(self, plan: bytes, settings: Mapping[str, str]) -> Iterator[str]:
        """The query of blocks that are scored, shared among workers where these are worth it, by these settings of the
        planner's; by one process where there are none.
        """
        block_rows = self._block_rows(plan)
        ranges = self._ranges(block_rows)
        tasks = self._tasks(ranges, block_rows) if ranges else []
        if self.work.block_workers and settings and len(tasks) > 1 and self._parallel_safe():
            with local_settings(self.host, settings):
                yield self.blocks.shared(tasks)
        else:
            yield self._query(ranges, block_rows)

    def _create_from_outside(self, plan: bytes) -> int:
        with local_settings(self.host.source, IDS_IN_FULL):
            self._make_empty()
            return sum(
                self.host.command(self.blocks.insert(self.blocks.scored_outside()), [BYTEA, _TEXT], [outcomes, ids])
                for ids, outcomes in self._scored_outside(plan)
            )

    def _scored_outside(self, plan: bytes) -> Iterator[tuple[str, bytes]]:
        """The ids of each block, an array as text, and what its rows come to."""
        for ids, rows in self._sent(self._block_rows(plan)):
            yield ids, finished(score_rows(plan, rows), self.host.let_in)

    def sent_rows(self) -> Iterator[Floats]:
        """The numbers of the rows of each block, (n_rows, n_numbers), for who does more with them than score them."""
        yield from (rows for _, rows in self._sent(BLOCK_ROWS[0]))

    def _sent(self, block_rows: int) -> Iterator[tuple[str, Floats]]:
        """The ids of each block, an array as text, and its rows (n_rows, n_numbers)."""
        stretches = self.blocks.sent_stretches
        for block in self.host.source.data_stream(self.blocks.sent(self._ranges(block_rows), block_rows)):
            if block["rows"] is not None:
                yield block["ids"], sent_rows(block["rows"], stretches)

    def query(self, plan: bytes, most_bytes: int) -> tuple[str, list[str], list[Any]]:
        """The target's rows as a query for one process, with the types and values of its parameters.

        Rows that were scored outside of the server are parameters: all of them, where they cannot be put into a table.

        Raises:
            MadtreeError: these would have more than `most_bytes`.
        """
        if self.host.has_extension:
            block_rows = self._block_rows(plan)
            return self.blocks.rows(self._query(self._ranges(block_rows), block_rows)), [BYTEA], [plan]
        scored, n_bytes = [], 0
        for block in self._scored_outside(plan):
            scored.append(block)
            n_bytes += len(block[0]) + len(block[1])
            if n_bytes > most_bytes:
                raise _too_many(most_bytes)
        ids = "{" + ",".join(array[1:-1] for array, _ in scored) + "}"
        outcomes = b"".join(block for _, block in scored)
        return self.blocks.scored_outside(), [BYTEA, _TEXT], [outcomes, ids]

    def _query(self, ranges: Sequence[PageBounds] | None, block_rows: int) -> str:
        return self.blocks.by_number(block_rows) if ranges is None else self.blocks.by_pages(ranges)

    def _block_rows(self, plan: bytes) -> int:
        rows_that_fit = max(1, BLOCK_BYTES // (8 * (1 + len(self.blocks.values)) + self.blocks.outcome_bytes))
        if not self.host.has_extension:
            # What the outputs are picked from goes to the server with each block.
            return min(BLOCK_ROWS[1], rows_that_fit)
        return min(max(len(plan) // PLAN_BYTES_A_ROW, BLOCK_ROWS[0]), BLOCK_ROWS[1], rows_that_fit)

    def _ranges(self, block_rows: int) -> list[PageBounds] | None:
        """Page ranges of a block's rows each, or fewer; None if the source is not one plain table."""
        if not self.work.sharable:
            return None
        leaves = [self.source.oid]
        # The planner may think that row-level security hides most of the rows, and be wrong.
        stored = self.host.source.query(work_sql.EXPECTED_ROWS, [f"{OID}[]"], [leaves])[0]["expected"]
        n_rows, processes = max(int(stored or 0), int(self.work.rows)), 1 + self.work.block_workers
        cut = PageRanges.cut(self.host.source, leaves, n_rows, block_rows, processes)
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
            return any("Partial Aggregate" in line for line in planned(self.host, plan_of(self.blocks.count())))
