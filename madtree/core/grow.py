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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from madtree.core import impurity
from madtree.core.batching import batches, state_limit
from madtree.core.forest import Forest
from madtree.core.frontier import SplitFinder, StatisticsSource
from madtree.core.problem import Problem
from madtree.core.routing import level_table
from madtree.core.search import Splits
from madtree.core.statistics import StatisticsLayout, check
from madtree.core.surrogates import Surrogate, find_surrogates
from madtree.core.types import Array, Ints


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
    finder = SplitFinder(problem, source)
    level = 0
    while len(frontier):
        splits = finder.best_splits(forest, frontier)
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
    planes = problem.side_planes
    widths, dtype = problem.bins.widths, planes.dtype(problem.most_rows)
    found: list[list[Surrogate]] = [[] for _ in nodes]
    for slots, first, last in batches(len(nodes), widths, planes.count * dtype.itemsize, state_limit(problem)):
        mine = nodes[slots]
        layout = StatisticsLayout(planes, widths[first:last], len(mine), first)
        state = source.statistics(forest, forest.slots(mine), layout, by_side=True)
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
    forest.sums[:, children] = source.totals(forest, forest.slots(children), len(children))
    forest.n_rows[children] = problem.row_counts(forest.sums[:, children])
