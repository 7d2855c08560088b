"""The whole program of a training: folds, growing, pruning. It asks whoever has the rows and returns finished trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.data import Block, Coroutine, Ints, finished
from madtree.learn.grow import FeatureMask, GrowthPolicy, SplitFinder, grow
from madtree.learn.problem import FoldHashes, Folds, Problem
from madtree.learn.prune.outcome import Outcome, conclude
from madtree.learn.requests import FoldHashesRequest, Program, Progress, ReplaceRequest, driven
from madtree.learn.route import POSITION_BYTES


def train_trees(
    problem: Problem,
    *,
    rows_at_hand: bool,
    folds_known: bool = False,
    policy: GrowthPolicy | None = None,
    mask: FeatureMask | None = None,
) -> Program[tuple[Outcome, Problem]]:
    """Train the trees of a problem; returns them, and the problem with its replicas.

    `folds_known`: rows have their folds already; else they are given some at random.
    """
    n_folds = problem.parameters.n_folds
    if n_folds and problem.n_replicas == 1:
        if not folds_known:
            yield from assign_folds(problem)
        problem = problem.with_replicas(Folds(n_folds))
    yield Progress(stage="passes")
    growing = yield from grow(problem, rows_at_hand, policy, lambda known: SplitFinder(known, rows_at_hand, mask))
    yield Progress(stage="prune")
    outcome = yield from conclude(problem, growing)
    return outcome, problem


def assign_folds(problem: Problem) -> Program[None]:
    """Give every row a fold at random, by a hash of who it is."""
    ends = yield from _fold_ends(problem, problem.rows)
    if ends is None:  # where ids are repeated often, folds end far from where they are looked for
        ends = yield from _fold_ends(problem, np.zeros_like(problem.rows))
    yield ReplaceRequest("random_folds", {"ends": ends, "seed": problem.parameters.seed})


def _fold_ends(problem: Problem, n_rows: Ints) -> Program[Ints | None]:
    """Where folds end, if that is among the hashes that are told; `n_rows` as in `FoldHashes`."""
    hashes = FoldHashes(n_rows, problem.parameters.n_folds, problem.parameters.seed)
    return hashes.ends((yield FoldHashesRequest(hashes)))


def train_at_hand(
    problem: Problem,
    blocks: Sequence[Block],
    report: Callable[[Progress], None] = lambda progress: None,
    between: Callable[[], None] = lambda: None,
) -> tuple[Outcome, Problem]:
    """Train the trees of a problem whose rows are all in blocks at hand, and have their folds.

    Args:
        report: of progress.
        between: called at pauses, for cancels to be let in.
    """
    return finished(training_at_hand(problem, blocks, report), between)


def training_at_hand(
    problem: Problem, blocks: Sequence[Block], report: Callable[[Progress], None]
) -> Coroutine[tuple[Outcome, Problem]]:
    """The training of `train_at_hand`, as a coroutine."""
    n_rows = sum(block.codes.n_rows for block in blocks)
    at_hand = BlocksAtHand(blocks, n_rows * problem.n_replicas * POSITION_BYTES)
    return driven(train_trees(problem, rows_at_hand=True, folds_known=True), at_hand, report)
