"""Which trees the splits of one feature explain nearly alone: such a feature probably knows the answer."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Bools, Floats, flat_nonzero
from madtree.learn.problem import Problem
from madtree.learn.prune.outcome import Outcome

FEWEST_ROWS = 20  # of a tree, below which nothing is told of features
_ROWS_A_SIDE = 10  # of a split that shows something: fewer rows are parted by chance
_ALMOST_ALL = 0.99  # of the impurity


def explained(outcome: Outcome, whole: Floats, problem: Problem) -> tuple[Bools, Bools]:
    """Which trees can be judged (n_trees,), and by which features each is nearly explained (n_trees, n_features).

    A split counts where both sides have enough rows that chance does not part them so well.

    Args:
        whole: (n_trees,) the root's impurity times its weight.
    """
    tree, n_rows, feature, n_features = outcome.tree, outcome.n_rows, outcome.feature, len(problem.unordered)
    n_trees = len(whole)
    n_nodes = np.bincount(tree, minlength=n_trees)
    roots = np.cumsum(n_nodes) - n_nodes
    judged: Bools = (whole > 0) & (n_rows[roots] >= FEWEST_ROWS)
    # Within a tree, by id, the j-th inner node has its children at 1 + 2j and 2 + 2j from the root.
    is_inner = feature >= 0
    inner = flat_nonzero(is_inner)
    n_inner = np.bincount(tree[inner], minlength=n_trees)
    rank = np.arange(len(inner)) - np.repeat(np.cumsum(n_inner) - n_inner, n_inner)
    large = flat_nonzero(n_rows[inner] >= 2 * _ROWS_A_SIDE)
    inner, rank = inner[large], rank[large]
    child = roots[tree[inner]] + 1 + 2 * rank
    inner = inner[np.minimum(n_rows[child], n_rows[child + 1]) >= _ROWS_A_SIDE]
    gain = outcome.improvement[inner]
    if problem.parameters.feature_costs:  # by which gains were divided
        gain = gain * problem.feature_costs[feature[inner]]
    cell = tree[inner].astype(np.int64) * n_features + feature[inner]
    gains = np.bincount(cell, gain, n_trees * n_features).reshape(n_trees, n_features)
    with np.errstate(invalid="ignore"):
        return judged, (gains >= _ALMOST_ALL * whole[:, None]) & judged[:, None]
