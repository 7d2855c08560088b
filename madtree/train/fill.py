"""Filling a new model's tables while its trees are being trained."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from madtree.host import Host
from madtree.learn.data import Bools, Floats, Ints, nested
from madtree.learn.prune import OutOfBagColumns, SeenCategories, TrainedTrees, TreeColumns, TreeKeys
from madtree.model import nodes_view
from madtree.model.write import (
    GroupTotals,
    Totals,
    write_competitors,
    write_cv,
    write_groups,
    write_nodes,
    write_packed,
    write_summary,
    write_surrogates,
    write_trees,
)
from madtree.request import TrainingTask
from madtree.train.remarks import TreeRemarks, tell_of_bags
from madtree.train.training import Training
from madtree.trees import ForestParameters

_UNUSABLE_GROUP = "no usable row: dependent or weight NULL, weight 0, or every feature NULL in each of its rows"


class ModelFiller:
    """Writes nodes, surrogates and cp tables as trees come, and at the end the trees and the summary.

    Attributes:
        n_rows, n_trees, n_leaves: so far.
        n_failed: groups that have no tree, of a model that has been finished.
        oob_error: the error on out-of-bag rows, of a finished forest without groups; None where there is none.
        is_tested: (n_trees,) whether any row is out of each tree's bag, of a forest that has been finished; in order
            of the trees' numbers.
    """

    def __init__(self, host: Host, task: TrainingTask, training: Training) -> None:
        self._host, self._task, self._training = host, task, training
        self._categories = [None if categories is None else categories.labels for categories in training.categories]
        self._trees: list[TreeColumns] = []
        self._seen: list[SeenCategories] = []
        self._out_of_bag: list[OutOfBagColumns] = []
        self._remarks = TreeRemarks(task, training.categories)
        self.n_rows = self.n_trees = self.n_leaves = self.n_failed = 0
        self.oob_error: float | None = None
        self.is_tested: Bools = np.zeros(0, np.bool_)

    def add(self, trained: TrainedTrees) -> None:
        host, task, training = self._host, self._task, self._training
        trees = nested.copied(trained.trees)  # nodes are not held longer than they are written
        self._trees.append(trees)
        self._seen.append(nested.copied(trained.seen))
        self._out_of_bag.append(nested.copied(trained.out_of_bag))
        self.n_rows += int(trained.out_of_bag.n_rows.sum())
        if not len(trees.n_rows):
            return
        self._remarks.add(trees)
        if not task.forest:
            self.n_rows += int(trees.n_rows.sum())
        self.n_trees += len(trees.n_rows)
        self.n_leaves += int(trees.n_leaves.sum())
        if task.forest:
            write_packed(host, task, trained.packed, self._categories)
        else:
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
        trees = _sorted(self._trees)
        if not task.forest:
            trees = _with_untrained(trees, groups, len(task.features), task.parameters.cp)
        null_as_category = task.parameters.null_as_category
        unordered = self._unordered_categories()
        self.n_failed = len(groups) - len(np.unique(trees.key.group[trees.n_nodes > 0]))
        if task.forest:
            if task.is_classification:
                host.command(nodes_view(task, training.profile.classes))
            write_trees(host, task, trees, "", training.group_table)
            self.is_tested = trees.is_tested
            said = nested.join(self._out_of_bag)
            tell_of_bags(host, task, said)
            of_groups = _groups_of(said, trees, groups, task.forest)
            if training.groups is None and not np.isnan(of_groups.oob_error[0]):
                self.oob_error = float(of_groups.oob_error[0])
            write_groups(host, task, of_groups, _UNUSABLE_GROUP, training.group_table, unordered)
        else:
            write_trees(host, task, trees, _UNUSABLE_GROUP, training.group_table, unordered)
        totals = Totals(
            classes=training.profile.classes,
            num_all_groups=len(groups),
            num_failed_groups=self.n_failed,
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


def _sorted(parts: list[TreeColumns]) -> TreeColumns:
    """All trees by group and member."""
    trees = nested.join(parts)
    return trees.take(np.lexsort((trees.key.member, trees.key.group)))


def _with_untrained(trees: TreeColumns, groups: Ints, n_features: int, cp: float) -> TreeColumns:
    """The trees, and trees without nodes for the groups that have none."""
    missing = np.setdiff1d(groups, trees.key.group)
    key = TreeKeys(missing, np.zeros_like(missing))
    return _sorted([trees, TreeColumns.untrained(key, n_features, cp)])


def _groups_of(said: OutOfBagColumns, trees: TreeColumns, groups: Ints, forest: ForestParameters) -> GroupTotals:
    """The forests of all groups (n,); `said` by those that have one, and the trees are sorted."""
    place = np.searchsorted(groups, said.group)
    of_tree = np.searchsorted(groups, trees.key.group)
    n_trees = np.bincount(of_tree, minlength=len(groups))

    def spread(values: Floats) -> Floats:
        found = np.full((len(groups), *values.shape[1:]), np.nan)
        found[place] = values
        return found

    importance = np.zeros((len(groups), trees.importance.shape[1]))
    np.add.at(importance, of_tree, trees.importance)
    wanted = forest.n_permutations > 0
    return GroupTotals(
        group=groups,
        n_trees=n_trees,
        oob_error=spread(said.error),
        oob_score=spread(said.score),
        oob_var_importance=spread(said.importance) if wanted else None,
        oob_var_importance_sd=spread(said.importance_sd) if wanted else None,
        impurity_var_importance=importance / np.maximum(n_trees, 1)[:, None],
    )


def _null_of_ordered(task: TrainingTask) -> dict[str, Any]:
    """NULL as the only category of each ordered feature whose last value it is."""
    return {feature.name: [None] for feature in task.features if feature.null_last}
