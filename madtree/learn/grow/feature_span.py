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

from madtree.learn.data.types import Array, Bools, Ints
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.histogram.batching import batches, by_rows, state_limit
from madtree.learn.histogram.histogram import HistogramLayout, check, feature_view, node_totals
from madtree.learn.problem.problem import Problem
from madtree.learn.split import coarse
from madtree.learn.split.node_rows import BINS_PER_ROW, count, sweep
from madtree.learn.split.occupied_bins import OccupiedBins
from madtree.learn.split.search import BestSplits, search
from madtree.learn.split.shortlist import likely_bins

if TYPE_CHECKING:
    from madtree.learn.grow.split_finder import StatisticsSource

_KEPT_SHARE = 2  # a level's statistics may be so many times as large, to save counting every node of the next one


def runs_of(problem: Problem, source: StatisticsSource) -> list[FeatureRun]:
    """All features in runs; a single one where no rows are in hand, so that as much as may be is counted in a pass."""
    kind = np.where(problem.bins.widths < coarse.WIDE, 0, np.where(problem.unordered, 1, 2)) * source.in_hand
    first = np.flatnonzero(np.diff(kind, prepend=-1)).tolist()
    return [FeatureRun(problem, source, a, b) for a, b in zip(first, [*first[1:], len(kind)], strict=True)]


def at_places(allowed: Bools | None, places: Ints) -> Bools | None:
    """Which features are allowed (m, n_features) at `places` (m,) of the frontier; None for all."""
    return None if allowed is None else allowed[places]


def know_roots(problem: Problem, source: StatisticsSource, growing: GrowingTrees, nodes: Ints) -> None:
    """Take the sums of those of `nodes` that are roots, which have not been counted yet."""
    nodes = nodes[nodes < growing.n_trees]
    if len(nodes):
        growing.sums[:, nodes] = source.totals(growing, growing.slots(nodes), len(nodes))
        growing.n_rows[nodes] = problem.row_counts(growing.sums[:, nodes])


