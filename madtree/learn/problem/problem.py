"""What there is to learn from: the shape of the data after binning, and what its sums mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from madtree.learn.binning import BinTable
from madtree.learn.data import N_SIDES, WIDE_LIMIT, Array, Block, Bools, Floats, Grid, Ints, Values, require
from madtree.learn.problem.bootstrap import replicas_of
from madtree.learn.problem.channels import Channels, over_classes, weights_by_class
from madtree.learn.problem.class_factors import ClassFactors
from madtree.learn.problem.parameters import bins_of, parameters_of
from madtree.learn.problem.replicas import Replicas
from madtree.learn.problem.rounding import Rounding, rounding_of
from madtree.learn.problem.tuning import SearchTuning
from madtree.records import dataclass
from madtree.trees import OFFSET, RANGED_NUMBERS, SUMMED_NUMBERS, NodeLayout, Parameters

_MOST_ROWS = 2**48
# Attributes of a problem that have an entry for each tree: the grids, of these names, and the ranges of numbers.
_GRIDS = ("target", *(each.name for each in SUMMED_NUMBERS))
_OF_TARGETS = ("centre", "largest_target", "largest_weight")


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
        exposure_grid: of weight times exposure; None where all exposures are 1.
        centre: (n_trees,) what was subtracted from each target value; regression only.
        largest_target, largest_weight: (n_trees,) of target less centre the largest absolute value; regression only.
        ranges: (2, n_trees) of each of `RANGED_NUMBERS` that rows have, by name, the smallest and the largest.
        replicas: how often each row counts in each replica of its tree.
        rounding: how blocks' limbs come onto the problem's grids, which are coarser; None where they are on these.
        tuning: sizes and limits; they do not travel, so other processes count by the defaults.
        class_factors: by what class weights are multiplied, from when the roots are counted (`with_class_factors`);
            None where each counts as it is. They do not travel: counting does not need them.
        n_categories: (n_trees, n_features) that rows in training have; None for all that there are bins of. The same.
        found: what other rooms have found in it and keep, by name, as a problem never changes.
    """

    parameters: Parameters
    bins: BinTable
    unordered: Bools
    n_trees: int
    rows: Ints
    n_classes: int
    weight_grid: Grid | None = None
    target_grid: Grid | None = None
    exposure_grid: Grid | None = None
    centre: Floats = field(default_factory=lambda: np.zeros(0))
    largest_target: Floats = field(default_factory=lambda: np.zeros(0))
    largest_weight: Floats = field(default_factory=lambda: np.zeros(0))
    ranges: Mapping[str, Floats] = field(default_factory=dict)
    replicas: Replicas = field(default_factory=Replicas)
    rounding: Rounding | None = None
    tuning: SearchTuning = field(default_factory=SearchTuning)
    class_factors: ClassFactors | None = None
    n_categories: Ints | None = None
    found: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    KNOWN: ClassVar[str] = "problem"  # among values: the problem that they are about, where it was read before

    @property
    def n_replicas(self) -> int:
        return self.replicas.n

    @property
    def n_groups(self) -> int:
        """Trees without their replicas."""
        return self.n_trees // self.n_replicas

    @property
    def n_main(self) -> int:
        """Trees that are there for themselves, those of the first index: all but the ones for cross-validation."""
        return self.n_groups if self.replicas.validate else self.n_trees

    @property
    def has_offsets(self) -> bool:
        """Whether blocks hold scores that rows have before any tree."""
        return OFFSET.name in self.ranges

    @property
    def keeps_outcomes(self) -> bool:
        """Whether blocks hold outcomes beside their products with weights; not with those with exposures, too."""
        return self.parameters.keeps_outcomes and self.weight_grid is not None and self.exposure_grid is None

    @property
    def node_layout(self) -> NodeLayout:
        """How nodes are packed."""
        return NodeLayout(self.n_classes > 0, self.n_classes, self.weight_grid is not None, bool(self.unordered.any()))

    @cached_property
    def feature_costs(self) -> Floats:
        """(n_features,) what gains of splits by each feature are divided by."""
        costs = self.parameters.feature_costs
        return np.array(costs, np.float64) if costs else np.ones(len(self.unordered))

    @cached_property
    def losses(self) -> Floats | None:
        """(K, K) what it costs to predict the second class where the first one is true; None: every mistake costs 1."""
        params = self.parameters.class_params
        return np.array(params.loss).reshape(self.n_classes, -1) if params and params.loss is not None else None

    @cached_property
    def most_rows(self) -> int:
        """Rows of the largest tree, which no count of a slot exceeds."""
        return int(self.rows.max())

    def with_replicas(self, replicas: Replicas) -> Problem:
        """This problem with all replicas of each tree, which share bins and grids."""
        tiled: dict[str, Any] = {name: np.tile(getattr(self, name), replicas.n) for name in _OF_TARGETS}
        tiled["ranges"] = {name: np.tile(ends, replicas.n) for name, ends in self.ranges.items()}
        for name, grid in self._grids().items():
            tiled[f"{name}_grid"] = grid and Grid(np.tile(grid.exponents, (replicas.n, 1)))
        return replace(
            self,
            bins=self.bins.with_replicas(replicas.n),
            n_trees=self.n_trees * replicas.n,
            rows=np.tile(replicas.upper_bound(self.rows), replicas.n),
            replicas=replicas,
            **tiled,
        )

    @property
    def is_packed(self) -> bool:
        """Whether gradient, hessian and row may be counted as one number, where rows are in the order of nodes."""
        return self.rounding is not None and self.rounding.everywhere

    def packed(self, block: Block, rows: Ints | None = None, out: Floats | None = None) -> Floats:
        """(n,) `rows` (n,) of a block, None for all, as one number each, where they may be counted so."""
        assert self.rounding is not None
        assert self.target_grid is not None
        assert self.weight_grid is not None
        return self.rounding.packed_rows(block, self.target_grid, self.weight_grid, rows, out)

    def counted(self, block: Block) -> Block:
        """A block as its rows are counted."""
        if self.rounding is None or self.target_grid is None or self.weight_grid is None:
            return block
        return self.rounding.rounded(block, self.target_grid, self.weight_grid)

    def _grids(self) -> dict[str, Grid | None]:
        return {name: getattr(self, f"{name}_grid") for name in _GRIDS}

    def with_class_factors(self, roots: Array) -> Problem:
        """This problem with the factors that its parameters ask for, from the sums of `roots` (n_channels, n_trees)."""
        params, n_groups = self.parameters.class_params, self.n_groups
        if params is None:
            return self
        whole = np.asarray(roots[:, :n_groups], np.float64)
        weights = weights_by_class(whole, self.n_classes, self.weight_grid, np.arange(n_groups))
        factors = ClassFactors.of(params, weights, whole[: self.n_classes])
        return replace(self, class_factors=factors.tiled(self.n_replicas))

    @cached_property
    def channels(self) -> Channels:
        return Channels(
            self.n_classes,
            self.weight_grid.limbs if self.weight_grid else 0,
            self.target_grid.limbs if self.target_grid else 0,
            self.exposure_grid.limbs if self.exposure_grid else 0,
        )

    @property
    def side_channels(self) -> Channels:
        """What is counted for surrogates: rows and weights by side of the primary split."""
        return Channels(N_SIDES, self.channels.weight_limbs)

    def row_counts(self, sums: Array) -> Ints:
        """(m,) rows, of sums (n_channels, m)."""
        n_counts = self.channels.n_counts
        return np.asarray(sums[0] if n_counts == 1 else sums[:n_counts].sum(axis=0)).astype(np.int64)

    def class_weights(self, sums: Array, tree: Ints) -> Floats:
        """(K, m) class weights, of sums (n_channels, m) that belong to the trees `tree` (m,): of the rows of each
        class, times what the class counts.
        """
        weights = self.row_weights(sums, tree)
        return weights if self.class_factors is None else weights * self.class_factors.share[:, tree]

    def row_weights(self, sums: Array, tree: Ints) -> Floats:
        """(K, m) weight of the rows of each class."""
        return weights_by_class(np.asarray(sums, np.float64), self.n_classes, self.weight_grid, tree)

    def weights(self, sums: Array, tree: Ints) -> Floats:
        """(m,) total weight of the rows."""
        if self.n_classes:
            return over_classes(self.row_weights(sums, tree))
        if self.weight_grid is None:
            return np.asarray(sums[0], np.float64)
        return self.weight_grid.join(np.asarray(sums[1 : 1 + self.weight_grid.limbs], np.float64), tree)

    def exposures(self, sums: Array, tree: Ints) -> Floats:
        """(m,) weighted sum of the exposures, which is the weight where rows have none."""
        if self.exposure_grid is None:
            return self.weights(sums, tree)
        limbs = np.asarray(sums[self.channels.count - self.exposure_grid.limbs :], np.float64)
        return self.exposure_grid.join(limbs, tree)

    def events(self, sums: Array, tree: Ints) -> Floats:
        """(m,) weighted sum of the target less its centre: of counts, the events."""
        assert self.target_grid is not None
        return self.target_grid.join(self._target_limbs(sums), tree)

    def _target_limbs(self, sums: Array) -> Floats:
        first = self.channels.count - self.channels.outcome_limbs
        return np.asarray(sums[first : first + self.channels.target_limbs], np.float64)

    def means(self, sums: Array, tree: Ints) -> Floats:
        """(m,) weighted mean of the target less its centre; of counts, the rate. Regression only."""
        return self._means(sums, tree, self.exposures(sums, tree))

    def _means(self, sums: Array, tree: Ints, exposure: Floats) -> Floats:
        """As `means`, of columns with the `exposure` (m,).

        Without weights and exposures each limb is divided by itself, so that rows that are all alike have exactly the
        same mean.
        """
        assert self.target_grid is not None
        if self.weight_grid is None and self.exposure_grid is None:
            return self.target_grid.join(self._target_limbs(sums) / exposure, tree)
        return self.events(sums, tree) / exposure

    def moments(self, sums: Array, tree: Ints) -> Floats:
        """What a split criterion sees of some rows: class weights (K, m), with losses taken into account; for
        regression weight and mean (2, m), of counts exposure and rate.
        """
        if self.n_classes:
            weights = self.row_weights(sums, tree)
            return weights if self.class_factors is None else weights * self.class_factors.split[:, tree]
        exposure = self.exposures(sums, tree)
        return np.stack((exposure, self._means(sums, tree, exposure)))

    def to_values(self) -> dict[str, Any]:
        """As named values and arrays, for `codec.dump`."""
        parameters, class_params = vars(self.parameters), self.parameters.class_params
        return {
            "parameters": {**parameters, "class_params": class_params and asdict(class_params)},
            "bin_sizes": self.bins.sizes,
            "bin_offsets": self.bins.offsets,
            "replicas": self.replicas.to_value(),
            **({} if self.rounding is None else self.rounding.to_values()),
            "bin_lower": self.bins.lower,
            "bin_upper": self.bins.upper,
            "unordered": self.unordered,
            "rows": self.rows,
            "n_classes": self.n_classes,
            **{f"{name}_exponents": grid and grid.exponents for name, grid in self._grids().items()},
            **{name: getattr(self, name) for name in _OF_TARGETS},
            **{f"{name}_range": ends for name, ends in self.ranges.items()},
        }

    def counting_values(self) -> dict[str, Any]:
        """What whoever counts only needs to know: of the bins no more than how many each feature has at most."""
        without = {f"bin_{name}": None for name in ("offsets", "lower", "upper")}
        return {**self.to_values(), **without, "bin_sizes": (self.bins.widths - 1).astype(np.int32)[None]}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Problem:
        """What `to_values` tells of, or what stands there as `KNOWN`; raises MadtreeError where that is no problem."""
        if isinstance(known := values.get(cls.KNOWN), Problem):
            return known
        given = Values(values)
        n_classes = given.integer("n_classes", 0, WIDE_LIMIT)
        parameters = parameters_of(Values(given.mapping("parameters")), n_classes)
        rows = given.ints("rows", (None,), 0, _MOST_ROWS)
        n_trees, replicas = len(rows), replicas_of(given)
        require(n_trees > 0 and n_trees % replicas.n == 0, "rows", "those of each tree in every replica")
        bins = bins_of(given, n_trees)
        require(parameters.fit(bins.sizes.shape[1]), "parameters", "those of all features, or of none")
        grids = {name: Grid.from_values(given, f"{name}_exponents", n_trees) for name in _GRIDS}
        of_numbers = grids["target"] is not None
        require(of_numbers == (n_classes == 0), "target_exponents", "those of a regression, and of no other tree")
        require(grids["exposure"] is None or parameters.outcome.has_second, "exposure_exponents", "of counts only")
        by_tree: dict[str, Any] = {f"{name}_grid": grid for name, grid in grids.items()}
        for name in _OF_TARGETS:
            is_there = of_numbers or np.size(values.get(name, ()))
            by_tree[name] = given.floats(name, (n_trees if is_there else 0,), finite=False)
        by_tree["ranges"] = {
            each.name: given.floats(f"{each.name}_range", (2, n_trees), finite=False)
            for each in RANGED_NUMBERS
            if (grids[each.name] is not None if each.is_summed else f"{each.name}_range" in given)
        }
        return cls(
            parameters=parameters,
            bins=bins,
            unordered=given.bools("unordered", (bins.sizes.shape[1],)),
            n_trees=n_trees,
            rows=rows,
            n_classes=n_classes,
            replicas=replicas,
            rounding=rounding_of(given, n_trees),
            **by_tree,
        )
