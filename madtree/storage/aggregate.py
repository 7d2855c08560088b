"""Training by the SQL aggregate: blocks lie in a table, and one query a pass counts them, in one process or several, on
one server or on the servers of a cluster.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.host import Host, TemporaryPlace, WorkSpace, local_settings
from madtree.ingest import Packed, Packing, RowPacker
from madtree.learn.columns import COLUMNS, ColumnReader
from madtree.learn.counting import CountRequest, frontier_values
from madtree.learn.data import MOST_BLOCK_ROWS, Array, Coroutine, Ints, codec
from madtree.learn.packing import block_fields
from madtree.learn.problem import Problem
from madtree.learn.requests import (
    FoldHashesRequest,
    OfRows,
    Program,
    Progress,
    Provider,
    ReplaceRequest,
    SumsRequest,
    T,
    driven,
)
from madtree.learn.route import NewSplits, Routing
from madtree.learn.waves import HeldOutRequest, TargetsRequest, WaveRequest
from madtree.parallel import handing_over_pays, sharing
from madtree.request import Tuning
from madtree.sqltext.query import Binary
from madtree.sqltext.work import WorkTables
from madtree.storage.aggregate_functions import State, numbers_of, read_state
from madtree.storage.blocks import BlockLimits, BlockStore

_BYTEA, _INT4 = "pg_catalog.bytea", "pg_catalog.int4"


class TableOfBlocks(Provider):
    """The provider whose rows are in a table of blocks."""

    def __init__(
        self,
        host: Host,
        work: WorkTables,
        problem: Problem,
        n_workers: int,
        tuning: Tuning,
        state_bytes: int | None = None,
    ) -> None:
        """
        Args:
            n_workers: that may share a pass.
            state_bytes: that a state should not exceed, since it travels; None for no bound beyond the memory budget's.
            tuning: of the training.
        """
        self._host, self._work, self._problem, self._n_workers = host, work, problem, n_workers
        self._state_bytes, self._tuning = state_bytes, tuning
        # The trees to whose nodes rows have been moved, after how many rounds, and the nodes that there were.
        self._routing: Routing | None = None
        self._rounds, self._n_nodes = 0, problem.n_trees
        self._have_moved = False  # from the roots, in whatever trees
        self._copied: BlockStore | None = None

    def fold_hashes(self, request: FoldHashesRequest) -> Coroutine[Ints]:
        found = [np.zeros((0, 3), np.int64)]
        for row in self._host.data_stream(Binary(self._work.identities())):
            yield
            tree = None if row["tree"] is None else np.frombuffer(row["tree"], "<i4")
            found.append(request.hashes.counted(np.frombuffer(row["identity"], "<u4"), tree))
        return np.concatenate(found)

    def replace(self, request: ReplaceRequest) -> Coroutine[Array]:
        yield
        self._copied = None
        self._host.command(self._work.replace_columns(request.columns), [_BYTEA], [self._plan(request)])
        return request.zeros() if request.then is None else (yield from self.sums(request.then))

    def sums(self, request: SumsRequest) -> Coroutine[Array]:
        yield
        statement = Binary(self._work.row_sums())
        state: State | None = self._host.query(statement, [_BYTEA], [self._plan(request)])[0]["sums"]
        return request.zeros() if state is None else numbers_of(state).reshape(request.zeros().shape)

    def _plan(self, request: OfRows) -> bytes:
        """What is made of each block's rows; they are brought to the nodes that it is about."""
        problem = request.problem or self._problem
        if request.routing is not None:
            self._move(problem, request.routing)
        return codec.dump({**problem.counting_values(), **request.function_values()})

    def wave(self, request: WaveRequest) -> Coroutine[Any]:
        return (yield from driven(request.ensemble.grow(request.number, rows_at_hand=False), self))

    def _by_copy(self, request: HeldOutRequest | TargetsRequest) -> Coroutine[Any]:
        return (yield from (yield from self._copy(request.problem)).answer(request))

    held_out = targets = _by_copy

    def _copy(self, problem: Problem) -> Coroutine[BlockStore]:
        """The packed rows of a problem, copied once into the memory of this process or a file: a tree's out-of-bag rows
        are judged one by one, and permuted among all others.
        """
        if self._copied is None:
            memory = self._problem.parameters.memory_bytes // self._tuning.block_share
            place, reader = TemporaryPlace.of(self._host), ColumnReader(problem)
            copied = BlockStore(self._problem, BlockLimits(1, memory, 0), place)
            for row in self._host.data_stream(Binary(self._work.blocks())):
                yield
                copied.add(reader.checked_block(row["n_rows"], [row[name] for name in COLUMNS]))
            self._copied = copied
        return self._copied

    def count(self, request: CountRequest) -> Coroutine[Array]:
        yield
        self._move(request.problem, request.routing)
        parts = _smaller(request, self._state_bytes)
        answers = []
        for part in parts:
            yield
            answers.append(self._counted(part))
        if len(answers) == 1:
            return answers[0]
        return np.concatenate(answers, axis=0 if request.what == "powers" else 1)

    def _counted(self, request: CountRequest) -> Array:
        return read_state(self._state(request, codec.dump(frontier_values(request))), request)

    def _state(self, request: CountRequest, plan: bytes) -> State | None:
        """The final state, None where there is no block; `plan`: the request as it travels."""
        n_workers = (
            self._n_workers if handing_over_pays(request.state_bytes, self._n_workers, self._tuning.costs) else 0
        )
        with local_settings(self._host, sharing(n_workers)):
            state: State | None = self._host.query(Binary(self._work.statistics()), [_BYTEA], [plan])[0]["shared"]
        return state

    def _move(self, problem: Problem, routing: Routing) -> None:
        """Bring the nodes that are kept beside the blocks to where these trees have grown."""
        anew = routing is not self._routing
        rounds, n_nodes = (0, problem.n_trees) if anew else (self._rounds, self._n_nodes)
        if routing.rounds > rounds or (anew and self._have_moved):
            splits = NewSplits.since(routing, rounds, n_nodes, problem.bins.widths, from_roots=anew)
            plan = codec.dump({**problem.counting_values(), **splits.to_values()})
            self._host.command(self._work.move_nodes(), [_BYTEA], [plan])
            self._have_moved = True
        self._routing, self._rounds, self._n_nodes = routing, routing.rounds, len(routing.child)


