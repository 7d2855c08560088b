"""Blocks of this process that do not fit its memory: they lie in a file that is mapped."""

from __future__ import annotations

from collections.abc import Sequence
from tempfile import TemporaryFile

from madtree.host.cancel import let_cancel_in
from madtree.host.protocol import Host
from madtree.host.temporary import temporary_directory
from madtree.ingest.row_reader import Packed, Packing, RowPacker
from madtree.learn.data.block import Block
from madtree.learn.data.types import Array, Ints
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.grow.inhand import BlocksInHand
from madtree.learn.histogram.histogram import HistogramLayout
from madtree.learn.problem.columns import ColumnReader
from madtree.learn.problem.problem import Problem
from madtree.storage.kept import KeptBlocks
from madtree.storage.store import FilledFirst


class MappedBlocks(FilledFirst):
    """Blocks in a file without a name, which goes when the process does; the nodes of the rows are in memory.

    Against a table of blocks it saves reading all features where a pass looks at some of them only, and single rows
    are in hand.
    """

    def __init__(self, host: Host, rows: RowPacker, block_rows: int) -> None:
        self._host, self._rows, self._block_rows = host, rows, block_rows
        self._kept: KeptBlocks

    def source(self, problem: Problem) -> BlocksInHand:
        blocks = [block for _, block in self._kept.blocks(ColumnReader(problem))]
        return _Interruptible(problem, blocks, self._host)

    def close(self) -> None:
        """The file goes with the last block that looks into it."""

    def _pack(self, packing: Packing) -> Packed:
        self._kept = KeptBlocks(TemporaryFile(dir=temporary_directory()))  # noqa: SIM115 - it lives as long as they do
        total = Packed(0, 0, 0)
        for number, (block, packed) in enumerate(self._rows.blocks(packing, self._block_rows)):
            let_cancel_in(self._host)
            self._kept.add(number, block)
            total = total.plus(packed)
        self._kept.finish()
        return total

    def _trees(self) -> list[Ints]:
        return [tree for _, tree in self._kept.parts()]

    def _set_folds(self, folds: Sequence[Array]) -> None:
        self._kept.set_folds(folds)


class _Interruptible(BlocksInHand):
    """Blocks in hand that are so large that a cancel should not have to wait for a whole level."""

    def __init__(self, problem: Problem, blocks: Sequence[Block], host: Host) -> None:
        super().__init__(problem, blocks)
        self._host = host

    def statistics(
        self, growing: GrowingTrees, slot_of_node: Ints, layout: HistogramLayout, *, by_side: bool = False
    ) -> Array:
        let_cancel_in(self._host)
        return super().statistics(growing, slot_of_node, layout, by_side=by_side)
