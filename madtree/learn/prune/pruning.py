"""Cost-complexity pruning on a grown tree, by rpart's recursion (semantics, section 5)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from madtree.learn.data import Array, Floats, Ints, flat_nonzero
from madtree.records import dataclass
from madtree.trees import ROUNDING

_NODES_BETWEEN = 1024  # that are visited in some ms


@dataclass(frozen=True)
class Pruned:
    """Attributes:
    complexity: (n_nodes,) complexity parameter in units of risk, not above the parent's; NaN for nodes that are pruned
        away.
    is_leaf: (n_nodes,) bool in the pruned tree.
    keep: (n_nodes,) bool, nodes of the pruned tree.
    """

    complexity: Floats
    is_leaf: Array
    keep: Array


def prune(risk: Floats, left: Ints, tree: Ints, cp: float, between: Callable[[], None] = lambda: None) -> Pruned:
    """Prune every tree of a growing at `cp`, relative to its root's risk, as its complexities then are; see
    `prune_at`. `between`: called now and then, for cancels to be let in.
    """
    n_trees = int(tree.max()) + 1 if len(tree) else 0
    pruned = prune_at(risk, left, tree, cp * risk[:n_trees], between)
    return relative(pruned, risk[tree])


def relative(pruned: Pruned, root_risk: Floats) -> Pruned:
    """Pruned trees with complexities relative to the risk (n_nodes,) of each node's root; 0 where that is 0."""
    complexity = np.divide(pruned.complexity, root_risk, out=np.zeros(len(root_risk)), where=root_risk > 0)
    return Pruned(np.where(pruned.keep, complexity, np.nan), pruned.is_leaf, pruned.keep)


def prune_at(risk: Floats, left: Ints, tree: Ints, alpha: Floats, between: Callable[[], None] = lambda: None) -> Pruned:
    """Prune the first trees of a growing.

    Args:
        risk: (n_nodes,) risk of each node.
        left: (n_nodes,) index of the left child, the right one's is one more; -1 for leaves. The roots are the first
            nodes.
        tree: (n_nodes,) tree of each node.
        alpha: (n_trees,) complexity parameter times the risk that it is relative to; trees beyond are left out. Below 0
            a tree is left as it is.
        between: called now and then, for cancels to be let in.
    """
    n_trees = len(alpha)
    complexity, is_leaf = np.full(len(risk), np.nan), np.ones(len(risk), np.bool_)
    pruned = flat_nonzero(alpha >= 0).tolist()
    if pruned:
        recursion = _Recursion(risk.tolist(), left.tolist(), between)
        for root in pruned:
            recursion.start(root, float(alpha[root]))
        complexity[:], is_leaf[:] = recursion.complexity, recursion.is_leaf
    if pruned or risk.any():
        _leave_unpruned(risk, left, tree, flat_nonzero(~(alpha >= 0)), alpha, complexity, is_leaf)
    else:  # as of boosted trees: no split lowers it
        is_leaf, complexity = left < 0, np.where(left < 0, alpha.take(tree, mode="clip"), 0.0)
    keep = np.zeros(len(risk), np.bool_)
    keep[:n_trees] = True
    nodes = np.arange(n_trees)
    while len(nodes):
        between()
        parents = nodes[~is_leaf.take(nodes)]
        below = left.take(parents)
        nodes = np.concatenate((below, below + 1))
        keep[nodes] = True
        # A child falls with its parent at the latest.
        cap = np.maximum(complexity.take(parents), alpha.take(tree.take(parents)))
        for side in (below, below + 1):
            complexity[side] = np.minimum(complexity.take(side), cap)
    return Pruned(np.where(keep, complexity, np.nan), is_leaf, keep)


