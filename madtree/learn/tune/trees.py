"""Settings of single trees: for each fold a tree that is grown without its rows, and tested on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from madtree.learn.counting import CountRequest
from madtree.learn.criteria import NodeValues, add_upwards, criterion_of, pairs_upwards
from madtree.learn.data import Floats, Ints, flat_nonzero
from madtree.learn.grow import GrowingTrees, SplitFinder, grow
from madtree.learn.leaf_sums import join_powers
from madtree.learn.problem import LeftOut, Problem, over_classes
from madtree.learn.requests import BREATH, Program, Progress, StepReport
from madtree.learn.tune.leaf_scores import class_score, number_score
from madtree.learn.tune.nests import leaves_of, nests
from madtree.learn.tune.trials import Clock, Report, Search, Trial, TrialScores
from madtree.trees import COUNTS

_POWERS = (1, 2)
Score = Callable[[Ints], float]


def try_trees(
    problem: Problem, search: Search, trials: Sequence[Trial], share: float, rows_at_hand: bool, report: Report
) -> Program[None]:
    """Try them on a share of the rows, which know their folds."""
    n_folds, seed, n_done = problem.parameters.n_folds, problem.parameters.seed, 0
    for parameters, own in nests(trials):
        clock = Clock()
        # Factors of classes follow from the rows of all folds.
        has_main = parameters.class_params is not None
        grown = replace(problem, parameters=parameters).with_replicas(LeftOut(n_folds, has_main, share, seed))
        growing = yield from grow(grown, rows_at_hand, finder_of=lambda known: SplitFinder(known, rows_at_hand, None))
        grown = grown.with_class_factors(growing.sums[:, : grown.n_trees])
        values = yield from criterion_of(grown).judging.values(grown, growing)
        score = yield from _scoring(grown, growing, values, search.metric)
        scores = []
        for trial in own:
            yield BREATH
            leaves = yield from leaves_of(replace(grown, parameters=trial.parameters), growing, values.risk)
            of_folds = [leaves & (growing.tree == has_main + fold) for fold in range(n_folds)]
            scores.append(np.array([score(flat_nonzero(each)) for each in of_folds]))
        for trial, reached in zip(own, scores, strict=True):
            report(TrialScores(trial.number, reached, clock.seconds / len(own), share))
        n_done += len(own)
        yield Progress(step=StepReport("setting", n_done, len(trials), seconds=clock.seconds))


def _scoring(problem: Problem, growing: GrowingTrees, values: NodeValues, metric: str) -> Program[Score]:
    """What tells the score of the tree that has some nodes as its leaves, by the rows that it is tested on."""
    every = np.arange(growing.n_nodes, dtype=np.int32)
    held_out: Floats = yield CountRequest("totals", problem, growing.routing, every, growing.n_nodes, held_out=True)
    if problem.parameters.outcome == COUNTS:
        deviance, _ = yield from criterion_of(problem).judging.held_out_errors(problem, growing, values, held_out)
        sums = held_out.copy()
        add_upwards(growing, sums)
        weight = problem.weights(sums, growing.tree)
        return lambda leaves: _ratio(deviance[leaves].sum(), weight[leaves].sum())
    if not problem.n_classes:
        moments = yield from _moments(problem, growing, values, held_out)
        means = values.mean
        assert means is not None
        return lambda leaves: number_score(metric, moments[:, leaves], means[leaves])
    sums = held_out.copy()
    add_upwards(growing, sums)
    rows, shares = problem.row_weights(sums, growing.tree), values.class_weights
    assert shares is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = shares / over_classes(shares)
    return lambda leaves: class_score(metric, rows[:, leaves], values.prediction[leaves], shares[:, leaves])


def _moments(problem: Problem, growing: GrowingTrees, values: NodeValues, held_out: Floats) -> Program[Floats]:
    """(3, n_nodes) weights of the held-out rows, and weighted sums of their distances to what the node predicts, and of
    the squares of these.
    """
    means = values.mean
    assert means is not None
    state = yield CountRequest("powers", problem, growing.routing, means=means, powers=_POWERS, held_out=True)
    distances = join_powers(problem, _POWERS, state, growing.tree)
    found = np.vstack((problem.weights(held_out, growing.tree), distances))
    for left, parents in pairs_upwards(growing):
        found[:, parents] = 0.0
        for side in (left, left + 1):
            weight, distance, squares = found[:, side]
            shift = means[side] - means[parents]
            found[:, parents] += weight, distance + shift * weight, squares + shift * (2 * distance + shift * weight)
    return found


def _ratio(total: float, weight: float) -> float:
    return float(total / weight) if weight > 0 else float("nan")
