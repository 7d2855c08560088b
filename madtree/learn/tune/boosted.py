"""Settings of boosted models: for each fold one that is grown without its rows, and tested on them after those rounds
at which some setting ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from madtree.learn.data import Floats, Grid, Ints
from madtree.learn.ensemble import BoostedRows, Boosting, train_boosted
from madtree.learn.problem import Problem
from madtree.learn.requests import Program, Progress, RememberRequest, ReplaceRequest, StepReport, SumsRequest
from madtree.learn.tune.trials import Clock, Report, Search, Trial, TrialScores
from madtree.trees import MOST_ROUNDS, BoostParameters, LeafValue, Parameters

_LIMBS = 3
_ROOM = 2.0**20  # by how much an error may be larger than those at first, so that sums still have all digits


def try_boosted(
    problem: Problem, search: Search, trials: Sequence[Trial], share: float, rows_at_hand: bool, report: Report
) -> Program[None]:
    """As `try_trees`."""
    n_folds, n_done = problem.parameters.n_folds, 0
    yield RememberRequest(back=False)
    for (parameters, boost), own in _alike(trials).items():
        clock = Clock()
        ends = {trial: _rounds(trial) for trial in own}
        longest = replace(
            boost, n_rounds=max(ends.values()), held_out_by="fold", patience=MOST_ROUNDS, tolerance=0.0, held_out=0.0
        )
        scores: dict[int, Floats] = {n_rounds: np.full(n_folds, np.nan) for n_rounds in ends.values()}
        for fold in range(n_folds):
            yield RememberRequest(back=True)
            seed = problem.parameters.seed
            yield ReplaceRequest("one_fold", {"n_folds": n_folds, "fold": fold, "share": share, "seed": seed})
            boosting = Boosting(
                replace(problem, parameters=replace(parameters, n_folds=n_folds)), longest, np.ones(1, np.int64)
            )
            tested = partial(_tested, scores, fold, n_folds, search.metric)
            yield from train_boosted(boosting, lambda trees: None, rows_at_hand=rows_at_hand, after_round=tested)
            _go_on(scores, fold)
        for trial, n_rounds in ends.items():
            report(TrialScores(trial.number, scores[n_rounds], clock.seconds / len(own), share))
        n_done += len(own)
        yield Progress(step=StepReport("setting", n_done, len(trials), seconds=clock.seconds))
    yield RememberRequest(back=True)


def _alike(trials: Sequence[Trial]) -> dict[tuple[Parameters, BoostParameters], list[Trial]]:
    """Those that differ in the number of rounds alone."""
    found: dict[tuple[Parameters, BoostParameters], list[Trial]] = {}
    for trial in trials:
        assert isinstance(trial.ensemble, BoostParameters)
        found.setdefault((trial.parameters, replace(trial.ensemble, n_rounds=1)), []).append(trial)
    return found


def _rounds(trial: Trial) -> int:
    assert isinstance(trial.ensemble, BoostParameters)
    return trial.ensemble.n_rounds


def _go_on(scores: dict[int, Floats], fold: int) -> None:
    """Where no more rounds could be grown, those that a setting asks for are the ones that there are."""
    known = [n_rounds for n_rounds in sorted(scores) if not np.isnan(scores[n_rounds][fold])]
    for n_rounds in scores:
        if np.isnan(scores[n_rounds][fold]) and known:
            scores[n_rounds][fold] = scores[known[-1]][fold]


def _tested(
    scores: dict[int, Floats], fold: int, n_folds: int, metric: str, n_rounds: int, boosted_rows: BoostedRows
) -> Program[None]:
    """Enter the score of the held-out fold where a setting ends after so many rounds."""
    boosting = boosted_rows.boosting
    if n_rounds not in scores and boosting.method.leaf is not LeafValue.VOTE:  # which may be the last ones
        return
    largest = boosting.heaviest * _ROOM
    if not boosting.packed.n_classes:
        outcome = np.abs(boosting.packed.centre) + boosting.packed.largest_target
        largest = np.maximum(boosted_rows.largest_loss, np.square(outcome) * boosting.heaviest) * _ROOM
    grid = Grid.choose(largest, boosted_rows.problem.rows, _LIMBS)
    values = {
        **boosted_rows.loss,
        "metric": metric,
        "sum_metric_exponents": grid.exponents,
        "sum_weight_exponents": None if boosted_rows.weight_grid is None else boosted_rows.weight_grid.exponents,
    }
    sums: Floats = yield SumsRequest("metric", values, boosted_rows.problem)
    tree: Ints = np.zeros(1, np.int64)
    total, weight = grid.join(sums[1 : 1 + _LIMBS], tree), sums[0]
    if boosted_rows.weight_grid is not None:
        weight = boosted_rows.weight_grid.join(sums[1 + _LIMBS :], tree)
    if weight[0] > 0:
        mean = float(total[0] / weight[0])
        of_folds = scores.setdefault(n_rounds, np.full(n_folds, np.nan))
        of_folds[fold] = np.sqrt(mean) if metric == "rmse" else mean
