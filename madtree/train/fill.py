"""Filling a new model's tables while its trees are being trained."""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.host.protocol import Host
from madtree.learn.data.types import Ints
from madtree.learn.prune.trained import Batch
from madtree.model.write import (
    CvColumns,
    NodeColumns,
    SurrogateColumns,
    Totals,
    TreeColumns,
    write_cv,
    write_nodes,
    write_summary,
    write_surrogates,
    write_trees,
)
from madtree.request.train_request import TrainingTask
from madtree.sqltext.rows import levels_by_tree
from madtree.train.training import Training

_UNUSABLE_GROUP = "no usable row: dependent or weight NULL, weight 0, or every feature NULL in each of its rows"


class ModelFiller:
    """Writes each batch of trees when it comes, and at the end what is told of the trees as a whole.

    Attributes:
        n_rows, n_trees, n_leaves: so far.
    """

    def __init__(self, host: Host, task: TrainingTask, training: Training) -> None:
        self._host, self._task, self._training = host, task, training
        self._tree_ids: Ints = np.ones(1, np.int64) if training.groups is None else training.groups.tree_id
        n, n_features = len(self._tree_ids), len(task.features)
        self._trained = np.zeros(n, np.bool_)
        self._n_rows, self._n_nodes, self._n_leaves, self._depth = (np.zeros(n, np.int64) for _ in range(4))
        self._root_risk, self._pruning_cp = np.full(n, np.nan), np.full(n, task.parameters.cp)
        self._importance = np.zeros((n, n_features))

    @property
    def n_rows(self) -> int:
        return int(self._n_rows.sum())

    @property
    def n_trees(self) -> int:
        return int(self._trained.sum())

    @property
    def n_leaves(self) -> int:
        return int(self._n_leaves.sum())

    def add(self, batch: Batch) -> None:
        """Write the nodes, surrogates and cp tables of some trees, and remember what is told of each tree."""
        host, task, training = self._host, self._task, self._training
        self._remember(batch)
        write_nodes(host, task, _nodes(training, batch), training.profile.classes)
        if task.parameters.max_surrogates:
            write_surrogates(host, task, _surrogates(training, batch))
        if training.parameters.n_folds:
            write_cv(host, task, _cp_tables(batch), training.group_table)

    def finish(self) -> None:
        """Write the trees and the summary."""
        host, task, training = self._host, self._task, self._training
        trees = TreeColumns(
            tree_id=self._tree_ids,
            n_rows=self._n_rows,
            n_nodes=self._n_nodes,
            n_leaves=self._n_leaves,
            tree_depth=self._depth,
            pruning_cp=self._pruning_cp,
            root_risk=self._root_risk,
            importance=self._importance,
            success=self._trained,
            message=[None if ok else _UNUSABLE_GROUP for ok in self._trained],
        )
        write_trees(host, task, trees, training.group_table)
        totals = Totals(
            classes=training.profile.classes,
            num_all_groups=len(self._trained),
            num_failed_groups=len(self._trained) - self.n_trees,
            total_rows_processed=self.n_rows,
            # Rows may come and go between two looks at the table.
            total_rows_skipped=max(training.profile.total - self.n_rows, 0),
            levels=_known_levels(host, task, training) if task.parameters.null_as_category else None,
        )
        write_summary(host, task, totals)

    def _remember(self, batch: Batch) -> None:
        at = np.searchsorted(self._tree_ids, batch.trees)
        owner = np.searchsorted(self._tree_ids, batch.tree_id)
        roots = np.flatnonzero(batch.node_id == 0)
        self._trained[at] = True
        self._n_rows[owner[roots]] = batch.n_rows[roots]
        np.add.at(self._n_nodes, owner, 1)
        np.add.at(self._n_leaves, owner[batch.feature < 0], 1)
        np.maximum.at(self._depth, owner, batch.depth)
        self._root_risk[at] = batch.root_risk
        self._pruning_cp[at] = batch.pruning_cp
        self._importance[at] = batch.importance


def _cp_tables(batch: Batch) -> CvColumns:
    """A row for each cp of each tree."""
    return CvColumns(
        tree_id=batch.cv_tree_id,
        cp=batch.cv_cp,
        n_splits=batch.cv_n_splits,
        rel_error=batch.cv_rel_error,
        cv_error_avg=batch.cv_error_avg,
        cv_error_stddev=batch.cv_error_stddev,
        xerror=batch.cv_xerror,
        xstd=batch.cv_xstd,
        chosen=batch.cv_chosen,
    )


def _nodes(training: Training, batch: Batch) -> NodeColumns:
    """A row for each node, by tree and node id."""
    order = np.lexsort((batch.node_id, batch.tree_id))
    left = _level_texts(training, batch.feature, batch.left_sizes, batch.left_levels)
    right = _level_texts(training, batch.feature, batch.right_sizes, batch.right_levels)
    as_they_are = (
        "tree_id",
        "node_id",
        "depth",
        "feature",
        "threshold",
        "majority_left",
        "n_rows",
        "weight",
        "impurity",
        "risk",
        "complexity",
        "improvement",
        "prediction",
        "class_weights",
    )
    return NodeColumns(
        left_levels=[left[i] for i in order],
        right_levels=[right[i] for i in order],
        **{name: getattr(batch, name)[order] for name in as_they_are},
    )


def _surrogates(training: Training, batch: Batch) -> SurrogateColumns:
    """A row for each surrogate, by tree, node id and rank."""
    order = np.lexsort((batch.surrogate_rank, batch.surrogate_node_id, batch.surrogate_tree_id))
    left = _level_texts(training, batch.surrogate_feature, batch.surrogate_left_sizes, batch.surrogate_left_levels)
    right = _level_texts(training, batch.surrogate_feature, batch.surrogate_right_sizes, batch.surrogate_right_levels)
    as_they_are = ("tree_id", "node_id", "rank", "feature", "threshold", "low_goes_left", "agreement")
    return SurrogateColumns(
        left_levels=[left[i] for i in order],
        right_levels=[right[i] for i in order],
        adjusted_agreement=batch.surrogate_adjusted[order],
        **{name: getattr(batch, f"surrogate_{name}")[order] for name in as_they_are},
    )


def _level_texts(training: Training, feature: Ints, sizes: Ints, indices: Ints) -> list[list[str | None] | None]:
    """For each split the texts of its levels on one side, None where its feature is not unordered.

    Args:
        feature: (n,) index of the feature; `sizes` (n,) number of levels.
        indices: the levels' indices, split after split.
    """
    texts: list[list[str | None] | None] = [None] * len(sizes)
    ends = np.cumsum(sizes)
    unordered = np.array([levels is not None for levels in training.levels])
    for split in np.flatnonzero((feature >= 0) & unordered[feature]).tolist():
        levels = training.levels[int(feature[split])]
        if levels is not None:
            texts[split] = [levels.labels[i] for i in indices[ends[split] - sizes[split] : ends[split]].tolist()]
    return texts


def _known_levels(host: Host, task: TrainingTask, training: Training) -> dict[str, Any]:
    """The levels of each unordered feature, NULL among them where it is one; of a grouped training, by tree id."""
    known: dict[str, Any] = {}
    for feature, levels in zip(task.features, training.levels, strict=True):
        if levels is None:
            continue
        if training.groups is None:
            known[feature.name] = list(levels.labels)
            continue
        by_tree: dict[str, list[str | None]] = {}
        for row in host.query(levels_by_tree(training.source, feature)):
            by_tree.setdefault(str(row["tree_id"]), []).append(row["level"])
        known[feature.name] = by_tree
    return known
