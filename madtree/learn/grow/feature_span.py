"""The best splits by a span of neighbouring features that have about as many bins: counted, or swept.

Large nodes are counted into histograms; of two siblings only the smaller one is, the other is the parent less its
sibling, exactly. Small nodes are swept row by row where rows are at hand. What is small depends on the bins, hence the
spans; they are searched in the features' order, by which ties fall.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.learn.counting import CountRequest, batches, by_rows, state_limit
from madtree.learn.criteria import criterion_of
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero, heads
from madtree.learn.grow.growing import GrowingTrees, see_histograms, see_rows
from madtree.learn.grow.kept import KeptHistograms, entered
from madtree.learn.histogram import HistogramLayout, Histograms, RowsOfNodes, add_rows_of_nodes, check_exact
from madtree.learn.problem import Problem
from madtree.learn.requests import BREATH, Program, RowsRequest
from madtree.learn.split import (
    BestSplits,
    SmallNodes,
    bin_gains_apply,
    coarse,
    likely_bins,
    search,
    search_every_bin,
    search_small,
)


def spans_of(problem: Problem, rows_at_hand: bool, in_order: bool = False) -> list[FeatureSpan]:
    """All features in spans; a single one where no rows are at hand, so that as much as may be is counted in a pass.

    `in_order`: as of `CountRequest`.
    """
    is_narrow = problem.bins.widths < problem.tuning.coarse_codes
    kind = np.where(is_narrow, 0, np.where(problem.unordered, 1, 2)) * rows_at_hand
    first = heads(kind).tolist()
    return [
        FeatureSpan(problem, rows_at_hand, a, b, in_order) for a, b in zip(first, [*first[1:], len(kind)], strict=True)
    ]


def at_places(allowed: Bools | None, places: Ints) -> Bools | None:
    """Which features are allowed (m, n_features) at `places` (m,) of the frontier; None for all."""
    return None if allowed is None else allowed[places]


def count_roots(problem: Problem, growing: GrowingTrees, nodes: Ints) -> Program[None]:
    """Take the sums of those of `nodes` that are roots, which have not been counted yet."""
    nodes = nodes[nodes < growing.n_trees]
    if len(nodes):
        growing.sums[:, nodes] = yield CountRequest(
            "totals",
            problem,
            growing.routing,
            growing.slots(nodes),
            len(nodes),
            n_rows=int(growing.n_rows[nodes].sum()),
        )
        growing.n_rows[nodes] = problem.row_counts(growing.sums[:, nodes])


def bounds_of(problem: Problem, growing: GrowingTrees, nodes: Ints) -> Floats | None:
    """(2, m) between which the values of leaves below `nodes` (m,) must lie; None where they may be any."""
    bounds = criterion_of(problem).leaf_bounds(problem, growing)
    return None if bounds is None else bounds[:, nodes]


def rows_request(problem: Problem, growing: GrowingTrees, nodes: Ints, first: int, last: int) -> RowsRequest:
    """For the rows of `nodes`, whose slots are their places, with the codes of the features `first` to `last - 1`."""
    return RowsRequest(problem, growing.routing, growing.slots(nodes), (first, last))


class FeatureSpan:
    """Searches one frontier after another by the features `first` to `last - 1`; keeps the histograms of nodes whose
    children may be searched later, where it may.
    """

    def __init__(self, problem: Problem, rows_at_hand: bool, first: int, last: int, in_order: bool = False) -> None:
        self.problem, self.first, self.last, self.in_order = problem, first, last, in_order
        tuning = problem.tuning
        self.widths = problem.bins.widths[first:last]
        self.dtype = problem.channels.dtype(problem.most_rows)
        self.bin_bytes = problem.channels.count * self.dtype.itemsize
        self.coarse = rows_at_hand and coarse.pays(problem, first, last)
        # (n_features,) codes counted
        self.counted = coarse.coarse_widths(self.widths, tuning.coarse_width) if self.coarse else self.widths
        self.swept_below = 0.0  # rows of a node
        if rows_at_hand:
            self.swept_below = tuning.coarse_rows if self.coarse else float(self.widths.mean()) / tuning.bins_per_row
        self.kept = KeptHistograms()

    def improve(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, found: BestSplits, allowed: Bools | None = None
    ) -> Program[None]:
        """Improve the splits of the nodes that stand at `places` in the frontier; counts the rows and sums of roots on
        the way.

        Args:
            allowed: (n_nodes, n_features) by which of all features a node of the frontier may be split; None for all.
        """
        small = self.are_small(growing, frontier)[places]
        yield from self._count(growing, frontier, places[~small], found, allowed)
        yield from self._sweep(growing, frontier, places[small], found, allowed)

    def are_small(self, growing: GrowingTrees, nodes: Ints) -> Bools:
        """Never true of a node whose child is large, so that the histograms of large nodes' parents are at hand."""
        return np.asarray(growing.n_rows[nodes] < self.swept_below)

    def _sweep(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, found: BestSplits, allowed: Bools | None
    ) -> Program[None]:
        """Enter the splits of the nodes that stand at `places` in the frontier, by their rows."""
        if len(places) == 0:
            return
        yield from count_roots(self.problem, growing, frontier[places])
        tuning = self.problem.tuning
        for mine in by_rows(growing.n_rows[frontier[places]], tuning.rows_together):
            at = places[mine]
            nodes = frontier[at]
            layout = HistogramLayout(self.problem.channels, self.widths, len(nodes), self.first)
            rows = yield rows_request(self.problem, growing, nodes, self.first, self.last)
            see_rows(self.problem, growing, nodes, rows, self.first, self.last)
            features = np.broadcast_to(np.arange(self.first, self.last), (len(nodes), self.last - self.first))
            bounds = bounds_of(self.problem, growing, nodes)
            small = SmallNodes(rows, layout, features, growing.tree[nodes], growing.sums[:, nodes], bounds)
            mask = None if allowed is None else allowed[at, self.first : self.last]
            part = found.of_slots(at)
            for _ in search_small(self.problem, small, part, mask):
                yield BREATH
            found.enter(at, part)

    def _count(
        self, growing: GrowingTrees, frontier: Ints, places: Ints, found: BestSplits, allowed: Bools | None
    ) -> Program[None]:
        """Enter the splits of the nodes that stand at `places` in the frontier, by their histograms."""
        problem = self.problem
        large = frontier[places]
        every = HistogramLayout(problem.channels, self.counted, len(large), self.first)
        kept, self.kept = self.kept, self.kept.only(growing.parent.take(growing.others(frontier)))
        most_bins = problem.tuning.kept_states * state_limit(problem) // self.bin_bytes
        if self.kept.bins + every.total_bins > most_bins:
            self.kept = KeptHistograms()  # growth may never come to what waits since earlier rounds
        keep = every.total_bins <= most_bins
        keep &= growing.n_rows[large].sum() * len(self.widths) >= problem.tuning.subtracted_values
        whole: Histograms | None = None
        for slots, first, last in batches(len(large), self.counted, self.bin_bytes, state_limit(problem)):
            nodes = large[slots]
            layout = every
            if len(nodes) < len(large) or last - first < len(self.counted):
                layout = HistogramLayout(problem.channels, self.counted[first:last], len(nodes), self.first + first)
            part = yield from self._by_subtraction(growing, nodes, layout, kept)
            if keep:
                whole = part if layout is every else entered(whole, every, part, slots)
            if layout.first == 0 and nodes[0] < growing.n_trees:
                self._know_roots(growing, nodes, part)
            yield from self._search(growing, nodes, places[slots], found, part, allowed)
        if whole is not None:
            self.kept = self.kept.with_round(large, whole)

    def _know_roots(self, growing: GrowingTrees, nodes: Ints, histograms: Histograms) -> None:
        """Take the sums of those of `nodes` that are roots."""
        at = flat_nonzero(nodes < growing.n_trees)
        growing.sums[:, nodes[at]] = sums = histograms.totals()[:, at]
        growing.n_rows[nodes[at]] = self.problem.row_counts(sums)

    def _histograms(self, growing: GrowingTrees, nodes: Ints, layout: HistogramLayout) -> Program[Histograms]:
        problem = self.problem
        last = layout.first + len(layout.widths)
        if self.coarse:
            rows: RowsOfNodes = yield rows_request(problem, growing, nodes, layout.first, last)
            see_rows(problem, growing, nodes, rows, layout.first, last)
            counted = Histograms(layout, layout.zeros(self.dtype))
            shift = coarse.shifts(problem.bins.widths, problem.tuning.coarse_width)
            add_rows_of_nodes(counted, replace(rows, shift=shift))
            check_exact(counted.state)
            return counted
        slots = growing.slots(nodes)
        state: Array = yield CountRequest(
            "histograms",
            problem,
            growing.routing,
            slots,
            len(nodes),
            (layout.first, last),
            n_rows=int(growing.n_rows[nodes].sum()),
            waiting=growing.waiting if self.in_order else None,
        )
        counted = Histograms(layout, state)
        if nodes[0] < problem.n_groups:
            see_histograms(problem, growing, nodes, counted)
        return counted

    def _search(
        self,
        growing: GrowingTrees,
        nodes: Ints,
        places: Ints,
        found: BestSplits,
        histograms: Histograms,
        allowed: Bools | None,
    ) -> Program[None]:
        """Enter the splits of `nodes`, which stand at `places` in the frontier, by their histograms."""
        problem, tree, mask = self.problem, growing.tree[nodes], at_places(allowed, places)
        is_whole = len(places) == len(found.gain)  # then nothing needs to be copied
        part, sums = found if is_whole else found.of_slots(places), growing.sums[:, nodes]
        bounds = bounds_of(problem, growing, nodes)
        if bin_gains_apply(problem):
            for _ in search_every_bin(problem, histograms, tree, part, sums, bounds, mask):
                yield BREATH
        else:
            if self.coarse:
                layout = histograms.layout
                last = layout.first + len(layout.widths)
                rows = yield rows_request(problem, growing, nodes, layout.first, last)
                occupied = coarse.refined(problem, histograms, rows, tree, found.gain[places], mask)
            else:
                occupied = likely_bins(problem, histograms, found.gain[places], mask)
            for some in occupied:
                search(problem, [some], tree, part, sums=sums, bounds=bounds)
                yield BREATH
        if not is_whole:
            found.enter(places, part)

    def _by_subtraction(
        self, growing: GrowingTrees, nodes: Ints, layout: HistogramLayout, kept: KeptHistograms
    ) -> Program[Histograms]:
        """Count a node's histogram or take it from the parent's less the sibling's, whichever means fewer rows."""
        parent = growing.parent.take(nodes)
        sibling = growing.siblings(nodes)
        # A sibling that was split in an earlier round has no rows of its own any more.
        is_pair = kept.have(parent) & (growing.feature.take(sibling, mode="clip") < 0)
        sibling = np.where(is_pair, sibling, nodes)
        own, other = growing.n_rows[nodes], growing.n_rows[sibling]
        derived = flat_nonzero(own + (nodes > sibling) > other)  # of two as large the second one
        if len(derived) == 0:
            return (yield from self._histograms(growing, nodes, layout))
        of_pair = nodes.copy()  # the one that is counted
        of_pair[derived] = sibling.take(derived)
        counted = of_pair.take(heads(of_pair))  # siblings stand side by side
        at = counted.searchsorted(of_pair)
        part = HistogramLayout(layout.channels, layout.widths, len(counted), layout.first)
        smaller = yield from self._histograms(growing, counted, part)
        whole = Histograms(layout, np.empty((layout.channels.count, layout.total_bins), self.dtype))
        for first, last in layout.runs:
            smaller.view(first, last).take(at, axis=2, out=whole.view(first, last), mode="clip")
        kept.subtract(parent.take(derived), smaller, at.take(derived), whole, derived)
        return whole
