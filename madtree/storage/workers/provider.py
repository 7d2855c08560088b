"""Training by resident workers, as the orchestrator sees it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from madtree.host import TemporaryPlace
from madtree.ingest import Packed, Packing, Reading, RowPacker, range_queries
from madtree.learn.data import Coroutine, codec
from madtree.learn.requests import Program, Progress, T
from madtree.storage.blocks import BlockLimits
from madtree.storage.protocol import NotPossibleError
from madtree.storage.workers.leader import Leader
from madtree.storage.workers.leading import published, work_together
from madtree.storage.workers.messages import KeepRows


class ResidentWorkers:
    """Blocks that this process and parallel workers pack and keep, each its own, as long as `train` lasts."""

    may_run_statements = False

    def __init__(
        self,
        reading: Reading,
        limits: BlockLimits,
        n_workers: int,
        *,
        read_here: RowPacker | None = None,
        sharing: bool = False,
        evenly: bool = False,
    ) -> None:
        """
        Args:
            limits: in each process.
            n_workers: wanted, beside this process.
            read_here: packs the rows where this process has read them before; None where everybody reads parts.
            sharing: whether all of them are to have all rows at hand, for whole trees.
            evenly: whether all are to have as many rows.
        """
        self._reading, self._limits = reading, limits
        self._n_workers, self.n_processes = n_workers, 1 + n_workers
        self._read_here, self._sharing, self._evenly = read_here, sharing, evenly

    def train(
        self, packing: Packing, program: Callable[[Packed, bool], Program[T]], report: Callable[[Progress], None]
    ) -> Coroutine[T]:
        host, pages = self._reading.host, self._reading.pages
        place = TemporaryPlace.of(host)
        queries, careful = range_queries(self._reading.source, pages, packing.never_null)
        ranges = [] if self._read_here else pages.ranges
        plan = KeepRows(
            packing.packer(),
            queries=list(zip(queries, careful, strict=True)),
            ranges=[(r.relation, r.low, r.high) for r in ranges],
            limits=self._limits,
            place=place,
            sharing=self._sharing,
        )
        with published(codec.dump(plan.to_values()), self._n_workers, place) as board:
            leader = Leader(board, plan, lambda packed: program(packed, True), report, self._evenly)
            if self._read_here:
                yield from self._take(self._read_here, packing, leader)
            work_together(host, board, leader)
            if not leader.began:
                raise NotPossibleError("all branches of the parallel query were taken by workers")
            return leader.outcome

    def _take(self, rows: RowPacker, packing: Packing, leader: Leader[T]) -> Coroutine[None]:
        """Let the leader keep the rows that were read here."""
        with closing(rows.blocks(packing, self._limits.rows)) as blocks:
            for block, packed in blocks:
                yield
                leader.take(block, packed)
