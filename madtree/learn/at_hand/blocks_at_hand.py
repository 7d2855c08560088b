"""The provider whose rows are in this process: blocks in its memory, or in a file that is mapped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from madtree.learn.at_hand.large_tree import Copies, LargeTree
from madtree.learn.at_hand.node_order import NodeOrder
from madtree.learn.at_hand.row_columns import RowColumns
from madtree.learn.at_hand.row_records import RecordLayout, RowRecords
from madtree.learn.counting import CountRequest, PlacedBlock, final, merge, transition_coroutine
from madtree.learn.data import Allocator, Array, Block, Coroutine, Ints, ReusingAllocator, allocated, in_memory
from madtree.learn.histogram import RowsOfNodes
from madtree.learn.problem import Problem
from madtree.learn.requests import (
    FoldHashesRequest,
    OfRows,
    Provider,
    RememberRequest,
    ReplaceRequest,
    RowsRequest,
    SampleRequest,
    SumsRequest,
    driven,
)
from madtree.learn.route import Positions, WayDown
from madtree.learn.waves import (
    DrawnRowsRequest,
    HeldOut,
    HeldOutRequest,
    Targets,
    TargetsRequest,
    WaveRequest,
)

# That a tree of `large_tree` rows may have. One of more leaves needs as many times more rows to count as large: its
# small nodes would take most of the time else.
_FEW_LEAVES = 128
_COPIED_ROW_BYTES = 32  # slot, class, place in its block, place in the histogram


class BlocksAtHand(Provider):
    """Answers requests by the blocks of this process, and remembers their rows' positions."""

    def __init__(
        self,
        blocks: Sequence[Block],
        position_bytes: int,
        whole: Block | None = None,
        allocator: Allocator = in_memory,
    ) -> None:
        """
        Args:
            position_bytes: that positions may take; those that find no place are worked out anew in each pass.
            whole: the blocks as one, where they lie side by side; None where they have to be joined.
            allocator: for rows in the order of nodes, and for what is kept of all rows.
        """
        self._position_bytes = position_bytes
        self._lasting, self._allocator = allocator, ReusingAllocator(allocator)
        # Of all rows, where they are drawn from for tree after tree: for many trees, and for large ones.
        self._records: RowRecords | None = None
        self._columns: RowColumns | None = None
        self._copies = Copies(allocator)
        self._place(blocks, whole)
        self._remembered: list[Block] = []
        self._all_blocks: list[Block] = []  # where a part of the rows takes their place
        self._block_rows = sum(block.codes.n_rows for block in blocks) // max(len(blocks), 1)  # of an average block

    def _place(self, blocks: Sequence[Block], whole: Block | None) -> None:
        """Begin with such blocks, as `__init__` takes them."""
        positions = Positions(self._position_bytes)
        self._blocks = [PlacedBlock(number, block, positions) for number, block in enumerate(blocks)]
        self._whole = whole
        self._order: tuple[Problem, NodeOrder | LargeTree] | None = None  # of the replicas that are being grown
        self._way: WayDown | None = None  # down the trees that were asked for last
        self._allocator.take_back()

    @property
    def blocks(self) -> list[Block]:
        """With the columns that they have now."""
        return [placed.block for placed in self._blocks]

    def renew(self, blocks: Sequence[Block]) -> None:
        """Go on with other columns of these rows; codes and trees are as before."""
        self._place(blocks, None)

    def count(self, request: CountRequest) -> Coroutine[Array]:
        if request.drawn is not None or request.waiting is not None:
            order = yield from self._in_order(request.problem, lasting=request.waiting is not None)
            return final((yield from order.histograms(request)))
        if self._are_counted_together(request):
            return final((yield from transition_coroutine(None, self._blocks, request)))
        state: Array = request.zeros()
        for block in self._blocks:
            state = yield from transition_coroutine(state, [block], request)
        return final(state)

    def rows(self, request: RowsRequest) -> Coroutine[RowsOfNodes]:
        parts = []
        for block in self._blocks:
            yield
            parts += [block.in_play(request, replica) for replica in range(request.problem.n_replicas)]
        return RowsOfNodes.of(request.problem.channels, parts)

    def drawn_rows(self, request: DrawnRowsRequest) -> Coroutine[RowsOfNodes]:
        order = yield from self._in_order(request.problem)
        assert isinstance(order, NodeOrder)  # the other one is for features that are not drawn
        return order.rows(request)

    def wave(self, request: WaveRequest) -> Coroutine[Any]:
        return (yield from driven(request.ensemble.grow(request.number), self))

    def fold_hashes(self, request: FoldHashesRequest) -> Coroutine[Ints]:
        found = [np.zeros((0, 3), np.int64)]
        for placed in self._blocks:
            yield
            assert placed.block.identity is not None
            found.append(request.hashes.counted(placed.block.identity, placed.block.tree))
        return np.concatenate(found)

    def replace(self, request: ReplaceRequest) -> Coroutine[Array]:
        """The caller's blocks stay as they are."""
        said = request.zeros()
        for i, placed in enumerate(self._blocks):
            yield
            block, more = self.replaced(request, i)
            self._blocks[i], said = replace(placed, block=block), merge(said, more)
        self.renew(self.blocks)
        return final(said)

    def remember(self, request: RememberRequest) -> Coroutine[None]:
        yield
        if request.back:
            self.renew(self._remembered)
        else:
            self._remembered = self.blocks
            for block in self._remembered:
                block.lock()

    def sample(self, request: SampleRequest) -> Coroutine[None]:
        yield
        if request.share < 1:
            self._all_blocks = self.blocks
            self._begin([request.of(block) for block in self._all_blocks])
        elif self._all_blocks:
            self._begin(self._all_blocks)

    def _begin(self, blocks: Sequence[Block]) -> None:
        """Go on with other rows."""
        self._records = self._columns = None
        self._place([block for block in blocks if block.codes.n_rows] or blocks[:1], None)

    def replaced(self, request: ReplaceRequest, place: int) -> tuple[Block, Array]:
        """The block at that place with the columns that are asked for, and what its rows say."""
        return request.applied_to(self._blocks[place].block, self._reached(request, place))

    def sums(self, request: SumsRequest) -> Coroutine[Array]:
        total = request.zeros()
        for place, placed in enumerate(self._blocks):
            yield
            total = merge(total, request.of(placed.block, self._reached(request, place)))
        return final(total)

    def _reached(self, request: OfRows, place: int) -> Ints | None:
        """(n_rows,) the nodes that a block's rows have reached, where a request tells of trees."""
        problem, routing = request.problem, request.routing
        if problem is None or routing is None:
            return None
        return self._blocks[place].reached(problem, routing, 0)

    def _in_order(self, problem: Problem, *, lasting: bool = False) -> Coroutine[NodeOrder | LargeTree]:
        """The rows in the order of nodes; `lasting`: of the first of many trees of the same rows."""
        yield
        if self._order is None or self._order[0] is not problem:
            blocks = self.blocks
            self._order = self._way = None
            self._allocator.take_back()
            if lasting and self._is_large(problem, blocks):
                if self._columns is None:
                    self._columns = RowColumns.of(blocks, problem.n_classes, self._lasting)
                rows = self._columns.in_bag(problem, blocks, self._allocator)
                self._order = problem, LargeTree(problem, rows, self._copies)
            else:
                records = self._records_of(problem, blocks) if lasting else None
                self._order = problem, NodeOrder(problem, blocks, self._joined, self._allocator, records)
        return self._order[1]

    def _is_large(self, problem: Problem, blocks: Sequence[Block]) -> bool:
        """Whether there is one tree, of so many rows that only those are to be copied that are counted."""
        n_rows = sum(block.codes.n_rows for block in blocks)
        carries_codes = RecordLayout.of(blocks[0].codes, problem.n_classes).n_features > 0
        n_leaves = max(problem.parameters.max_leaf_nodes or 2**problem.parameters.max_depth, _FEW_LEAVES)
        return problem.n_trees == 1 and carries_codes and n_rows * _FEW_LEAVES >= problem.tuning.large_tree * n_leaves

    def _records_of(self, problem: Problem, blocks: Sequence[Block]) -> RowRecords | None:
        """Of all blocks, to be drawn from for tree after tree; None where records do not carry codes."""
        layout = RecordLayout.of(blocks[0].codes, problem.n_classes)
        if self._records is None and layout.n_features:
            n_rows = sum(block.codes.n_rows for block in blocks)
            self._records = RowRecords.empty(layout, n_rows, 0, blocks[0].codes, self._lasting)
            first = 0
            for block in blocks:
                self._records.part(first, first := first + block.codes.n_rows).fill_all(block)
            if n_rows >= problem.tuning.joint_rows:
                self._records = self._records.with_lines()
        return self._records

    def _joined(self) -> Block:
        if self._whole is None:
            self._whole = Block.join(self.blocks)
        return self._whole

    def held_out(self, request: HeldOutRequest) -> Coroutine[HeldOut]:
        problem, replica = request.problem, request.replica
        if self._way is None or self._way.routing is not request.routing:
            self._way = WayDown(request.routing)
        # Rows in the order of nodes are not needed any more: what is kept of those that are held out takes their place.
        self._order = None
        self._allocator.take_back()
        make = partial(allocated, self._allocator)
        n_all = sum(placed.block.codes.n_rows for placed in self._blocks)
        place, stops = make((n_all,), np.int32), [0]
        first = 0
        for placed in self._blocks:
            yield
            rows = problem.replicas.held_out(placed.block, replica)
            stops.append(stops[-1] + len(rows))
            np.add(rows, first, out=place[stops[-2] : stops[-1]], casting="same_kind")
            first += placed.block.codes.n_rows
        place, node = place[: stops[-1]], make((stops[-1],), np.int32)
        whole = self._blocks[0].block.empty(len(place), make) if request.with_rows else None
        first = 0
        for placed, (start, stop) in zip(self._blocks, pairwise(stops), strict=True):
            yield
            part = placed.block.take(place[start:stop] - first)
            if whole is not None:
                whole.enter(start, part)
            node[start:stop] = self._way.leaves(part, replica, problem.n_groups)
            first += placed.block.codes.n_rows
        return HeldOut(place, whole, node, n_all, self._allocator, self._lasting)

    def targets(self, request: TargetsRequest) -> Coroutine[Targets]:
        yield
        blocks = self.blocks if self._whole is None else [self._whole]
        n_rows = sum(block.codes.n_rows for block in blocks)

        def joined(name: str) -> Any:
            first = getattr(blocks[0], name)
            if first is None or len(blocks) == 1:
                return first
            whole = allocated(self._lasting, (*first.shape[:-1], n_rows), first.dtype)
            stop = 0
            for block in blocks:
                start, stop = stop, stop + block.codes.n_rows
                whole[..., start:stop] = getattr(block, name)
            return whole

        return Targets(joined("target"), joined("weight"), joined("tree"), n_rows, self._lasting)

    def _are_counted_together(self, request: CountRequest) -> bool:
        """Whether there are more bins than rows of a block, so that adding all bins up for each block takes longer than
        copying the rows out, and there is memory for that.
        """
        if request.what != "histograms" or len(self._blocks) < 2:
            return False
        n_features = request.features[1] - request.features[0]
        if request.shape[0] * request.shape[1] <= self._block_rows * n_features:
            return False
        problem = request.problem
        n_bytes = request.n_rows * (_COPIED_ROW_BYTES + 8 * problem.channels.limbs)
        return n_bytes <= problem.parameters.memory_bytes // problem.tuning.copied_share
