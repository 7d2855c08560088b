"""What rows that a tree has not seen say of a forest (Breiman 2001, sections 3.1 and 10): its error, and the importance
of each feature as what the trees lose once the feature's values are permuted (`permutations`).

All sums are exact, on integer grids, so that nothing depends on the order of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import Any

import numpy as np

from madtree.learn.data import (
    Array,
    Bools,
    Floats,
    Grid,
    Ints,
    ReusingAllocator,
    allocated,
    flat_nonzero,
    pieces_of,
)
from madtree.learn.ensemble.row_targets import RowTargets, exact_sums
from madtree.learn.problem import Problem
from madtree.learn.waves import Targets
from madtree.records import dataclass
from madtree.trees import ForestParameters

_LOOKS = 24  # numbers of trees after which the error is computed, at most


@dataclass(frozen=True)
class OutOfBag:
    """What the out-of-bag rows of each of G groups' forests say; NaN where no row is out of any bag.

    Attributes:
        error: (G,) share of the weight that is predicted wrongly, or mean squared error.
        score: (G,) accuracy, or R squared.
        importance, importance_sd: (G, n_features) mean over trees of what a feature's permutation costs, in shares of
            the out-of-bag rows' weight predicted rightly or in mean squared error, and its standard deviation over
            trees, NaN where fewer than two have out-of-bag rows; None if it was not asked for.
        n_rows: (G,) rows of each group.
        votes: (n_rows,) trees that predicted each row.
        prediction: (n_rows,) index of the class, or mean; of no meaning where there are no votes.
        seen: (3, n) group, feature and code of each category of an unordered feature that any rows have, sorted.
    """

    error: Floats
    score: Floats
    importance: Floats | None
    importance_sd: Floats | None
    n_rows: Ints
    votes: Ints
    prediction: Array
    seen: Ints = field(default_factory=lambda: np.zeros((3, 0), np.int64))


class Tally:
    """Counts the votes of out-of-bag rows, wave by wave, in order."""

    def __init__(
        self, problem: Problem, forest: ForestParameters, targets: Targets, looks: Collection[int] = ()
    ) -> None:
        """`looks`: numbers of trees after which error and score (G,) are kept in `error_by_size`."""
        self.error_by_size: dict[int, tuple[Floats, Floats]] = {}
        self._problem, self._forest, self._kept = problem, forest, looks
        self._rows = RowTargets.of(targets)
        n_rows, n_classes = len(self._rows.group), problem.n_classes
        self._losses: list[Floats] = []
        self._looks = set(np.unique(np.geomspace(1, forest.n_trees, _LOOKS).round().astype(np.int64)).tolist())
        # Votes (K, n_rows) for each class; for regression (2, n_rows), votes and the sum of the predictions.
        kind = np.float64 if not n_classes else np.uint16 if forest.n_trees < 65_536 else np.uint32
        n_lines = n_classes or 2
        self._counted: Array = allocated(targets.allocator, (n_lines, n_rows), kind)
        self._counted[:] = 0
        self._allocator = ReusingAllocator(targets.allocator)
        self._grid: Grid | None = None
        if not n_classes:
            largest = problem.largest_target + np.abs(problem.centre)
            self._grid = Grid.choose(largest, np.full(problem.n_groups, forest.n_trees), 1)

    def add(self, first: int, prediction: Array, prediction_at: Array, losses: Floats) -> tuple[Floats, Bools]:
        """Count what the members from `first` on say; the others as in `Wave`.

        Returns:
            error: (n_members, G) of the trees up to each of these members, NaN where it was not computed.
            is_tested: (n_members, G) whether any row of the group is out of the tree's bag.
        """
        errors = np.full((len(prediction_at), self._problem.n_groups), np.nan)
        is_tested = np.zeros(errors.shape, np.bool_)
        for replica, of_member in enumerate(prediction_at):
            for piece in self._pieces():
                voted = flat_nonzero(of_member[piece] != nowhere(of_member.dtype))
                group = self._rows.group[piece].take(voted) if self._problem.n_groups > 1 else None
                if group is None:
                    is_tested[replica] |= len(voted) > 0
                else:
                    is_tested[replica] |= np.bincount(group, minlength=self._problem.n_groups) > 0
                predicted = prediction.take(of_member[piece].take(voted))
                voted += piece.start
                if self._grid is None:
                    voted += predicted * self._counted.shape[1]
                    _increase(self._counted.reshape(-1), voted, 1)
                else:
                    _increase(self._counted[0], voted, 1)
                    _increase(self._counted[1], voted, self._grid.split(predicted, group)[0])
            n_trees = first + replica + 1
            if n_trees in self._looks or n_trees in self._kept:
                errors[replica], score, *_ = self._evaluated()
                self.error_by_size[n_trees] = errors[replica], score
        if len(losses):
            self._losses.append(losses.copy())  # what was read keeps all bytes of its wave
        return errors, is_tested

    def result(self) -> OutOfBag:
        """After all trees."""
        error, score, votes, prediction = self._evaluated()
        importance = spread = None
        if self._losses:
            importance, spread = _over_trees(np.concatenate(self._losses))
        n_groups, group = self._problem.n_groups, self._rows.group
        n_rows = np.array([len(votes)]) if n_groups == 1 else np.bincount(group, minlength=n_groups)
        return OutOfBag(error, score, importance, spread, n_rows, votes, prediction)

    def _evaluated(self) -> tuple[Floats, Floats, Ints, Array]:
        """Error and score (G,) of the votes so far, how many each row has (n_rows,), and its prediction (n_rows,)."""
        rows = self._rows
        self._allocator.take_back()
        votes, prediction = (
            self._of_rows(np.uint32),
            self._of_rows(rows.target.dtype if self._grid is None else np.float64),
        )
        with np.errstate(divide="ignore", invalid="ignore"):  # a group may have no row out of bag
            if self._grid is None:
                has_votes, wrong = self._of_rows(np.bool_), self._of_rows(np.bool_)
                for piece in self._pieces():
                    votes[piece] = self._counted[:, piece].sum(axis=0, dtype=np.uint32)
                    prediction[piece] = _winners(self._counted[:, piece])
                    has_votes[piece] = votes[piece] > 0
                    wrong[piece] = has_votes[piece] & (prediction[piece] != rows.target[0, piece])
                error = self._weight_of(wrong) / self._weight_of(has_votes)
                return error, 1 - error, votes, prediction
            prediction[:] = 0
            for piece in self._pieces():
                votes[piece] = self._counted[0, piece]
                voted = piece.start + flat_nonzero(votes[piece])
                summed = self._grid.join(self._counted[1:, voted], rows.group[voted])
                prediction[voted] = summed / votes[voted]
            value_of = partial(rows.values, self._problem)
            total, weighted = self._sums(votes, 2, lambda voted: (1.0, value_of(voted)))
            mean = weighted / total

            def squares(voted: Ints) -> Sequence[Floats]:
                value = value_of(voted)
                return np.square(value - prediction[voted]), np.square(value - mean[rows.group[voted]])

            lost, spread = self._sums(votes, 2, squares)
            return lost / total, 1 - lost / spread, votes, prediction

    def _sums(
        self, chosen: Array, n_numbers: int, numbers_of: Callable[[Ints], Sequence[Floats | float]]
    ) -> list[Floats]:
        """Exact sums (G,) of some numbers times the weight, of the rows whose `chosen` (n_rows,) is not 0; the numbers
        are made of the rows' places.
        """
        n, first = np.count_nonzero(chosen), 0
        numbers: list[Floats] = [self._of_rows(np.float64)[:n] for _ in range(n_numbers)]
        groups: Ints = self._of_rows(np.int32)[:n]
        for piece in self._pieces():
            mine = piece.start + flat_nonzero(chosen[piece])
            stop = first + len(mine)
            groups[first:stop] = self._rows.group[mine]
            weight = self._rows.weights(self._problem, mine)
            for own, of_rows in zip(numbers, numbers_of(mine), strict=True):
                np.multiply(weight, of_rows, out=own[first:stop])
            first = stop
        return [exact_sums(own, groups, self._problem.n_groups) for own in numbers]

    def _of_rows(self, kind: np.dtype[Any] | type) -> Array:
        """(n_rows,) numbers of that kind, whatever they are."""
        return allocated(self._allocator, self._counted.shape[1:], kind)

    def _pieces(self) -> Iterator[slice]:
        """Rows that are looked at together."""
        return pieces_of(self._counted.shape[1])

    def _weight_of(self, chosen: Bools) -> Floats:
        """(G,) the weight of the rows that are `chosen` (n_rows,)."""
        if self._rows.weight is None:
            return self._rows.summed(chosen.view(np.int8), self._problem.n_groups)
        return self._sums(chosen, 1, lambda mine: (1.0,))[0]


def nowhere(kind: np.dtype[Any]) -> int:
    """In this type of numbers: what is said of a row that is not out of bag."""
    return int(np.iinfo(kind).max)


def _winners(votes: Array) -> Array:
    """(n_rows,) the class with most `votes` (K, n_rows), the first of several; numpy's argmax takes many times as long
    along the first axis, and its `copyto` where some are wanted.
    """
    most, winner = votes[0].copy(), np.zeros(votes.shape[1], np.uint16)
    for k in range(1, len(votes)):
        np.maximum(winner, np.multiply(votes[k] > most, k, dtype=np.uint16), out=winner)
        np.maximum(most, votes[k], out=most)
    return winner


def _increase(values: Array, at: Ints, by: Floats | int) -> None:
    """Add to some of the values (n,), which are different ones; an index with two axes takes many times as long."""
    more = values.take(at)
    more += by
    values[at] = more


def _over_trees(losses: Floats) -> tuple[Floats, Floats]:
    """(G, n_features) means and standard deviations of `losses` (n_trees, G, n_features) over trees with out-of-bag
    rows; means are NaN where there is no such tree, deviations where there are fewer than two.
    """
    known = ~np.isnan(losses)
    n = known.sum(axis=0)
    # One tree after the other: numpy's sum takes another order for one group and one feature than for several.
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.cumsum(np.where(known, losses, 0.0), axis=0)[-1] / n
        squares = np.cumsum(np.where(known, np.square(losses - mean), 0.0), axis=0)[-1]
        return mean, np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)
