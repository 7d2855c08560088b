"""The best splits of a frontier: nodes with many classes are screened where the rows are in hand, all others searched
by one run of features after another. Either way gives the same splits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from madtree.core.batching import by_rows
from madtree.core.forest import Forest
from madtree.core.problem import Problem
from madtree.core.runs import know_roots, runs_of
from madtree.core.screen import CELLS_PER_ROW, MANY_CLASSES, MAX_CELLS, ROWS_PER_CELL, SWEPT_CLASSES, search_screened
from madtree.core.search import Splits
from madtree.core.statistics import StatisticsLayout
from madtree.core.sweep import PlayedRows
from madtree.core.types import Array, Bools, Floats, Ints


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


class SplitFinder:
    """Finds the best splits of one frontier after another."""

    def __init__(self, problem: Problem, source: StatisticsSource) -> None:
        self.problem = problem
        self.source = source
        self.widths = problem.bins.widths
        self.in_hand = source.in_hand
        self.runs = runs_of(problem, source)

    def best_splits(self, forest: Forest, frontier: Ints) -> Splits:
        """Of each node of `frontier` (n,), ascending; counts the rows and sums of roots on the way."""
        if self.source.in_hand and not self.in_hand:
            self.in_hand, self.runs = True, runs_of(self.problem, self.source)
        found = Splits.none(len(frontier), self.problem.planes.count)
        screened = self._are_screened(forest, frontier)
        if not screened.all():
            others = np.flatnonzero(~screened)
            for run in self.runs:
                run.improve(forest, frontier, others, found)
        self._screen(forest, frontier, np.flatnonzero(screened), found)
        return found

    def _are_screened(self, forest: Forest, nodes: Ints) -> Bools:
        """Those of many classes with fewer rows than makes counting all classes pay, but not so few that counting the
        classes they have costs more than a sweep.
        """
        n_classes = self.problem.n_classes
        if not (self.source.in_hand and n_classes >= MANY_CLASSES):
            return np.zeros(len(nodes), np.bool_)
        know_roots(self.problem, self.source, forest, nodes)
        n_rows = forest.n_rows[nodes]
        few: Bools = n_rows < ROWS_PER_CELL * n_classes * self.widths.mean()
        cells = np.count_nonzero(forest.sums[:n_classes, nodes], axis=0) * int(self.widths.max())
        few &= (cells <= MAX_CELLS) & (cells <= CELLS_PER_ROW * n_classes * n_rows)
        if n_classes <= SWEPT_CLASSES:
            few &= ~np.all([run.are_small(forest, nodes) for run in self.runs], axis=0)
        return few

    def _screen(self, forest: Forest, frontier: Ints, places: Ints, found: Splits) -> None:
        """Enter the splits of the nodes that stand at `places` in the frontier, by those that may be the best."""
        n_classes = self.problem.n_classes
        # Nodes that are counted together have about as many classes.
        places = places[np.argsort(np.count_nonzero(forest.sums[:n_classes, frontier[places]], axis=0), kind="stable")]
        for mine in by_rows(forest.n_rows[frontier[places]]):
            at = places[mine]
            nodes = frontier[at]
            part = found.of_slots(at)
            rows = self.source.rows(forest, forest.slots(nodes))
            search_screened(self.problem, rows, forest.sums[:, nodes], forest.tree[nodes], part)
            found.enter(at, part)
