"""Training by resident workers, as the orchestrator sees it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from madtree.host import Host, TemporaryPlace
from madtree.ingest import Packed, Packing, PageRanges, RowPacker, range_queries
from madtree.learn.data import Coroutine, codec
from madtree.learn.requests import Program, Progress, T
from madtree.sqltext.rows import RowSource
from madtree.storage.protocol import NotPossibleError
from madtree.storage.workers.leader import Leader
from madtree.storage.workers.leading import published, work_together
from madtree.storage.workers.messages import KeepRows


class ResidentWorkers:
    """Blocks that this process and parallel workers pack and keep, each its own, as long as `train` lasts."""

    may_run_statements = False

    def __init__(
        self,
        host: Host,
        source: RowSource,
        pages: PageRanges,
        block_rows: int,
        memory_bytes: int,
        position_bytes: int,
        n_workers: int,
        *,
        read_here: RowPacker | None = None,
        sharing: bool = False,
        evenly: bool = False,
    ) -> None:
        """
        Args:
            block_rows: of a block, at least.
            memory_bytes, position_bytes: that blocks and their rows' positions may take in each process.
            n_workers: wanted, beside this process.
            read_here: packs the rows where this process has read them before; None where everybody reads parts.
            sharing: whether all of them are to have all rows at hand, for whole trees.
            evenly: whether all are to have as many rows.
        """
        self._host, self._source, self._pages = host, source, pages
        self._block_rows = block_rows
        self._memory_bytes, self._position_bytes = memory_bytes, position_bytes
        self._n_workers, self.n_processes = n_workers, 1 + n_workers
        self._read_here, self._sharing, self._evenly = read_here, sharing, evenly

    def train(
        self, packing: Packing, program: Callable[[Packed, bool], Program[T]], report: Callable[[Progress], None]
    ) -> Coroutine[T]:
        place = TemporaryPlace.of(self._host)
        queries, careful = range_queries(self._source, self._pages, packing.never_null)
        ranges = [] if self._read_here else self._pages.ranges
        plan = KeepRows(
            packing.packer(),
            queries=list(zip(queries, careful, strict=True)),
            ranges=[(r.relation, r.low, r.high) for r in ranges],
            block_rows=self._block_rows,
            memory_bytes=self._memory_bytes,
            position_bytes=self._position_bytes,
            place=place,
            sharing=self._sharing,
        )
        with published(codec.dump(plan.to_values()), self._n_workers, place) as board:
            leader = Leader(board, plan, lambda packed: program(packed, True), report, self._evenly)
            if self._read_here:
                yield from self._take(self._read_here, packing, leader)
            work_together(self._host, board, leader)
            if not leader.began:
                raise NotPossibleError("all branches of the parallel query were taken by workers")
            return leader.outcome

    def _take(self, rows: RowPacker, packing: Packing, leader: Leader[T]) -> Coroutine[None]:
        """Let the leader keep the rows that were read here."""
        with closing(rows.blocks(packing, self._block_rows)) as blocks:
            for block, packed in blocks:
                yield
                leader.take(block, packed)
