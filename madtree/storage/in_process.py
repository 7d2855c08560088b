"""Training in this process alone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from madtree.host import Host, TemporaryPlace
from madtree.ingest import Packed, Packing, RowPacker
from madtree.learn.data import Coroutine
from madtree.learn.requests import Program, Progress, T, driven
from madtree.storage.blocks import BlockLimits, BlockStore


class InProcess:
    """Blocks that this process packs, keeps and counts: in its memory, beyond that in a temporary file."""

    may_run_statements = True
    n_processes = 1

    def __init__(self, host: Host, rows: RowPacker, limits: BlockLimits) -> None:
        self._host, self._rows, self._limits = host, rows, limits

    def train(
        self, packing: Packing, program: Callable[[Packed, bool], Program[T]], report: Callable[[Progress], None]
    ) -> Coroutine[T]:
        place = TemporaryPlace.of(self._host)
        store = BlockStore(packing.problem, self._limits, place)
        total = Packed(0, 0, 0)
        with closing(self._rows.blocks(packing, self._limits.rows)) as blocks:
            for block, packed in blocks:
                yield
                store.add(block)
                total = total.plus(packed)
        store.finish()
        return (yield from driven(program(total, True), store, report))
