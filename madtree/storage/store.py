"""Where the blocks of large trees are kept: in the orchestrator's memory, or in a table. A crew is one more way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

import numpy as np

from madtree.host.protocol import Host
from madtree.ingest.row_reader import Packed, Packing, RowPacker
from madtree.learn.data.block import Block
from madtree.learn.data.types import Array, Ints
from madtree.learn.grow.inhand import BlocksInHand
from madtree.learn.grow.split_finder import StatisticsSource
from madtree.learn.histogram import count
from madtree.learn.problem import pack
from madtree.learn.problem.folds import folds_of_rows
from madtree.learn.problem.problem import Problem
from madtree.parallel.cost_model import Workers
from madtree.sqltext.work import WorkTables
from madtree.storage.aggregate import TableSource

_BYTEA = "pg_catalog.bytea"
BLOCK_ROWS = 65_536
# Rows read at a time: what they are copied through stays in the processor's cache.
READ_ROWS = 16_384
HELD_SHARE = 2  # of the memory budget, what blocks in memory, or the nodes of the others' rows, may take

T = TypeVar("T")


class BlockStore(Protocol):
    """Packs page ranges into blocks and hands them to the learner."""

    @property
    def may_query(self) -> bool:
        """Whether statements may be run while the blocks are there."""
        ...

    def fill(self, packing: Packing, then: Callable[[Packed], T]) -> T:
        """Fill the store, which forgets what it held before, and return what comes of `then`, for which it is there."""
        ...

    def deal_folds(self, problem: Problem) -> None:
        """Give every packed row a fold at random, by its place among the rows of its tree."""
        ...

    def source(self, problem: Problem) -> StatisticsSource: ...

    def told(self) -> str:
        """A line about the store that a user may want to know; empty if there is none."""
        ...

    def close(self) -> None:
        """Let go of what the session keeps for the store."""
        ...


class FilledFirst(ABC):
    """A store that is full before anything else is done."""

    may_query = True

    def fill(self, packing: Packing, then: Callable[[Packed], T]) -> T:
        return then(self._pack(packing))

    def deal_folds(self, problem: Problem) -> None:
        trees = self._trees()
        counts = np.array([np.bincount(tree, minlength=problem.n_trees) for tree in trees])
        first, n_rows = np.cumsum(counts, axis=0) - counts, counts.sum(axis=0)
        n_folds, seed = problem.parameters.n_folds, problem.parameters.seed
        self._set_folds([folds_of_rows(tree, f, n_rows, n_folds, seed) for tree, f in zip(trees, first, strict=True)])

    def told(self) -> str:
        return ""

    @abstractmethod
    def _pack(self, packing: Packing) -> Packed: ...

    @abstractmethod
    def _trees(self) -> list[Ints]:
        """(n_rows,) the tree of each row, block by block."""

    @abstractmethod
    def _set_folds(self, folds: Sequence[Array]) -> None:
        """Give each block's rows (n_rows,) their folds."""


class HeldBlocks(FilledFirst):
    """Blocks in the memory of this process."""

    def __init__(self, rows: RowPacker, block_rows: int) -> None:
        self._rows, self._block_rows = rows, block_rows
        self._blocks: list[Block] = []

    def _pack(self, packing: Packing) -> Packed:
        self._blocks = []
        total = Packed(0, 0, 0)
        for block, packed in self._rows.blocks(packing, self._block_rows):
            self._blocks.append(block)
            total = total.plus(packed)
        return total

    def _trees(self) -> list[Ints]:
        return [np.zeros(b.codes.n_rows, np.int64) if b.tree is None else b.tree for b in self._blocks]

    def _set_folds(self, folds: Sequence[Array]) -> None:
        self._blocks = [replace(block, fold=fold) for block, fold in zip(self._blocks, folds, strict=True)]

    def source(self, problem: Problem) -> BlocksInHand:
        return BlocksInHand(problem, self._blocks)

    def close(self) -> None:
        self._blocks = []


class TableBlocks(FilledFirst):
    """Blocks in a table, whoever packs them."""

    def __init__(self, host: Host, work: WorkTables, made: list[str], workers: Workers) -> None:
        """`made`: the parts of the work tables that exist; those made here are added."""
        self._host, self._work, self._made, self._workers = host, work, made, workers

    def _make_room(self) -> None:
        """Drop the blocks that there are, since others are to be made."""
        if "blocks" in self._made:
            self._host.command(self._work.drop(["blocks"]))
        else:
            self._made.append("blocks")

    def _totals(self) -> Packed:
        totals = self._host.query(self._work.totals())[0]
        return Packed(*(int(totals[name] or 0) for name in ("n_rows", "n_skipped", "n_unknown")))

    def _trees(self) -> list[Ints]:
        rows = self._host.query(self._work.block_trees())
        return [
            np.zeros(row["n_rows"], np.int64) if row["tree"] is None else np.frombuffer(row["tree"], "<i4")
            for row in rows
        ]

    def _set_folds(self, folds: Sequence[Array]) -> None:
        ids = [row["block_id"] for row in self._host.query(self._work.block_ids())]
        for block_id, fold in zip(ids, folds, strict=True):
            self._host.command(self._work.set_folds(), [_BYTEA, "int4"], [fold.tobytes(), block_id])

    def source(self, problem: Problem) -> TableSource:
        return TableSource(self._host, problem, self._work, self._workers)

    def close(self) -> None:
        count.forget(self._work.token)


class WrittenBlocks(TableBlocks):
    """Blocks that are packed by this process."""

    def __init__(
        self, host: Host, work: WorkTables, made: list[str], rows: RowPacker, block_rows: int, workers: Workers
    ) -> None:
        super().__init__(host, work, made, workers)
        self._rows, self._block_rows = rows, block_rows

    def _pack(self, packing: Packing) -> Packed:
        host, work = self._host, self._work
        self._make_room()
        host.command(work.create_empty_blocks())
        total = Packed(0, 0, 0)
        for i, (block, packed) in enumerate(self._rows.blocks(packing, self._block_rows), 1):
            fields = pack.block_fields(block, packed.n_skipped, packed.n_unknown)
            host.command(work.insert_block(), ["int4"] * 4 + [_BYTEA] * 5, [i, *fields])
            total = total.plus(packed)
        host.command(work.settle("blocks", self._workers.passes))
        return total
