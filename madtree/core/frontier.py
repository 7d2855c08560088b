"""The best splits of a frontier: its statistics are got in batches that fit the memory budget, and searched.

Large nodes are counted into statistics; of two siblings only the smaller one is, the other is the parent less its
sibling, exactly. Small nodes are swept row by row where the rows are in hand. Either way gives the same splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from madtree.core.forest import Forest
from madtree.core.problem import Problem
from madtree.core.search import Splits, search
from madtree.core.shortlist import likely_entries
from madtree.core.statistics import StatisticsLayout, check, feature_view, node_totals
from madtree.core.sweep import BINS_PER_ROW, PlayedRows, sweep
from madtree.core.types import Array, Bools, Floats, Ints

# Of the memory budget, what one array of statistics may take: parents, children and a copy in transit stay within it.
STATE_SHARE = 4
_KEPT_SHARE = 2  # a level's statistics may be so many times as large, to save counting every node of the next one
_SWEPT_ROWS = 262_144  # rows that are swept together


class StatisticsSource(Protocol):
    """Where statistics come from."""

    @property
    def in_hand(self) -> bool:
        """Whether single rows can be had, too; once they can, they can for good."""
        ...

    def rows(self, forest: Forest, slot_of_node: Ints) -> PlayedRows:
        """The rows of the nodes that `slot_of_node` (n_nodes,) gives a slot; only where they are in hand."""
        ...

    def statistics(
        self, forest: Forest, slot_of_node: Ints, layout: StatisticsLayout, *, by_side: bool = False
    ) -> Array:
        """(n_planes, n_cells) of the nodes that `slot_of_node` (n_nodes,) gives a slot; -1 for the others.

        `by_side`: rows are classed by the side of their node's primary split (core.surrogates) instead of the target.
        """
        ...

    def totals(self, forest: Forest, slot_of_node: Ints, n_slots: int, *, testing: bool = False) -> Floats:
        """(n_planes, n_slots) sums over all rows of these nodes.

        `testing`: of the rows that each fold's tree is tested on, instead of those it is grown on (core.copies).
        """
        ...

    def powers(self, forest: Forest, means: Floats, powers: Sequence[int], *, testing: bool = False) -> Floats:
        """(n_powers, n_nodes) weighted sums of powers of the distance to `means` (n_nodes,), of the rows in each
        leaf.
        """
        ...


def state_limit(problem: Problem) -> int:
    """Bytes that one array of statistics may take."""
    return problem.parameters.memory_bytes // STATE_SHARE


def batches(n_nodes: int, widths: Ints, cell_bytes: int, limit: int) -> list[tuple[slice, int, int]]:
    """Slots and features (from, to) of each pass.

    As many features as fit the limit with all nodes: each cell of the data is then counted once, while nodes that come
    in turns need the rows to be looked through again each time. Where not even one feature fits, part of the nodes.
    """
    size = max(min(n_nodes, limit // (int(widths.max()) * cell_bytes)), 1)
    ranges, first, total = [], 0, 0
    for i, width in enumerate(widths.tolist()):
        if i > first and total + size * width * cell_bytes > limit:
            ranges.append((first, i))
            first, total = i, 0
        total += size * width * cell_bytes
    ranges.append((first, len(widths)))
    return [(slice(i, min(i + size, n_nodes)), a, b) for i in range(0, n_nodes, size) for a, b in ranges]


class SplitFinder:
    """Finds the best splits of one frontier after another; keeps a level's statistics for the next where it may."""

    def __init__(self, problem: Problem, source: StatisticsSource) -> None:
        self.problem = problem
        self.source = source
        self.widths = problem.bins.widths
        self.dtype = problem.planes.dtype(problem.most_rows)
        self.cell_bytes = problem.planes.count * self.dtype.itemsize
        self.swept_below = float(self.widths.mean()) / BINS_PER_ROW  # rows of a node
        self.kept: tuple[Ints, StatisticsLayout, Array] | None = None  # nodes, layout and statistics of the last level

    def best_splits(self, forest: Forest, frontier: Ints) -> Splits:
        """Of each node of `frontier` (n,), ascending; counts the rows and sums of roots on the way."""
        found = Splits.none(len(frontier), self.problem.planes.count)
        small = self._are_small(forest, frontier)
        self._count(forest, frontier, np.flatnonzero(~small), found)
        self._sweep(forest, frontier, np.flatnonzero(small), found)
        return found

    def _are_small(self, forest: Forest, nodes: Ints) -> Bools:
        """Never true of a node whose child is large, so that the statistics of large nodes' parents are at hand."""
        if not self.source.in_hand:
            return np.zeros(len(nodes), np.bool_)
        n_rows = forest.n_rows[nodes]
        if nodes[0] < forest.n_trees:
            n_rows = self.problem.rows[forest.tree[nodes]]  # roots have not been counted yet
        return np.asarray(n_rows < self.swept_below)

    def _sweep(self, forest: Forest, frontier: Ints, places: Ints, found: Splits) -> None:
        """Enter the splits of the nodes that stand at `places` in the frontier, by their rows."""
        if len(places) == 0:
            return
        planes = self.problem.planes
        if frontier[places[0]] < forest.n_trees:
            nodes = frontier[places]
            forest.sums[:, nodes] = self.source.totals(forest, forest.slots(nodes), len(nodes))
            forest.n_rows[nodes] = self.problem.row_counts(forest.sums[:, nodes])
        for mine in _by_rows(forest.n_rows[frontier[places]]):
            at = places[mine]
            nodes = frontier[at]
            layout = StatisticsLayout(planes, self.widths, len(nodes))
            part = found.of_slots(at)
            search(self.problem, sweep(self.source.rows(forest, forest.slots(nodes)), layout), forest.tree[nodes], part)
            found.enter(at, part)

    def _count(self, forest: Forest, frontier: Ints, places: Ints, found: Splits) -> None:
        """Enter the splits of the nodes that stand at `places` in the frontier, by their statistics."""
        problem = self.problem
        large = frontier[places]
        kept, self.kept = self.kept, None
        every = StatisticsLayout(problem.planes, self.widths, len(large))
        keep = every.n_cells * self.cell_bytes <= _KEPT_SHARE * state_limit(problem)
        level: Array | None = None
        for slots, first, last in batches(len(large), self.widths, self.cell_bytes, state_limit(problem)):
            nodes = large[slots]
            layout = StatisticsLayout(problem.planes, self.widths[first:last], len(nodes), first)
            if kept is not None:
                state = self._by_subtraction(forest, nodes, layout, *kept)
            else:
                state = self._scan(forest, nodes, layout)
            if keep:
                level = state if layout.n_cells == every.n_cells else _entered(level, every, state, layout, slots)
            if nodes[0] < forest.n_trees and first == 0:
                forest.sums[:, nodes] = node_totals(state, layout)
                forest.n_rows[nodes] = problem.row_counts(forest.sums[:, nodes])
            part = found.of_slots(places[slots])
            search(problem, likely_entries(problem, state, layout, part.gain), forest.tree[nodes], part)
            found.enter(places[slots], part)
        if level is not None:
            self.kept = (large, every, level)

    def _scan(self, forest: Forest, nodes: Ints, layout: StatisticsLayout) -> Array:
        state = self.source.statistics(forest, forest.slots(nodes), layout)
        check(state)
        return state

    def _by_subtraction(
        self,
        forest: Forest,
        nodes: Ints,
        layout: StatisticsLayout,
        parents: Ints,
        parent_layout: StatisticsLayout,
        parent_state: Array,
    ) -> Array:
        """Scan a node's statistics or take them from the parent's less the sibling's, whichever means fewer rows."""
        first_child = forest.n_trees
        # Children are appended in pairs, so siblings differ in the last bit of their distance to the first child.
        sibling = first_child + ((nodes - first_child) ^ 1)
        own, other = forest.n_rows[nodes], forest.n_rows[sibling]
        derived = (own > other) | ((own == other) & (nodes > sibling))
        scanned = np.union1d(nodes[~derived], sibling[derived])
        part = StatisticsLayout(layout.planes, layout.widths, len(scanned), layout.first)
        counted = self._scan(forest, scanned, part)
        state = layout.zeros(self.dtype)
        parent_slot = np.searchsorted(parents, forest.parent[nodes[derived]])
        at_sibling = np.searchsorted(scanned, sibling[derived])
        at_own = np.searchsorted(scanned, nodes[~derived])
        for i in range(len(layout.widths)):
            view = feature_view(state, layout, i)
            count = feature_view(counted, part, i)
            view[:, ~derived] = count[:, at_own]
            parent = feature_view(parent_state, parent_layout, layout.first + i)
            view[:, derived] = parent[:, parent_slot] - count[:, at_sibling]
        return state


def _by_rows(n_rows: Ints) -> Iterator[slice]:
    """Stretches of nodes with about as many rows together as are swept at once; `n_rows` (n,) of each."""
    first = 0
    while first < len(n_rows):
        last = first + max(1, int(np.searchsorted(np.cumsum(n_rows[first:]), _SWEPT_ROWS, side="right")))
        yield slice(first, last)
        first = last


def _entered(
    level: Array | None, every: StatisticsLayout, state: Array, layout: StatisticsLayout, slots: slice
) -> Array:
    """The statistics of a whole level with those of some of its slots entered."""
    if level is None:
        level = every.zeros(state.dtype)
    for i in range(len(layout.widths)):
        feature_view(level, every, layout.first + i)[:, slots] = feature_view(state, layout, i)
    return level
