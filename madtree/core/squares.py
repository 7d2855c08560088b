"""Sums of squares about the leaves' means, for the risk of regression trees.

Squares about a node's own mean lose no digits where the mean is large against the spread; they are summed on a grid of
their own, so that these sums do not depend on the order of rows either.
"""

from __future__ import annotations

import numpy as np

from madtree.core.block import Block
from madtree.core.grid import Grid
from madtree.core.problem import Problem
from madtree.core.types import Floats, Ints

_LIMBS = 3  # about 100 bits for a million rows: a leaf's spread may be 10**-9 of the target's range


def square_grid(problem: Problem) -> Grid:
    """The grid of weight times squared distance to a leaf's mean, which is at most (2 max |value - centre|)**2 max
    weight.
    """
    assert problem.target_grid is not None
    largest = 4.0 * np.square(problem.largest_target) * problem.largest_weight
    return Grid.choose(largest, problem.rows, _LIMBS)


def add_squares(state: Floats, problem: Problem, grid: Grid, block: Block, node: Ints, means: Floats) -> None:
    """Add a block's weighted squared distances to `state` (n_limbs, n_nodes), in place.

    Args:
        node: (n_rows,) the leaf that each row ended in.
        means: (n_nodes,) means less the tree's centre.
    """
    assert problem.target_grid is not None
    tree = block.tree
    value = problem.target_grid.join(block.target, tree)
    if block.weight is None or problem.weight_grid is None:
        square = np.square(value - means[node])
    else:
        weight = problem.weight_grid.join(block.weight, tree)
        square = weight * np.square(value / weight - means[node])
    for limb, values in enumerate(grid.split(square, tree)):
        state[limb] += np.bincount(node, values, minlength=state.shape[1])
