"""The program of a random forest (Breiman 2001): waves of trees, each grown on a bootstrap sample of the rows, with
features that are drawn for each node; and after each wave what its out-of-bag rows say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from madtree.learn.data import Ints
from madtree.learn.ensemble.drawn_features import DrawnFeatures
from madtree.learn.ensemble.drawn_splits import DrawnSplits
from madtree.learn.ensemble.empty_samples import take_all_rows, without_trees
from madtree.learn.ensemble.out_of_bag import OutOfBag, Tally
from madtree.learn.grow import grow
from madtree.learn.histogram import CategoriesRequest, HeldOut, HeldOutRequest, Program, Progress
from madtree.learn.problem import Bootstrap, Problem
from madtree.learn.prune import (
    Outcome,
    OutOfBagColumns,
    SeenCategories,
    TrainedTrees,
    TreeKeys,
    conclude,
    leaf_predictions,
)
from madtree.trees import ForestParameters

_MOST_TREES = 65_536  # of a wave


@dataclass(frozen=True)
class Grown:
    """Some members of a forest in each group.

    Attributes:
        problem: theirs; its trees are group g's member `first + r` at r * n_groups + g.
        first: number of the first of these members, from 0.
    """

    outcome: Outcome
    problem: Problem
    first: int

    @property
    def group(self) -> Ints:
        """(n_trees,) each tree's group, from 0."""
        return np.arange(self.problem.n_trees) % self.problem.n_groups

    @property
    def member(self) -> Ints:
        """(n_trees,) number of each tree in its forest, from 0."""
        return self.first + np.arange(self.problem.n_trees) // self.problem.n_groups

    def trained(self, groups: Ints) -> TrainedTrees:
        """What the model tables hold of them; `groups` (n_groups,) are the groups' numbers."""
        return TrainedTrees.of(self.outcome, self.problem, groups[self.group], self.member)


def said_of(said: OutOfBag, problem: Problem, groups: Ints) -> TrainedTrees:
    """What the model tables hold of the out-of-bag rows, with no tree; arguments as for `train_forest` and above."""
    unknown = np.full((problem.n_groups, len(problem.unordered)), np.nan)
    importance, spread = (unknown if each is None else each for each in (said.importance, said.importance_sd))
    # Of a single large table only packing tells how many rows there are.
    n_rows = np.array([len(said.votes)]) if problem.n_groups == 1 else problem.rows
    columns = OutOfBagColumns(groups, n_rows, said.error, said.score, importance, spread)
    seen = SeenCategories.of(problem, TreeKeys(groups, np.zeros_like(groups)), said.seen)
    return replace(TrainedTrees.none(len(problem.unordered), problem.n_classes), out_of_bag=columns, seen=seen)


def train_forest(problem: Problem, forest: ForestParameters, deliver: Callable[[Grown], None]) -> Program[OutOfBag]:
    """Grow the forest of each of a problem's groups from rows that are at hand; what its out-of-bag rows say.

    Args:
        problem: without replicas; its grids hold sums over rows that are drawn again and again
            (`Bootstrap.upper_bound`), and its trees are not pruned.
        deliver: is handed the trees wave by wave.
    """
    seed = problem.parameters.seed
    size = most_members(problem, forest)
    tally = Tally(problem, forest)
    for first in range(0, forest.n_trees, size):
        count = min(size, forest.n_trees - first)
        wave = problem.with_replicas(replace(bootstrap(seed, forest), first=first, count=count))
        draws = DrawnFeatures(seed, first, wave.n_groups, len(wave.unordered), forest.n_drawn)
        growing = yield from grow(wave, True, finder_of=partial(DrawnSplits, draws=draws))
        empty = yield from take_all_rows(problem, wave, growing)
        outcome = yield from conclude(wave, growing)
        prediction = leaf_predictions(wave, growing)
        for replica in range(count):
            held_out: HeldOut = yield HeldOutRequest(wave, growing.routing, replica)
            held_out = without_trees(held_out, empty, replica, wave.n_groups)
            tally.add(wave, growing.routing, prediction, replica, held_out)
            yield Progress()
        deliver(Grown(outcome, wave, first))
    seen: Ints = yield CategoriesRequest(problem)
    return replace(tally.result(), seen=seen)


def bootstrap(seed: int, forest: ForestParameters) -> Bootstrap:
    """All samples of a forest."""
    return Bootstrap(seed, 0, forest.n_trees, forest.sampling, forest.kept)


def most_members(problem: Problem, forest: ForestParameters) -> int:
    """Members of each group that are grown together."""
    n_rows = max(1, int(problem.rows.sum()))
    return max(1, min(forest.n_trees, problem.tuning.wave_rows // n_rows, _MOST_TREES // problem.n_groups))
