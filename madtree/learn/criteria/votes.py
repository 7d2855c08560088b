"""The weighted Gini index, by which trees grow that vote for one of more than two classes (Zhu, Zou, Rosset and Hastie
2009, algorithm 2): weights of classes are whatever trees before have made of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from madtree.learn.criteria.classes import of_classes
from madtree.learn.criteria.criterion import Criterion
from madtree.learn.criteria.gini import gini_gain, gini_impurity
from madtree.learn.criteria.newton import row_counts
from madtree.learn.data import Floats
from madtree.learn.problem import Problem


def with_least_gain(criterion: Criterion, problem: Problem) -> Criterion:
    """With a gain that each split must exceed."""
    return _with_least_gain(criterion, problem.parameters.min_gain)


@lru_cache(maxsize=8)
def _with_least_gain(criterion: Criterion, least: float) -> Criterion:
    def gain(left: Floats, right: Floats) -> Floats:
        found = gini_gain(left, right)
        return np.where(found > least, found, 0.0)

    return replace(criterion, gain=gain)


VOTES = replace(
    of_classes("votes", gini_gain, gini_impurity, rounding=1e-24),
    size=row_counts,
    finds_missing_side=True,
    for_problem=with_least_gain,
)
