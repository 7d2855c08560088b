"""Losses that boosted trees lower: gradients, hessians, and the scores to begin with."""

from __future__ import annotations

from madtree.learn.losses.losses import LEAST_HESSIAN, Loss, OutcomeRange, leaf_steps, newton_step, sigmoid
from madtree.learn.losses.quantiles import quantiles_of_places
from madtree.learn.losses.rows import RowLoss
