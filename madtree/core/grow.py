"""Growing trees level by level.

After PLANET (Panda et al., VLDB 2009): one pass over the data a level finds the best split of every frontier node of
every tree at once. In outline:

    frontier = the roots
    while the frontier is not empty:
        statistics of the frontier's nodes        one pass over the blocks; of two siblings only the smaller is
                                                  counted, the other is the parent less its sibling, exactly
        best split of each node                   core.search
        surrogates, where wanted                  one more pass, with the side of the split as the class
        children of the nodes that were split     their sums follow from the split
        frontier = children that may be split     large enough, impure, not too deep

Where the rows are is the statistics source's business: many blocks behind a SQL aggregate, or one block in hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from madtree.core import impurity
from madtree.core.forest import Forest
from madtree.core.problem import Problem
from madtree.core.routing import level_table
from madtree.core.search import Splits, search
from madtree.core.statistics import StatisticsLayout, check, feature_view, node_totals
from madtree.core.surrogates import Surrogate, find_surrogates, side_planes
from madtree.core.types import Array, Floats, Ints

# Of the memory budget, what one array of statistics may take: parents, children and a copy in transit stay within it.
_STATE_SHARE = 4
_KEPT_SHARE = 2  # a level's statistics may be so many times as large, to save counting every node of the next one


class StatisticsSource(Protocol):
    """Where statistics come from."""

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


@dataclass(frozen=True)
class LevelReport:
    """What is told of each level: its depth, the nodes searched, the rows in them."""

    level: int
    n_nodes: int
    n_rows: int


def grow(problem: Problem, source: StatisticsSource, report: Callable[[LevelReport], None] | None = None) -> Forest:
    """Grow all trees of a problem; raises OverflowError where sums are no longer exact."""
    forest = Forest(problem.n_trees, problem.planes.count)
    frontier = np.arange(problem.n_trees)
    memory = _Memory(problem, source)
    level = 0
    while len(frontier):
        splits = memory.best_splits(forest, frontier)
        if report:
            report(LevelReport(level, len(frontier), int(forest.n_rows[frontier].sum())))
        children = _split(problem, source, forest, frontier, splits)
        frontier = children[_may_split(problem, forest, children)]
        level += 1
    return forest


def _may_split(problem: Problem, forest: Forest, nodes: Ints) -> Array:
    """(m,) whether nodes are large enough, not too deep and, for classification, impure."""
    parameters = problem.parameters
    wanted = (forest.n_rows[nodes] >= parameters.min_split) & (forest.depth[nodes] < parameters.max_depth)
    if problem.n_classes:
        weights = problem.class_weights(forest.sums[:, nodes], forest.tree[nodes])
        wanted &= impurity.class_risk(weights) > 0
    return wanted


def _split(problem: Problem, source: StatisticsSource, forest: Forest, frontier: Ints, splits: Splits) -> Ints:
    """Enter the splits that were found into the forest; the indices (2 m,) of the children, left and right in turn."""
    if len(frontier) == forest.n_trees and forest.n_nodes == forest.n_trees:
        splits.gain[~_may_split(problem, forest, frontier)] = 0.0
    chosen = np.flatnonzero(splits.gain > 0)
    nodes = frontier[chosen]
    tree = forest.tree[nodes]
    feature = splits.feature[chosen]
    left, known = splits.left_sums[:, chosen], splits.known_sums[:, chosen]
    left_weight, right_weight = problem.weights(left, tree), problem.weights(known - left, tree)
    majority_left = left_weight >= right_weight
    missing = forest.sums[:, nodes] - known
    left_sums = left + np.where(majority_left, missing, 0.0)
    sums = np.empty((len(left), 2 * len(nodes)))
    sums[:, 0::2] = left_sums
    sums[:, 1::2] = forest.sums[:, nodes] - left_sums
    forest.feature[nodes] = feature
    forest.majority_left[nodes] = majority_left
    forest.improvement[nodes] = splits.gain[chosen]
    _enter_primaries(problem, forest, nodes, splits, chosen)
    if problem.parameters.max_surrogates and len(nodes):
        _enter_surrogates(problem, source, forest, nodes)
    children = forest.add_children(nodes, problem.row_counts(sums), sums)
    _recount(problem, source, forest, nodes[problem.row_counts(missing) > 0])
    return children


def _enter_primaries(problem: Problem, forest: Forest, nodes: Ints, splits: Splits, chosen: Ints) -> None:
    """Tell the forest how rows go on from `nodes` (m,), whose splits are those of the slots `chosen` (m,)."""
    routing, tree, feature = forest.routing, forest.tree[nodes], forest.feature[nodes]
    routing.feature[nodes] = feature
    routing.missing_right[nodes] = ~forest.majority_left[nodes]
    ordered = ~problem.unordered[feature]
    left, right = splits.left[chosen[ordered]], splits.right[chosen[ordered]]
    threshold = problem.bins.threshold(tree[ordered], feature[ordered], left, right)
    forest.threshold[nodes[ordered]] = threshold
    routing.cut[nodes[ordered]] = problem.bins.cut(tree[ordered], feature[ordered], left, right, threshold)
    widths = problem.bins.widths
    tables = []
    for node, slot in zip(nodes[~ordered].tolist(), chosen[~ordered].tolist(), strict=True):
        forest.left_codes[node], forest.right_codes[node] = splits.left_codes[slot], splits.right_codes[slot]
        tables.append(level_table(int(widths[forest.feature[node]]), splits.left_codes[slot], splits.right_codes[slot]))
    routing.table[nodes[~ordered]] = routing.add_tables(tables)


def _enter_surrogates(problem: Problem, source: StatisticsSource, forest: Forest, nodes: Ints) -> None:
    """Find the surrogates of `nodes`, which have been split but have no children yet, and tell the forest of them."""
    planes = side_planes(problem)
    widths, dtype = problem.bins.widths, planes.dtype(problem.most_rows)
    found: list[list[Surrogate]] = [[] for _ in nodes]
    for slots, first, last in batches(len(nodes), widths, planes.count * dtype.itemsize, state_limit(problem)):
        mine = nodes[slots]
        layout = StatisticsLayout(planes, widths[first:last], len(mine), first)
        slot_of_node = np.full(forest.n_nodes, -1, np.int32)
        slot_of_node[mine] = np.arange(len(mine), dtype=np.int32)
        state = source.statistics(forest, slot_of_node, layout, by_side=True)
        check(state)
        part = found[slots]
        find_surrogates(problem, state, layout, forest.tree[mine], forest.feature[mine], part)
    forest.add_surrogates(nodes, found, widths)


def _recount(problem: Problem, source: StatisticsSource, forest: Forest, nodes: Ints) -> None:
    """Count the children of those of `nodes` that have surrogates: each missing row may have gone its own way."""
    nodes = nodes[forest.routing.surrogates[nodes] > 0]
    if len(nodes) == 0:
        return
    left = forest.routing.child[nodes].astype(np.int64)
    children = np.sort(np.concatenate((left, left + 1)))
    slot_of_node = np.full(forest.n_nodes, -1, np.int32)
    slot_of_node[children] = np.arange(len(children), dtype=np.int32)
    forest.sums[:, children] = source.totals(forest, slot_of_node, len(children))
    forest.n_rows[children] = problem.row_counts(forest.sums[:, children])


def state_limit(problem: Problem) -> int:
    """Bytes that one array of statistics may take."""
    return problem.parameters.memory_bytes // _STATE_SHARE


def batches(n_nodes: int, widths: Ints, cell_bytes: int, limit: int) -> list[tuple[slice, int, int]]:
    """Slots and features (from, to) of each pass.

    As many nodes as fit the limit; where not even one fits, part of its features.
    """
    per_node = int(widths.sum()) * cell_bytes
    if per_node <= limit:
        size = max(limit // per_node, 1)
        return [(slice(i, min(i + size, n_nodes)), 0, len(widths)) for i in range(0, n_nodes, size)]
    ranges, first, total = [], 0, 0
    for i, width in enumerate(widths.tolist()):
        if i > first and total + width * cell_bytes > limit:
            ranges.append((first, i))
            first, total = i, 0
        total += width * cell_bytes
    ranges.append((first, len(widths)))
    return [(slice(i, i + 1), a, b) for i in range(n_nodes) for a, b in ranges]


def _entered(
    level: Array | None, every: StatisticsLayout, state: Array, layout: StatisticsLayout, slots: slice
) -> Array:
    """The statistics of a whole level with those of some of its slots entered."""
    if level is None:
        level = every.zeros(state.dtype)
    for i in range(len(every.widths)):
        feature_view(level, every, i)[:, slots] = feature_view(state, layout, i)
    return level


class _Memory:
    """Gets statistics in batches that fit the budget, and keeps a level's for the next where they are not too many."""

    def __init__(self, problem: Problem, source: StatisticsSource) -> None:
        self.problem = problem
        self.source = source
        self.widths = problem.bins.widths
        self.dtype = problem.planes.dtype(problem.most_rows)
        self.cell_bytes = problem.planes.count * self.dtype.itemsize
        self.kept: tuple[Ints, StatisticsLayout, Array] | None = None  # nodes, layout and statistics of the last level

    def best_splits(self, forest: Forest, frontier: Ints) -> Splits:
        problem = self.problem
        found = Splits.none(len(frontier), problem.planes.count)
        kept, self.kept = self.kept, None
        every = StatisticsLayout(problem.planes, self.widths, len(frontier))
        keep = every.n_cells * self.cell_bytes <= _KEPT_SHARE * state_limit(problem)
        level: Array | None = None
        for slots, first, last in batches(len(frontier), self.widths, self.cell_bytes, state_limit(problem)):
            nodes = frontier[slots]
            layout = StatisticsLayout(problem.planes, self.widths[first:last], len(nodes), first)
            if kept is not None and last - first == len(self.widths):
                state = self._by_subtraction(forest, nodes, layout, *kept)
            else:
                state = self._scan(forest, nodes, layout)
            if keep:
                level = state if len(nodes) == len(frontier) else _entered(level, every, state, layout, slots)
            if nodes[0] < forest.n_trees and first == 0:
                forest.sums[:, nodes] = node_totals(state, layout)
                forest.n_rows[nodes] = problem.row_counts(forest.sums[:, nodes])
            self._search(forest, found, slots, nodes, state, layout)
        if level is not None:
            self.kept = (frontier, every, level)
        return found

    def _search(
        self, forest: Forest, found: Splits, slots: slice, nodes: Ints, state: Array, layout: StatisticsLayout
    ) -> None:
        if slots == slice(0, len(found.gain)):
            search(self.problem, state, layout, forest.tree[nodes], found)
            return
        part = Splits(
            found.gain[slots],
            found.feature[slots],
            found.left[slots],
            found.right[slots],
            {},
            {},
            found.left_sums[:, slots],
            found.known_sums[:, slots],
        )
        search(self.problem, state, layout, forest.tree[nodes], part)
        found.left_codes.update({slots.start + slot: codes for slot, codes in part.left_codes.items()})
        found.right_codes.update({slots.start + slot: codes for slot, codes in part.right_codes.items()})

    def _scan(self, forest: Forest, nodes: Ints, layout: StatisticsLayout) -> Array:
        slot_of_node = np.full(forest.n_nodes, -1, np.int32)
        slot_of_node[nodes] = np.arange(len(nodes), dtype=np.int32)
        state = self.source.statistics(forest, slot_of_node, layout)
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
            view[:, derived] = feature_view(parent_state, parent_layout, i)[:, parent_slot] - count[:, at_sibling]
        return state
