"""Filling a new model's tables while its trees are being trained."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.ingest import Profile
from madtree.learn.data import Ints, nested
from madtree.learn.prune import BoostedColumns, OutOfBagColumns, RoundColumns, SeenCategories, TreeColumns
from madtree.model.write import ModelOutput, Totals, write_competitors, write_cv, write_summary, write_surrogates
from madtree.request import TrainingTask
from madtree.sqltext.kinds import TABLES
from madtree.train.batches import Batch, TreeBuffer
from madtree.train.kinds import Harvest
from madtree.train.notices import TreeNotices, warn_of_constant_outcome
from madtree.train.ordered import EncodedRows
from madtree.train.source import Call
from madtree.train.survey import Survey
from madtree.train.trained import Trained
from madtree.trees import MOST_STORED, Numbering

MOST_TREES = 2**31 - 1  # their numbers are integers


class Tables:
    """Writes nodes, surrogates and cp tables as trees come, and at the end the trees and the summary."""

    def __init__(self, call: Call, found: Survey, encoded: EncodedRows | None = None) -> None:
        """`encoded`: the rows, where categories are encoded, and `call` is not of what is learned of them."""
        self._kind, self._watch, self._encoded = call.kind, call.watch, encoded
        labels = [None if categories is None else categories.labels for categories in found.categories]
        group_table = None if found.groups is None else call.space.tables.name("groups")
        encodings = encoded.encodings(call.task, group_table) if encoded else None
        for feature, texts in encodings.labels.items() if encodings else ():
            labels[feature] = texts
        self._output = ModelOutput(call.host, call.task, labels, group_table, encodings)
        self._groups: Ints = np.ones(1, np.int64) if found.groups is None else found.groups.tree_id
        self._has_cv = found.parameters.n_folds > 0
        self._trees: list[TreeColumns] = []
        self._seen: list[SeenCategories] = []
        self._out_of_bag: list[OutOfBagColumns] = []
        self._boosted: list[BoostedColumns] = []
        self._rounds: list[RoundColumns] = []
        # Trees whose numbers are not known yet.
        self._waiting: TreeBuffer | None = None
        self._numbering = call.kind.numbering(None)
        if self._numbering is None:
            one_group = found.groups is None
            if one_group:
                self._numbering = Numbering(MOST_TREES)
            else:
                self._waiting = TreeBuffer(call.host, in_file=True)
        self._notices = TreeNotices(call.kind.model_kind, call.task, found.categories)
        self._n_rows = self._n_trees = self._n_leaves = self._n_named = 0

    @property
    def is_empty(self) -> bool:
        """Whether no tree has come."""
        return self._n_trees == 0

    def add(self, batch: Batch) -> None:
        """Raises MadtreeError where the splits of all trees name too many categories."""
        output, kind, trained = self._output, self._kind, batch.trees
        trees = nested.copied(trained.trees)  # nodes are not held longer than they are written
        self._trees.append(trees)
        self._seen.append(nested.copied(trained.seen))
        self._out_of_bag.append(nested.copied(trained.out_of_bag))
        self._boosted.append(nested.copied(trained.boosted))
        self._rounds.append(nested.copied(trained.rounds))
        self._n_rows += kind.n_rows(trained)
        if not len(trees.n_rows):
            return
        self._n_named += len(trained.packed.index)
        if self._n_named > MOST_STORED:
            raise too_many_named(self._n_trees)
        self._notices.add(trees, trained.nodes)
        self._n_trees += len(trees.n_rows)
        self._n_leaves += int(trees.n_leaves.sum())
        if self._waiting is not None:
            self._waiting.add(trained)
            return
        numbering = self._numbering
        assert numbering is not None
        kind.write_nodes(output, trained, batch.profile.classes, numbering)
        parameters = output.task.parameters
        if parameters.max_surrogates:
            write_surrogates(output, trained.surrogates, numbering)
        if parameters.has_competitors:
            write_competitors(output, trained.competitors, numbering)
        if self._has_cv:
            write_cv(output, trained.cp_table)

    def finish(self, profile: Profile) -> Trained:
        """`profile`: of the rows that were really there."""
        output, groups, kind = self._output, self._groups, self._kind
        host, task = output.host, output.task
        if self._encoded:
            self._encoded.keep(task, output.group_table)
        trees = TreeColumns.sorted(self._trees)
        categories = self._unordered_categories()
        out_of_bag, boosted = nested.join(self._out_of_bag), nested.join(self._boosted)
        rounds = nested.join(self._rounds)
        n_trees = np.bincount(np.searchsorted(groups, trees.key.group), minlength=len(groups))
        numbering = kind.numbering(n_trees)
        assert numbering is not None
        for waiting in self._waiting.drained() if self._waiting else ():
            kind.write_nodes(output, waiting, profile.classes, numbering)
        harvest = Harvest(trees, out_of_bag, boosted, rounds, groups, profile.classes, categories)
        tested = kind.write_trees(output, harvest, numbering)
        n_failed = len(groups) - len(np.unique(trees.key.group[trees.n_nodes > 0]))
        null_as_category = task.parameters.null_as_category
        totals = Totals(
            classes=profile.classes,
            num_all_groups=len(groups),
            num_failed_groups=n_failed,
            total_rows_processed=self._n_rows,
            # Rows may come and go between two looks at the table.
            total_rows_skipped=max(profile.total - self._n_rows, 0),
            categories={**categories, **_null_of_ordered(task)} if null_as_category else None,
        )
        write_summary(host, task, totals, TABLES[kind.model_kind].summary, kind.summary(task))
        warn_of_constant_outcome(host, task, profile)
        self._notices.send(host)
        return Trained(
            model=task.arguments.output_table_name,
            kind=kind.model_kind,
            n_classes=len(profile.classes) if task.is_classification else 0,
            n_rows=self._n_rows,
            n_trees=self._n_trees,
            n_leaves=self._n_leaves,
            n_failed=n_failed,
            oob_error=tested.oob_error,
            losses=tested.losses,
        )

    def _unordered_categories(self) -> dict[str, Any]:
        """The categories of each unordered feature that rows in training have, NULL among them where it is one; of
        grouped trees, by tree id.
        """
        labels = {f: known for f, known in enumerate(self._output.categories) if known is not None}
        names = [feature.name for feature in self._output.task.features]
        seen, encodings = nested.join(self._seen), self._output.encodings
        alike: dict[tuple[int, bytes], tuple[str | None, ...]] = {}  # most trees have the same
        found: dict[str, dict[str, tuple[str | None, ...]]] = {names[f]: {} for f in labels}
        changes = np.diff(seen.key.group) | np.diff(seen.feature)
        ends = np.append(np.flatnonzero(changes) + 1, len(seen.index)).tolist()
        for first, last in pairwise([0, *ends] if len(seen.index) else []):
            f, tree = int(seen.feature[first]), str(seen.key.group[first])
            index = np.unique(seen.index[first:last])  # trees of one group may tell of them one after the other
            mine = f, index.tobytes()
            if mine not in alike:
                alike[mine] = tuple(labels[f][i] for i in index.tolist())
            found[names[f]][tree] = alike[mine]
        if encodings:
            for group in self._groups.tolist():
                for f in encodings.features:
                    found[names[f]][str(group)] = encodings.categories(group, f)
        if self._output.group_table is None:  # then NULL is one of them whether a row has it or not, as in MADlib
            nulls = {names[f]: [None] * (None in known) for f, known in labels.items()}
            return {
                name: [*(each for each in of_tree.get("1", ()) if each is not None), *nulls[name]]
                for name, of_tree in found.items()
            }
        return found


def too_many_named(n_trees: int) -> MadtreeError:
    """The error for a model whose splits name too many categories after so many trees."""
    return MadtreeError(
        f"list_of_features: the splits of the first {n_trees:,} trees name {MOST_STORED:,} categories, and more are "
        "not possible in one model",
        hint="Put rare categories together, for instance as 'other', or grow fewer or smaller trees. Where some rows "
        "lack a category, coalesce(column, 'none') gives them one: then splits name few.",
        sqlstate="54000",
    )


def _null_of_ordered(task: TrainingTask) -> dict[str, Any]:
    """NULL as the only category of each ordered feature whose last value it is."""
    return {feature.name: [None] for feature in task.features if feature.null_last}
