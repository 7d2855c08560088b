"""The range of targets and of rows' numbers, and the grids on which their sums are exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.learn.data import Floats, Grid, Ints
from madtree.learn.problem import Replicas
from madtree.records import dataclass
from madtree.trees import SUMMED_NUMBERS, WEIGHT

# A target whose mean is larger than so many times its range is centred before it is put on the grid.
_CENTRE_BEYOND = 1024.0


@dataclass(frozen=True)
class Scale:
    """The range of a training's targets and weights, an entry for each tree.

    Attributes:
        rows: (n_trees,) int64.
        centre, largest_target, largest_weight: (n_trees,) float64.
        integral: all that is summed is of whole numbers.
        ranges: (2, n_trees) of each of `RANGED_NUMBERS` that rows have, by name, the smallest and the largest.
    """

    rows: Ints
    centre: Floats
    largest_target: Floats
    largest_weight: Floats
    integral: bool
    ranges: Mapping[str, Floats]

    @classmethod
    def of(
        cls,
        rows: Ints,
        targets: Floats,
        largest_weight: Floats,
        integral: bool,
        ranges: Mapping[str, Floats],
        *,
        is_centred: bool,
    ) -> Scale:
        """From the smallest and largest `targets` (2, n_trees); `is_centred`: as of `OutcomeKind`."""
        low, high = targets
        middle = low / 2 + high / 2
        centre = np.where(is_centred & (np.abs(middle) > _CENTRE_BEYOND * (high - low)), middle, 0.0)
        largest = np.maximum(np.abs(low - centre), np.abs(high - centre))
        return cls(rows, centre, largest, largest_weight, integral and not centre.any(), ranges)

    def drawn(self, replicas: Replicas) -> Scale:
        """With as many rows as count in any replica, at most."""
        return replace(self, rows=replicas.upper_bound(self.rows))

    def one_limb_will_do(self) -> bool:
        """Whether all sums are of whole numbers below 2**53, as far as is known."""
        grids = self.grids(True, True, 1).values()
        return self.integral and all(grid is None or int(grid.exponents.max()) <= 0 for grid in grids)

    def grids(self, weighted: bool, regression: bool, limbs: int) -> dict[str, Grid | None]:
        """Grids of weight times target less centre, of the weights, and of weight times what else is summed of rows, as
        a problem has them.
        """

        def grid(largest: Floats) -> Grid:
            return Grid.choose(largest, self.rows, limbs)

        largest = {WEIGHT.name: self.largest_weight} if weighted else {}
        largest |= {name: most * self.largest_weight for name, (_, most) in self.ranges.items()}
        if regression:
            largest["target"] = self.largest_target * self.largest_weight
        names = ("target", *(each.name for each in SUMMED_NUMBERS))
        return {f"{name}_grid": grid(largest[name]) if name in largest else None for name in names}

    def of_problem(self) -> dict[str, Any]:
        """The ranges as a problem has them."""
        return {name: getattr(self, name) for name in ("centre", "largest_target", "largest_weight", "ranges")}
