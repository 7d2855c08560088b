"""Losses that boosted trees lower: gradients, hessians, and the scores to begin with."""

from __future__ import annotations

from madtree.learn.losses.losses import LEAST_SHARE, Loss, OutcomeRange, newton_step, sigmoid
from madtree.learn.losses.quantiles import quantiles_of_places
from madtree.learn.losses.rows import RowLoss

__all__ = ["LEAST_SHARE", "Loss", "OutcomeRange", "RowLoss", "newton_step", "quantiles_of_places", "sigmoid"]
