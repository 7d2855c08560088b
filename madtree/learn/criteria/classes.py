"""What all criteria of classes share, and the plainest of them: the rows that are predicted wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from madtree.learn.criteria.criterion import Criterion
from madtree.learn.criteria.judging import Nodes, NodeValues, add_upwards
from madtree.learn.data import Array, Bools, Floats, Ints
from madtree.learn.problem import Problem, over_classes
from madtree.learn.requests import Program
from madtree.records import dataclass

# Class weights are multiplied by factors: costs that differ by less than this share of the largest are equal.
_ROUNDING = 1e-12


def majority_class(weights: Floats) -> Array:
    """The class with most weight; the first of several."""
    return np.asarray(weights.argmax(axis=0))


def minority_weight(weights: Floats) -> Floats:
    """Weight (m,) that the majority class of class weights (K, m) gets wrong."""
    risk: Array = over_classes(weights) - weights.max(axis=0)
    return np.asarray(risk, np.float64)


@dataclass(frozen=True)
class Losses:
    """What mistakes cost: risks and predictions of nodes by losses (Breiman et al. 1984, section 4.4).

    Attributes:
        of: `Problem.losses`.
    """

    of: Floats | None

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


@dataclass(frozen=True)
class ByClass:
    """Nodes of classes: risk and prediction follow from the weights of the classes. A node without risk is pure, and is
    not split.

    Attributes:
        impurity: (m,) from the moments (K, m) of nodes.
        losses: by what mistakes cost; None where each costs what its row weighs.
    """

    impurity: Callable[[Floats], Floats]
    losses: Losses | None = None
    needs_rows: bool = False

    def risk(self, weights: Floats) -> Floats:
        """(m,) of class weights (K, m)."""
        return minority_weight(weights) if self.losses is None else self.losses.risk(weights)

    def prediction(self, weights: Floats) -> Array:
        """(m,) class index, of class weights (K, m)."""
        return majority_class(weights) if self.losses is None else self.losses.prediction(weights)

    def predictions(self, problem: Problem, nodes: Nodes) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.prediction(problem.class_weights(nodes.sums, nodes.tree))

    def may_be_split(self, problem: Problem, sums: Floats, tree: Ints) -> Bools:
        return np.asarray(self.risk(problem.class_weights(sums, tree)) > 0)

    def values(self, problem: Problem, nodes: Nodes) -> Program[NodeValues]:
        yield from ()
        weights = problem.class_weights(nodes.sums, nodes.tree)
        with np.errstate(divide="ignore", invalid="ignore"):  # a fold may have held out all rows of a group
            return NodeValues(
                weight=problem.weights(nodes.sums, nodes.tree),
                impurity=self.impurity(problem.moments(nodes.sums, nodes.tree)),
                risk=self.risk(weights),
                prediction=self.prediction(weights),
                class_weights=weights,
            )

    def held_out_errors(
        self, problem: Problem, nodes: Nodes, values: NodeValues, held_out: Floats
    ) -> Program[tuple[Floats, Floats]]:
        yield from ()
        sums = held_out.copy()
        add_upwards(nodes, sums)
        tested = problem.class_weights(sums, nodes.tree)
        # What a row's mistake costs is its loss times what its class counts.
        cost = (self.losses or Losses(None)).where_predicted(values.prediction, problem.n_classes)
        counts = 1.0 if problem.class_factors is None else problem.class_factors.share[:, nodes.tree]
        return over_classes(tested * cost), over_classes(tested * counts * np.square(cost))

    def fold_error(self, mean_error: Floats) -> Floats:
        return mean_error


def weight_of_classes(problem: Problem, sums: Floats, tree: Ints) -> Floats:
    """What classes count is part of the gain, and so of the weight."""
    return over_classes(problem.moments(sums, tree))


def first_class_share(problem: Problem, sums: Floats, tree: Ints) -> Floats | None:
    """Of two classes the share of the first one, so that the side with less of it is the left one. What a class counts
    does not change the order. None of more classes, of which no order has the best split (Breiman et al. 1984, section
    4.2.2).
    """
    if problem.n_classes >= 3:
        return None
    weights = problem.row_weights(sums, tree)
    share: Floats = weights[0] / weights.sum(axis=0)
    return share


def with_class_params(criterion: Criterion, problem: Problem) -> Criterion:
    """Risk and prediction are those that a problem's `class_params` ask for. With these, class weights are no whole
    numbers, and the bounds that count on it do not apply.
    """
    if problem.parameters.class_params is None:
        return criterion
    assert isinstance(criterion.judging, ByClass)
    judging = replace(criterion.judging, losses=Losses(problem.losses))
    return replace(criterion, judging=judging, quick_gain=None, rough_bin_gains=None, rough_row_gains=None)


def of_classes(
    name: str, gain: Callable[[Floats, Floats], Floats], impurity: Callable[[Floats], Floats], rounding: float = 0.0
) -> Criterion:
    """A criterion of classes without any bounds."""
    return Criterion(
        name=name,
        gain=gain,
        judging=ByClass(impurity),
        weight=weight_of_classes,
        category_scores=first_class_share,
        rounding=rounding,
        for_problem=with_class_params,
    )


def misclassification_gain(left: Floats, right: Floats) -> Floats:
    """max_k l_k + max_k r_k - max_k (l_k + r_k): the weight that is predicted right thanks to the split."""
    gain: Floats = left.max(axis=0) + right.max(axis=0) - (left + right).max(axis=0)
    return gain


def misclassification_impurity(weights: Floats) -> Floats:
    """1 - max p."""
    shares = weights / over_classes(weights)
    return np.asarray(1 - shares.max(axis=0))


def misclassification_quick_gain(upto: Floats, exact: bool) -> Floats:
    del exact
    total = upto[:, :, -1]
    gain: Floats = upto.max(axis=3) + (total[:, :, None] - upto).max(axis=3) - total.max(axis=2)[:, :, None]
    return gain


MISCLASSIFICATION = replace(
    of_classes("misclassification", misclassification_gain, misclassification_impurity, rounding=1e-15),
    quick_gain=misclassification_quick_gain,
    quick_is_exact=True,
    two_class_gain=misclassification_gain,
)
