"""What boosted trees' leaves must keep to: bounds of their values, and penalties of those that part categories.

Bounds are handed down as in LightGBM's basic method and scikit-learn's `monotonic_cst`: where a split's feature is
constrained, the mean of the two children's values bounds all leaves below either of them.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.criteria.judging import Nodes, pairs_upwards
from madtree.learn.data import Bools, Floats, Ints
from madtree.learn.problem import Problem
from madtree.records import dataclass
from madtree.trees import FEW_CATEGORIES


@dataclass(frozen=True)
class LeafTerms:
    """What the leaves of m candidate splits must keep to.

    Attributes:
        l2: (m,) penalty of the two leaves' values, beside that of all leaves.
        lower, upper: (m,) between which they must lie.
        direction: (m,) 1 where the right one must not be lower than the left one, -1 where it must not be higher; or 0.
    """

    l2: Floats
    lower: Floats
    upper: Floats
    direction: Floats

    def of_places(self, places: Ints | slice) -> LeafTerms:
        """Those at some places."""
        return LeafTerms(*(each[places] for each in (self.l2, self.lower, self.upper, self.direction)))


def leaf_terms(problem: Problem, feature: Ints, tree: Ints, bounds: Floats | None) -> LeafTerms | None:
    """Those of splits by each `feature` (m,) in a `tree` (m,), with `bounds` (2, m) of their nodes, None for none. None
    where leaves need not keep to anything.
    """
    if bounds is None and not problem.unordered.any():
        return None
    l2 = penalties(problem, feature, tree)
    if bounds is None and not l2.any():
        return None
    lower, upper = bounds_of_nothing(len(feature)) if bounds is None else bounds
    return LeafTerms(l2, lower, upper, directions(problem)[feature])


def bounds_of_nothing(m: int) -> Floats:
    """(2, m) bounds that bound nothing."""
    return np.repeat([[-np.inf], [np.inf]], m, axis=1)


def directions(problem: Problem) -> Floats:
    """(n_features + 1,) of each feature, as in `LeafTerms`; the last one is that of no split."""
    given = problem.parameters.monotone
    return np.array([*given, 0.0] if given else [0.0] * (len(problem.unordered) + 1))


def has_guards(problem: Problem, feature: Ints, tree: Ints) -> Bools:
    """(m,) whether splits by each `feature` (m,), -1 for none, in a `tree` (m,) part many categories."""
    of_features = problem.bins.sizes if problem.n_categories is None else problem.n_categories
    many = of_features[tree, feature] > FEW_CATEGORIES
    return np.asarray(many & np.append(problem.unordered, False)[feature])


def penalties(problem: Problem, feature: Ints, tree: Ints) -> Floats:
    """(m,) the penalty `cat_l2` of the leaves of splits that part many categories, 0 of others."""
    return np.where(has_guards(problem, feature, tree), problem.parameters.cat_l2, 0.0)


def bounded(problem: Problem, nodes: Nodes, values: Floats) -> tuple[Floats, Floats]:
    """The values (n_nodes,) of nodes, each within its bounds; and (2, n_nodes) the bounds of the leaves below each."""
    bounds = bounds_of_nothing(len(values))
    if not problem.parameters.monotone:
        return values, bounds
    values, direction = values.copy(), directions(problem)[nodes.feature]
    for left, parents in reversed(pairs_upwards(nodes)):
        sides = np.stack((left, left + 1))
        lower, upper = bounds[:, parents]
        middle = np.clip(values[sides], lower, upper).sum(axis=0) / 2
        for side, wrong in zip(sides, (-1.0, 1.0), strict=True):
            # Of a rising feature the right side lies above the middle, and the left one below it.
            bounds[0, side] = np.where(direction[parents] == wrong, middle, lower)
            bounds[1, side] = np.where(direction[parents] == -wrong, middle, upper)
            values[side] = np.clip(values[side], *bounds[:, side])
    return values, bounds
