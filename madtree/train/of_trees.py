"""A training of single trees, one of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from madtree.ingest import Profile
from madtree.learn.data import Ints
from madtree.learn.ensemble import Learner, TreeLearner
from madtree.learn.prune import TrainedTrees, TreeColumns, TreeKeys
from madtree.model.write import ModelOutput, write_nodes, write_trees
from madtree.records import dataclass
from madtree.request import TrainingTask
from madtree.train.kinds import UNUSABLE_GROUP, Harvest, OfDividedRows, Size, Tested
from madtree.trees import SINGLE, TREE, Numbering, Parameters


@dataclass(frozen=True)
class SingleTrees(OfDividedRows):
    """As `TrainingKind` says."""

    learner: Learner = field(default_factory=TreeLearner)
    model_kind = TREE
    passes_often = False
    holds_out = False

    def numbering(self, n_trees: Ints | None) -> Numbering:
        return SINGLE

    def check(self, task: TrainingTask, profile: Profile) -> None:
        pass

    def looked_at(self, size: Size, parameters: Parameters) -> int:
        return size.n_features * (1 + parameters.n_folds)

    def n_rows(self, trained: TrainedTrees) -> int:
        return int(trained.trees.n_rows.sum())

    def write_nodes(
        self, output: ModelOutput, trained: TrainedTrees, classes: Sequence[str], numbering: Numbering
    ) -> None:
        write_nodes(output, trained.nodes, classes)

    def write_trees(self, output: ModelOutput, harvest: Harvest, numbering: Numbering) -> Tested:
        task = output.task
        trees = _with_untrained(harvest.trees, harvest.groups, len(task.features), task.parameters.cp)
        write_trees(output, trees, UNUSABLE_GROUP, harvest.categories)
        return Tested(None)

    def summary(self, task: TrainingTask) -> dict[str, Any]:
        return {}


def _with_untrained(trees: TreeColumns, groups: Ints, n_features: int, cp: float) -> TreeColumns:
    """The trees, and trees without nodes for the groups that have none."""
    missing = np.setdiff1d(groups, trees.key.group)
    key = TreeKeys(missing, np.zeros_like(missing))
    return TreeColumns.sorted([trees, TreeColumns.untrained(key, n_features, cp)])
