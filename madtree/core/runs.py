"""The best splits of a run of neighbouring features that have about as many bins: counted, or swept.

Large nodes are counted into statistics; of two siblings only the smaller one is, the other is the parent less its
sibling, exactly. Small nodes are swept row by row where the rows are in hand. What is small depends on the bins, hence
the runs; they are searched in the features' order, by which ties fall.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from madtree.core import coarse
from madtree.core.batching import batches, by_rows, state_limit
from madtree.core.entries import Entries
from madtree.core.forest import Forest
from madtree.core.problem import Problem
from madtree.core.search import Splits, search
from madtree.core.shortlist import likely_entries
from madtree.core.statistics import StatisticsLayout, check, feature_view, node_totals
from madtree.core.sweep import BINS_PER_ROW, count, sweep
from madtree.core.types import Array, Bools, Ints

if TYPE_CHECKING:
    from madtree.core.frontier import StatisticsSource

_KEPT_SHARE = 2  # a level's statistics may be so many times as large, to save counting every node of the next one


def runs_of(problem: Problem, source: StatisticsSource) -> list[FeatureRun]:
    """All features in runs; a single one where no rows are in hand, so that as much as may be is counted in a pass."""
    kind = np.where(problem.bins.widths < coarse.WIDE, 0, np.where(problem.unordered, 1, 2)) * source.in_hand
    first = np.flatnonzero(np.diff(kind, prepend=-1)).tolist()
    return [FeatureRun(problem, source, a, b) for a, b in zip(first, [*first[1:], len(kind)], strict=True)]


def know_roots(problem: Problem, source: StatisticsSource, forest: Forest, nodes: Ints) -> None:
    """Take the sums of those of `nodes` that are roots, which have not been counted yet."""
    nodes = nodes[nodes < forest.n_trees]
    if len(nodes):
        forest.sums[:, nodes] = source.totals(forest, forest.slots(nodes), len(nodes))
        forest.n_rows[nodes] = problem.row_counts(forest.sums[:, nodes])


class FeatureRun:
    """Searches one frontier after another by the features `first` to `last - 1`; keeps a level's statistics for the
    next where it may.
    """

    def __init__(self, problem: Problem, source: StatisticsSource, first: int, last: int) -> None:
        self.problem, self.source, self.first = problem, source, first
        self.widths = problem.bins.widths[first:last]
        self.dtype = problem.planes.dtype(problem.most_rows)
        self.cell_bytes = problem.planes.count * self.dtype.itemsize
        self.coarse = source.in_hand and coarse.pays(problem, first, last)
        self.counted = coarse.coarse_widths(self.widths) if self.coarse else self.widths  # (n_features,) codes counted
        self.swept_below = 0.0  # rows of a node
        if source.in_hand:
            self.swept_below = coarse.ROWS if self.coarse else float(self.widths.mean()) / BINS_PER_ROW
        self.kept: tuple[Ints, StatisticsLayout, Array] | None = None  # nodes, layout and statistics of the last level

    def improve(self, forest: Forest, frontier: Ints, places: Ints, found: Splits) -> None:
        """Improve the splits of the nodes that stand at `places` in the frontier; counts the rows and sums of roots on
        the way.
        """
        small = self.are_small(forest, frontier)[places]
        self._count(forest, frontier, places[~small], found)
        self._sweep(forest, frontier, places[small], found)

    def are_small(self, forest: Forest, nodes: Ints) -> Bools:
        """Never true of a node whose child is large, so that the statistics of large nodes' parents are at hand."""
        n_rows = forest.n_rows[nodes]
        if nodes[0] < forest.n_trees:
            n_rows = self.problem.rows[forest.tree[nodes]]  # roots have not been counted yet
        return np.asarray(n_rows < self.swept_below)

    def _sweep(self, forest: Forest, frontier: Ints, places: Ints, found: Splits) -> None:
        """Enter the splits of the nodes that stand at `places` in the frontier, by their rows."""
        if len(places) == 0:
            return
        know_roots(self.problem, self.source, forest, frontier[places])
        for mine in by_rows(forest.n_rows[frontier[places]]):
            at = places[mine]
            nodes = frontier[at]
            layout = StatisticsLayout(self.problem.planes, self.widths, len(nodes), self.first)
            rows = self.source.rows(forest, forest.slots(nodes))
            self._enter(sweep(rows, layout), forest.tree[nodes], at, found)

    def _count(self, forest: Forest, frontier: Ints, places: Ints, found: Splits) -> None:
        """Enter the splits of the nodes that stand at `places` in the frontier, by their statistics."""
        problem = self.problem
        large = frontier[places]
        kept, self.kept = self.kept, None
        if kept is not None and not np.isin(forest.parent[large], kept[0]).all():
            kept = None  # some parents were screened
        every = StatisticsLayout(problem.planes, self.counted, len(large), self.first)
        keep = every.n_cells * self.cell_bytes <= _KEPT_SHARE * state_limit(problem)
        level: Array | None = None
        for slots, first, last in batches(len(large), self.counted, self.cell_bytes, state_limit(problem)):
            nodes = large[slots]
            layout = StatisticsLayout(problem.planes, self.counted[first:last], len(nodes), self.first + first)
            if kept is not None:
                state = self._by_subtraction(forest, nodes, layout, *kept)
            else:
                state = self._scan(forest, nodes, layout)
            if keep:
                level = state if layout.n_cells == every.n_cells else _entered(level, every, state, layout, slots)
            if nodes[0] < forest.n_trees and layout.first == 0:
                forest.sums[:, nodes] = node_totals(state, layout)
                forest.n_rows[nodes] = problem.row_counts(forest.sums[:, nodes])
            self._search(forest, nodes, places[slots], found, state, layout)
        if level is not None:
            self.kept = (large, every, level)

    def _scan(self, forest: Forest, nodes: Ints, layout: StatisticsLayout) -> Array:
        problem = self.problem
        if self.coarse:
            state = layout.zeros(self.dtype)
            rows = self.source.rows(forest, forest.slots(nodes))
            count(state, layout, replace(rows, shift=coarse.shifts(problem.bins.widths)))
        else:
            state = self.source.statistics(forest, forest.slots(nodes), layout)
        check(state)
        return state

    def _search(
        self, forest: Forest, nodes: Ints, places: Ints, found: Splits, state: Array, layout: StatisticsLayout
    ) -> None:
        """Enter the splits of `nodes`, which stand at `places` in the frontier, by their statistics."""
        tree = forest.tree[nodes]
        if self.coarse:
            rows = self.source.rows(forest, forest.slots(nodes))
            entries = coarse.refined(self.problem, state, layout, rows, tree, found.gain[places])
        else:
            entries = likely_entries(self.problem, state, layout, found.gain[places])
        self._enter(entries, tree, places, found)

    def _enter(self, entries: Iterable[Entries], tree: Ints, places: Ints, found: Splits) -> None:
        part = found.of_slots(places)
        search(self.problem, entries, tree, part)
        found.enter(places, part)

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
            own_view = feature_view(counted, part, i)
            view[:, ~derived] = own_view[:, at_own]
            parent = feature_view(parent_state, parent_layout, layout.first - parent_layout.first + i)
            view[:, derived] = parent[:, parent_slot] - own_view[:, at_sibling]
        return state


def _entered(
    level: Array | None, every: StatisticsLayout, state: Array, layout: StatisticsLayout, slots: slice
) -> Array:
    """The statistics of a whole level with those of some of its slots entered."""
    if level is None:
        level = every.zeros(state.dtype)
    for i in range(len(layout.widths)):
        feature_view(level, every, layout.first - every.first + i)[:, slots] = feature_view(state, layout, i)
    return level
