"""Growing trees.

After PLANET (Panda et al., VLDB 2009): one pass over the data a round finds the best split of every frontier node of
every tree at once. In outline:

    candidates = the roots
    while the policy chooses some of the candidates as the frontier:
        histograms of the frontier's nodes        one pass over the blocks; of two siblings only the smaller is
                                                  counted, the other is the parent less its sibling, exactly
        best split of each node                   learn.split
        surrogates, where wanted                  one more pass, with the side of the split as the class
        children of the nodes that were split     their sums follow from the split
        candidates += children that may be split  large enough, impure, not too deep

Growing asks for what it needs (learn.requests). Where the rows are is the business of whoever answers.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.counting import CountRequest, batches, state_limit
from madtree.learn.criteria import criterion_of
from madtree.learn.data import LEFT, UNKNOWN, Array, Bools, Floats, Ints, check_room, flat_nonzero
from madtree.learn.grow.feature_span import count_roots
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.grow.policy import BestFirst, GrowthPolicy, LevelWise
from madtree.learn.grow.split_finder import FinderOf, SplitFinder
from madtree.learn.histogram import HistogramLayout, Histograms
from madtree.learn.problem import Problem
from madtree.learn.requests import Program, Progress, StepReport
from madtree.learn.route import category_table
from madtree.learn.split import BestSplits, SurrogateSplit, find_surrogates


def grow(
    problem: Problem,
    rows_at_hand: bool,
    policy: GrowthPolicy | None = None,
    finder_of: FinderOf | None = None,
    *,
    tells_levels: bool = True,
) -> Program[GrowingTrees]:
    """Grow all trees of a problem.

    Args:
        rows_at_hand: whether single rows may be asked for.
        policy: in which order nodes are split; if None the parameters decide: best-first with `max_leaf_nodes`, else
            level by level. The trees are the same in any order, but for policies that leave nodes unsplit. With
            `max_leaf_nodes` they may grow further than they go: `inner_nodes` tells.
        finder_of: makes the finder of best splits, among the features that a node may be split by, for the problem that
            it is given; surrogates are found among all features. If None, every node may be split by every feature.
        tells_levels: whether each round of growth is a step to tell of; those of many trees are too many.
    """
    check_room(int(problem.bins.widths.max(initial=0)), problem.channels.count, "bins of a feature", 2**26)
    growing = GrowingTrees(problem.n_trees, problem.channels.count)
    growing.n_rows[:] = problem.rows
    if problem.parameters.class_params is not None:
        yield from count_roots(problem, growing, np.arange(problem.n_groups))
        problem = problem.with_class_factors(growing.sums)
    finder = finder_of(problem) if finder_of else SplitFinder(problem, rows_at_hand)
    policy = policy or policy_of(problem)
    n_rounds = 0
    while len(frontier := policy.choose(growing)):
        splits = yield from finder.best_splits(growing, frontier)
        if tells_levels:
            n_rows = int(growing.n_rows[frontier].sum())
            yield Progress(step=StepReport("level", n_rounds + 1, n_nodes=len(frontier), n_rows=n_rows))
        children = yield from _split(problem, growing, frontier, splits)
        more = children[may_split(problem, growing, children)]
        growing.candidates = np.concatenate((growing.others(frontier), more))
        n_rounds += 1
    growing.find_thresholds(problem)
    return growing


def policy_of(problem: Problem, share: float = 1.0, rows: float = np.inf) -> GrowthPolicy:
    """What the parameters say; `share` and `rows` as of `BestFirst`."""
    most_leaves = problem.parameters.max_leaf_nodes
    return LevelWise() if most_leaves is None else BestFirst(most_leaves, share, rows)


def may_split(problem: Problem, growing: GrowingTrees, nodes: Ints) -> Array:
    """(m,) whether nodes are large enough, not too deep and, for classification, impure."""
    parameters = problem.parameters
    wanted = (growing.n_rows[nodes] >= parameters.min_split) & (growing.depth[nodes] < parameters.max_depth)
    return wanted & criterion_of(problem).judging.may_be_split(problem, growing.sums[:, nodes], growing.tree[nodes])


def gains_enough(problem: Problem, growing: GrowingTrees, nodes: Ints, gain: Floats) -> Bools:
    """(m,) whether splits of nodes lower the impurity of their whole trees by enough.

    That impurity is a mean over the tree's weight, so that `gain`, a sum over the node's rows, is what the split takes
    off it times that weight. As in scikit-learn a rounding error is forgiven.
    """
    least = problem.parameters.min_impurity_decrease
    root = growing.tree[nodes]  # the index of a tree's root is the tree's
    sums = growing.sums[:, root]  # 0 where a fold has held out all rows of a group
    weight = criterion_of(problem).weight(problem, sums, root)
    return np.asarray(gain >= (least - np.finfo(np.float64).eps) * weight)


def _split(problem: Problem, growing: GrowingTrees, frontier: Ints, splits: BestSplits) -> Program[Ints]:
    """Enter the splits that were found into the growing; the indices (2 m,) of the children, left and right in turn."""
    if frontier[0] < growing.n_trees:  # whether roots may be split is known now that they are counted
        roots = flat_nonzero(frontier < growing.n_trees)
        splits.gain[roots[~may_split(problem, growing, frontier[roots])]] = 0.0
    if problem.parameters.min_impurity_decrease:
        gain = splits.gain * problem.feature_costs[splits.feature]  # of no feature it is 0 by any cost
        splits.gain[~gains_enough(problem, growing, frontier, gain)] = 0.0
    chosen = flat_nonzero(splits.gain > 0)
    nodes = frontier[chosen]
    missing_left, missing, sides = _sides(problem, growing, nodes, splits, chosen)
    if are_alike := criterion_of(problem).are_alike:
        differ = ~are_alike(problem, sides, growing.tree[nodes])
        splits.gain[chosen[~differ]] = 0.0
        chosen, nodes, missing_left = chosen[differ], nodes[differ], missing_left[differ]
        missing, sides = missing[:, differ], sides[:, differ]
    sums = sides.reshape(len(sides), -1)
    growing.feature[nodes] = splits.feature[chosen]
    growing.majority_left[nodes] = missing_left
    growing.improvement[nodes] = splits.gain[chosen]
    for slot, ranked in splits.ranked.items():
        if splits.gain[slot] > 0 and len(ranked) > 1:  # the first one is the node's own
            growing.competitors[int(frontier[slot])] = ranked[1:]
    _enter_primaries(problem, growing, nodes, splits, chosen)
    if problem.parameters.max_surrogates and len(nodes):
        yield from _enter_surrogates(problem, growing, nodes)
    children = growing.add_children(nodes, problem.row_counts(sums), sums)
    if problem.parameters.max_surrogates:
        yield from _recount(problem, growing, nodes[problem.row_counts(missing) > 0])
    return children


def _sides(
    problem: Problem, growing: GrowingTrees, nodes: Ints, splits: BestSplits, chosen: Ints
) -> tuple[Bools, Floats, Floats]:
    """Whether rows without a value go left (m,), their sums (n_channels, m), and those of either side with them
    (n_channels, m, 2); of `nodes` (m,), whose splits are those of the slots `chosen` (m,).
    """
    tree, whole = growing.tree[nodes], growing.sums[:, nodes]
    left, known = splits.left_sums[:, chosen], splits.known_sums[:, chosen]
    size = criterion_of(problem).size
    side = splits.missing_side[chosen]
    is_larger = size(problem, left, tree) >= size(problem, known - left, tree)
    missing_left = np.where(side == UNKNOWN, is_larger, side == LEFT)
    missing = whole - known
    left = left + missing * missing_left
    return missing_left, missing, np.array((left, whole - left)).transpose(1, 2, 0)  # sooner than `np.stack`


def _enter_primaries(problem: Problem, growing: GrowingTrees, nodes: Ints, splits: BestSplits, chosen: Ints) -> None:
    """Tell the growing how rows go on from `nodes` (m,), whose splits are those of the slots `chosen` (m,)."""
    routing, tree, feature = growing.routing, growing.tree[nodes], growing.feature[nodes]
    routing.feature[nodes] = feature
    routing.missing_right[nodes] = ~growing.majority_left[nodes]
    ordered = ~problem.unordered[feature]
    left, right = splits.left[chosen[ordered]], splits.right[chosen[ordered]]
    growing.cuts.append(np.array((nodes[ordered], left, right)))
    routing.cut[nodes[ordered]] = problem.bins.cut(tree[ordered], feature[ordered], left, right)
    widths = problem.bins.widths
    tables = []
    for node, slot in zip(nodes[~ordered].tolist(), chosen[~ordered].tolist(), strict=True):
        growing.left_codes[node], growing.right_codes[node] = splits.left_codes[slot], splits.right_codes[slot]
        tables.append(
            category_table(int(widths[growing.feature[node]]), splits.left_codes[slot], splits.right_codes[slot])
        )
    routing.table[nodes[~ordered]] = routing.add_tables(tables)


def _enter_surrogates(problem: Problem, growing: GrowingTrees, nodes: Ints) -> Program[None]:
    """Find the surrogates of `nodes`, which have been split but have no children yet, and tell the growing of them."""
    channels = problem.side_channels
    widths, dtype = problem.bins.widths, channels.dtype(problem.most_rows)
    found: list[list[SurrogateSplit]] = [[] for _ in nodes]
    for slots, first, last in batches(len(nodes), widths, channels.count * dtype.itemsize, state_limit(problem)):
        mine = nodes[slots]
        layout = HistogramLayout(channels, widths[first:last], len(mine), first)
        state = yield CountRequest("sides", problem, growing.routing, growing.slots(mine), len(mine), (first, last))
        part = found[slots]
        find_surrogates(problem, Histograms(layout, state), growing.tree[mine], growing.feature[mine], part)
    growing.add_surrogates(nodes, found, widths)


def _recount(problem: Problem, growing: GrowingTrees, nodes: Ints) -> Program[None]:
    """Count the children of those of `nodes` that have surrogates: each missing row may have gone its own way."""
    nodes = nodes[growing.routing.surrogates[nodes] > 0]
    if len(nodes) == 0:
        return
    left = growing.routing.child[nodes].astype(np.int64)
    children = np.sort(np.concatenate((left, left + 1)))
    slots = growing.slots(children)
    growing.sums[:, children] = yield CountRequest("totals", problem, growing.routing, slots, len(children))
    growing.n_rows[children] = problem.row_counts(growing.sums[:, children])
