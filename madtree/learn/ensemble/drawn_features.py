"""The features by which nodes may be split: those that are drawn for each node of a tree (Breiman 2001), or for a whole
tree, and of these such as may be together on a path.

A draw is a hash of seed, tree and node, so it does not depend on the order in which nodes are split.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Bools, Ints, keyed, mixed
from madtree.learn.grow import FeatureMask, GrowingTrees
from madtree.learn.problem import Problem
from madtree.records import dataclass

_FEATURES, _ORDER, _OF_TREE = 3, 4, 5  # purposes of a hash
_STEP = np.uint32(0x9E3779B9)  # 2**32 divided by the golden ratio


def drawn(keys: Array, n: int, m: int) -> Ints:
    """(n_nodes, m) `m` of `n` features without replacement for each node, ascending; `keys` (n_nodes,) uint32.

    Floyd's method (Bentley and Floyd, "A sample of brilliance", 1987).
    """
    h, found = mixed(keys), np.empty((len(keys), m), np.int64)
    for j, top in enumerate(range(n - m, n)):
        h = mixed(h + _STEP)
        feature = ((h.astype(np.uint64) * np.uint64(top + 1)) >> np.uint64(32)).astype(np.int64)
        taken = (found[:, :j] == feature[:, None]).any(axis=1)
        found[:, j] = np.where(taken, top, feature)
    return np.sort(found, axis=1)


@dataclass(frozen=True)
class DrawnFeatures:
    """Draws `m` of `n` features for each node of the trees of an ensemble.

    Attributes:
        seed: of the ensemble.
        first: the ensemble's member, from 0, that replica 0 is.
        n_groups: trees of each replica. They draw alike, so that a group's trees are those of its rows alone.
    """

    seed: int
    first: int
    n_groups: int
    n: int
    m: int

    def drawn(self, growing: GrowingTrees, nodes: Ints) -> Ints:
        """(n_nodes, m) the features that are drawn, ascending."""
        return drawn(self.keys(growing, nodes, _FEATURES), self.n, self.m)

    def others(self, growing: GrowingTrees, nodes: Ints) -> Ints:
        """(n_nodes, n - m) all others, in the order in which they are drawn one by one."""
        keys = self.keys(growing, nodes, _ORDER)
        order = mixed(keys[:, None] ^ np.arange(self.n, dtype=np.uint32)).astype(np.int64)
        np.put_along_axis(order, self.drawn(growing, nodes), -1, axis=1)
        return np.argsort(order, axis=1, kind="stable")[:, self.m :]

    def keys(self, growing: GrowingTrees, nodes: Ints, purpose: int) -> Array:
        """(n_nodes,) uint32 what else is drawn for nodes depends on; `purpose` tells draws for different uses apart."""
        tree = growing.tree[nodes].astype(np.int64)
        key = keyed(purpose, self.seed, self.first + tree // self.n_groups)
        node = growing.node_id[nodes]
        for word in (node & 0xFFFFFFFF, node >> 32):
            key = mixed(key ^ word.astype(np.uint32))
        return key


def feature_mask(problem: Problem, share: float, member: int, go_on: Bools) -> FeatureMask | None:
    """The mask of a tree; None where every node may be split by every feature.

    Args:
        share: of the features, that are drawn for the tree `member`.
        go_on: (G,) groups that go on; nodes of the others are not split.
    """
    n, together = len(problem.unordered), groups_of(problem)
    if share == 1 and together is None and go_on.all():
        return None
    chosen = np.ones(n, np.bool_)
    if share < 1:
        chosen[:] = False
        key = keyed(_OF_TREE, problem.parameters.seed, np.array([member]))
        chosen[drawn(key, n, max(1, round(share * n)))[0]] = True

    def mask(growing: GrowingTrees, nodes: Ints) -> Bools:
        allowed: Bools = go_on[growing.tree[nodes]][:, None] & chosen
        return allowed if together is None else allowed & allowed_together(growing, nodes, together)

    return mask


def groups_of(problem: Problem) -> Bools | None:
    """(n_groups, n_features) which features each group of `Parameters.interactions` has; None where there is none."""
    groups = problem.parameters.interactions
    if not groups:
        return None
    has = np.zeros((len(groups), len(problem.unordered)), np.bool_)
    for own, features in zip(has, groups, strict=True):
        own[list(features)] = True
    return has


def allowed_together(growing: GrowingTrees, nodes: Ints, has: Bools) -> Bools:
    """(m, n_features) features of the groups that have all features by which the ancestors of `nodes` (m,) are split.
    With groups that overlap, as in scikit-learn and LightGBM, a path has a choice until one of its features decides.
    """
    fits = np.ones((len(nodes), len(has)), np.bool_)
    ancestor = growing.parent[nodes]
    while (below := ancestor >= 0).any():
        fits[below] &= has[:, growing.feature[ancestor[below]]].T
        ancestor = np.where(below, growing.parent[ancestor], -1)
    return np.asarray(fits @ has)
