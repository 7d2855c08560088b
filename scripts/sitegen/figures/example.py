"""The data of the figures: 600 points of two classes on a plane, and a tree that madtree's learner grows on them."""

from __future__ import annotations

import numpy as np

from madtree.learn.data.types import Bools, Floats
from madtree.learn.packing import RawRows, prepare
from madtree.learn.prune.outcome import Outcome
from madtree.learn.prune.program import train_at_hand
from madtree.trees import FeatureKind
from madtree.trees.parameters import Parameters

N_POINTS = 600


def points() -> tuple[Floats, Floats, Bools]:
    """x and z between 0 and 100, and the class: two areas, each with a corner cut off, and one row of ten wrong."""
    rng = np.random.default_rng(5)
    x, z = 100 * rng.random((2, N_POINTS))
    wrong = rng.random(N_POINTS) < 0.1
    return x, z, np.where(x > 50, (z > 30) & ~((x > 85) & (z > 75)), (z < 18) & (x > 12)) ^ wrong


def tree(max_depth: int) -> Outcome:
    """The tree on the points, exact, with leaves of at least 10 rows."""
    x, z, label = points()
    rows = RawRows(np.vstack([x, z]), label.astype(np.float64), None, None)
    parameters = Parameters("gini", max_depth=max_depth, min_split=30, min_bucket=10, n_bins=0, cp=0.01)
    problem, block = prepare(rows, 1, 2, [FeatureKind.CONTINUOUS] * 2, parameters)
    return train_at_hand(problem, [block])[0]
