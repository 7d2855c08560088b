"""Powers of distances to means have the same bits whatever numpy they are computed by."""

from __future__ import annotations

import numpy as np
from binned import problem_of, sample_rows

from madtree.learn.leaf_sums import UP_TO_FOURTH, RowsInLeaves, join_powers
from madtree.trees.parameters import Parameters


def test_powers_are_products_of_floats() -> None:
    problem, block = problem_of(sample_rows(4_000, 0), 0, Parameters())
    n_rows = block.target.shape[-1]
    alone = np.arange(n_rows)  # each row in a leaf of its own, so that its terms can be told
    state = np.zeros((len(UP_TO_FOURTH) * 3, n_rows))
    rows = RowsInLeaves(block.target, block.weight, block.tree, alone)
    rows.add_powers(state, problem, UP_TO_FOURTH, np.zeros(n_rows), 0)
    found = join_powers(problem, UP_TO_FOURTH, state, np.zeros(n_rows, np.int32))
    assert problem.target_grid is not None
    distances = problem.target_grid.join(block.target).tolist()
    large = [i for i, distance in enumerate(distances) if abs(distance) > 0.01]  # others' last digits are off the grid
    assert len(large) > 3_000
    # Python's floats are IEEE's, so that these are the same everywhere.
    wanted = [[d, d * d, d * d * d, (d * d) * (d * d)] for d in distances]
    assert [found[:, i].tolist() for i in large] == [wanted[i] for i in large]
