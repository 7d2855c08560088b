"""What rows that a tree has not seen say of a forest (Breiman 2001, sections 3.1 and 10): its error, and the importance
of each feature as what the trees lose once the feature's values are permuted.

All sums are exact, on integer grids, so that nothing depends on the order of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from madtree.learn.data import Array, Block, Floats, Grid, Ints, keyed, mixed
from madtree.learn.histogram import HeldOut
from madtree.learn.problem import Problem
from madtree.learn.route import Routing, leaves
from madtree.trees import ForestParameters

_PERMUTED = 5  # purpose of a hash
_LIMBS = 2  # of sums of squared errors


@dataclass(frozen=True)
class OutOfBag:
    """What the out-of-bag rows of each of G groups' forests say; NaN where no row is out of any bag.

    Attributes:
        error: (G,) share of the weight that is predicted wrongly, or mean squared error.
        score: (G,) accuracy, or R squared.
        importance, importance_sd: (G, n_features) mean over trees of what a feature's permutation costs, in shares of
            the out-of-bag rows' weight predicted rightly or in mean squared error, and its standard deviation over
            trees; None if it was not asked for.
        votes: (n_rows,) trees that predicted each row.
        prediction: (n_rows,) index of the class, or mean; of no meaning where there are no votes.
        class_votes: (K, n_rows) of classification, else None.
        seen: (3, n) group, feature and code of each category of an unordered feature that any rows have, sorted.
    """

    error: Floats
    score: Floats
    importance: Floats | None
    importance_sd: Floats | None
    votes: Ints
    prediction: Array
    class_votes: Array | None
    seen: Ints = field(default_factory=lambda: np.zeros((3, 0), np.int64))


class Tally:
    """Counts the votes of out-of-bag rows, tree by tree."""

    def __init__(self, problem: Problem, forest: ForestParameters) -> None:
        self._problem, self._forest = problem, forest
        self._rows: _Rows | None = None
        shape = (forest.n_trees, problem.n_groups, len(problem.unordered))
        self._losses = np.full(shape, np.nan) if forest.n_permutations else None
        self._grid: Grid | None = None
        if not problem.n_classes:
            largest = problem.largest_target + np.abs(problem.centre)
            self._grid = Grid.choose(largest, np.full(problem.n_groups, forest.n_trees), 1)

    def add(self, wave: Problem, routing: Routing, prediction: Array, replica: int, held_out: HeldOut) -> None:
        """The rows out of bag of one replica of a wave.

        Args:
            prediction: (n_nodes,) of each node as a leaf.
        """
        block, place = held_out.block, held_out.place
        predicted = prediction.take(held_out.node)
        if self._rows is None:
            self._rows = _Rows.unseen(self._problem, held_out)
        rows = self._rows
        rows.enter(held_out)
        if self._grid is None:
            rows.counted[predicted, place] += 1
        else:
            rows.counted[0, place] += 1
            rows.counted[1, place] += self._grid.split(predicted, block.tree)[0]
        if self._losses is not None:
            member = wave.replicas.first_member + replica
            self._losses[member] = self._permuted(wave, routing, prediction, replica, block, predicted)

    def result(self) -> OutOfBag:
        """After all trees."""
        rows, n_groups = self._rows, self._problem.n_groups
        assert rows is not None  # a forest has a tree
        by_class = self._grid is None
        votes = rows.counted.sum(axis=0).astype(np.int64) if by_class else rows.counted[0].astype(np.int64)
        voted = np.flatnonzero(votes)
        group = rows.group.take(voted)
        weight = rows.weights(self._problem, voted)
        total = _sums(weight, group, n_groups)
        prediction: Array
        with np.errstate(divide="ignore", invalid="ignore"):  # a group may have no row out of bag
            if self._grid is None:
                prediction = rows.counted.argmax(axis=0)
                wrong = prediction.take(voted) != rows.target[0].take(voted)
                error = _sums(weight * wrong, group, n_groups) / total
                score = 1 - error
            else:
                prediction = np.zeros(len(votes))
                prediction[voted] = self._grid.join(rows.counted[1:, voted], group) / votes[voted]
                value = rows.values(self._problem, voted)
                mean = _sums(weight * value, group, n_groups) / total
                lost = _sums(weight * np.square(value - prediction[voted]), group, n_groups)
                spread = _sums(weight * np.square(value - mean[group]), group, n_groups)
                error, score = lost / total, 1 - lost / spread
        importance = spread_of = None
        if self._losses is not None:
            importance, spread_of = _over_trees(self._losses)
        return OutOfBag(error, score, importance, spread_of, votes, prediction, rows.counted if by_class else None)

    def _permuted(
        self, wave: Problem, routing: Routing, prediction: Array, replica: int, block: Block, predicted: Array
    ) -> Floats:
        """(G, n_features) what permuting each feature among a replica's out-of-bag rows costs each group's tree."""
        problem, n_groups = self._problem, self._problem.n_groups
        rows = _Rows.of(problem, block)
        every = np.arange(len(rows.group))
        weight = rows.weights(problem, every)
        total = _sums(weight, rows.group, n_groups)
        identity = block.identity
        assert identity is not None
        losses = np.where(total[:, None] > 0, 0.0, np.full((n_groups, len(problem.unordered)), np.nan))
        before = self._errors(rows, predicted)
        standing = np.lexsort((identity, rows.group))
        key = keyed(_PERMUTED, problem.parameters.seed, np.array([wave.replicas.first_member + replica]))
        for feature in _asked(routing).tolist():
            column = block.codes.column(feature)
            lost = np.zeros(n_groups)
            for number in range(self._forest.n_permutations):
                of_this = mixed(mixed(key ^ np.uint32(feature)) ^ np.uint32(number))[0]
                giving = np.lexsort((mixed(identity ^ of_this), rows.group))
                values = np.empty_like(column)
                values[standing] = column.take(giving)
                permuted = replace(block, codes=block.codes.replaced(feature, values))
                leaf = leaves(routing, permuted, replica, n_groups)
                more = self._errors(rows, prediction.take(leaf)) - before
                lost += _sums(weight * more, rows.group, n_groups)
            with np.errstate(divide="ignore", invalid="ignore"):
                losses[:, feature] = np.where(total > 0, lost / total / self._forest.n_permutations, np.nan)
        return losses

    def _errors(self, rows: _Rows, predicted: Array) -> Floats:
        """(n_rows,) 1 where a prediction is wrong, or its squared error."""
        if self._grid is None:
            return np.asarray(predicted != rows.target[0], np.float64)
        return np.square(rows.values(self._problem, np.arange(len(predicted))) - predicted)


@dataclass(frozen=True)
class _Rows:
    """What is known of rows, by their places.

    Attributes:
        counted: votes (K, n_rows) for each class; for regression (2, n_rows), votes and the sum of the predictions.
        target: (n_limbs, n_rows) as in blocks, or (1, n_rows) classes.
        weight: (n_limbs, n_rows) as in blocks, or None.
        group: (n_rows,) int64.
    """

    counted: Array
    target: Array
    weight: Floats | None
    group: Ints

    @classmethod
    def unseen(cls, problem: Problem, held_out: HeldOut) -> _Rows:
        """Rows of which nothing is known yet."""
        n, block = held_out.n_all, held_out.block
        target = np.atleast_2d(block.target)
        return cls(
            np.zeros((problem.n_classes or 2, n), np.uint32 if problem.n_classes else np.float64),
            np.zeros((len(target), n), target.dtype),
            None if block.weight is None else np.zeros((len(block.weight), n)),
            np.zeros(n, np.int64),
        )

    @classmethod
    def of(cls, problem: Problem, block: Block) -> _Rows:
        every = np.arange(block.codes.n_rows)
        held_out = HeldOut(every, block, every, len(every))
        rows = cls.unseen(problem, held_out)
        rows.enter(held_out)
        return rows

    def enter(self, held_out: HeldOut) -> None:
        place, block = held_out.place, held_out.block
        self.target[:, place] = np.atleast_2d(block.target)
        if self.weight is not None and block.weight is not None:
            self.weight[:, place] = block.weight
        if block.tree is not None:
            self.group[place] = block.tree

    def weights(self, problem: Problem, rows: Ints) -> Floats:
        """(m,) weights of `rows` (m,)."""
        if self.weight is None or problem.weight_grid is None:
            return np.ones(len(rows))
        return problem.weight_grid.join(self.weight.take(rows, axis=1), self.group.take(rows))

    def values(self, problem: Problem, rows: Ints) -> Floats:
        """(m,) targets of `rows` (m,), of regression."""
        assert problem.target_grid is not None
        group = self.group.take(rows)
        value = problem.target_grid.join(self.target.take(rows, axis=1), group)
        return value / self.weights(problem, rows) + problem.centre[group]


def _asked(routing: Routing) -> Ints:
    """The features that some split or surrogate asks for."""
    inner = np.flatnonzero(routing.child != np.arange(len(routing.child)))
    return np.unique(np.concatenate((routing.feature[inner], routing.surrogate_feature)))


def _sums(values: Floats, group: Ints, n_groups: int) -> Floats:
    """(n_groups,) exact sums of `values` (m,), rounded once for each limb, in whatever order they come."""
    largest = np.zeros(n_groups)
    np.maximum.at(largest, group, np.abs(values))
    grid = Grid.choose(largest, np.bincount(group, minlength=n_groups), _LIMBS)
    limbs = [np.bincount(group, limb, minlength=n_groups) for limb in grid.split(values, group)]
    return grid.join(np.stack(limbs), np.arange(n_groups))


def _over_trees(losses: Floats) -> tuple[Floats, Floats]:
    """(G, n_features) means and standard deviations of `losses` (n_trees, G, n_features) over trees with out-of-bag
    rows; NaN where there are none.
    """
    known = ~np.isnan(losses)
    n = known.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(known, losses, 0.0).sum(axis=0) / n
        squares = np.where(known, np.square(losses - mean), 0.0).sum(axis=0)
        return mean, np.sqrt(squares / np.maximum(n - 1, 1)) + 0 * mean
