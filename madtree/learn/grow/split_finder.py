"""The best splits of a frontier: nodes with many classes are screened where the rows are in hand, all others searched
by one run of features after another. Either way gives the same splits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from madtree.learn.data.types import Array, Bools, Floats, Ints
from madtree.learn.grow.feature_span import at_places, know_roots, runs_of
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.histogram.batching import by_rows
from madtree.learn.histogram.histogram import HistogramLayout
from madtree.learn.problem.problem import Problem
from madtree.learn.split.node_rows import RowsOfNodes
from madtree.learn.split.screen import (
    CELLS_PER_ROW,
    MAX_CELLS,
    ROWS_PER_CELL,
    SWEPT_CLASSES,
    applies,
    search_screened,
)
from madtree.learn.split.search import BestSplits

# By which features (n_nodes, n_features) bool each of some nodes (n_nodes,) may be split.
FeatureMask = Callable[[GrowingTrees, Ints], Bools]


class StatisticsSource(Protocol):
    """Where statistics come from."""

    @property
    def in_hand(self) -> bool:
        """Whether single rows can be had, too; once they can, they can for good."""
        ...

    def rows(self, growing: GrowingTrees, slot_of_node: Ints) -> RowsOfNodes:
        """The rows of the nodes that `slot_of_node` (n_nodes,) gives a slot; only where they are in hand."""
        ...

    def statistics(
        self, growing: GrowingTrees, slot_of_node: Ints, layout: HistogramLayout, *, by_side: bool = False
    ) -> Array:
        """(n_channels, total_bins) of the nodes that `slot_of_node` (n_nodes,) gives a slot; -1 for the others.

        `by_side`: rows are classed by the side of their node's primary split (core.surrogates) instead of the target.
        """
        ...

    def totals(self, growing: GrowingTrees, slot_of_node: Ints, n_slots: int, *, testing: bool = False) -> Floats:
        """(n_channels, n_slots) sums over all rows of these nodes.

        `testing`: of the rows that each fold's tree is tested on, instead of those it is grown on (core.replicas).
        """
        ...

    def powers(self, growing: GrowingTrees, means: Floats, powers: Sequence[int], *, testing: bool = False) -> Floats:
        """(n_powers, n_nodes) weighted sums of powers of the distance to `means` (n_nodes,), of the rows in each
        leaf.
        """
        ...


class SplitFinder:
    """Finds the best splits of one frontier after another.

    Attributes:
        mask: by which features each node may be split; None for all.
    """

    def __init__(self, problem: Problem, source: StatisticsSource, mask: FeatureMask | None = None) -> None:
        self.problem = problem
        self.mask = mask
        self.source = source
        self.widths = problem.bins.widths
        self.in_hand = source.in_hand
        self.runs = runs_of(problem, source)

    def best_splits(self, growing: GrowingTrees, frontier: Ints) -> BestSplits:
        """Of each node of `frontier` (n,), ascending; counts the rows and sums of roots on the way."""
        if self.source.in_hand and not self.in_hand:
            self.in_hand, self.runs = True, runs_of(self.problem, self.source)
        found = BestSplits.none(len(frontier), self.problem.channels.count)
        allowed = self.mask(growing, frontier) if self.mask else None
        screened = self._are_screened(growing, frontier)
        if not screened.all():
            others = np.flatnonzero(~screened)
            for run in self.runs:
                run.improve(growing, frontier, others, found, allowed)
        self._screen(growing, frontier, np.flatnonzero(screened), found, allowed)
        return found

    def _are_screened(self, growing: GrowingTrees, nodes: Ints) -> Bools:
        """Those of many classes with fewer rows than makes counting all classes pay, but not so few that counting the
        classes they have costs more than a sweep.
        """
        n_classes = self.problem.n_classes
        if not (self.source.in_hand and applies(self.problem)):
            return np.zeros(len(nodes), np.bool_)
        know_roots(self.problem, self.source, growing, nodes)
        n_rows = growing.n_rows[nodes]
        few: Bools = n_rows < ROWS_PER_CELL * n_classes * self.widths.mean()
        cells = np.count_nonzero(growing.sums[:n_classes, nodes], axis=0) * int(self.widths.max())
        few &= (cells <= MAX_CELLS) & (cells <= CELLS_PER_ROW * n_classes * n_rows)
        if n_classes <= SWEPT_CLASSES:
            few &= ~np.all([run.are_small(growing, nodes) for run in self.runs], axis=0)
        return few

    def _screen(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, found: BestSplits, allowed: Bools | None
    ) -> None:
        """Enter the splits of the nodes that stand at `places` in the frontier, by those that may be the best."""
        n_classes = self.problem.n_classes
        # Nodes that are counted together have about as many classes.
        places = places[np.argsort(np.count_nonzero(growing.sums[:n_classes, frontier[places]], axis=0), kind="stable")]
        for mine in by_rows(growing.n_rows[frontier[places]]):
            at = places[mine]
            nodes = frontier[at]
            part = found.of_slots(at)
            rows = self.source.rows(growing, growing.slots(nodes))
            sums, mask = growing.sums[:, nodes], at_places(allowed, at)
            search_screened(self.problem, rows, sums, growing.tree[nodes], part, mask)
            found.enter(at, part)
