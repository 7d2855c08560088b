"""Losses that boosted trees lower: gradients, hessians, and the scores to begin with."""

from __future__ import annotations

from madtree.learn.losses.losses import LEAST_SHARE, LOSS_OF, Loss, OutcomeRange, sigmoid
from madtree.learn.losses.rows import RowLoss

__all__ = ["LEAST_SHARE", "LOSS_OF", "Loss", "OutcomeRange", "RowLoss", "sigmoid"]
