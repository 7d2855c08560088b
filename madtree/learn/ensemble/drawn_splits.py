"""The best splits of a forest's nodes, each among the features that were drawn for it."""

from __future__ import annotations

from functools import partial

import numpy as np

from madtree.learn.data import Bools, Ints
from madtree.learn.ensemble.drawn_features import DrawnFeatures
from madtree.learn.grow import GrowingTrees, SplitFinder, may_split
from madtree.learn.histogram import Program
from madtree.learn.problem import Problem
from madtree.learn.split import BestSplits


class DrawnSplits:
    """Finds the best splits of one frontier after another by the drawn features. Where none of these can split a node,
    it goes on drawing until one can or all have been tried, as scikit-learn does.
    """

    def __init__(self, problem: Problem, rows_at_hand: bool, draws: DrawnFeatures) -> None:
        self._problem, self._rows_at_hand, self._draws = problem, rows_at_hand, draws
        self._finder = SplitFinder(problem, rows_at_hand, draws.allowed)

    def best_splits(self, growing: GrowingTrees, frontier: Ints) -> Program[BestSplits]:
        """As `Finder` says."""
        found = yield from self._finder.best_splits(growing, frontier)
        unsplit = np.flatnonzero((found.gain == 0) & may_split(self._problem, growing, frontier))
        if len(unsplit) and self._draws.m < self._draws.n:
            yield from self._draw_on(growing, frontier, unsplit, found)
        return found

    def _draw_on(self, growing: GrowingTrees, frontier: Ints, places: Ints, found: BestSplits) -> Program[None]:
        """Enter the splits of the nodes that stand at `places` in the frontier by features that were not drawn."""
        rank = self._draws.rank(growing, frontier[places])
        # Most of these nodes cannot be split at all: a look at all that is left tells, at once.
        some = yield from self._among(growing, frontier[places], rank > 0)
        left = np.flatnonzero(some.gain > 0)
        drawn = 1
        while len(left):
            part = yield from self._among(growing, frontier[places[left]], rank[left] == drawn)
            found.enter(places[left], part)
            left = left[part.gain == 0]
            drawn += 1

    def _among(self, growing: GrowingTrees, nodes: Ints, allowed: Bools) -> Program[BestSplits]:
        finder = SplitFinder(self._problem, self._rows_at_hand, partial(_given, allowed))
        return (yield from finder.best_splits(growing, nodes))


def _given(allowed: Bools, growing: GrowingTrees, nodes: Ints) -> Bools:
    del growing, nodes
    return allowed
