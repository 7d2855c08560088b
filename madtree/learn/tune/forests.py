"""Settings of forests: for each fold one that is grown without its rows, which are then out of bag of all its trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from madtree.learn.data import Floats
from madtree.learn.ensemble import Forest, Tally, Wave, bootstrap
from madtree.learn.problem import LeftOut, Problem
from madtree.learn.requests import Program, Progress, StepReport
from madtree.learn.tune.trials import Clock, Report, Search, Trial, TrialScores
from madtree.learn.waves import TargetsRequest, WaveRequest
from madtree.trees import ForestParameters, Parameters


def try_forests(
    problem: Problem, search: Search, trials: Sequence[Trial], share: float, rows_at_hand: bool, report: Report
) -> Program[None]:
    """As `try_trees`."""
    n_folds, seed, n_done = problem.parameters.n_folds, problem.parameters.seed, 0
    folds = LeftOut(n_folds, kept=share, seed=seed)
    for (parameters, ensemble), own in _alike(trials).items():
        clock = Clock()
        sizes = {trial: _n_trees(trial) for trial in own}
        largest = replace(ensemble, n_trees=max(sizes.values()))
        scores: dict[int, Floats] = {size: np.full(n_folds, np.nan) for size in sizes.values()}
        grown = replace(problem, parameters=parameters)
        for fold in range(n_folds):
            samples = replace(bootstrap(seed, largest), folds=folds, fold=fold)
            forest = Forest.of(grown, largest, np.ones(1, np.int64), rows_at_hand=rows_at_hand, samples=samples)
            tally = Tally(grown, largest, (yield TargetsRequest(grown)), looks=scores)
            for number in range(forest.n_waves):
                wave: Wave = yield WaveRequest(forest, number)
                tally.add(number * forest.members, wave.prediction, wave.prediction_at, wave.losses)
                del wave
            for size, of_folds in scores.items():
                error, score = tally.error_by_size[size]
                of_folds[fold] = np.sqrt(error[0]) if search.metric == "rmse" else score[0]
        for trial, size in sizes.items():
            report(TrialScores(trial.number, scores[size], clock.seconds / len(own), share))
        n_done += len(own)
        yield Progress(step=StepReport("setting", n_done, len(trials), seconds=clock.seconds))


def _alike(trials: Sequence[Trial]) -> dict[tuple[Parameters, ForestParameters], list[Trial]]:
    """Those that differ in the number of trees alone: a forest begins with the trees of a smaller one."""
    found: dict[tuple[Parameters, ForestParameters], list[Trial]] = {}
    for trial in trials:
        assert isinstance(trial.ensemble, ForestParameters)
        alike = replace(trial.ensemble, n_trees=1, n_permutations=0)
        found.setdefault((trial.parameters, alike), []).append(trial)
    return found


def _n_trees(trial: Trial) -> int:
    assert isinstance(trial.ensemble, ForestParameters)
    return trial.ensemble.n_trees
