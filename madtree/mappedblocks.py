"""Blocks of this process that do not fit its memory: their codes lie in a file that is mapped."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import replace
from tempfile import TemporaryFile

from madtree.blockstore import HeldBlocks
from madtree.core.block import Block, CodeLayout
from madtree.core.packing import Packer, RowFormat
from madtree.core.problem import Problem
from madtree.core.types import Ints
from madtree.rowpacker import Packed
from madtree.rowspool import temporary_directory


class MappedBlocks(HeldBlocks):
    """Blocks in the memory of this process, but for their codes: of these the system keeps what it has room for.

    Against a table of blocks it saves reading all features where a pass looks at some of them only. Workers cannot
    read it: the file has no name, and goes when the process does.
    """

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
