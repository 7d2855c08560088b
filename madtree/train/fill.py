"""Filling a new model's tables while its trees are being trained."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from madtree.host import Host
from madtree.learn.data import Ints, nested
from madtree.learn.prune import SeenCategories, TrainedTrees, TreeColumns, TreeKeys
from madtree.model.write import (
    Totals,
    write_competitors,
    write_cv,
    write_nodes,
    write_summary,
    write_surrogates,
    write_trees,
)
from madtree.request import TrainingTask
from madtree.train.remarks import TreeRemarks
from madtree.train.training import Training

_UNUSABLE_GROUP = "no usable row: dependent or weight NULL, weight 0, or every feature NULL in each of its rows"


class ModelFiller:
    """Writes nodes, surrogates and cp tables as trees come, and at the end the trees and the summary.

    Attributes:
        n_rows, n_trees, n_leaves: so far.
    """

    def __init__(self, host: Host, task: TrainingTask, training: Training) -> None:
        self._host, self._task, self._training = host, task, training
        self._categories = [None if categories is None else categories.labels for categories in training.categories]
        self._trees: list[TreeColumns] = []
        self._seen: list[SeenCategories] = []
        self._remarks = TreeRemarks(task, training.categories)
        self.n_rows = self.n_trees = self.n_leaves = 0

    def add(self, trained: TrainedTrees) -> None:
        host, task, training = self._host, self._task, self._training
        trees = trained.trees
        self._trees.append(trees)
        self._seen.append(trained.seen)
        self._remarks.add(trained)
        self.n_rows += int(trees.n_rows.sum())
        self.n_trees += len(trees.n_rows)
        self.n_leaves += int(trees.n_leaves.sum())
        write_nodes(host, task, trained.nodes, self._categories, training.profile.classes)
        if task.parameters.max_surrogates:
            write_surrogates(host, task, trained.surrogates, self._categories)
        if task.parameters.max_competitors:
            write_competitors(host, task, trained.competitors, self._categories)
        if training.parameters.n_folds:
            write_cv(host, task, trained.cp_table, training.group_table)

    def finish(self) -> None:
        host, task, training = self._host, self._task, self._training
        groups: Ints = np.ones(1, np.int64) if training.groups is None else training.groups.tree_id
        trees = _with_untrained(self._trees, groups, len(task.features), task.parameters.cp)
        null_as_category = task.parameters.null_as_category
        unordered = self._unordered_categories()
        write_trees(host, task, trees, _UNUSABLE_GROUP, training.group_table, unordered)
        totals = Totals(
            classes=training.profile.classes,
            num_all_groups=len(groups),
            num_failed_groups=int((trees.n_nodes == 0).sum()),
            total_rows_processed=self.n_rows,
            # Rows may come and go between two looks at the table.
            total_rows_skipped=max(training.profile.total - self.n_rows, 0),
            categories={**unordered, **_null_of_ordered(task)} if null_as_category else None,
        )
        write_summary(host, task, totals)
        self._remarks.tell(host)

    def _unordered_categories(self) -> dict[str, Any]:
        """The categories of each unordered feature, NULL among them where it is one; of grouped trees, by tree id."""
        labels = {f: known for f, known in enumerate(self._categories) if known is not None}
        names = [feature.name for feature in self._task.features]
        if self._training.groups is None:
            return {names[f]: list(known) for f, known in labels.items()}
        seen = nested.join(self._seen)
        alike: dict[tuple[int, bytes], tuple[str | None, ...]] = {}  # most trees have the same
        found: dict[str, dict[str, tuple[str | None, ...]]] = {names[f]: {} for f in labels}
        changes = np.diff(seen.key.group) | np.diff(seen.feature)
        ends = np.append(np.flatnonzero(changes) + 1, len(seen.index)).tolist()
        for first, last in pairwise([0, *ends] if len(seen.index) else []):
            f, tree = int(seen.feature[first]), str(seen.key.group[first])
            index = seen.index[first:last]
            mine = f, index.tobytes()
            if mine not in alike:
                alike[mine] = tuple(labels[f][i] for i in index.tolist())
            found[names[f]][tree] = alike[mine]
        return found


def _with_untrained(trained: list[TreeColumns], groups: Ints, n_features: int, cp: float) -> TreeColumns:
    """All trees by group: those trained, and trees without nodes for the groups that have none."""
    missing = np.setdiff1d(groups, np.concatenate([trees.key.group for trees in trained]))
    key = TreeKeys(missing, np.zeros_like(missing))
    trees = nested.join([*trained, TreeColumns.untrained(key, n_features, cp)])
    return trees.take(np.lexsort((trees.key.member, trees.key.group)))


def _null_of_ordered(task: TrainingTask) -> dict[str, Any]:
    """NULL as the only category of each ordered feature whose last value it is."""
    return {feature.name: [None] for feature in task.features if feature.null_last}
