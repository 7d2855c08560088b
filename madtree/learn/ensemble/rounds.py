"""Rounds of trees, each of which needs those before it: its rows are what they have left to be explained.

Waves (`learn.requests.WaveRequest`) need nothing of each other, and may be grown by anybody in any order. A round is
grown by whoever drives the program, with the rows wherever they are; between two rounds all of them get new columns.
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


def grow_in_rounds(
    problem: Problem, n_rounds: int, next_round: NextRound, *, rows_at_hand: bool
) -> Program[list[tuple[Problem, GrowingTrees]]]:
    """The trees of each round, and the problem that they were grown for."""
    rounds: list[tuple[Problem, GrowingTrees]] = []
    while True:
        growing = yield from grow(problem, rows_at_hand)
        rounds.append((problem, growing))
        yield Progress(wave=WaveReport(len(rounds), n_rounds, growing.n_nodes))
        if len(rounds) == n_rounds:
            return rounds
        changes, problem = next_round(problem, growing)
        yield from changes


def squared_error(problem: Problem, growing: GrowingTrees, rate: float = 1.0) -> tuple[list[ReplaceRequest], Problem]:
    """The next round by squared error (Friedman 2001, algorithm 2): a row's score grows by `rate` times the mean of its
    leaf, and the next trees are grown on what is left. Of trees without replicas.
    """
    assert problem.target_grid is not None
    value = rate * problem.means(growing.sums, growing.tree)
    # A mean is no larger than the largest target, so what is left of one grows by as much at most.
    largest = (1 + rate) * problem.largest_target
    grid = Grid.choose(largest * problem.largest_weight, problem.rows, problem.target_grid.limbs)
    centre = np.zeros_like(problem.centre)
    changes = [
        ReplaceRequest("scores", {"node_value": value}, problem, growing.routing),
        ReplaceRequest("residuals", {"exponents": grid.exponents}, problem, growing.routing),
    ]
    return changes, replace(problem, target_grid=grid, largest_target=largest, centre=centre)
