"""A search as what there is to be learnt of rows: by the same requests, and so wherever rows are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.data import Block, Bools, Coroutine, Ints
from madtree.learn.ensemble import Deliver, Held, Learner, ReportProgress
from madtree.learn.packing import RawRows
from madtree.learn.problem import Bootstrap, Problem
from madtree.learn.prune import TrainedTrees, assign_folds
from madtree.learn.requests import Program, Progress, SampleRequest, driven
from madtree.learn.route import POSITION_BYTES
from madtree.learn.tune.boosted import try_boosted
from madtree.learn.tune.forests import try_forests
from madtree.learn.tune.trees import try_trees
from madtree.learn.tune.trials import Attempt, Report, Search, TrialScores, ranked, rungs
from madtree.records import dataclass
from madtree.trees import BOOSTED, FOREST, TREE, ModelKind, Parameters

# How settings of each kind of model are tried.
_ATTEMPTS: Mapping[ModelKind, Attempt] = {TREE: try_trees, FOREST: try_forests, BOOSTED: try_boosted}


@dataclass(frozen=True)
class SearchLearner:
    """Tries settings of a kind of model, for each fold; it learns no tree.

    Attributes:
        learners: of each setting.
        report: is told of each setting that has been tried.
    """

    search: Search
    learners: Sequence[Learner]
    report: Report
    draws_rows = True
    holds_out = False

    def samples(self, parameters: Parameters) -> Bootstrap | None:
        """Those by which sums grow most."""
        found = filter(None, (learner.samples(parameters) for learner in self.learners))
        return max(found, key=lambda each: int(each.upper_bound(np.ones(1, np.int64))[0]), default=None)

    def in_training(self, rows: RawRows, parameters: Parameters) -> Bools | None:
        return None

    def program(self, problem: Problem, groups: Ints, deliver: Deliver, held: Held) -> Program[TrainedTrees]:
        if not held.folds_known:
            yield from assign_folds(problem)
        yield Progress(stage="passes")
        attempt, trials = _ATTEMPTS[self.search.kind], list(self.search.trials)
        for share, n_trials in rungs(len(trials), int(problem.rows.sum()), halving=self.search.halving):
            found: dict[int, TrialScores] = {}
            kept, seed = trials[:n_trials], problem.parameters.seed
            # Whoever has rows at hand copies those of the share, and goes through no others.
            apart = held.rows_at_hand and self.search.halving
            if apart:
                yield SampleRequest(1.0, seed)
                yield SampleRequest(share, seed)
            drawn = 1.0 if apart else share
            yield from attempt(problem, self.search, kept, drawn, held.rows_at_hand, partial(_keep, found))
            for each in found.values():
                self.report(replace(each, share=share))
            by_number = {trial.number: trial for trial in kept}
            trials = [by_number[each.trial] for each in ranked([*found.values()], self.search.metric_used)]
        return TrainedTrees.none(len(problem.unordered), problem.n_classes)

    def in_block(
        self, problem: Problem, block: Block, groups: Ints, report: ReportProgress, deliver: Deliver | None
    ) -> Coroutine[TrainedTrees]:
        program = self.program(problem, groups, lambda trees: None, Held(1, True, True))
        positions = block.codes.n_rows * (1 + problem.parameters.n_folds) * POSITION_BYTES
        return driven(program, BlocksAtHand([block], positions), report)

    def to_values(self) -> dict[str, Any]:
        raise NotImplementedError("settings are tried in one process, which alone hears of them")


def _keep(found: dict[int, TrialScores], scored: TrialScores) -> None:
    found[scored.trial] = scored