class FeatureRun:
    """Searches one frontier after another by the features `first` to `last - 1`; keeps a level's statistics for the
    next where it may.
    """

    def __init__(self, problem: Problem, source: StatisticsSource, first: int, last: int) -> None:
        self.problem, self.source, self.first = problem, source, first
        self.widths = problem.bins.widths[first:last]
        self.dtype = problem.channels.dtype(problem.most_rows)
        self.cell_bytes = problem.channels.count * self.dtype.itemsize
        self.coarse = source.in_hand and coarse.pays(problem, first, last)
        self.counted = coarse.coarse_widths(self.widths) if self.coarse else self.widths  # (n_features,) codes counted
        self.swept_below = 0.0  # rows of a node
        if source.in_hand:
            self.swept_below = coarse.ROWS if self.coarse else float(self.widths.mean()) / BINS_PER_ROW
        self.kept: tuple[Ints, HistogramLayout, Array] | None = None  # nodes, layout and statistics of the last level

    def improve(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, found: BestSplits, allowed: Bools | None = None
    ) -> None:
        """Improve the splits of the nodes that stand at `places` in the frontier; counts the rows and sums of roots on
        the way.

        Args:
            allowed: (n_nodes, n_features) by which of all features a node of the frontier may be split; None for all.
        """
        small = self.are_small(growing, frontier)[places]
        self._count(growing, frontier, places[~small], found, allowed)
        self._sweep(growing, frontier, places[small], found, allowed)

    def are_small(self, growing: GrowingTrees, nodes: Ints) -> Bools:
        """Never true of a node whose child is large, so that the statistics of large nodes' parents are at hand."""
        n_rows = growing.n_rows[nodes]
        if nodes[0] < growing.n_trees:
            n_rows = self.problem.rows[growing.tree[nodes]]  # roots have not been counted yet
        return np.asarray(n_rows < self.swept_below)

    def _sweep(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, found: BestSplits, allowed: Bools | None
    ) -> None:
        """Enter the splits of the nodes that stand at `places` in the frontier, by their rows."""
        if len(places) == 0:
            return
        know_roots(self.problem, self.source, growing, frontier[places])
        for mine in by_rows(growing.n_rows[frontier[places]]):
            at = places[mine]
            nodes = frontier[at]
            layout = HistogramLayout(self.problem.channels, self.widths, len(nodes), self.first)
            rows = self.source.rows(growing, growing.slots(nodes))
            self._enter(sweep(rows, layout, at_places(allowed, at)), growing.tree[nodes], at, found)

    def _count(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, found: BestSplits, allowed: Bools | None
    ) -> None:
        """Enter the splits of the nodes that stand at `places` in the frontier, by their statistics."""
        problem = self.problem
        large = frontier[places]
        kept, self.kept = self.kept, None
        if kept is not None and not np.isin(growing.parent[large], kept[0]).all():
            kept = None  # some parents were screened
        every = HistogramLayout(problem.channels, self.counted, len(large), self.first)
        keep = every.total_bins * self.cell_bytes <= _KEPT_SHARE * state_limit(problem)
        level: Array | None = None
        for slots, first, last in batches(len(large), self.counted, self.cell_bytes, state_limit(problem)):
            nodes = large[slots]
            layout = HistogramLayout(problem.channels, self.counted[first:last], len(nodes), self.first + first)
            if kept is not None:
                state = self._by_subtraction(growing, nodes, layout, *kept)
            else:
                state = self._scan(growing, nodes, layout)
            if keep:
                level = state if layout.total_bins == every.total_bins else _entered(level, every, state, layout, slots)
            if nodes[0] < growing.n_trees and layout.first == 0:
                growing.sums[:, nodes] = node_totals(state, layout)
                growing.n_rows[nodes] = problem.row_counts(growing.sums[:, nodes])
            self._search(growing, nodes, places[slots], found, state, layout, allowed)
        if level is not None:
            self.kept = (large, every, level)

    def _scan(self, growing: GrowingTrees, nodes: Ints, layout: HistogramLayout) -> Array:
        problem = self.problem
        if self.coarse:
            state = layout.zeros(self.dtype)
            rows = self.source.rows(growing, growing.slots(nodes))
            count(state, layout, replace(rows, shift=coarse.shifts(problem.bins.widths)))
        else:
            state = self.source.statistics(growing, growing.slots(nodes), layout)
        check(state)
        return state

    def _search(
        self,
        growing: GrowingTrees,
        nodes: Ints,
        places: Ints,
        found: BestSplits,
        state: Array,
        layout: HistogramLayout,
        allowed: Bools | None,
    ) -> None:
        """Enter the splits of `nodes`, which stand at `places` in the frontier, by their statistics."""
        tree, mask = growing.tree[nodes], at_places(allowed, places)
        if self.coarse:
            rows = self.source.rows(growing, growing.slots(nodes))
            entries = coarse.refined(self.problem, state, layout, rows, tree, found.gain[places], mask)
        else:
            entries = likely_bins(self.problem, state, layout, found.gain[places], mask)
        self._enter(entries, tree, places, found)

    def _enter(self, entries: Iterable[OccupiedBins], tree: Ints, places: Ints, found: BestSplits) -> None:
        part = found.of_slots(places)
        search(self.problem, entries, tree, part)
        found.enter(places, part)

    def _by_subtraction(
        self,
        growing: GrowingTrees,
        nodes: Ints,
        layout: HistogramLayout,
        parents: Ints,
        parent_layout: HistogramLayout,
        parent_state: Array,
    ) -> Array:
        """Scan a node's statistics or take them from the parent's less the sibling's, whichever means fewer rows."""
        first_child = growing.n_trees
        # Children are appended in pairs, so siblings differ in the last bit of their distance to the first child.
        sibling = first_child + ((nodes - first_child) ^ 1)
        own, other = growing.n_rows[nodes], growing.n_rows[sibling]
        derived = (own > other) | ((own == other) & (nodes > sibling))
        scanned = np.union1d(nodes[~derived], sibling[derived])
        part = HistogramLayout(layout.channels, layout.widths, len(scanned), layout.first)
        counted = self._scan(growing, scanned, part)
        state = layout.zeros(self.dtype)
        parent_slot = np.searchsorted(parents, growing.parent[nodes[derived]])
        at_sibling = np.searchsorted(scanned, sibling[derived])
        at_own = np.searchsorted(scanned, nodes[~derived])
        for i in range(len(layout.widths)):
            view = feature_view(state, layout, i)
            own_view = feature_view(counted, part, i)
            view[:, ~derived] = own_view[:, at_own]
            parent = feature_view(parent_state, parent_layout, layout.first - parent_layout.first + i)
            view[:, derived] = parent[:, parent_slot] - own_view[:, at_sibling]
        return state


def _entered(level: Array | None, every: HistogramLayout, state: Array, layout: HistogramLayout, slots: slice) -> Array:
    """The statistics of a whole level with those of some of its slots entered."""
    if level is None:
        level = every.zeros(state.dtype)
    for i in range(len(layout.widths)):
        feature_view(level, every, layout.first - every.first + i)[:, slots] = feature_view(state, layout, i)
    return level
