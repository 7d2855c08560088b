"""Blocks of this process that do not fit its memory: their codes lie in a file that is mapped."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from dataclasses import replace
from tempfile import TemporaryFile

from madtree.blockstore import HeldBlocks
from madtree.core.block import Block, CodeLayout
from madtree.core.forest import Forest
from madtree.core.inhand import BlocksInHand
from madtree.core.packing import Packer, RowFormat
from madtree.core.problem import Problem
from madtree.core.statistics import StatisticsLayout
from madtree.core.types import Array, Ints
from madtree.host.protocol import Host
from madtree.rowpacker import Packed, RowPacker
from madtree.rowspool import temporary_directory

# PostgreSQL looks for a cancel or a timeout when it runs a statement, never within Python.
_LOOK_FOR_CANCEL = "SELECT"


class MappedBlocks(HeldBlocks):
    """Blocks in the memory of this process, but for their codes: of these the system keeps what it has room for.

    Against a table of blocks it saves reading all features where a pass looks at some of them only. Workers cannot
    read it: the file has no name, and goes when the process does.
    """

    def __init__(self, host: Host, rows: RowPacker, block_rows: int) -> None:
        super().__init__(rows, block_rows)
        self._host = host

    def pack(
        self, problem: Problem, row_format: RowFormat, tree_ids: Ints | None, never_null: Sequence[bool]
    ) -> Packed:
        packer = Packer(problem, row_format, tree_ids)
        layout = CodeLayout.for_widths(problem.bins.widths)
        none = layout.empty(0)
        without_codes: list[tuple[Block, int]] = []  # and their rows
        total = Packed(0, 0, 0)
        self._blocks = []
        with TemporaryFile(dir=temporary_directory()) as file:
            for block, packed in self._rows.blocks(packer, never_null, self._block_rows):
                self._let_cancel_in()
                # Written, not stored into a mapping: where the disk is full, the one is an error, the other a crash.
                for codes in (block.codes.narrow, block.codes.wide.astype("<u2", copy=False)):
                    if codes.size:
                        file.write(codes.data)
                without_codes.append((replace(block, codes=none), block.codes.n_rows))
                total = total.plus(packed)
            file.flush()
            n_bytes = file.tell()
            # The mapping outlives the file's handle; it goes with the last array that looks into it.
            data = memoryview(mmap.mmap(file.fileno(), n_bytes, access=mmap.ACCESS_READ) if n_bytes else b"")
        at = 0
        for block, n_rows in without_codes:
            size = layout.row_bytes * n_rows
            self._blocks.append(replace(block, codes=layout.read(data[at : at + size], n_rows)))
            at += size
        return total

    def source(self, problem: Problem) -> BlocksInHand:
        return _Interruptible(problem, self._blocks, self._let_cancel_in)

    def _let_cancel_in(self) -> None:
        self._host.query(_LOOK_FOR_CANCEL)


class _Interruptible(BlocksInHand):
    """Blocks in hand that are so large that a cancel should not have to wait for a whole level."""

    def __init__(self, problem: Problem, blocks: Sequence[Block], let_cancel_in: Callable[[], None]) -> None:
        super().__init__(problem, blocks)
        self._let_cancel_in = let_cancel_in

    def statistics(
        self, forest: Forest, slot_of_node: Ints, layout: StatisticsLayout, *, by_side: bool = False
    ) -> Array:
        self._let_cancel_in()
        return super().statistics(forest, slot_of_node, layout, by_side=by_side)
