"""Cost-complexity pruning on a grown tree, by rpart's recursion (semantics, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from madtree.learn.data import Array, Floats, Ints, flat_nonzero
from madtree.records import dataclass
from madtree.trees import ROUNDING

_NODES_BETWEEN = 1024  # that are visited in some ms
_MANY_NODES = 2_048  # from which on trees are pruned sooner level by level than by recursion


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
    is_pruned = alpha >= 0
    if is_pruned.any() or risk.any():
        # Python's numbers and numpy's compare what is infinite, or none, in different ways.
        is_finite = float(np.abs(risk).max(initial=0.0)) * len(risk) < np.inf
        by_levels = flat_nonzero(~is_pruned | (is_finite and len(risk) >= _MANY_NODES))
        if len(by_levels):
            limited = _prune_by_levels(risk, left, tree, by_levels, alpha, complexity, is_leaf, between)
            is_pruned[by_levels] = False
            is_pruned[limited] = True
        if is_pruned.any():
            recursion = _Recursion(risk.tolist(), left.tolist(), between)
            for root in flat_nonzero(is_pruned).tolist():
                recursion.start(root, float(alpha[root]))
            mine = np.append(is_pruned, False).take(tree, mode="clip")  # no trees beyond
            complexity[mine] = np.array(recursion.complexity)[mine]
            is_leaf[mine] = np.array(recursion.is_leaf)[mine]
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


def _prune_by_levels(
    risk: Floats,
    left: Ints,
    tree: Ints,
    roots: Ints,
    alpha: Floats,
    complexity: Floats,
    is_leaf: Array,
    between: Callable[[], None],
) -> Ints:
    """Enter complexities and leaves of some trees level by level from below, many trees at once. That is what the
    recursion comes to where what ancestors allow plays no part: it does not in trees that stay as they are, and seldom
    in others. Returns the roots of those in which it does; what is entered of them means nothing.
    """
    levels, nodes = [], roots  # the inner nodes of each
    while len(nodes):
        least = alpha.take(tree.take(nodes))
        complexity[nodes], is_leaf[nodes] = least, True
        inner = nodes[(left.take(nodes) >= 0) & ((least < 0) | (risk.take(nodes) > least))]
        levels.append(inner)
        nodes = np.concatenate((left.take(inner), left.take(inner) + 1))
    splits, below = np.zeros(len(risk), np.int64), risk.copy()  # of the subtree below each node
    room = np.zeros(len(risk))  # what a node allows its right child
    for node in reversed(levels):
        between()
        one = left.take(node)
        other, own, least = one + 1, risk.take(node), alpha.take(tree.take(node))
        room[node] = np.maximum((own - below.take(one)) / (splits.take(one) + 1), own - risk.take(one))
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
        noise = ROUNDING * risk.take(tree.take(node))
        stays = (least < 0) | (worth > least + noise)
        complexity[node] = np.where(stays, worth, np.minimum(worth, least))
        node = node[stays]
        one = left.take(node)
        is_leaf[node] = False
        splits[node] = splits.take(one) + splits.take(one + 1) + 1
        below[node] = below.take(one) + below.take(one + 1)
    return _limited(risk, left, tree, levels, alpha, room)


def _limited(risk: Floats, left: Ints, tree: Ints, levels: Sequence[Ints], alpha: Floats, room: Floats) -> Ints:
    """The roots of trees that are pruned in which ancestors allow some inner node no more than is pruned.

    Args:
        levels: the inner nodes of each.
        room: (n_nodes,) what an inner node allows its right child, before what its own ancestors allow it.
    """
    is_limited = np.zeros(len(alpha), np.bool_)
    bound = np.full(len(risk), np.inf)
    for nodes in levels:
        node = nodes[alpha.take(tree.take(nodes)) >= 0]
        own = tree.take(node)
        least, one, allowed = alpha.take(own), left.take(node), bound.take(node)
        limit = np.minimum(risk.take(node), allowed)
        is_limited[own[limit <= least]] = True
        bound[one], bound[one + 1] = limit - least, np.minimum(room.take(node), allowed) - least
    return flat_nonzero(is_limited)


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
