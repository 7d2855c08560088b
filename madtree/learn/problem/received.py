"""The parts of a problem that another process has sent: checked, since anybody may have made them up.

All raise MadtreeError where a part is not what it has to be.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.binning import BinTable
from madtree.learn.data import WIDE_LIMIT, Grid, Values, require
from madtree.learn.problem.bootstrap import Bootstrap
from madtree.learn.problem.replicas import Folds, Replicas
from madtree.trees import MOST_FOLDS

_MOST_EXPONENT = 1100  # of two: float64 has 1024 at most, and grids none below -1000
_MOST_LIMBS = 3


def replicas_of(given: Values) -> Replicas:
    if "replicas" not in given:
        return Replicas()
    if given.is_mapping("replicas"):
        return Bootstrap.from_values(given.mapping("replicas"))
    return Folds(given.integer("replicas", 1, MOST_FOLDS))


def grid_of(given: Values, name: str, n_trees: int) -> Grid | None:
    if name not in given:
        return None
    grid = Grid(given.ints(name, (n_trees, None), -_MOST_EXPONENT, _MOST_EXPONENT, np.int32))
    require(1 <= grid.limbs <= _MOST_LIMBS, name, f"those of 1 to {_MOST_LIMBS} limbs")
    return grid


def bins_of(given: Values, n_trees: int) -> BinTable:
    if "bin_lower" not in given:  # they are to be counted by, and no more
        most = given.ints("bin_sizes", (1, None), 0, WIDE_LIMIT - 1, np.int32)
        require(most.shape[1] > 0, "bin_sizes", "those of one feature at least")
        sizes = np.broadcast_to(most, (n_trees, most.shape[1]))
        return BinTable(sizes, np.zeros(0), np.zeros(0), np.zeros_like(sizes, np.int64))
    sizes = given.ints("bin_sizes", (n_trees, None), 0, WIDE_LIMIT - 1, np.int32)
    require(sizes.shape[1] > 0, "bin_sizes", "those of one feature at least")
    lower = given.floats("bin_lower", (None,), finite=False)
    upper = given.floats("bin_upper", (len(lower),), finite=False)
    offsets = given.ints("bin_offsets", sizes.shape, 0, len(lower))
    require(int((offsets + sizes).max()) <= len(lower), "bin_offsets", "places of bins that are there")
    return BinTable(sizes, lower, upper, offsets)
