"""The targets, weights and groups of rows that trees predict, and exact sums over them."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Floats, Grid, Ints, pieces_of, stable_order
from madtree.learn.problem import Problem
from madtree.learn.waves import Targets
from madtree.records import dataclass

_LIMBS = 2  # of sums of squared errors


@dataclass(frozen=True)
class RowTargets:
    """The targets of rows, and what they count.

    Attributes:
        target: (n_limbs, n_rows) as in blocks, or (1, n_rows) classes.
        weight: (n_limbs, n_rows) as in blocks, or None.
        group: (n_rows,).
    """

    target: Array
    weight: Floats | None
    group: Ints

    @classmethod
    def of(cls, targets: Targets) -> RowTargets:
        one = np.broadcast_to(np.int64(0), targets.n_rows)  # which takes no memory, but `take` would copy the whole
        group: Ints = one if targets.tree is None else targets.tree
        return cls(np.atleast_2d(targets.target), targets.weight, group)

    def weights(self, problem: Problem, rows: Ints) -> Floats:
        """(m,) weights of `rows` (m,)."""
        if self.weight is None or problem.weight_grid is None:
            return np.ones(len(rows))
        return problem.weight_grid.join(self.weight.take(rows, axis=1), self.group[rows])

    def values(self, problem: Problem, rows: Ints) -> Floats:
        """(m,) targets of `rows` (m,), of regression."""
        assert problem.target_grid is not None
        group = self.group[rows]
        value = problem.target_grid.join(self.target.take(rows, axis=1), group)
        return value / self.weights(problem, rows) + problem.centre[group]

    def weighed(self, problem: Problem, rows: slice, values: Array | int) -> Array | int:
        """(m,) `values` of some rows times their weights; the same where every weight is 1."""
        if self.weight is None:
            return values
        return np.asarray(self.weights(problem, np.arange(rows.start, rows.stop)) * values)

    def summed(self, values: Array, n_groups: int) -> Floats:
        """(n_groups,) sums of `values` (n_rows,), int8 or float64."""
        if values.dtype != np.int8:
            return exact_sums(values, self.group, n_groups)
        if n_groups == 1:
            return np.array([values.sum(dtype=np.int64)], np.float64)
        sums = np.zeros(n_groups)
        for piece in pieces_of(len(values)):
            sums += np.bincount(self.group[piece], values[piece], n_groups)
        return sums


def exact_sums(values: Floats, group: Ints, n_groups: int) -> Floats:
    """(n_groups,) exact sums of `values` (m,), rounded once for each limb, in whatever order they come."""
    count, largest = np.zeros(n_groups, np.int64), np.zeros(n_groups)
    if n_groups == 1:
        count[0], largest[0] = len(values), max(values.max(initial=0.0), -values.min(initial=0.0))
    else:
        for piece in pieces_of(len(values)):
            here = np.bincount(group[piece], minlength=n_groups)
            known = here > 0
            size = np.abs(values[piece]).take(stable_order(group[piece].astype(np.uint32)))
            of_group = np.maximum.reduceat(size, (np.cumsum(here) - here)[known])
            largest[known] = np.maximum(largest[known], of_group)
            count += here
    grid = Grid.choose(largest, count, _LIMBS)
    sums = np.zeros((_LIMBS, n_groups))
    for piece in pieces_of(len(values)):
        limbs = grid.split(values[piece], None if n_groups == 1 else group[piece])
        for number, limb in enumerate(limbs):
            sums[number] += np.bincount(group[piece], limb, n_groups)
    return grid.join(sums, np.arange(n_groups))
