"""The scores of all rows of a boosted model, from tree to tree: what they begin with, what trees add to them, and the
gradients that follow from them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from madtree.learn.counting import CountRequest
from madtree.learn.criteria import NodeValues, criterion_of
from madtree.learn.data import Array, Floats, Grid
from madtree.learn.ensemble.leaf_values import GrownLeaves, places_of_leaves, quantile_values, with_values
from madtree.learn.ensemble.quantiles import ResidualPlaces, residual_quantiles
from madtree.learn.grow import GrowingTrees
from madtree.learn.losses import RowLoss
from madtree.learn.problem import Problem
from madtree.learn.requests import Program, ReplaceRequest, SumsRequest
from madtree.learn.route import Routing
from madtree.trees import LOSSES, OFFSET

# To the best scores to begin with, where rows have offsets. What is left after a step is about its square.
_MOST_STEPS, _SMALL_STEP = 30, 1e-7


class RowScores:
    """The scores of all rows.

    Attributes:
        threshold: (G,) of the loss, for the next trees; None where it has none.
        first_threshold: (G,) for the first trees, by which losses are told: so those of all rounds are comparable. NaN
            where there is none.
    """

    def __init__(
        self, packed: Problem, problem: Problem, loss: RowLoss, weight_grid: Grid | None, sums: dict[str, Any]
    ) -> None:
        """
        Args:
            packed: by which blocks are packed.
            problem: of a tree, with all rows in training.
            weight_grid: of what rows count for; None where all count alike.
            sums: the values that ask for the sums of losses (`RoundLosses.values`).
        """
        self._packed, self._problem, self._loss, self._weight_grid = packed, problem, loss, weight_grid
        self._sums = sums
        self.threshold: Floats | None = None
        self.first_threshold: Floats = np.full(packed.n_trees, np.nan)

    def begin(self, base: Floats) -> Program[tuple[Floats, Array]]:
        """Give rows the scores (G, n_scores) that they begin with, which are returned, and the sums of their losses."""
        base = yield from self._first_scores(base)
        sums: Array = yield SumsRequest("loss", {**self.loss_values, **self._said}, self._problem)
        return base, sums

    def _first_scores(self, base: Floats) -> Program[Floats]:
        """Of a loss whose leaves add quantiles, scores begin with that of the outcomes. Where rows have offsets, scores
        are added to these, and it is the best ones that are.
        """
        loss, packed = self._loss.of(None), self._packed
        if packed.has_offsets and self._loss.level is None:
            least, largest = packed.ranges[OFFSET.name]
            anchor = least + loss.anchor * (largest - least)
            base = base - anchor[:, None]
        factors = self._packed.class_factors
        by_class = None if factors is None else factors.share
        first = {**self._always, "base": base, "class_weight": by_class, "added_to": 0, "next": 0}
        yield ReplaceRequest(self._function, first, self._packed)
        if self._loss.level is None:
            return (yield from self._to_best(base)) if packed.has_offsets else base
        found = yield from residual_quantiles(self._roots, self._loss.level)
        yield from self._add_to_all(found)
        if LOSSES[self._loss.loss].has_threshold:
            yield from self._find_threshold({})
            assert self.threshold is not None
            self.first_threshold = self.threshold
        return base + found[:, None]

    def values(self, problem: Problem, growing: GrowingTrees, grown: GrownLeaves) -> Program[NodeValues]:
        """What the nodes of grown trees say."""
        if self._loss.level is None:
            return (yield from criterion_of(problem).judging.values(problem, growing))
        rows = places_of_leaves(problem, growing, grown, self.loss_values, self._weight_grid)
        # A row's residual is at most what a gradient of squares may be.
        values = yield from quantile_values(rows, self._loss.level, self.threshold, self._problem.largest_target)
        return with_values(problem, growing, grown, values)

    def add(self, problem: Problem, grown: GrownLeaves, values: NodeValues, score: int) -> Program[Array]:
        """Add what trees say to that score of each row; then gradients are those by the next score. The answer is the
        sums of losses, after the last score.
        """
        changed = {"node_value": values.prediction[grown.above], "added_to": score}
        following = (score + 1) % self._loss.n_scores
        asked = {} if following else self._said
        named = {**self._always, **changed, "next": following, **(asked if self.threshold is None else {})}
        sums: Array = yield ReplaceRequest(self._function, named, problem, grown.way)
        return sums if self.threshold is None else (yield from self._find_threshold(asked))

    def _add_to_all(self, values: Floats) -> Program[None]:
        """Add a number (G,) to the scores of each group's rows."""
        changed = {**self._always, "node_value": values, "added_to": 0, "next": 0}
        yield ReplaceRequest(self._function, changed, self._problem, self._roots.routing)

    def _to_best(self, base: Floats) -> Program[Floats]:
        """The scores `base` (G, 1) with what has been added to them so that the rows' loss is the least."""
        problem, roots, loss = self._problem, self._roots, self._loss.of(None)
        groups = np.arange(len(base), dtype=np.int32)
        is_open = np.ones(len(base), np.bool_)
        for _ in range(_MOST_STEPS):
            sums: Floats = yield CountRequest("totals", problem, roots.routing, groups, len(groups))
            with np.errstate(all="ignore"):
                step = loss.to_best(problem.events(sums, groups), problem.weights(sums, groups))
            # Groups without rows, and those whose outcomes no score is too large or too small for, stay where they are.
            step = np.where(is_open & np.isfinite(step), step, 0.0)
            is_open = np.abs(step) > _SMALL_STEP
            base = base + step[:, None]
            yield from self._add_to_all(step)
            if not is_open.any():
                break
        return base

    @property
    def _said(self) -> dict[str, Any]:
        """The values that ask for the sums of losses, by which rounds are compared: by the threshold of the first."""
        return {**self._sums, "sum_threshold": None if self.threshold is None else self.first_threshold}

    @property
    def _function(self) -> str:
        """The name of what makes the columns of the next trees."""
        return "voted" if self._loss.of_votes else "boosted"

    @cached_property
    def loss_values(self) -> dict[str, Any]:
        """The values that tell of the loss."""
        return {
            "loss": self._loss.loss,
            "n_scores": self._loss.n_scores,
            "weighted": self._loss.weighted,
            "quantile": self._loss.quantile,
        }

    @property
    def _always(self) -> dict[str, Any]:
        grids = {"target": self._problem.target_grid, "weight": self._problem.weight_grid}
        exponents = {f"next_{name}_exponents": grid and grid.exponents for name, grid in grids.items()}
        return {**self.loss_values, "threshold": self.threshold, **exponents}

    def _find_threshold(self, asked: dict[str, Any]) -> Program[Array]:
        """Find the threshold anew, and the gradients by it; the answer to what is `asked` with these."""
        quantile = self._loss.quantile
        assert quantile is not None
        self.threshold = yield from residual_quantiles(self._roots, quantile, absolute=True)
        values = {**self._always, "added_to": 0, "next": 0, **asked}
        sums: Array = yield ReplaceRequest(self._function, values, self._problem)
        return sums

    @cached_property
    def _roots(self) -> ResidualPlaces:
        """All rows in training, by their groups."""
        groups = np.arange(self._packed.n_trees)
        routing = Routing.leaves(0, len(groups))
        return ResidualPlaces(self._problem, routing, groups, groups, self.loss_values, self._weight_grid)
