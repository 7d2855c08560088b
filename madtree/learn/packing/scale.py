"""The range of targets, weights, exposures and offsets, and the grids on which their sums are exact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.learn.data import Floats, Grid, Ints
from madtree.learn.problem import Replicas
from madtree.records import dataclass

# A target whose mean is larger than so many times its range is centred before it is put on the grid.
_CENTRE_BEYOND = 1024.0


@dataclass(frozen=True)
class Scale:
    """The range of a training's targets and weights, an entry for each tree.

    Attributes:
        rows: (n_trees,) int64.
        centre, largest_target, largest_weight: (n_trees,) float64.
        integral: every target, weight and exposure is a whole number.
        least_exposure, largest_exposure: (n_trees,) float64, or None where rows have no exposure.
        least_offset, largest_offset: (n_trees,) float64, or None where rows have no offset.
    """

    rows: Ints
    centre: Floats
    largest_target: Floats
    largest_weight: Floats
    integral: bool
    least_exposure: Floats | None = None
    largest_exposure: Floats | None = None
    least_offset: Floats | None = None
    largest_offset: Floats | None = None

    @classmethod
    def not_centred(
        cls,
        rows: Ints,
        largest_target: Floats,
        largest_weight: Floats,
        integral: bool,
        exposure: tuple[Floats, Floats] | None,
        offset: tuple[Floats, Floats] | None = None,
    ) -> Scale:
        """Of targets that are summed as they are: from the largest absolute one, and the smallest and largest exposure
        and offset, of each tree.
        """
        ranges = *(exposure or (None, None)), *(offset or (None, None))
        return cls(rows, np.zeros(len(rows)), largest_target, largest_weight, integral, *ranges)

    @classmethod
    def of_range(
        cls,
        rows: Ints,
        low: Floats,
        high: Floats,
        largest_weight: Floats,
        integral: bool,
        offset: tuple[Floats, Floats] | None = None,
    ) -> Scale:
        """From the smallest and largest target, and offset, of each tree."""
        middle = low / 2 + high / 2
        centre = np.where(np.abs(middle) > _CENTRE_BEYOND * (high - low), middle, 0.0)
        largest = np.maximum(np.abs(low - centre), np.abs(high - centre))
        is_integral = integral and not centre.any()
        return cls(rows, centre, largest, largest_weight, is_integral, None, None, *(offset or (None, None)))

    def drawn(self, replicas: Replicas) -> Scale:
        """With as many rows as count in any replica, at most."""
        return replace(self, rows=replicas.upper_bound(self.rows))

    def one_limb_will_do(self) -> bool:
        """Whether all sums are of whole numbers below 2**53, as far as is known."""
        grids = self.grids(True, True, 1).values()
        return self.integral and all(grid is None or int(grid.exponents.max()) <= 0 for grid in grids)

    def grids(self, weighted: bool, regression: bool, limbs: int) -> dict[str, Grid | None]:
        """Grids of the weights, of weight times target less centre, and of weight times exposure, as a problem has
        them.
        """

        def grid(largest: Floats) -> Grid:
            return Grid.choose(largest, self.rows, limbs)

        return {
            "weight_grid": grid(self.largest_weight) if weighted else None,
            "target_grid": grid(self.largest_target * self.largest_weight) if regression else None,
            "exposure_grid": (
                None if self.largest_exposure is None else grid(self.largest_exposure * self.largest_weight)
            ),
        }

    def ranges(self) -> dict[str, Floats]:
        """The ranges as a problem has them."""
        ranges = {name: getattr(self, name) for name in ("centre", "largest_target", "largest_weight")}
        ends = [f"{which}_{what}" for what in ("exposure", "offset") for which in ("least", "largest")]
        return ranges | {name: found for name in ends if (found := getattr(self, name)) is not None}
