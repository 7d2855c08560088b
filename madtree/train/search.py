"""A search for the best of some settings: the stages of a training up to its trees, with a learner that tries settings
where one that trains would stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host, Stopwatch, local_settings
from madtree.ingest import Profile, no_usable_row
from madtree.learn.data import Ints
from madtree.learn.ensemble import Learner
from madtree.learn.prune import TrainedTrees
from madtree.learn.tune import Search, SearchLearner, Trial, TrialScores, ranked
from madtree.model.write import ModelOutput
from madtree.parallel import Workers
from madtree.records import dataclass
from madtree.request import Costs, TrainingTask, TuneTask
from madtree.train.activity import Activity
from madtree.train.kinds import Harvest, Size, Tested, TrainingKind
from madtree.train.source import open_source
from madtree.train.survey import survey
from madtree.train.train import SERIAL, begin, kind_of, trees_of
from madtree.trees import METRICS, Numbering, Parameters
from madtree.wording import count_text


@dataclass(frozen=True)
class Searching:
    """As `TrainingKind` says: the settings' kind, but for what is learnt of the rows. It has no tree to be written.

    Attributes:
        kinds: of each setting.
    """

    learner: Learner
    kinds: Sequence[TrainingKind]
    needs_all_rows = False
    passes_often = True
    holds_out = False

    @property
    def model_kind(self) -> Any:
        return self.kinds[0].model_kind

    @property
    def strategies(self) -> tuple[str, ...]:
        """By which settings can be tried: where all rows are needed, by whoever has them and their folds; where their
        columns change with each round, by whoever can remember these.
        """
        kind = self.kinds[0]
        return ("auto", "memory", "workers", "aggregate")[: 2 if kind.needs_all_rows else 3 if kind.passes_often else 4]

    def numbering(self, n_trees: Ints | None) -> Numbering | None:
        return self.kinds[0].numbering(n_trees)

    def check(self, task: TrainingTask, profile: Profile) -> None:
        for kind in self.kinds:
            kind.check(task, profile)

    def may_stay_spread(self, strategy: str) -> bool:
        return False

    def rows_together(self, rows: int, n_channels: int) -> int:
        return self.kinds[0].rows_together(rows, n_channels)

    def workers_for_rows(self, workers: Workers, size: Size, parameters: Parameters, costs: Costs) -> int:
        kind = self.kinds[0]  # folds of rows that are shared cannot be drawn anew
        return 0 if kind.needs_all_rows else kind.workers_for_rows(workers, size, parameters, costs)

    def looked_at(self, size: Size, parameters: Parameters) -> int:
        return 0

    def n_rows(self, trained: TrainedTrees) -> int:
        return 0

    def write_nodes(
        self, output: ModelOutput, trained: TrainedTrees, classes: Sequence[str], numbering: Numbering
    ) -> None:
        raise NotImplementedError

    def write_trees(self, output: ModelOutput, harvest: Harvest, numbering: Numbering) -> Tested:
        raise NotImplementedError

    def summary(self, task: TrainingTask) -> dict[str, Any]:
        raise NotImplementedError


def search(host: Host, tune: TuneTask, watch: Stopwatch) -> list[TrialScores]:
    """Try all settings; what each has reached, the best one first.

    Raises:
        MadtreeError: the rows are not fit to learn from, or not enough, or cannot be kept as it was asked for.
    """
    task = tune.rows
    trials = [Trial(number, each.parameters, each.ensemble) for number, each in enumerate(tune.tasks, 1)]
    found: dict[int, TrialScores] = {}
    kinds = [kind_of(each) for each in tune.tasks]
    wanted = Search(trials, tune.metric, tune.n_folds, tune.halving, tune.kind)
    learners = [each.learner for each in kinds]
    kind = Searching(SearchLearner(wanted, learners, lambda scored: found.update({scored.trial: scored})), kinds)
    host.source.training_begins()
    call = begin(host, task, kind, watch, Activity())
    with local_settings(host, SERIAL), local_settings(host.source, SERIAL), call.space, open_source(call) as source:
        known = survey(call, source)
        _check(tune, kind, known.profile)
        for _ in trees_of(call, known):
            pass
    if not found:
        raise no_usable_row(task, "every feature is NULL in each of")
    order = ranked([found[trial.number] for trial in trials], METRICS[tune.metric])
    if isnan(order[0].mean):
        raise MadtreeError(
            f"metric {tune.metric} is not known of any fold: its rows are of one class, or all have the same number",
            hint="Ask for fewer folds, or for another metric.",
        )
    return order


def _check(tune: TuneTask, kind: Searching, profile: Profile) -> None:
    """Raises MadtreeError where there are too few rows for the folds, or the classes are not those of the metric."""
    task = tune.rows
    if task.strategy not in kind.strategies:
        raise MadtreeError(
            f"strategy: {task.strategy} is not for settings of {tune.kind.noun}s, which are tried by "
            f"{', '.join(kind.strategies)}"
        )
    if profile.usable < tune.n_folds and not profile.estimated:
        raise MadtreeError(
            f"n_folds: {tune.n_folds} folds take as many rows, and {task.arguments.training_table_name} has "
            f"{count_text(profile.usable, 'usable row')}",
            hint="Ask for fewer folds." if profile.usable > 1 else None,
        )
    if METRICS[tune.metric].of_two and len(profile.classes) != 2:
        raise MadtreeError(
            f"metric {tune.metric} is for two classes, and {task.arguments.dependent_variable} has "
            f"{len(profile.classes)}",
            hint="log_loss is for any.",
        )
