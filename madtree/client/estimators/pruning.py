"""Minimal cost-complexity pruning as scikit-learn has it, by a tree's impurities.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), chapter 3. With R(t) the impurity of a
node times its share of the weight, a subtree below t is worth its leaves as long as
alpha < (R(t) - R(its leaves)) / (its leaves - 1). rpart, and madtree in the database, take for R the risk instead (of
classes: the share of wrong predictions), and give it relative to the root's (cp). For squared errors the two agree:
cp = ccp_alpha / impurity of the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from madtree.client.frames import Array
from madtree.client.walked_trees import FlatTree
from madtree.trees import Tree


def pruning_path(flat: FlatTree) -> tuple[Array, Array]:
    """The alphas at which subtrees go, ascending from 0, and the impurity of the leaves that are left with each.

    Both (n_steps,): as `cost_complexity_pruning_path` of scikit-learn has them.
    """
    weakest = _WeakestLinks(flat)
    alphas, impurities = [0.0], [float(weakest.below[0])]
    for alpha, _ in weakest.steps():
        alphas.append(alpha)
        impurities.append(float(weakest.below[0]))
    return np.array(alphas), np.array(impurities)


def pruned(flat: FlatTree, ccp_alpha: float) -> Tree:
    """The tree without the subtrees that are not worth `ccp_alpha` a leaf."""
    weakest = _WeakestLinks(flat)
    for alpha, _ in weakest.steps(ccp_alpha):
        assert alpha <= ccp_alpha
    nodes = {}
    waiting = [0]
    while waiting:
        at = waiting.pop()
        node = flat.nodes[at]
        if weakest.leaves[at] == 1:
            nothing = dict.fromkeys(("feature", "threshold", "left_levels", "right_levels", "improvement"))
            node = replace(node, is_leaf=True, majority_left=None, surrogates=(), **nothing)  # type: ignore[arg-type]
        else:
            waiting += [int(flat.left[at]), int(flat.right[at])]
        nodes[node.node_id] = node
    return replace(flat.tree, nodes=nodes)


def importances(flat: FlatTree, names: list[str]) -> Array:
    """(n_features,) what the splits by each feature gain, surrogates by their adjusted agreement; scaled to 1."""
    gained = dict.fromkeys(names, 0.0)
    for node in flat.nodes:
        if not node.is_leaf:
            gain = node.improvement or 0.0
            gained[str(node.feature)] += gain
            for surrogate in node.surrogates:
                gained[surrogate.feature] += gain * surrogate.adjusted_agreement
    found = np.array([gained[name] for name in names], np.float64)
    return found / found.sum() if found.sum() > 0 else np.zeros(len(names))


class _WeakestLinks:
    """A tree whose weakest subtrees become leaves, one after another.

    Attributes:
        own, below: (n_nodes,) R of each node, and of the leaves below it.
        leaves: (n_nodes,) number of leaves below each node; 1 for a leaf.
    """

    def __init__(self, flat: FlatTree) -> None:
        self.flat = flat
        weight = np.array([node.weight_by_class for node in flat.nodes])
        self.own = np.array([node.impurity for node in flat.nodes]) * (weight / weight[0])
        self.below = self.own.copy()
        self.leaves = np.ones(len(flat.nodes), np.int64)
        self.parent = np.full(len(flat.nodes), -1)
        self.is_in = np.ones(len(flat.nodes), np.bool_)
        for at in reversed(range(len(flat.nodes))):  # children stand behind their parents
            if flat.left[at] >= 0:
                children = [flat.left[at], flat.right[at]]
                self.parent[children] = at
                self.below[at], self.leaves[at] = self.below[children].sum(), self.leaves[children].sum()

    def steps(self, most: float = np.inf) -> Iterator[tuple[float, int]]:
        """Alpha and place of the weakest subtree, which has become a leaf, up to the alpha `most`."""
        while self.leaves[0] > 1:
            inner = np.flatnonzero(self.is_in & (self.leaves > 1))
            alphas = (self.own[inner] - self.below[inner]) / (self.leaves[inner] - 1)
            weakest = int(alphas.argmin())
            alpha, at = float(alphas[weakest]), int(inner[weakest])
            if alpha > most:
                return
            self._make_leaf(at)
            yield alpha, at

    def _make_leaf(self, at: int) -> None:
        fewer, more = self.leaves[at] - 1, self.own[at] - self.below[at]
        waiting = [at]
        while waiting:
            gone = waiting.pop()
            if self.flat.left[gone] >= 0 and self.leaves[gone] > 1:
                children = [int(self.flat.left[gone]), int(self.flat.right[gone])]
                self.is_in[children] = False
                waiting += children
        self.leaves[at], self.below[at] = 1, self.own[at]
        above = int(self.parent[at])
        while above >= 0:
            self.leaves[above] -= fewer
            self.below[above] += more
            above = int(self.parent[above])
