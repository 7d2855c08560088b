"""Boosting rounds: trees, each of which needs those before it, since its rows are what they have left to be explained.

Waves (`learn.requests.WaveRequest`) need nothing of each other, and may be grown by anybody in any order. A boosting
round is grown by whoever drives the program, with the rows wherever they are; then all of them get new columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from madtree.learn.data import Grid
from madtree.learn.grow import GrowingTrees, grow
from madtree.learn.problem import Problem
from madtree.learn.requests import Program, Progress, ReplaceRequest, WaveReport

# From trees that have just grown, and their problem: the columns that change, one after the other, and the problem that
# the next trees have.
NextRound = Callable[[Problem, GrowingTrees], tuple[Sequence[ReplaceRequest], Problem]]


def grow_boosted(
    problem: Problem, n_rounds: int, next_round: NextRound, *, rows_at_hand: bool
) -> Program[list[tuple[Problem, GrowingTrees]]]:
    """The trees of each boosting round, and the problem that they were grown for."""
    rounds: list[tuple[Problem, GrowingTrees]] = []
    while True:
        growing = yield from grow(problem, rows_at_hand)
        rounds.append((problem, growing))
        yield Progress(wave=WaveReport(len(rounds), n_rounds, growing.n_nodes))
        if len(rounds) == n_rounds:
            return rounds
        changes, problem = next_round(problem, growing)
        yield from changes


def by_squared_error(first: Problem, rate: float = 1.0) -> NextRound:
    """The rounds of squared error (Friedman 2001, algorithm 2), after trees of the problem `first`, without replicas: a
    row's score grows by `rate` times the mean of its leaf, and the next trees are grown on what is left.

    That is on a grid for twice the largest target. Should more be left of rows, their sums would no longer be exact,
    and refused.
    """
    assert first.target_grid is not None
    largest = 2 * first.largest_target
    grid = Grid.choose(largest * first.largest_weight, first.rows, first.target_grid.limbs)
    left = replace(first, target_grid=grid, largest_target=largest, centre=np.zeros_like(first.centre))

    def next_round(problem: Problem, growing: GrowingTrees) -> tuple[list[ReplaceRequest], Problem]:
        value = rate * problem.means(growing.sums, growing.tree)
        changes = [
            ReplaceRequest("scores", {"node_value": value}, problem, growing.routing),
            ReplaceRequest("residuals", {"exponents": grid.exponents}, problem, growing.routing),
        ]
        return changes, left

    return next_round