def _smaller(request: CountRequest, state_bytes: int | None) -> list[CountRequest]:
    """The request in parts whose states keep to a number of bytes: totals by nodes, powers one by one. Histograms come
    in batches that do so already (learn.counting.count_request).
    """
    if state_bytes is None or request.what not in ("totals", "limbs", "powers"):
        return [request]
    if request.what == "powers":
        return [replace(request, powers=(power,)) for power in request.powers]
    size = max(1, state_bytes // (8 * request.channels.count))
    parts = []
    for first in range(0, max(request.n_slots, 1), size):
        n = min(size, request.n_slots - first)
        mine = (request.slot_of_node >= first) & (request.slot_of_node < first + n)
        slots: Ints = np.where(mine, request.slot_of_node - first, -1).astype(request.slot_of_node.dtype)
        parts.append(replace(request, slot_of_node=slots, n_slots=n))
    return parts


class TableKeeper(ABC):
    """Keeps blocks in a table, whoever packs them."""

    def __init__(self, host: Host, work: WorkTables, space: WorkSpace, n_workers: int) -> None:
        """`space`: which has the tables that are made here."""
        self._host, self._work, self._space, self._n_workers = host, work, space, n_workers

    def train(
        self, packing: Packing, program: Callable[[Packed, bool], Program[T]], report: Callable[[Progress], None]
    ) -> Coroutine[T]:
        packed = self._pack(packing)
        return (yield from driven(program(packed, False), self._provider(packing.problem), report))

    @abstractmethod
    def _pack(self, packing: Packing) -> Packed: ...

    @abstractmethod
    def _provider(self, problem: Problem) -> TableOfBlocks: ...


class InTable(TableKeeper):
    """Blocks that this process packs into a table, which is counted by the aggregate."""

    may_run_statements = True
    n_processes = 1

    def __init__(
        self,
        host: Host,
        space: WorkSpace,
        rows: RowPacker,
        block_rows: int,
        n_workers: int,
        tuning: Tuning,
    ) -> None:
        """
        Args:
            n_workers: that may share a pass.
            tuning: of the training.
        """
        super().__init__(host, space.tables, space, n_workers)
        self._rows, self._block_rows, self._tuning = rows, block_rows, tuning

    def _pack(self, packing: Packing) -> Packed:
        host, work = self._host, self._work
        self._space.make("blocks", work.create_empty_blocks())
        total, number = Packed(0, 0, 0), 0
        for block, packed in self._rows.blocks(packing, self._block_rows):
            # A page range may have many more rows than the catalogue made believe.
            for piece in block.pieces(MOST_BLOCK_ROWS):
                host.let_in()
                number += 1
                fields = block_fields(piece, 0, 0)
                host.command(work.insert_block(), [_INT4] * 4 + [_BYTEA] * (len(fields) - 3), [number, *fields])
            total = total.plus(packed)
        # A worker loads Python and numpy anew in each query, and has nothing to do where there is no block for it.
        self._n_workers = min(self._n_workers, max(number - 1, 0))
        host.command(work.settle("blocks", self._n_workers))
        return total

    def _provider(self, problem: Problem) -> TableOfBlocks:
        return TableOfBlocks(self._host, self._work, problem, self._n_workers, self._tuning)
