"""The best splits of nodes, each among the features that were drawn for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from madtree.learn.counting import CountRequest, by_rows, state_limit
from madtree.learn.data import Bools, Ints, flat_nonzero
from madtree.learn.ensemble.drawn_features import DrawnFeatures
from madtree.learn.ensemble.random_cuts import RandomCuts
from madtree.learn.grow import GrowingTrees, may_split
from madtree.learn.histogram import Histograms, RowsOfNodes
from madtree.learn.problem import Problem
from madtree.learn.requests import BREATH, Program
from madtree.learn.split import (
    BestSplits,
    OccupiedBins,
    SmallNodes,
    applies,
    likely_bins,
    pays,
    search,
    search_screened,
    search_small,
    together,
)
from madtree.learn.waves import DrawnRowsRequest


class DrawnSplits:
    """Finds the best splits of one frontier after another by the drawn features. Where none of these can split a node,
    it goes on drawing until one can or all have been tried, as scikit-learn does. With `random_cuts` only one split by
    each feature, which is drawn as well, is a candidate.

    Each frontier must be the children of the last one.
    """

    def __init__(
        self, problem: Problem, draws: DrawnFeatures, random_cuts: bool = False, rows_at_hand: bool = True
    ) -> None:
        """`rows_at_hand`: whether single rows may be asked for; else all nodes are counted."""
        self._problem, self._draws, self._random_cuts = problem, draws, random_cuts
        self._rows_at_hand = rows_at_hand
        self._cells = int(problem.bins.widths.max()) * problem.channels.count  # of a node and a feature
        self._swept_below = float(problem.bins.widths.max()) / problem.tuning.bins_per_row if rows_at_hand else 0.0

    def best_splits(self, growing: GrowingTrees, frontier: Ints) -> Program[BestSplits]:
        """Of each node of `frontier` (n,), ascending; counts the rows and sums of roots on the way."""
        found = BestSplits.none(len(frontier), self._problem.channels.count)
        every = np.arange(len(frontier))
        yield from self._search(growing, frontier, every, self._draws.drawn(growing, frontier), found)
        if self._draws.m < self._draws.n:
            unsplit = flat_nonzero((found.gain == 0) & may_split(self._problem, growing, frontier))
            if len(unsplit):
                yield from self._draw_on(growing, frontier, unsplit, found)
        return found

    def _draw_on(self, growing: GrowingTrees, frontier: Ints, places: Ints, found: BestSplits) -> Program[None]:
        """Enter the splits of the nodes that stand at `places` in the frontier by features that were not drawn."""
        order = self._draws.others(growing, frontier[places])
        # Most of these nodes cannot be split at all: a look at all that is left tells, at once.
        some = BestSplits.none(len(frontier), len(found.left_sums))
        yield from self._search(growing, frontier, places, np.sort(order, axis=1), some)
        waiting = flat_nonzero(some.gain[places] > 0)
        for drawn in range(order.shape[1]):
            if len(waiting) == 0:
                return
            yield from self._search(growing, frontier, places[waiting], order[waiting, drawn : drawn + 1], found)
            waiting = waiting[found.gain[places[waiting]] == 0]

    def _search(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, drawn: Ints, found: BestSplits
    ) -> Program[None]:
        """Improve the splits of the nodes that stand at `places` (m,) in the frontier, by the features `drawn`
        (m, n_drawn), each line ascending.
        """
        n_rows = growing.n_rows[frontier[places]]
        is_root = frontier[places] < growing.n_trees  # whose rows may not have been counted yet
        is_small = ~is_root & (n_rows < self._swept_below)
        screened = self._are_screened(growing, frontier[places], is_root, is_small)
        if drawn.size * self._cells < self._problem.tuning.counted_cells:
            is_small[:] = False
        large, small = flat_nonzero(~is_small & ~screened), flat_nonzero(is_small & ~screened)
        for mine in self._counted_together(large, drawn.shape[1]):
            yield from self._count(growing, frontier, places[mine], drawn[mine], found)
        for part in by_rows(n_rows[small], self._problem.tuning.rows_together):
            mine = small[part]
            yield from self._sweep(growing, frontier, places[mine], drawn[mine], found)
        if screened.any():
            yield from self._screen(growing, frontier, places[screened], drawn[screened], found)

    def _are_screened(self, growing: GrowingTrees, nodes: Ints, is_root: Bools, is_small: Bools) -> Bools:
        """(m,) whether nodes (m,) are best searched by the classes that they have."""
        if self._random_cuts or not (self._rows_at_hand and applies(self._problem)):
            return np.zeros(len(nodes), np.bool_)
        return ~is_root & pays(self._problem, growing.sums[:, nodes], growing.n_rows[nodes], is_small)

    def _counted_together(self, nodes: Ints, n_drawn: int) -> Iterator[Ints]:
        """Nodes whose histograms are counted together."""
        channels = self._problem.channels
        n_bytes = n_drawn * int(self._problem.bins.widths.max()) * channels.count
        n_bytes *= channels.dtype(self._problem.most_rows).itemsize
        limit = min(self._problem.tuning.drawn_bytes, state_limit(self._problem))
        size = max(1, limit // n_bytes)
        for first in range(0, len(nodes), size):
            yield nodes[first : first + size]

    def _count(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, drawn: Ints, found: BestSplits
    ) -> Program[None]:
        problem, nodes = self._problem, frontier[places]
        request = CountRequest(
            "histograms", problem, growing.routing, growing.slots(nodes), n_slots=len(nodes), drawn=drawn
        )
        histograms = Histograms(request.layout, (yield request))
        roots = flat_nonzero(nodes < growing.n_trees)
        if len(roots):
            growing.sums[:, nodes[roots]] = histograms.totals()[:, roots]
            growing.n_rows[nodes[roots]] = problem.row_counts(growing.sums[:, nodes[roots]])
        whole = problem.unordered[drawn].T | self._random_cuts
        occupied = likely_bins(problem, histograms, found.gain[places], whole=whole)
        yield from self._enter(occupied, growing, frontier, places, drawn, found)

    def _sweep(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, drawn: Ints, found: BestSplits
    ) -> Program[None]:
        problem, nodes = self._problem, frontier[places]
        request = DrawnRowsRequest(problem, growing.routing, growing.slots(nodes), drawn)
        rows: RowsOfNodes = yield request
        small = SmallNodes(rows, request.layout, drawn, growing.tree[nodes], growing.sums[:, nodes])
        part = found.of_slots(places)
        for _ in search_small(problem, small, part, picks=self._picks(growing, nodes)):
            yield BREATH
        found.enter(places, part)

    def _screen(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, drawn: Ints, found: BestSplits
    ) -> Program[None]:
        problem, every = self._problem, frontier[places]
        for mine in together(problem, growing.sums[:, every], growing.n_rows[every]):
            at = places[mine]
            nodes, part = frontier[at], found.of_slots(at)
            request = DrawnRowsRequest(problem, growing.routing, growing.slots(nodes), drawn[mine])
            rows: RowsOfNodes = yield request
            small = SmallNodes(rows, request.layout, drawn[mine], growing.tree[nodes], growing.sums[:, nodes])
            search_screened(problem, small, part)
            found.enter(at, part)
            yield BREATH

    def _enter(
        self,
        occupied: Iterable[OccupiedBins],
        growing: GrowingTrees,
        frontier: Ints,
        places: Ints,
        drawn: Ints,
        found: BestSplits,
    ) -> Program[None]:
        """Search bins by the places of what was `drawn` (n_slots, n_drawn), and enter the splits."""
        part, nodes = found.of_slots(places), frontier[places]
        picks, tree, sums = self._picks(growing, nodes), growing.tree[nodes], growing.sums[:, nodes]
        for some in occupied:
            some.feature = drawn[some.slot, some.feature]
            search(self._problem, [some], tree, part, picks, sums)
            yield BREATH
        found.enter(places, part)

    def _picks(self, growing: GrowingTrees, nodes: Ints) -> RandomCuts | None:
        return RandomCuts.of(self._problem, self._draws, growing, nodes) if self._random_cuts else None
