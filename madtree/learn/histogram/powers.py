"""Sums of powers of the distance to a leaf's mean: the risk of regression trees, and its cross-validation.

Powers of the distance to a node's own mean lose no digits where the mean is large against the spread; they are summed
on grids of their own, so that these sums do not depend on the order of rows either.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.data import Block, Floats, Grid, Ints
from madtree.learn.problem import Problem

LIMBS = 3  # about 100 bits for a million rows: a leaf's spread may be 10**-9 of the target's range
SQUARES = (2,)
UP_TO_FOURTH = (1, 2, 3, 4)


def power_grid(problem: Problem, power: int) -> Grid:
    """The grid of weight times a power of the distance to a leaf's mean, which is at most twice the largest target."""
    largest = (2.0 * problem.largest_target) ** power * problem.largest_weight
    return Grid.choose(largest, problem.rows, LIMBS)


def add_powers(
    state: Floats, problem: Problem, powers: Sequence[int], block: Block, node: Ints, means: Floats, keep: Ints | None
) -> None:
    """Add a block's weighted powers of distances to `state` (n_powers * LIMBS, n_nodes), in place.

    Args:
        node: (n_rows,) the leaf that each row ended in.
        means: (n_nodes,) means less the tree's centre.
        keep: indices of the rows that count, or None for all.
    """
    assert problem.target_grid is not None
    tree = block.tree
    value = problem.target_grid.join(block.target, tree)
    weight = None
    if block.weight is not None and problem.weight_grid is not None:
        weight = problem.weight_grid.join(block.weight, tree)
        value = value / weight
    distance = value - means[node]
    if keep is not None:
        distance, node = distance[keep], node[keep]
        weight = None if weight is None else weight[keep]
        tree = None if tree is None else tree[keep]
    at = 0
    for power in powers:
        term = distance**power
        if weight is not None:
            term = term * weight
        for values in power_grid(problem, power).split(term, tree):
            state[at] += np.bincount(node, values, minlength=state.shape[1])
            at += 1


def join_powers(problem: Problem, powers: Sequence[int], state: Floats, tree: Ints) -> Floats:
    """(n_powers, n_nodes) sums, of a state (n_powers * LIMBS, n_nodes) of nodes of the trees `tree` (n_nodes,)."""
    parts = state.reshape(len(powers), LIMBS, -1)
    return np.stack([power_grid(problem, power).join(part, tree) for power, part in zip(powers, parts, strict=True)])
