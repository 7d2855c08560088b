"""tree_train after its arguments have been checked: make the model's tables, train, fill them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from madtree.batch import Batch
from madtree.core.types import Ints
from madtree.host.protocol import Host
from madtree.modeltables import create_tables
from madtree.modelwrite import (
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
from madtree.run import Run
from madtree.settings import local_settings
from madtree.sqltext.rows import levels_by_tree
from madtree.task import TrainingTask
from madtree.workers import available

# Rows come in order only in one process; what may be shared out says so (madtree.workers).
_SERIAL = {"max_parallel_workers_per_gather": "0"}
_UNUSABLE_GROUP = "no usable row: dependent or weight NULL, weight 0, or every feature NULL in each of its rows"


def train(host: Host, task: TrainingTask) -> str:
    """Train and write the model; returns one line that says what was trained.

    Raises:
        MadtreeError: the rows are not fit to learn from.
    """
    started = time.monotonic()
    create_tables(host, task)
    workers = available(host, task.parameters)
    with local_settings(host, _SERIAL):
        run = Run(host, task, workers)
        batch = run.train()
        n_rows = _write(host, task, run, batch)
        run.clean_up()
    n_trees, n_leaves = len(batch.trees), int((batch.feature < 0).sum())
    return (
        f"{task.arguments.output_table_name}: {'classification' if task.is_classification else 'regression'}, "
        f"{n_rows} row{'s' * (n_rows != 1)}, {n_trees} tree{'s' * (n_trees != 1)}, "
        f"{n_leaves} lea{'ves' if n_leaves != 1 else 'f'}, {time.monotonic() - started:.2f} s"
    )


def _write(host: Host, task: TrainingTask, run: Run, batch: Batch) -> int:
    """Fill the model's tables; returns the rows trained on."""
    trees = _trees(task, run, batch)
    write_trees(host, task, trees, run.group_table)
    write_nodes(host, task, _nodes(run, batch), run.profile.classes)
    n_rows, n_failed = int(np.sum(trees.n_rows)), len(trees.message) - len(batch.trees)
    totals = Totals(
        classes=run.profile.classes,
        num_all_groups=len(trees.message),
        num_failed_groups=n_failed,
        total_rows_processed=n_rows,
        # Rows may come and go between two looks at the table.
        total_rows_skipped=max(run.profile.total - n_rows, 0),
        levels=_known_levels(host, task, run) if task.parameters.null_as_category else None,
    )
    write_summary(host, task, totals)
    if task.parameters.max_surrogates:
        write_surrogates(host, task, _surrogates(run, batch))
    if run.parameters.n_folds:
        columns = CvColumns(
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
        write_cv(host, task, columns, run.group_table)
    return n_rows


def _trees(task: TrainingTask, run: Run, batch: Batch) -> TreeColumns:
    """A row for each tree, those of groups that could not be trained included, by ascending id."""
    every: Ints = batch.trees if run.groups is None else run.groups.tree_id
    at = np.searchsorted(every, batch.trees)
    owner = np.searchsorted(every, batch.tree_id)
    n = len(every)
    trained = np.zeros(n, np.bool_)
    trained[at] = True
    n_rows = np.zeros(n, np.int64)
    roots = np.flatnonzero(batch.node_id == 0)
    n_rows[owner[roots]] = batch.n_rows[roots]
    depth = np.zeros(n, np.int64)
    np.maximum.at(depth, owner, batch.depth)
    root_risk = np.full(n, np.nan)
    root_risk[at] = batch.root_risk
    pruning_cp = np.full(n, task.parameters.cp)
    pruning_cp[at] = batch.pruning_cp
    importance = np.zeros((n, len(task.features)))
    importance[at] = batch.importance
    return TreeColumns(
        tree_id=every,
        n_rows=n_rows,
        n_nodes=np.bincount(owner, minlength=n),
        n_leaves=np.bincount(owner[batch.feature < 0], minlength=n),
        tree_depth=depth,
        pruning_cp=pruning_cp,
        root_risk=root_risk,
        importance=importance,
        success=trained,
        message=[None if ok else _UNUSABLE_GROUP for ok in trained],
    )


def _nodes(run: Run, batch: Batch) -> NodeColumns:
    """A row for each node, by tree and node id."""
    order = np.lexsort((batch.node_id, batch.tree_id))
    left = _level_texts(run, batch.feature, batch.left_sizes, batch.left_levels)
    right = _level_texts(run, batch.feature, batch.right_sizes, batch.right_levels)
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


def _surrogates(run: Run, batch: Batch) -> SurrogateColumns:
    """A row for each surrogate, by tree, node id and rank."""
    order = np.lexsort((batch.surrogate_rank, batch.surrogate_node_id, batch.surrogate_tree_id))
    left = _level_texts(run, batch.surrogate_feature, batch.surrogate_left_sizes, batch.surrogate_left_levels)
    right = _level_texts(run, batch.surrogate_feature, batch.surrogate_right_sizes, batch.surrogate_right_levels)
    as_they_are = ("tree_id", "node_id", "rank", "feature", "threshold", "low_goes_left", "agreement")
    return SurrogateColumns(
        left_levels=[left[i] for i in order],
        right_levels=[right[i] for i in order],
        adjusted_agreement=batch.surrogate_adjusted[order],
        **{name: getattr(batch, f"surrogate_{name}")[order] for name in as_they_are},
    )


def _level_texts(run: Run, feature: Ints, sizes: Ints, indices: Ints) -> list[list[str | None] | None]:
    """For each split the texts of its levels on one side, None where its feature is not unordered.

    Args:
        feature: (n,) index of the feature; `sizes` (n,) number of levels.
        indices: the levels' indices, split after split.
    """
    texts: list[list[str | None] | None] = [None] * len(sizes)
    ends = np.cumsum(sizes)
    unordered = np.array([levels is not None for levels in run.levels])
    for split in np.flatnonzero((feature >= 0) & unordered[feature]).tolist():
        levels = run.levels[int(feature[split])]
        if levels is not None:
            texts[split] = [levels.labels[i] for i in indices[ends[split] - sizes[split] : ends[split]].tolist()]
    return texts


def _known_levels(host: Host, task: TrainingTask, run: Run) -> dict[str, Any]:
    """The levels of each unordered feature, NULL among them where it is one; of a grouped run, by tree id."""
    known: dict[str, Any] = {}
    for feature, levels in zip(task.features, run.levels, strict=True):
        if levels is None:
            continue
        if run.groups is None:
            known[feature.name] = list(levels.labels)
            continue
        by_tree: dict[str, list[str | None]] = {}
        for row in host.query(levels_by_tree(run.source, feature)):
            by_tree.setdefault(str(row["tree_id"]), []).append(row["level"])
        known[feature.name] = by_tree
    return known
