"""By which features the nodes of a boosted tree may be split: those that are drawn for the tree, of which each path has
only such as may be together.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Bools, Ints, keyed
from madtree.learn.ensemble.drawn_features import drawn
from madtree.learn.grow import FeatureMask, GrowingTrees
from madtree.learn.problem import Problem

_FEATURES = 5  # purpose of a hash


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
        key = keyed(_FEATURES, problem.parameters.seed, np.array([member]))
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
