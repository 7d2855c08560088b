"""The best splits of a frontier: nodes with many classes are screened where rows are at hand, all others searched by
one span of features after another. Either way gives the same splits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from madtree.learn.data import Bools, Ints, flat_nonzero
from madtree.learn.grow.feature_span import at_places, count_roots, rows_request, spans_of
from madtree.learn.grow.growing import GrowingTrees, see_rows
from madtree.learn.histogram import HistogramLayout
from madtree.learn.problem import Problem
from madtree.learn.requests import BREATH, Program
from madtree.learn.split import BestSplits, SmallNodes, applies, pays, search_screened, together

# By which features (n_nodes, n_features) bool each of some nodes (n_nodes,) may be split.
FeatureMask = Callable[[GrowingTrees, Ints], Bools]


class Finder(Protocol):
    """Who finds the best splits."""

    def best_splits(self, growing: GrowingTrees, frontier: Ints) -> Program[BestSplits]:
        """Of each node of `frontier` (n,), ascending; counts the rows and sums of roots on the way."""
        ...


FinderOf = Callable[[Problem], Finder]


class SplitFinder:
    """Finds the best splits of one frontier after another.

    Attributes:
        mask: by which features each node may be split; None for all.
    """

    def __init__(
        self, problem: Problem, rows_at_hand: bool, mask: FeatureMask | None = None, in_order: bool = False
    ) -> None:
        """`in_order`: whether all nodes are counted, by rows in the order of nodes where rows are at hand."""
        self.problem, self.mask = problem, mask
        self.rows_at_hand = rows_at_hand and not in_order
        self.widths = problem.bins.widths
        self.spans = spans_of(problem, self.rows_at_hand, in_order)

    def best_splits(self, growing: GrowingTrees, frontier: Ints) -> Program[BestSplits]:
        """Of each node of `frontier` (n,), ascending; counts the rows and sums of roots on the way."""
        found = BestSplits.none(len(frontier), self.problem.channels.count)
        allowed = self.mask(growing, frontier) if self.mask else None
        others, screened = np.arange(len(frontier)), np.zeros(0, np.int64)
        if self.rows_at_hand and applies(self.problem):
            are_screened = yield from self._are_screened(growing, frontier)
            others, screened = flat_nonzero(~are_screened), flat_nonzero(are_screened)
        for span in self.spans if len(others) else ():
            yield from span.improve(growing, frontier, others, found, allowed)
        if len(screened):
            yield from self._screen(growing, frontier, screened, found, allowed)
        return found

    def _are_screened(self, growing: GrowingTrees, nodes: Ints) -> Program[Bools]:
        """(m,) whether nodes (m,) are best searched by the classes that they have; counts roots on the way."""
        yield from count_roots(self.problem, growing, nodes)
        is_small = np.all([span.are_small(growing, nodes) for span in self.spans], axis=0)
        return pays(self.problem, growing.sums[:, nodes], growing.n_rows[nodes], is_small)

    def _screen(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, found: BestSplits, allowed: Bools | None
    ) -> Program[None]:
        """Enter the splits of the nodes that stand at `places` in the frontier, by those that may be the best."""
        every = frontier[places]
        for mine in together(self.problem, growing.sums[:, every], growing.n_rows[every]):
            at = places[mine]
            nodes = frontier[at]
            part = found.of_slots(at)
            rows = yield rows_request(self.problem, growing, nodes, 0, len(self.widths))
            see_rows(self.problem, growing, nodes, rows, 0, len(self.widths))
            layout = HistogramLayout(self.problem.channels, self.widths, len(nodes))
            features = np.broadcast_to(np.arange(len(self.widths)), (len(nodes), len(self.widths)))
            small = SmallNodes(rows, layout, features, growing.tree[nodes], growing.sums[:, nodes])
            search_screened(self.problem, small, part, at_places(allowed, at))
            found.enter(at, part)
            yield BREATH
