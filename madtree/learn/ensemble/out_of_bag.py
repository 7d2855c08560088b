"""What rows that a tree has not seen say of a forest (Breiman 2001, sections 3.1 and 10): its error, and the importance
of each feature as what the trees lose once the feature's values are permuted.

All sums are exact, on integer grids, so that nothing depends on the order of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from madtree.learn.data import USUAL_BLOCK_ROWS, Array, Bools, Floats, Grid, Ints, keyed, mixed, stable_order
from madtree.learn.histogram import BREATH, HeldOut, Program, Targets
from madtree.learn.problem import Problem
from madtree.learn.route import Routing, leaves
from madtree.trees import ForestParameters

_PERMUTED = 5  # purpose of a hash
_LIMBS = 2  # of sums of squared errors
_LOOKS = 24  # numbers of trees after which the error is computed, at most


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
        seen: (3, n) group, feature and code of each category of an unordered feature that any rows have, sorted.
    """

    error: Floats
    score: Floats
    importance: Floats | None
    importance_sd: Floats | None
    votes: Ints
    prediction: Array
    seen: Ints = field(default_factory=lambda: np.zeros((3, 0), np.int64))


class Tally:
    """Counts the votes of out-of-bag rows, wave by wave, in order."""

    def __init__(self, problem: Problem, forest: ForestParameters, targets: Targets) -> None:
        self._problem, self._forest = problem, forest
        self._rows = _Rows.of(targets)
        n_rows, n_classes = len(self._rows.group), problem.n_classes
        self._losses: list[Floats] = []
        self._looks = set(np.unique(np.geomspace(1, forest.n_trees, _LOOKS).round().astype(np.int64)).tolist())
        # Votes (K, n_rows) for each class; for regression (2, n_rows), votes and the sum of the predictions.
        self._counted: Array
        self._grid: Grid | None = None
        if n_classes:
            self._counted = np.zeros((n_classes, n_rows), np.uint16 if forest.n_trees < 65_536 else np.uint32)
        else:
            self._counted = np.zeros((2, n_rows))
            largest = problem.largest_target + np.abs(problem.centre)
            self._grid = Grid.choose(largest, np.full(problem.n_groups, forest.n_trees), 1)

    def add(self, first: int, prediction: Array, ends: Ints, losses: Floats) -> tuple[Floats, Bools]:
        """Count what the members from `first` on say; the others as in `Wave`.

        Returns:
            error: (n_members, G) of the trees up to each of these members, NaN where it was not computed.
            is_tested: (n_members, G) whether any row of the group is out of the tree's bag.
        """
        errors = np.full((len(ends), self._problem.n_groups), np.nan)
        is_tested = np.zeros(errors.shape, np.bool_)
        for replica, end in enumerate(ends):
            for piece in self._pieces():
                voted = np.flatnonzero(end[piece] >= 0)
                group = self._rows.group[piece].take(voted)
                is_tested[replica] |= np.bincount(group, minlength=is_tested.shape[1]) > 0
                predicted = prediction.take(end[piece].take(voted))
                voted += piece.start
                if self._grid is None:
                    voted += predicted * self._counted.shape[1]
                    _increase(self._counted.reshape(-1), voted, 1)
                else:
                    _increase(self._counted[0], voted, 1)
                    _increase(self._counted[1], voted, self._grid.split(predicted, group)[0])
            if first + replica + 1 in self._looks:
                errors[replica] = self._judged()[0]
        if len(losses):
            self._losses.append(losses)
        return errors, is_tested

    def result(self) -> OutOfBag:
        """After all trees."""
        error, score, votes, prediction = self._judged()
        importance = spread = None
        if self._losses:
            importance, spread = _over_trees(np.concatenate(self._losses))
        return OutOfBag(error, score, importance, spread, votes, prediction)

    def _judged(self) -> tuple[Floats, Floats, Ints, Array]:
        """Error and score (G,) of the votes so far, how many each row has (n_rows,), and its prediction (n_rows,)."""
        rows, n_groups = self._rows, self._problem.n_groups
        prediction: Array
        with np.errstate(divide="ignore", invalid="ignore"):  # a group may have no row out of bag
            if self._grid is None:
                votes = self._counted.sum(axis=0, dtype=np.uint32)
                prediction = np.empty(len(votes), rows.target.dtype)
                for piece in self._pieces():
                    prediction[piece] = _winners(self._counted[:, piece])
                asked = votes > 0
                wrong = asked & (prediction != rows.target[0])
                error = self._weight_of(wrong) / self._weight_of(asked)
                return error, 1 - error, votes, prediction
            votes = self._counted[0].astype(np.int64)
            voted = np.flatnonzero(votes)
            group = rows.group.take(voted)
            weight = rows.weights(self._problem, voted)
            total = _sums(weight, group, n_groups)
            prediction = np.zeros(len(votes))
            prediction[voted] = self._grid.join(self._counted[1:, voted], group) / votes[voted]
            value = rows.values(self._problem, voted)
            mean = _sums(weight * value, group, n_groups) / total
            lost = _sums(weight * np.square(value - prediction[voted]), group, n_groups)
            spread = _sums(weight * np.square(value - mean[group]), group, n_groups)
            return lost / total, 1 - lost / spread, votes, prediction

    def _pieces(self) -> Iterator[slice]:
        """Rows that are looked at together, so that what is worked out on the way takes little memory."""
        for first in range(0, self._counted.shape[1], USUAL_BLOCK_ROWS):
            yield slice(first, first + USUAL_BLOCK_ROWS)

    def _weight_of(self, chosen: Bools) -> Floats:
        """(G,) the weight of the rows that are `chosen` (n_rows,)."""
        rows, n_groups = self._rows, self._problem.n_groups
        if rows.weight is None and n_groups == 1:
            return np.array([np.count_nonzero(chosen)], np.float64)
        mine = np.flatnonzero(chosen)
        if rows.weight is None:
            return np.bincount(rows.group.take(mine), minlength=n_groups).astype(np.float64)
        return _sums(rows.weights(self._problem, mine), rows.group.take(mine), n_groups)