def _leave_unpruned(
    risk: Floats, left: Ints, tree: Ints, roots: Ints, alpha: Floats, complexity: Floats, is_leaf: Array
) -> None:
    """Enter complexities and leaves of trees that stay as they were grown, level by level from below: what ancestors
    allow plays no part, so this is what the recursion comes to.
    """
    levels, nodes = [], roots  # the inner nodes of each
    while len(nodes):
        complexity[nodes] = alpha.take(tree.take(nodes))
        inner = nodes[left.take(nodes) >= 0]
        levels.append(inner)
        nodes = np.concatenate((left.take(inner), left.take(inner) + 1))
    splits, below = np.zeros(len(risk), np.int64), risk.copy()  # of the subtree below each node
    for node in reversed(levels):
        one = left.take(node)
        other, own = one + 1, risk.take(node)
        worth = _worth(own, splits, below, one, other)
        of_one, of_other = complexity.take(one), complexity.take(other)
        # A child that is worth less than the whole collapses first, and then perhaps the other one.
        one_is_weaker = of_other > of_one
        falls = flat_nonzero(worth > np.where(one_is_weaker, of_one, of_other))
        one, other = one.take(falls), other.take(falls)
        weaker = np.where(one_is_weaker.take(falls), one, other)
        splits[weaker], below[weaker] = 0, risk.take(weaker)
        worth[falls] = _worth(own.take(falls), splits, below, one, other)
        stronger = one + other - weaker
        more = flat_nonzero(worth.take(falls) > complexity.take(stronger))
        falls, stronger = falls.take(more), stronger.take(more)
        splits[stronger], below[stronger] = 0, risk.take(stronger)
        worth[falls] = _worth(own.take(falls), splits, below, one.take(more), other.take(more))
        complexity[node], is_leaf[node] = worth, False
        one = left.take(node)
        splits[node] = splits.take(one) + splits.take(one + 1) + 1
        below[node] = below.take(one) + below.take(one + 1)


def _worth(risk: Floats, splits: Ints, below: Floats, one: Ints, other: Ints) -> Floats:
    """(m,) by how much a split lowers `risk` (m,) of nodes with these children, for each split of the subtree."""
    worth: Floats = risk - (below.take(one) + below.take(other))
    return worth / (splits.take(one) + splits.take(other) + 1)


class _Recursion:
    """One tree after another, each pruned at an alpha of 0 or more; lists, which single elements are taken from faster
    than from arrays.

    Its depth is the tree's, at most 60.
    """

    def __init__(self, risk: list[float], left: list[int], between: Callable[[], None]) -> None:
        self.risk, self.left, self.between = risk, left, between
        self.complexity = [np.nan] * len(risk)
        self.is_leaf = [True] * len(risk)
        self.alpha = self.noise = 0.0

    def start(self, root: int, alpha: float) -> None:
        self.alpha, self.noise = alpha, ROUNDING * self.risk[root]
        self.visit(root, np.inf)

    def visit(self, node: int, bound: float) -> tuple[int, float]:
        """Splits and risk of the subtree below `node`, which its ancestors allow a complexity of at most `bound`."""
        if node % _NODES_BETWEEN == 0:
            self.between()
        risk, alpha, left = self.risk[node], self.alpha, self.left[node]
        limit = risk if risk < bound else bound
        if left < 0 or limit <= alpha:
            self.complexity[node] = alpha
            return 0, risk
        right = left + 1
        left_splits, left_risk = self.visit(left, limit - alpha)
        limit = max((risk - left_risk) / (left_splits + 1), risk - self.risk[left])
        right_splits, right_risk = self.visit(right, min(limit, bound) - alpha)
        # A child that is worth less than the whole collapses first, and then perhaps the other one.
        left_worth, right_worth = self.complexity[left], self.complexity[right]
        weaker_is_left = right_worth > left_worth
        weaker, stronger = (left_worth, right_worth) if weaker_is_left else (right_worth, left_worth)
        worth = (risk - (left_risk + right_risk)) / (left_splits + right_splits + 1)
        if worth > weaker:
            if weaker_is_left:
                left_splits, left_risk = 0, self.risk[left]
            else:
                right_splits, right_risk = 0, self.risk[right]
            worth = (risk - (left_risk + right_risk)) / (left_splits + right_splits + 1)
            if worth > stronger:
                left_splits, left_risk, right_splits, right_risk = 0, self.risk[left], 0, self.risk[right]
                worth = risk - (left_risk + right_risk)
        self.complexity[node] = worth
        if worth <= alpha + self.noise:
            self.complexity[node] = min(worth, alpha)
            return 0, risk
        self.is_leaf[node] = False
        return left_splits + right_splits + 1, left_risk + right_risk
