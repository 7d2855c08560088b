"""The keepers of large trees' blocks, made from what was chosen."""

from __future__ import annotations

from madtree.ingest import Reading, RowPacker, RowSpool
from madtree.learn.problem import Problem
from madtree.records import dataclass
from madtree.storage.aggregate import InTable
from madtree.storage.blocks import BlockLimits
from madtree.storage.distributed import InParts
from madtree.storage.in_process import InProcess
from madtree.storage.protocol import BlockKeeper, NotPossibleError, row_bytes
from madtree.storage.workers.provider import ResidentWorkers
from madtree.train.other_readers import NOT_SAFE, parallel_safe
from madtree.train.source import Call
from madtree.train.strategy import Keeping, Way, no_workers
from madtree.train.survey import Survey


@dataclass(frozen=True)
class Blocks:
    """What is to be kept.

    Attributes:
        reading: of the rows.
        read_rows: rows of each.
        spool: all rows, where they have been read once.
    """

    problem: Problem
    reading: Reading
    read_rows: int
    spool: RowSpool | None


def keeper_of(keeping: Keeping, call: Call, found: Survey, blocks: Blocks) -> BlockKeeper:
    """The keeper that was chosen.

    Raises:
        NotPossibleError: it cannot be had, and the next one is to take over.
        MadtreeError: it cannot be had, and was asked for.
    """
    host, source, tuning, space = call.host, found.source, call.task.tuning, call.space
    if source.spread is not None:
        return InParts(source.spread, space, source.rows)
    packer = RowPacker(blocks.reading, blocks.spool)
    rows = max(blocks.read_rows, min(tuning.block_rows, tuning.block_bytes // row_bytes(blocks.problem)))
    budget = found.parameters.memory_bytes
    limits = BlockLimits(rows, budget // tuning.block_share, budget // tuning.position_share)
    if keeping.way is Way.TABLE:
        return InTable(host, space, packer, rows, keeping.n_workers, tuning)
    if keeping.way is Way.MEMORY:
        return InProcess(host, packer, limits)
    if not keeping.reads_here and not parallel_safe(host, source.rows):
        if keeping.is_asked_for:
            raise no_workers(NOT_SAFE)
        raise NotPossibleError(NOT_SAFE)
    return ResidentWorkers(
        blocks.reading,
        limits,
        keeping.n_workers,
        read_here=packer if keeping.reads_here else None,
        sharing=call.kind.needs_all_rows,
        evenly=call.kind.passes_often,
    )
