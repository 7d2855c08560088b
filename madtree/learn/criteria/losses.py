"""What mistakes cost: risks and predictions of nodes by losses (Breiman et al. 1984, section 4.4)."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Floats
from madtree.learn.problem import Problem, over_classes
from madtree.records import dataclass

# Class weights are multiplied by factors: costs that differ by less than this share of the largest are equal.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Losses:
    """The costs of predicting each class.

    Attributes:
        of: (K, K) what it costs to predict the second class where the first one is true; None where every mistake
            costs 1.
    """

    of: Floats | None

    @classmethod
    def of_problem(cls, problem: Problem) -> Losses:
        params = problem.parameters.class_params
        if params is None or params.loss is None:
            return cls(None)
        return cls(np.array(params.loss).reshape(problem.n_classes, problem.n_classes))

    def costs(self, weights: Floats) -> Floats:
        """(K, m) what it costs to predict each class for rows with the class weights (K, m)."""
        if self.of is None:
            return np.asarray(over_classes(weights) - weights)
        costs = np.zeros_like(weights)
        for true, loss in enumerate(self.of):
            costs += loss[:, None] * weights[true]
        return costs

    def risk(self, weights: Floats) -> Floats:
        """(m,) the least cost."""
        least: Floats = self.costs(weights).min(axis=0)
        return least

    def prediction(self, weights: Floats) -> Array:
        """(m,) the class that costs least; the first of several."""
        costs = self.costs(weights)
        cheap = costs - costs.min(axis=0) <= _ROUNDING * costs.max(axis=0)
        return np.asarray(cheap.argmax(axis=0))

    def where_predicted(self, predicted: Array, n_classes: int) -> Floats:
        """(K, m) what rows of each class cost where the classes `predicted` (m,) are."""
        if self.of is None:
            return np.asarray(np.arange(n_classes)[:, None] != predicted, np.float64)
        return np.asarray(self.of[:, predicted])
