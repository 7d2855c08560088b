"""The mean losses of boosted rows after each round: what is told of them, and when they end the growth."""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Grid, Ints
from madtree.learn.prune import RoundColumns
from madtree.records import dataclass
from madtree.trees import BoostParameters

_LOSS_LIMBS = 2  # so that losses may be much larger than they are at first, and sums still have all digits
_ROOM = 2.0**20  # how many times


@dataclass
class RoundLosses:
    """Losses (n_rounds + 1, G) by round, so far, and which groups go on.

    Attributes:
        patience, tolerance: as in `BoostParameters`.
        loss_grid, weight_grid: of the rows' losses and weights; None where all weights are 1.
        grown: (G,) the rounds of each group. One that has ended has rows in the rounds of the others, too, whose trees
            are no part of its model.
    """

    patience: int
    tolerance: float
    loss_grid: Grid
    weight_grid: Grid | None
    grown: Ints
    training: list[Floats]
    held_out: list[Floats]

    @classmethod
    def before_all(
        cls, parameters: BoostParameters, rows: Ints, largest: Floats, weight_grid: Grid | None
    ) -> RoundLosses:
        """`rows`: (G,) of each group; `largest`: (G,) that a row's loss may be at first."""
        loss_grid = Grid.choose(largest * _ROOM, rows, _LOSS_LIMBS)
        grown = np.zeros(len(rows), np.int64)
        return cls(parameters.patience, parameters.tolerance, loss_grid, weight_grid, grown, [], [])

    @property
    def values(self) -> dict[str, Any]:
        """What asks for the sums that are added, beside the loss."""
        weight = self.weight_grid and self.weight_grid.exponents
        return {"sum_loss_exponents": self.loss_grid.exponents, "sum_weight_exponents": weight}

    def kept(self, most: Ints) -> Ints:
        """(G,) the rounds of each model: at least one, and at most so many (G,); the first ones up to the least loss of
        the rows held out, or all where none are.
        """
        losses, most = np.stack(self.held_out), np.minimum(self.grown, most)
        unknown = np.isnan(losses) | (np.arange(len(losses))[:, None] > most)
        best: Ints = np.where(unknown, np.inf, losses).argmin(axis=0)
        return np.maximum(np.where(unknown.all(axis=0), most, best), 1)

    def go_on(self) -> Bools:
        """(G,) groups that have had a lower loss within the last rounds."""
        losses = np.stack(self.held_out)
        if len(losses) <= self.patience:
            return np.ones(losses.shape[1], np.bool_)
        before, since = losses[: -self.patience], losses[-self.patience :]
        with np.errstate(invalid="ignore"):
            lower = since.min(axis=0) < before.min(axis=0) - self.tolerance
        return np.asarray(lower | np.isnan(losses[-1]))

    def add(self, sums: Array) -> Ints:
        """Add the mean losses of now, of the sums over all rows; (2, G) the rows in training, and those held out."""
        tree, n_rows = np.arange(len(self.grown)), sums[:, 0]
        total = np.stack([self.loss_grid.join(part[1 : 1 + _LOSS_LIMBS], tree) for part in sums])
        weight = n_rows
        if self.weight_grid is not None:
            weight = np.stack([self.weight_grid.join(part[1 + _LOSS_LIMBS :], tree) for part in sums])
        with np.errstate(divide="ignore", invalid="ignore"):
            training, held_out = total / weight
        self.training.append(training)
        self.held_out.append(held_out)
        return n_rows.astype(np.int64)

    def newest(self) -> tuple[float | None, float | None]:
        """As `StepReport.losses`."""
        return _of_one(self.training[-1]), _of_one(self.held_out[-1])

    def columns(self, groups: Ints, kept: Bools) -> RoundColumns:
        """By group and round, of those (G,) that are kept."""
        at, number = np.nonzero((np.arange(len(self.training)) <= self.grown[:, None]) & kept[:, None])
        training, held_out = (np.stack(each)[number, at] for each in (self.training, self.held_out))
        return RoundColumns(groups[at], number, training, held_out)


def _of_one(losses: Floats) -> float | None:
    return float(losses[0]) if len(losses) == 1 and np.isfinite(losses[0]) else None
