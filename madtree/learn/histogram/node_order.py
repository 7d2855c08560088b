"""Rows in the order of the nodes that they are in, for trees that are grown level by level on rows at hand.

A node's rows lie side by side, so what is drawn for a node is looked up for its rows alone, and no row is asked where
it is. Rows that are not in a replica's sample are not there, and rows of leaves are left behind.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from madtree.learn.data import Array, Block, Bools, Floats, Ints
from madtree.learn.histogram.requests import DrawnRequest
from madtree.learn.histogram.rows_of_nodes import RowsOfNodes
from madtree.learn.problem import Problem
from madtree.learn.route import Routing


class NodeOrder:
    """The rows of some replicas of each tree, as they go down."""

    def __init__(self, problem: Problem, block: Block) -> None:
        """`block`: all rows."""
        n_groups = problem.n_groups
        by_tree = None if block.tree is None or n_groups == 1 else np.argsort(block.tree, kind="stable")
        rows: list[Ints] = []
        times: list[Floats] = []
        sizes: list[Ints] = []
        for replica in range(problem.n_replicas):
            multiplicity = problem.replicas.multiplicity(block, replica)
            if multiplicity is None:
                multiplicity = np.ones(block.codes.n_rows, np.uint8)
            own = np.flatnonzero(multiplicity != 0) if by_tree is None else by_tree[multiplicity.take(by_tree) != 0]
            rows.append(own)
            times.append(multiplicity.take(own).astype(np.float64))
            tree = block.tree
            sizes.append(np.array([len(own)]) if tree is None else np.bincount(tree.take(own), minlength=n_groups))
        self._block, self._channels, self._tuning = block, problem.channels, problem.tuning
        self._rows: Ints = np.concatenate(rows)
        self._times: Floats = np.concatenate(times)
        self._class: Array | None = block.target.take(self._rows) if problem.n_classes else None
        # What is summed beside the row counts, each row as often as it counts.
        self._limbs = [limb.take(self._rows) * self._times for limb in _limbs(problem, block)]
        self._nodes: Ints = np.arange(problem.n_trees)
        self._sizes: Ints = np.concatenate(sizes).astype(np.int64)

    def follow(self, routing: Routing) -> None:
        """Let the rows go on to the children that their nodes have got; those of nodes without children are left
        behind.
        """
        split = routing.child.take(self._nodes) != self._nodes
        if not split.any():
            return
        if not split.all():
            self._keep(np.flatnonzero(np.repeat(split, self._sizes)))
            self._nodes, self._sizes = self._nodes[split], self._sizes[split]
        right = self._sides(routing)
        first = np.cumsum(self._sizes) - self._sizes
        n_right = np.add.reduceat(right, first, dtype=np.int64) if len(first) else first
        self._keep(np.concatenate((np.flatnonzero(~right), np.flatnonzero(right))))
        left = routing.child.take(self._nodes).astype(np.int64)
        self._nodes = np.concatenate((left, left + 1))
        self._sizes = np.concatenate((self._sizes - n_right, n_right))

    def histograms(self, request: DrawnRequest) -> Array:
        """The state (n_channels, total_bins) of the request's layout."""
        layout = request.layout
        state = layout.zeros(request.dtype)
        n_drawn = request.drawn.shape[1]
        bins = state.reshape(len(state), n_drawn, layout.n_slots, request.width)
        slots, chosen = self._slots(request)
        n_rows = int(self._sizes[chosen].sum())
        if n_rows > self._tuning.node_rows * len(chosen):
            first = np.cumsum(self._sizes) - self._sizes
            for segment in chosen.tolist():
                start, stop = int(first[segment]), int(first[segment] + self._sizes[segment])
                slot = int(slots[segment])
                for a in range(start, stop, self._tuning.piece_rows):
                    self._count_node(bins[:, :, slot], request, slot, slice(a, min(a + self._tuning.piece_rows, stop)))
        else:
            self._count_nodes(bins, request, slots, chosen)
        return state

    def rows(self, request: DrawnRequest) -> RowsOfNodes:
        """The rows, each as often as it counts, with the codes of what was drawn for their nodes, by its place."""
        slots, chosen = self._slots(request)
        at, slot = self._rows_of(slots, chosen)
        again = np.repeat(np.arange(len(at)), self._times.take(at).astype(np.int64))
        at, slot = at.take(again), slot.take(again).astype(np.int32)
        rows = self._rows.take(at)
        row_class: Array = np.zeros(len(at), np.uint8) if self._class is None else self._class.take(at)
        limbs = [limb.take(at) / self._times.take(at) for limb in self._limbs]
        summed = np.stack(limbs) if limbs else np.zeros((0, len(at)))
        return RowsOfNodes(slot, row_class, summed, [(_Drawn(self._block, rows, slot, request.drawn), None)])

    def _keep(self, at: Ints) -> None:
        """Only the rows that are at these places, in this order."""
        self._rows, self._times = self._rows.take(at), self._times.take(at)
        self._class = None if self._class is None else self._class.take(at)
        self._limbs = [limb.take(at) for limb in self._limbs]

    def _sides(self, routing: Routing) -> Bools:
        """(n_rows,) whether each row goes right."""
        codes, n_rows = self._block.codes, len(self._rows)
        right = np.empty(n_rows, np.bool_)
        for segments, rows in _stretches(self._sizes, self._tuning.node_rows):
            nodes = self._nodes[segments]
            if len(nodes) == 1 and routing.by_cut_alone(int(nodes[0])):
                node = int(nodes[0])
                code = codes.column(int(routing.feature[node])).take(self._rows[rows])
                lowered = routing.missing_right[node]
                code -= code.dtype.type(lowered)  # missing, 0, becomes the largest code, and goes right
                np.greater(code, int(routing.cut[node]) - int(lowered), out=right[rows])
                continue
            node_of_row = np.repeat(nodes.astype(np.int32), self._sizes[segments])
            after = routing.advance(node_of_row, codes, self._rows[rows])
            right[rows] = after != routing.child.take(node_of_row)
        return right

    def _slots(self, request: DrawnRequest) -> tuple[Ints, Ints]:
        """(n_segments,) the slot of each node whose rows are here, and which of these are asked for."""
        slots: Ints = request.slot_of_node.take(self._nodes)
        chosen = np.flatnonzero(slots >= 0)
        if len(chosen) < request.n_slots:
            raise ValueError("the rows of a node that is asked for have been left behind")
        return slots, chosen

    def _rows_of(self, slots: Ints, chosen: Ints) -> tuple[Ints, Ints]:
        """The places of the rows of some segments, and the slot of each."""
        sizes = self._sizes[chosen]
        slot = np.repeat(slots[chosen].astype(np.int64), sizes)
        if len(chosen) == len(self._sizes):
            return np.arange(len(self._rows)), slot
        first = (np.cumsum(self._sizes) - self._sizes)[chosen]
        own = np.cumsum(sizes) - sizes
        return np.repeat(first - own, sizes) + np.arange(int(sizes.sum())), slot

    def _count_node(self, bins: Array, request: DrawnRequest, slot: int, at: slice) -> None:
        """Count some of a node's rows into `bins` (n_channels, n_drawn, width)."""
        width, n_counts = request.width, self._channels.n_counts
        rows, times = self._rows[at], self._times[at]
        base = None if self._class is None else np.multiply(self._class[at], width, dtype=np.int64)
        for j, feature in enumerate(request.drawn[slot].tolist()):
            code = self._block.codes.column(feature).take(rows)
            index = code if base is None else code + base
            self._add(bins[:, j], index, times, [limb[at] for limb in self._limbs], n_counts * width)

    def _count_nodes(self, bins: Array, request: DrawnRequest, slots: Ints, chosen: Ints) -> None:
        """Count the rows of some segments into `bins` (n_channels, n_drawn, n_slots, width), all at once."""
        at, slot = self._rows_of(slots, chosen)
        every = len(at) == len(self._rows)
        rows, times, limbs = self._rows, self._times, self._limbs
        if not every:
            rows, times, limbs = rows.take(at), times.take(at), [limb.take(at) for limb in limbs]
        width, n_counts, n_slots = request.width, self._channels.n_counts, request.n_slots
        base = slot * width
        if self._class is not None:
            own = self._class if every else self._class.take(at)
            base += np.multiply(own, n_slots * width, dtype=np.int64)
        for j in range(request.drawn.shape[1]):
            code = self._block.codes.gather_at(request.drawn[:, j].take(slot), rows)
            self._add(bins[:, j], base + code, times, limbs, n_counts * n_slots * width)

    def _add(self, bins: Array, index: Ints, times: Floats, limbs: list[Floats], size: int) -> None:
        """Add up rows by `index` (n_rows,), class by class, into `bins` (n_channels, ...)."""
        n_counts, at = self._channels.n_counts, 0
        for weights in (times, *limbs):
            of_target = at >= n_counts * (1 + self._channels.weight_limbs)
            n = 1 if of_target else n_counts
            sums = np.bincount(index, weights, minlength=size)
            bins[at : at + n] += sums.reshape(bins[at : at + n].shape).astype(bins.dtype, copy=False)
            at += n


class _Drawn:
    """Codes of what was drawn for each row's node."""

    def __init__(self, block: Block, rows: Ints, slot: Ints, drawn: Ints) -> None:
        self._block, self._rows, self._slot, self._drawn = block, rows, slot, drawn

    def column(self, feature: int) -> Array:
        """(n_rows,) codes of the features that were drawn in place `feature`."""
        return self._block.codes.gather_at(self._drawn[:, feature].take(self._slot), self._rows)


def _limbs(problem: Problem, block: Block) -> list[Floats]:
    limbs = [] if block.weight is None else list(block.weight)
    return limbs if problem.n_classes else limbs + list(block.target)


def _stretches(sizes: Ints, node_rows: int) -> Iterator[tuple[slice, slice]]:
    """Segments that are worked off together, and their rows: each large one alone, small ones side by side."""
    stops = np.cumsum(sizes)
    first = 0
    large = np.flatnonzero(sizes > node_rows).tolist()
    for segment in [*large, len(sizes)]:
        for a, b in ((first, segment), (segment, segment + 1)):
            if a < b <= len(sizes):
                yield slice(a, b), slice(int(stops[a] - sizes[a]), int(stops[b - 1]))
        first = segment + 1
