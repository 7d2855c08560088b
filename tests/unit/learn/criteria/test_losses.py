"""Risks and predictions by losses, and by how much classes count."""

from __future__ import annotations

import numpy as np

from madtree.learn.criteria.classes import Losses
from madtree.learn.problem.class_factors import ClassFactors
from madtree.trees import ClassParams


def test_the_class_that_costs_least_is_predicted_and_its_cost_is_the_risk() -> None:
    losses = Losses(np.array([[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [1.0, 1.0, 0.0]]))
    weights = np.array([[10.0, 4.0, 0.0], [1.0, 2.0, 0.0], [3.0, 0.0, 7.0]])
    assert losses.costs(weights)[:, 0].tolist() == [5 * 1 + 3, 10 + 3, 2 * 10 + 1]
    assert losses.prediction(weights).tolist() == [0, 1, 2]
    assert losses.risk(weights).tolist() == [8, 4, 0]
    assert losses.where_predicted(np.array([2, 0]), 3).tolist() == [[2, 0], [1, 5], [0, 1]]


def test_of_classes_that_cost_the_same_but_for_rounding_the_first_is_predicted() -> None:
    weights = np.array([[0.3], [0.1 + 0.2]])
    assert weights[1, 0] > weights[0, 0]
    assert Losses(None).prediction(weights).tolist() == [0]


def test_factors_are_priors_over_frequencies_and_for_splits_times_what_mistakes_cost() -> None:
    """As `prior` and `aprior` in rpart's src/gini.c; a class without rows has none."""
    weights = np.array([[30.0, 8.0], [10.0, 0.0]])
    params = ClassParams(prior=(0.5, 0.5), loss=(0, 1, 3, 0))
    factors = ClassFactors.of(params, weights, weights)
    np.testing.assert_allclose(factors.share, [[0.5 / 0.75, 0.5], [0.5 / 0.25, 0.0]])
    np.testing.assert_allclose(factors.split, [[0.5 / 0.75 / 2, 0.5], [3 * 0.5 / 0.25 / 2, 0.0]])
    np.testing.assert_allclose((factors.split * weights).sum(axis=0), (factors.share * weights).sum(axis=0))
