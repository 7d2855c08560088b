"""A training of random forests, one of each group."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from madtree.host import making_here
from madtree.ingest import Profile
from madtree.learn.data import Floats, Ints
from madtree.learn.ensemble import ForestLearner, Learner, wave_counts, wave_nodes
from madtree.learn.problem import SearchTuning
from madtree.learn.prune import TrainedTrees
from madtree.model import nodes_view
from madtree.model.write import (
    GroupTotals,
    ModelOutput,
    floats,
    nothing,
    picked,
    rows_of_floats,
    write_groups,
    write_members,
    write_packed,
)
from madtree.parallel import Workers, wave_workers
from madtree.records import dataclass
from madtree.request import Costs, TrainingTask
from madtree.sqltext.kinds import TABLES
from madtree.train.kinds import UNUSABLE_GROUP, Harvest, Size, Tested
from madtree.train.notices import warn_of_shared_ids
from madtree.trees import FOREST, ForestParameters, Numbering, Parameters


@dataclass(frozen=True)
class Forests:
    """As `TrainingKind` says."""

    parameters: ForestParameters
    model_kind = FOREST
    needs_all_rows = True
    passes_often = False
    holds_out = False

    @property
    def learner(self) -> Learner:
        return ForestLearner(self.parameters)

    def numbering(self, n_trees: Ints | None) -> Numbering:
        return Numbering(self.parameters.n_trees)

    def check(self, task: TrainingTask, profile: Profile) -> None:
        pass

    def may_stay_spread(self, strategy: str) -> bool:
        """They grow faster of a copy, and do so unless the aggregate is asked for."""
        return strategy == "aggregate"

    def rows_together(self, rows: int, n_channels: int) -> int:
        """All trees of a block's forests grow in one wave, and no more of them are held at a time."""
        return max(min(rows, wave_nodes(SearchTuning(), n_channels) // self.parameters.n_trees), 1)

    def workers_for_rows(self, workers: Workers, size: Size, parameters: Parameters, costs: Costs) -> int:
        of_wave = size.rows, parameters.max_depth, size.n_channels, self.parameters.n_trees
        n_waves = wave_counts(SearchTuning(), *of_wave, 1 + workers.available)
        n_rows = int(size.rows.sum())
        return wave_workers(workers, n_rows, size.n_columns, parameters, costs, self.row_level(costs), n_waves)

    def row_level(self, costs: Costs) -> float:
        """Seconds that a row takes in a level of all trees: it goes down each of them, in the bag or out of it."""
        return self.parameters.n_trees * (self.parameters.n_drawn * costs.drawn_value + costs.followed_row)

    def looked_at(self, size: Size, parameters: Parameters) -> int:
        return self.parameters.n_drawn * self.parameters.n_trees

    def n_rows(self, trained: TrainedTrees) -> int:
        return int(trained.out_of_bag.n_rows.sum())

    def write_nodes(
        self, output: ModelOutput, trained: TrainedTrees, classes: Sequence[str], numbering: Numbering
    ) -> None:
        write_packed(output, trained.packed, numbering)

    def write_trees(self, output: ModelOutput, harvest: Harvest, numbering: Numbering) -> Tested:
        host, task, trees = output.host, output.task, harvest.trees
        if task.is_classification:
            with making_here(host):
                host.command(nodes_view(task, harvest.classes, FOREST))
        is_tested = picked(["false", "true"], trees.is_tested)
        more = {"oob_error": floats(trees.oob_error), "oob_tested": is_tested}
        write_members(output, trees, numbering, more, TABLES[FOREST].more)
        warn_of_shared_ids(host, task, self.parameters.sampling, self.parameters.kept, harvest.out_of_bag)
        oob_error = self._write_groups(output, harvest)
        has_error = output.group_table is None and not np.isnan(oob_error[0])
        return Tested(float(oob_error[0]) if has_error else None)

    def summary(self, task: TrainingTask) -> dict[str, Any]:
        forest = self.parameters
        return {
            "method": FOREST.trains,
            "num_trees": forest.n_trees,
            "num_random_features": forest.n_drawn,
            "max_tree_depth": task.parameters.max_depth,
            "num_splits": task.parameters.n_bins,
            "verbose": task.verbose,
            "importance": forest.n_permutations > 0,
            "num_permutations": forest.n_permutations,
            "sample_ratio": forest.kept,
            "sampling": forest.sampling,
            "split_rule": forest.split_rule,
        }

    def _write_groups(self, output: ModelOutput, harvest: Harvest) -> Floats:
        """Write what is known of each group; returns the errors on out-of-bag rows (n,), NaN where there are none."""
        samples, width = harvest.out_of_bag, len(output.task.features)
        by_group = partial(harvest.by_group, samples.group, missing=np.nan)
        error: Floats = by_group(samples.error)
        of_features = {"oob_var_importance": samples.importance, "oob_var_importance_sd": samples.importance_sd}
        asked = self.parameters.n_permutations > 0
        more = {
            "oob_error": floats(error),
            "oob_score": floats(by_group(samples.score)),
            **{name: rows_of_floats(by_group(each), width) if asked else nothing for name, each in of_features.items()},
        }
        importance = harvest.importance / np.maximum(harvest.n_trees, 1)[:, None]
        groups = GroupTotals(harvest.groups, harvest.n_trees, importance)
        write_groups(output, groups, more, TABLES[FOREST].of_groups, UNUSABLE_GROUP, harvest.categories)
        return error