def _winners(votes: Array) -> Array:
    """(n_rows,) the class with most `votes` (K, n_rows), the first of several; numpy's argmax takes many times as long
    along the first axis.
    """
    most, winner = votes[0].copy(), np.zeros(votes.shape[1], np.uint16)
    for k in range(1, len(votes)):
        np.copyto(winner, k, where=votes[k] > most)
        np.maximum(most, votes[k], out=most)
    return winner


def _increase(values: Array, at: Ints, by: Floats | int) -> None:
    """Add to some of the values (n,), which are different ones; an index with two axes takes many times as long."""
    more = values.take(at)
    more += by
    values[at] = more


def permuted(
    wave: Problem, routing: Routing, prediction: Array, replica: int, held_out: HeldOut, n_permutations: int
) -> Program[Floats]:
    """(G, n_features) what permuting each feature among a replica's out-of-bag rows costs each group's tree.

    `prediction` (n_nodes,) is that of each node as a leaf.
    """
    block, n_groups, n_features = held_out.block, wave.n_groups, len(wave.unordered)
    rows = _Rows.of(Targets(block.target, block.weight, block.tree, block.codes.n_rows))
    total = rows.summed(wave, np.ones(block.codes.n_rows, np.int8))
    identity = block.identity
    assert identity is not None
    losses = np.where(total[:, None] > 0, 0.0, np.full((n_groups, n_features), np.nan))
    before = _errors(wave, rows, prediction.take(held_out.node))
    by_group = [] if n_groups == 1 else [rows.group.astype(np.uint32)]
    standing = stable_order(*by_group, identity)
    key = keyed(_PERMUTED, wave.parameters.seed, np.array([wave.replicas.first_member + replica]))
    for feature in _asked(routing).tolist():
        column = block.codes.column(feature)
        lost = np.zeros(n_groups)
        for number in range(n_permutations):
            of_this = mixed(mixed(key ^ np.uint32(feature)) ^ np.uint32(number))[0]
            values = np.empty_like(column)
            values[standing] = column.take(stable_order(*by_group, mixed(identity ^ of_this)))
            changed = replace(block, codes=block.codes.replaced(feature, values))
            leaf = leaves(routing, changed, replica, n_groups)
            lost += rows.summed(wave, _errors(wave, rows, prediction.take(leaf)) - before)
            yield BREATH
        with np.errstate(divide="ignore", invalid="ignore"):
            losses[:, feature] = np.where(total > 0, lost / total / n_permutations, np.nan)
    return losses


def _errors(problem: Problem, rows: _Rows, predicted: Array) -> Array:
    """(n_rows,) int8, 1 where a prediction is wrong, or float64, its squared error."""
    if problem.n_classes:
        return np.asarray(predicted != rows.target[0]).view(np.int8)
    return np.square(rows.values(problem, np.arange(len(predicted))) - predicted)


@dataclass(frozen=True)
class _Rows:
    """What is known of rows.

    Attributes:
        target: (n_limbs, n_rows) as in blocks, or (1, n_rows) classes.
        weight: (n_limbs, n_rows) as in blocks, or None.
        group: (n_rows,) int64.
    """

    target: Array
    weight: Floats | None
    group: Ints

    @classmethod
    def of(cls, targets: Targets) -> _Rows:
        one = np.broadcast_to(np.int64(0), targets.n_rows)  # which takes no memory
        group: Ints = one if targets.tree is None else targets.tree.astype(np.int64)
        return cls(np.atleast_2d(targets.target), targets.weight, group)

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

    def summed(self, problem: Problem, values: Array) -> Floats:
        """(G,) sums of `values` (n_rows,), int8 or float64, times the rows' weights."""
        if self.weight is None and values.dtype == np.int8:
            if problem.n_groups == 1:
                return np.array([values.sum(dtype=np.int64)], np.float64)
            return np.asarray(np.bincount(self.group, values, problem.n_groups), np.float64)
        if self.weight is not None:
            values = self.weights(problem, np.arange(len(values))) * values
        return _sums(values, self.group, problem.n_groups)


def _asked(routing: Routing) -> Ints:
    """The features that some split or surrogate asks for."""
    inner = np.flatnonzero(routing.child != np.arange(len(routing.child)))
    return np.unique(np.concatenate((routing.feature[inner], routing.surrogate_feature)))


def _sums(values: Floats, group: Ints, n_groups: int) -> Floats:
    """(n_groups,) exact sums of `values` (m,), rounded once for each limb, in whatever order they come."""
    count = np.bincount(group, minlength=n_groups)
    largest = np.zeros(n_groups)
    if n_groups == 1:
        largest[0] = max(values.max(initial=0.0), -values.min(initial=0.0))
    elif len(values):
        size = np.abs(values).take(stable_order(group.astype(np.uint32)))
        known = count > 0
        largest[known] = np.maximum.reduceat(size, (np.cumsum(count) - count)[known])
    grid = Grid.choose(largest, count, _LIMBS)
    sums = np.zeros((_LIMBS, n_groups))
    for first in range(0, len(values), USUAL_BLOCK_ROWS):  # so that little memory is taken
        piece = slice(first, first + USUAL_BLOCK_ROWS)
        limbs = grid.split(values[piece], None if n_groups == 1 else group[piece])
        for number, limb in enumerate(limbs):
            sums[number] += np.bincount(group[piece], limb, n_groups)
    return grid.join(sums, np.arange(n_groups))


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
