"""The channels of a histogram: what is summed for each bin beside the rows themselves."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from madtree.learn.data import Floats, Grid, Ints
from madtree.records import dataclass


@dataclass(frozen=True)
class Channels:
    """What is counted for each cell.

    Attributes:
        n_classes: number of classes; 0 for regression.
        weight_limbs: limbs of the weights; 0 where every weight is 1.
        target_limbs: limbs of weight times target; 0 for classification.
        exposure_limbs: limbs of weight times exposure; 0 where the rows have none.
    """

    n_classes: int
    weight_limbs: int = 0
    target_limbs: int = 0
    exposure_limbs: int = 0

    @cached_property
    def n_counts(self) -> int:
        """Channels that hold row counts: one for each class; regression has one."""
        return max(self.n_classes, 1)

    @property
    def outcome_limbs(self) -> int:
        """Limbs that a block holds as its target: those of the targets, and then of the exposures."""
        return self.target_limbs + self.exposure_limbs

    @property
    def limbs(self) -> int:
        """All that a block's row holds: those of its weight, and of its target."""
        return self.weight_limbs + self.outcome_limbs

    @cached_property
    def count(self) -> int:
        return self.n_counts * (1 + self.weight_limbs) + self.outcome_limbs

    def dtype(self, n_rows: int) -> np.dtype[np.generic]:
        """Row counts alone fit an int32 up to its range; sums of limbs need float64."""
        return np.dtype("<i4") if self.count == self.n_counts and n_rows < 2**31 else np.dtype("<f8")


def over_classes(values: Floats) -> Floats:
    """(m,) sums of values (K, m), class after class however many columns there are and however they lie in memory.

    numpy adds a single column, and columns that lie one after the other, pairwise. That rounds differently, and the
    same candidate must have the same gain in any company.
    """
    if values.shape[1] == 1:
        return np.asarray(values.cumsum(axis=0)[-1])
    return np.asarray(np.ascontiguousarray(values).sum(axis=0))


def weights_by_class(sums: Floats, n_groups: int, grid: Grid | None, tree: Ints) -> Floats:
    """(n_groups, m) weights, of sums (n_channels, m): rows by group, then each limb of the weights by group.

    Args:
        grid: of the weights; None where every weight is 1.
        tree: (m,) the tree of each column.
    """
    if grid is None:
        return np.asarray(sums[:n_groups])
    return grid.join(sums[n_groups : n_groups * (1 + grid.limbs)].reshape(grid.limbs, n_groups, -1), tree)
