"""What is known of the rows by which trees are judged, and exact sums over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from madtree.learn.data import USUAL_BLOCK_ROWS, Array, Floats, Grid, Ints, stable_order
from madtree.learn.histogram import Targets
from madtree.learn.problem import Problem

_LIMBS = 2  # of sums of squared errors


@dataclass(frozen=True)
class JudgedRows:
    """What is known of rows.

    Attributes:
        target: (n_limbs, n_rows) as in blocks, or (1, n_rows) classes.
        weight: (n_limbs, n_rows) as in blocks, or None.
        group: (n_rows,) int64.
    """

    target: Array
    weight: Floats | None
    group: Ints

    @classmethod
    def of(cls, targets: Targets) -> JudgedRows:
        one = np.broadcast_to(np.int64(0), targets.n_rows)  # which takes no memory
        group: Ints = one if targets.tree is None else targets.tree.astype(np.int64)
        return cls(np.atleast_2d(targets.target), targets.weight, group)

    def weights(self, problem: Problem, rows: Ints) -> Floats:
        """(m,) weights of `rows` (m,)."""
        if self.weight is None or problem.weight_grid is None:
            return np.ones(len(rows))
        return problem.weight_grid.join(self.weight.take(rows, axis=1), self.group.take(rows))

    def values(self, problem: Problem, rows: Ints) -> Floats:
        """(m,) targets of `rows` (m,), of regression."""
        assert problem.target_grid is not None
        group = self.group.take(rows)
        value = problem.target_grid.join(self.target.take(rows, axis=1), group)
        return value / self.weights(problem, rows) + problem.centre[group]

    def summed(self, problem: Problem, values: Array) -> Floats:
        """(G,) sums of `values` (n_rows,), int8 or float64, times the rows' weights."""
        if self.weight is None and values.dtype == np.int8:
            if problem.n_groups == 1:
                return np.array([values.sum(dtype=np.int64)], np.float64)
            return np.asarray(np.bincount(self.group, values, problem.n_groups), np.float64)
        if self.weight is not None:
            values = self.weights(problem, np.arange(len(values))) * values
        return exact_sums(values, self.group, problem.n_groups)


def exact_sums(values: Floats, group: Ints, n_groups: int) -> Floats:
    """(n_groups,) exact sums of `values` (m,), rounded once for each limb, in whatever order they come."""
    count = np.array([len(values)]) if n_groups == 1 else np.bincount(group, minlength=n_groups)
    largest = np.zeros(n_groups)
    if n_groups == 1:
        largest[0] = max(values.max(initial=0.0), -values.min(initial=0.0))
    elif len(values):
        size = np.abs(values).take(stable_order(group.astype(np.uint32)))
        known = count > 0
        largest[known] = np.maximum.reduceat(size, (np.cumsum(count) - count)[known])
    grid = Grid.choose(largest, count, _LIMBS)
    sums = np.zeros((_LIMBS, n_groups))
    for first in range(0, len(values), USUAL_BLOCK_ROWS):  # so that little memory is taken
        piece = slice(first, first + USUAL_BLOCK_ROWS)
        limbs = grid.split(values[piece], None if n_groups == 1 else group[piece])
        for number, limb in enumerate(limbs):
            sums[number] += np.bincount(group[piece], limb, n_groups)
    return grid.join(sums, np.arange(n_groups))
