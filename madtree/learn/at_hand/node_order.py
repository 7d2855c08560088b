"""Rows in the order of the nodes that they are in, for trees that are grown level by level on rows at hand.

A node's rows lie side by side (`RowRecords`), so what is drawn for a node is looked up for its rows alone, and no row
is asked where it is. Rows that are not in a replica's sample are not there, and rows of leaves are left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from madtree.learn.at_hand.bagged_block import BaggedBlock
from madtree.learn.at_hand.row_columns import RowColumns
from madtree.learn.at_hand.row_records import RecordLayout, RowRecords
from madtree.learn.counting import CountRequest, RowsByNode, transition
from madtree.learn.data import Allocator, Array, Block, Bools, Coroutine, Ints, Runs, in_memory, pieces_of
from madtree.learn.histogram import RowsOfNodes, joined
from madtree.learn.problem import Problem
from madtree.learn.route import Routing
from madtree.learn.waves import DrawnRowsRequest
from madtree.records import dataclass

STEP_ROWS = 2**20  # that are counted between two looks for cancels


@dataclass(frozen=True)
class Descending(RowsByNode):
    """Rows that go down, node by node."""

    def pieces(self, most: int) -> Iterator[Descending]:
        """Of one node's rows at most so many at a time."""
        if len(self.nodes) > 1 or len(self.rows) <= most:
            yield self
            return
        n_pieces = -(-len(self.rows) // most)
        for piece in pieces_of(len(self.rows), -(-len(self.rows) // n_pieces)):  # of one size
            yield Descending(self.rows.part(piece.start, piece.stop), self.nodes, np.array([piece.stop - piece.start]))


def enter_sides(node: int, rows: RowRecords | RowColumns, routing: Routing, right: Bools) -> None:
    """Enter into `right` (n_rows,) whether each of a node's rows goes right."""
    feature, lowered = routing.feature.item(node), routing.missing_right.item(node)
    by_cut, cut = routing.by_cut_alone(node), routing.cut.item(node) - lowered
    for piece in pieces_of(len(right)):
        if by_cut:
            code = rows.column(feature, piece.start, piece.stop)
            if lowered:
                code = code - code.dtype.type(1)  # missing, 0, becomes the largest code
            np.greater(code, cut, out=right[piece])
        else:
            own = np.full(piece.stop - piece.start, node, np.int32)
            right[piece] = routing.goes_right(own, rows.part(piece.start, piece.stop))


@dataclass(frozen=True)
class Stretch(Descending):
    """Some neighbouring nodes that are worked off together."""

    rows: RowRecords

    def only(self, chosen: Bools) -> Stretch:
        """Only some of the nodes (n,)."""
        if chosen.all():
            return self
        nodes, sizes = self.nodes[chosen], self.sizes[chosen]
        found = Runs(sizes)
        return Stretch(self.rows.take(found.spread(self.runs.firsts[chosen] - found.firsts, step=1)), nodes, sizes)


class NodeOrder:
    """The rows of some replicas of each tree, as they go down.

    They begin as the records that are kept of all rows, where each row counts once, and else as a copy of these.
    """

    def __init__(
        self,
        problem: Problem,
        blocks: Sequence[Block],
        join: Callable[[], Block],
        allocator: Allocator = in_memory,
        records: RowRecords | None = None,
    ) -> None:
        """
        Args:
            blocks: all rows; `join` makes one block of them, where that is needed.
            allocator: for the rows, twice: one they are in, and one they go to; and for the order of their groups.
            records: of all rows of all blocks, without limbs; None where they are not kept.
        """
        layout = RecordLayout.of(blocks[0].codes, problem.n_classes) if records is None else records.layout
        if not layout.n_features:
            blocks, records = [join()], None
        parts = [BaggedBlock.of(problem, *each, allocator) for each in _with_records(blocks, records)]
        n_rows = problem.n_replicas * sum(block.codes.n_rows for block in blocks)
        self._tuning = problem.tuning
        n_limbs = 1 if problem.is_packed else problem.channels.limbs
        self._empty = partial(RowRecords.empty, layout, n_rows, n_limbs, blocks[0].codes, allocator)
        self._free: RowRecords | None = None  # where rows go to; None where it is still to be made
        self._nodes: Ints = np.arange(problem.n_trees)
        # (2, n): nodes that rows have been in, with the child that each had when they left it: itself of leaves.
        self._left: Ints = np.zeros((2, 0), np.int64)
        self._are_lent = records is not None and all(part.are_all_in_bag for part in parts)
        if records is not None and self._are_lent:
            limbs = [joined(each) for each in zip(*(part.limbs() for part in parts), strict=True)]
            self._rows, self._sizes = replace(records, limbs=limbs), np.array([n_rows])
            return
        self._rows = self._empty()
        sizes: list[Ints] = []
        first = 0
        for replica in range(problem.n_replicas):
            sizes.append(self._fill(parts, replica, first))
            first += int(sizes[-1].sum())
        self._sizes = np.concatenate(sizes)

    def _fill(self, parts: Sequence[BaggedBlock], replica: int, first: int) -> Ints:
        """Enter the rows of a replica from row `first` on, group by group; returns how many each group has (G,)."""
        if len(parts) == 1 or parts[0].order is None:  # they come in the order in which they are to stand
            total: Ints = np.zeros(parts[0].n_groups, np.int64)
            for part in parts:
                rows, times = part.in_bag(replica)
                part.enter(rows, times, self._rows, slice(first, first + len(rows)))
                first += len(rows)
                total += part.sizes(rows)
            return total
        sizes = [part.sizes(np.flatnonzero(part.times(replica) != 0)) for part in parts]
        total = np.sum(sizes, axis=0)
        following = first + Runs(total).firsts  # where the next row of each group goes
        for part, own in zip(parts, sizes, strict=True):
            rows, times = part.in_bag(replica)
            at = (following - Runs(own).firsts).take(part.group(rows)) + np.arange(len(rows))
            part.enter(rows, times, self._rows, at)
            following += own
        return total

    def _moved(self, routing: Routing, waiting: Ints | None) -> Iterator[Stretch]:
        """Let the rows go on to the children that their nodes have got; those of nodes without children are left
        behind, but for nodes that are `waiting` (n,). Rows that have just come are given at once, while they are in the
        cache.
        """
        self._drop_empty()  # roots of trees for which no row was drawn
        free = self._empty() if self._free is None else self._free
        first = 0
        none: Ints = np.zeros(0, np.int64)
        nodes, sizes = [none], [none]
        stays_of_node = np.zeros(len(routing.child), np.bool_)
        stays_of_node[none if waiting is None else waiting] = True
        for stretch in self._stretches():
            begin = first
            split = routing.child.take(stretch.nodes) != stretch.nodes
            stays = ~split & stays_of_node.take(stretch.nodes)
            goes_left = split | stays
            if not goes_left.any():
                continue
            right = self._sides(routing, stretch)  # from leaves no row goes right
            left = ~right
            ends = np.flatnonzero(~goes_left)
            for start, size in zip(stretch.runs.firsts[ends].tolist(), stretch.sizes[ends].tolist(), strict=True):
                left[start : start + size] = False
            for side in (left, right):
                first = stretch.rows.put(side, free, first)
            child = routing.child.take(stretch.nodes).astype(np.int64)  # itself of those that stay
            if stretch.are_large(self._tuning):
                n_right = np.array([np.count_nonzero(right[a:b]) for a, b in stretch.bounds])
            else:
                n_right = stretch.runs.chosen(right)
            of_children = np.concatenate(((stretch.sizes - n_right)[goes_left], n_right[split]))
            some = of_children > 0
            nodes.append(np.concatenate((child[goes_left], child[split] + 1))[some])
            sizes.append(of_children[some])
            yield from self._parted(Stretch(free.part(begin, first), nodes[-1], sizes[-1]))
        self._rows, self._free, self._are_lent = free, None if self._are_lent else self._rows, False
        moved = self._nodes[~stays_of_node.take(self._nodes) | (routing.child.take(self._nodes) != self._nodes)]
        self._left = np.hstack((self._left, (moved, routing.child.take(moved))))
        self._nodes, self._sizes = np.concatenate(nodes), np.concatenate(sizes)

    def _drop_empty(self) -> None:
        some = self._sizes > 0
        self._nodes, self._sizes = self._nodes[some], self._sizes[some]

    def histograms(self, request: CountRequest) -> Coroutine[Array]:
        """The state that a request for histograms asks for."""
        state: Array | None = None
        n_rows = 0
        for stretch, chosen in self._requested(request, request.waiting):
            # Copying rows takes about as long as counting twice as many others along with them; where nodes are worked
            # off one by one no others are.
            alone = request.drawn is None and stretch.are_large(self._tuning)
            if not alone and 3 * int(stretch.sizes[chosen].sum()) < len(stretch.rows):
                stretch = stretch.only(chosen)
            tuning = self._tuning
            most = tuning.joint_piece_rows if request.drawn is None and stretch.rows.lines else tuning.piece_rows
            for piece in stretch.pieces(most):
                n_rows += len(piece.rows)
                if n_rows > STEP_ROWS:
                    yield
                    n_rows = 0
                state = transition(state, piece, request)
        return request.zeros() if state is None else state

    def rows(self, request: DrawnRowsRequest) -> RowsOfNodes:
        """The rows, node by node, with the codes of what was drawn for their nodes, by its place."""
        stretches = [stretch.only(chosen) for stretch, chosen in self._requested(request)]
        rows = [stretch.rows for stretch in stretches] or [self._rows.part(0, 0)]
        slots = [
            stretch.runs.spread(request.slot_of_node.take(stretch.nodes).astype(np.int32)) for stretch in stretches
        ] or [np.zeros(0, np.int32)]
        slot = joined(slots)
        limbs = [joined([of.limbs[i] for of in rows]) for i in range(len(rows[0].limbs))]
        return RowsOfNodes(
            slot,
            joined([of.classes for of in rows]),
            np.stack(limbs) if limbs else np.zeros((0, len(slot))),
            [(_Drawn(of, request.drawn, of_rows), None) for of, of_rows in zip(rows, slots, strict=True)],
            times=joined([of.times for of in rows]),
        )

    def _stretches(self) -> Iterator[Stretch]:
        """All nodes that have rows."""
        return self._parted(Stretch(self._rows, self._nodes, self._sizes))

    def _parted(self, whole: Stretch) -> Iterator[Stretch]:
        """The nodes of a stretch, however large: each large one alone, small ones side by side."""
        stops = np.cumsum(whole.sizes)
        n, first, begin = len(stops), 0, 0
        while first < n:
            stop = max(first + 1, int(np.searchsorted(stops, begin + self._tuning.stretch_rows, "right")))
            end = int(stops[stop - 1])
            yield Stretch(whole.rows.part(begin, end), whole.nodes[first:stop], whole.sizes[first:stop])
            first, begin = stop, end

    def _requested(
        self, request: CountRequest | DrawnRowsRequest, waiting: Ints | None = None
    ) -> Iterator[tuple[Stretch, Bools]]:
        """Stretches with nodes that a request asks for, and which of their nodes (n,) these are."""
        child = request.routing.child
        are_behind = not np.array_equal(child.take(self._nodes), self._nodes)
        while are_behind and self._are_behind_children(child):  # more than one level
            for _ in self._moved(request.routing, waiting):
                pass
        for stretch in self._moved(request.routing, waiting) if are_behind else self._stretches():
            chosen = request.slot_of_node.take(stretch.nodes) >= 0
            if chosen.any():
                yield stretch, chosen
        left, before = self._left
        after = child.take(left)
        late = after[after != before]  # nodes that have been split since then
        gone = np.concatenate((left, late, late + 1))
        if (request.slot_of_node.take(gone) >= 0).any():
            raise ValueError("the rows of a node that is asked for have been left behind")

    def _are_behind_children(self, child: Ints) -> bool:
        """Whether the `child` (n_nodes,) of some node that rows are in has children, too."""
        below = child.take(self._nodes[child.take(self._nodes) != self._nodes])
        return bool((child.take(below) != below).any() or (child.take(below + 1) != below + 1).any())

    def _sides(self, routing: Routing, stretch: Stretch) -> Bools:
        """(n_rows,) whether each row goes right."""
        if not stretch.are_large(self._tuning):
            return routing.goes_right_of(stretch.nodes, stretch.runs, stretch.rows)
        right = np.empty(len(stretch.rows), np.bool_)
        for node, (first, stop) in zip(stretch.nodes.tolist(), stretch.bounds, strict=True):
            enter_sides(node, stretch.rows.part(first, stop), routing, right[first:stop])
        return right


@dataclass(frozen=True)
class _Drawn:
    """Codes of what was drawn for each row's node: of rows whose slots these are."""

    rows: RowRecords
    drawn: Ints
    slot: Ints

    def column(self, feature: int) -> Array:
        """(n_rows,) codes of the features that were drawn in place `feature`."""
        return self.rows.gather(self.drawn[:, feature].take(self.slot))


def _with_records(blocks: Sequence[Block], records: RowRecords | None) -> Iterator[tuple[Block, RowRecords | None]]:
    """The blocks, each with the records of its rows."""
    first = 0
    for block in blocks:
        stop = first + block.codes.n_rows
        yield block, None if records is None else records.part(first, stop)
        first = stop
