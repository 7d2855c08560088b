"""Filling a new model's tables while its trees are being trained."""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.host import Host
from madtree.learn.data import Ints, nested
from madtree.learn.prune import TrainedTrees, TreeColumns, TreeKeys
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
from madtree.sqltext.rows import categories_by_tree
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
        self._remarks = TreeRemarks(task, training.categories)
        self.n_rows = self.n_trees = self.n_leaves = 0

    def add(self, trained: TrainedTrees) -> None:
        host, task, training = self._host, self._task, self._training
        trees = trained.trees
        self._trees.append(trees)
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
        # Which categories each of many groups has would take a look at all rows: it is worth that only where rows are
        # scored by it.
        known = _known_categories(host, task, training) if null_as_category or training.groups is None else None
        unordered = {
            feature.name: known[feature.name]
            for feature, categories in zip(task.features, training.categories, strict=True)
            if categories is not None and known is not None
        }
        write_trees(host, task, trees, _UNUSABLE_GROUP, training.group_table, unordered)
        totals = Totals(
            classes=training.profile.classes,
            num_all_groups=len(groups),
            num_failed_groups=int((trees.n_nodes == 0).sum()),
            total_rows_processed=self.n_rows,
            # Rows may come and go between two looks at the table.
            total_rows_skipped=max(training.profile.total - self.n_rows, 0),
            categories=known if null_as_category else None,
        )
        write_summary(host, task, totals)
        self._remarks.tell(host)


def _with_untrained(trained: list[TreeColumns], groups: Ints, n_features: int, cp: float) -> TreeColumns:
    """All trees by group: those trained, and trees without nodes for the groups that have none."""
    missing = np.setdiff1d(groups, np.concatenate([trees.key.group for trees in trained]))
    key = TreeKeys(missing, np.zeros_like(missing))
    trees = nested.join([*trained, TreeColumns.untrained(key, n_features, cp)])
    return trees.take(np.lexsort((trees.key.member, trees.key.group)))


def _known_categories(host: Host, task: TrainingTask, training: Training) -> dict[str, Any]:
    """The categories of each unordered feature, NULL among them where it is one; of grouped trees, by tree id. Of an
    ordered feature only NULL, where that is its last value.
    """
    known: dict[str, Any] = {}
    for feature, categories in zip(task.features, training.categories, strict=True):
        if feature.null_last:
            known[feature.name] = [None]
        if categories is None:
            continue
        if training.groups is None:
            known[feature.name] = list(categories.labels)
            continue
        by_tree: dict[str, list[str | None]] = {}
        for row in host.query(categories_by_tree(training.source, feature)):
            by_tree.setdefault(str(row["tree_id"]), []).append(row["category"])
        known[feature.name] = by_tree
    return known
