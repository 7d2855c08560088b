"""What there is to learn from: the shape of the data after binning, and what its sums mean."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from madtree.learn.binning import BinTable
from madtree.learn.data import N_SIDES, Array, Bools, Floats, Grid, Ints
from madtree.learn.problem.channels import Channels, over_classes
from madtree.learn.problem.replicas import Replicas
from madtree.learn.problem.tuning import SearchTuning
from madtree.trees import Parameters


def weights_by_class(sums: Floats, n_groups: int, grid: Grid | None, tree: Ints) -> Floats:
    """(n_groups, m) weights, of sums (n_channels, m): rows by group, then each limb of the weights by group.

    Args:
        grid: of the weights; None where every weight is 1.
        tree: (m,) the tree of each column.
    """
    if grid is None:
        return np.asarray(sums[:n_groups])
    return grid.join(sums[n_groups : n_groups * (1 + grid.limbs)].reshape(grid.limbs, n_groups, -1), tree)


@dataclass(frozen=True)
class Problem:
    """A set of trees to be grown on binned data.

    Attributes:
        parameters: of the learner.
        bins: of every feature in every tree.
        unordered: (n_features,) bool.
        n_trees: trees that are grown, all replicas included (learn.problem.replicas).
        rows: (n_trees,) int64 rows of each tree, each as often as it counts, or an upper bound of them.
        n_classes: 0 for regression.
        weight_grid: None where every weight is 1.
        target_grid: of weight times (value - centre); None for classification.
        centre: (n_trees,) what was subtracted from each target value; regression only.
        largest_target: (n_trees,) largest absolute value of target less centre; regression only.
        largest_weight: (n_trees,) largest weight; regression only.
        replicas: how often each row counts in each replica of its tree.
        tuning: sizes and thresholds; they do not travel, so other processes count by the defaults.
    """

    parameters: Parameters
    bins: BinTable
    unordered: Bools
    n_trees: int
    rows: Ints
    n_classes: int
    weight_grid: Grid | None = None
    target_grid: Grid | None = None
    centre: Floats = field(default_factory=lambda: np.zeros(0))
    largest_target: Floats = field(default_factory=lambda: np.zeros(0))
    largest_weight: Floats = field(default_factory=lambda: np.zeros(0))
    replicas: Replicas = field(default_factory=Replicas)
    tuning: SearchTuning = field(default_factory=SearchTuning)

    @property
    def n_replicas(self) -> int:
        return self.replicas.n

    @property
    def n_groups(self) -> int:
        """Trees without their replicas."""
        return self.n_trees // self.n_replicas

    @property
    def most_rows(self) -> int:
        """Rows of the largest tree, which no count of a slot exceeds."""
        return int(self.rows.max())

    def with_replicas(self, replicas: Replicas) -> Problem:
        """The same problem with all replicas of each tree, which share bins and grids."""
        n_replicas = replicas.n

        def tiled(grid: Grid | None) -> Grid | None:
            return grid and Grid(np.tile(grid.exponents, (n_replicas, 1)))

        return replace(
            self,
            bins=self.bins.with_replicas(n_replicas),
            n_trees=self.n_trees * n_replicas,
            rows=np.tile(self.rows, n_replicas),
            weight_grid=tiled(self.weight_grid),
            target_grid=tiled(self.target_grid),
            centre=np.tile(self.centre, n_replicas),
            largest_target=np.tile(self.largest_target, n_replicas),
            largest_weight=np.tile(self.largest_weight, n_replicas),
            replicas=replicas,
        )

    @property
    def channels(self) -> Channels:
        return Channels(
            self.n_classes,
            self.weight_grid.limbs if self.weight_grid else 0,
            self.target_grid.limbs if self.target_grid else 0,
        )

    @property
    def side_channels(self) -> Channels:
        """What is counted for surrogates: rows and weights by side of the primary split."""
        return Channels(N_SIDES, self.channels.weight_limbs)

    def row_counts(self, sums: Array) -> Ints:
        """(m,) rows, of sums (n_channels, m)."""
        counts: Ints = sums[: self.channels.n_counts].sum(axis=0).astype(np.int64)
        return counts

    def class_weights(self, sums: Array, tree: Ints) -> Floats:
        """(K, m) class weights, of sums (n_channels, m) that belong to the trees `tree` (m,)."""
        return weights_by_class(np.asarray(sums, np.float64), self.n_classes, self.weight_grid, tree)

    def weights(self, sums: Array, tree: Ints) -> Floats:
        """(m,) total weight."""
        if self.n_classes:
            return over_classes(self.class_weights(sums, tree))
        if self.weight_grid is None:
            return np.asarray(sums[0], np.float64)
        return self.weight_grid.join(np.asarray(sums[1 : 1 + self.weight_grid.limbs], np.float64), tree)

    def means(self, sums: Array, tree: Ints) -> Floats:
        """(m,) weighted mean of the target less its centre; regression only."""
        return self._means(sums, tree, self.weights(sums, tree))

    def _means(self, sums: Array, tree: Ints, weight: Floats) -> Floats:
        """As `means`, of columns with the `weight` (m,).

        Without weights each limb is divided by itself, so that rows that are all alike have exactly the same mean.
        """
        assert self.target_grid is not None
        limbs = np.asarray(sums[self.channels.count - self.target_grid.limbs :], np.float64)
        if self.weight_grid is None:
            return self.target_grid.join(limbs / weight, tree)
        return self.target_grid.join(limbs, tree) / weight

    def moments(self, sums: Array, tree: Ints) -> Floats:
        """What a split criterion sees of some rows: class weights (K, m); for regression weight and mean (2, m)."""
        if self.n_classes:
            return self.class_weights(sums, tree)
        weight = self.weights(sums, tree)
        return np.stack((weight, self._means(sums, tree, weight)))

    def to_values(self) -> dict[str, Any]:
        """As named values and arrays, for `codec.dump`."""
        return {
            "parameters": asdict(self.parameters),
            "bin_sizes": self.bins.sizes,
            "bin_offsets": self.bins.offsets,
            "replicas": self.replicas.to_value(),
            "bin_lower": self.bins.lower,
            "bin_upper": self.bins.upper,
            "unordered": self.unordered,
            "rows": self.rows,
            "n_classes": self.n_classes,
            "weight_exponents": self.weight_grid and self.weight_grid.exponents,
            "target_exponents": self.target_grid and self.target_grid.exponents,
            "centre": self.centre,
            "largest_target": self.largest_target,
            "largest_weight": self.largest_weight,
        }

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> Problem:
        weight, target = values["weight_exponents"], values["target_exponents"]
        return cls(
            parameters=Parameters(**values["parameters"]),
            bins=BinTable(values["bin_sizes"], values["bin_lower"], values["bin_upper"], values["bin_offsets"]),
            unordered=values["unordered"],
            n_trees=len(values["rows"]),
            rows=values["rows"],
            n_classes=values["n_classes"],
            weight_grid=None if weight is None else Grid(weight),
            target_grid=None if target is None else Grid(target),
            centre=values["centre"],
            largest_target=values["largest_target"],
            largest_weight=values["largest_weight"],
            replicas=Replicas.from_value(values["replicas"]),
        )
