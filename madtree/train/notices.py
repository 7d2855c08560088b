"""What a training tells besides its result: the outcome, a feature or a pruned tree is probably not what was meant.

All of it is known from what the training looks at anyway.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.host import Host
from madtree.ingest import Categories, Profile, classes_at_most
from madtree.learn.prune import FEWEST_ROWS, NodeColumns, OutOfBagColumns, TreeColumns
from madtree.request import TrainingTask
from madtree.trees import ModelKind

FEW_CLASSES, MANY_CLASSES = 20, 100  # whole numbers that surely are classes; and that surely are worth a question
ROWS_A_CLASS = 10  # on average, below which whole numbers are not taken for classes without a question
LEVELS_MISSED = 3  # that pruning took away; fewer are not told
CATEGORIES_OF_CHANCE = 30  # of a node, from which a split between them may be found by chance
MUCH = 0.25  # of all gains, from which such splits of a feature are told
# Of the differences between categories that chance makes, the share that lies between the upper half and the lower one:
# the squared mean of the absolute value of a standard normal number.
BETWEEN_HALVES = 2 / np.pi
ROWS_A_CATEGORY = 10  # on average, below which a feature's categories can part any rows


def warn_of_many_classes(host: Host, task: TrainingTask, profile: Profile) -> None:
    """A warning where whole numbers become more classes than there usually are, a notice where most rows have a class
    of their own.
    """
    n = len(profile.classes)
    if classes_at_most(task) and n > FEW_CLASSES and (n > MANY_CLASSES or n * ROWS_A_CLASS > profile.usable):
        host.warning(
            f"dependent_variable: {task.dependent_sql} is of type {task.dependent_type}, and its {n} distinct values "
            f"are taken as classes; for a regression, write {task.dependent_sql}::float8, or classification => false; "
            "classification => true says that classes are meant"
        )
    elif n > FEW_CLASSES and 2 * n > profile.usable:
        host.notice(
            f"dependent_variable: {task.dependent_sql} has {n} distinct values in {profile.usable} rows, and each is "
            "taken as a class: what names single rows cannot be learnt"
        )


def warn_of_constant_outcome(host: Host, task: TrainingTask, profile: Profile) -> None:
    """A notice where all rows have the same outcome; `profile` is of all of them."""
    n = len(profile.classes)
    if profile.usable > 1 and (n == 1 or (not n and profile.low == profile.high)):
        value = repr(profile.classes[0]) if n else f"{profile.low:g}"
        host.notice(
            f"dependent_variable: {task.dependent_sql} is {value} in all {profile.usable} rows: there is nothing to "
            "learn, and every row will be predicted as that"
        )


def warn_of_many_categories(
    host: Host, task: TrainingTask, profile: Profile, categories: Sequence[Categories | None]
) -> None:
    """A notice that names features with nearly as many categories as rows: more than half as many."""
    if profile.usable < FEWEST_ROWS:
        return
    messages = [
        f"{feature.name} ({len(known.labels)})"
        for feature, known in zip(task.features, categories, strict=True)
        if known is not None and 2 * len(known.labels) > profile.usable
    ]
    if messages:
        host.notice(
            f"list_of_features: nearly as many categories as there are rows ({profile.usable}): {', '.join(messages)}; "
            "what names a single row says nothing of others: leave it out"
        )


def warn_of_shared_ids(host: Host, task: TrainingTask, sampling: str, kept: float, out_of_bag: OutOfBagColumns) -> None:
    """A notice where no row is out of any bag: of rows that are told apart each tree lacks a third."""
    if sampling != "poisson":
        return
    large_enough = out_of_bag.n_rows * kept >= FEWEST_ROWS
    alike = large_enough & np.isnan(out_of_bag.error)
    if 2 * np.count_nonzero(alike) > np.count_nonzero(large_enough):  # it may happen to a few small groups by chance
        where = f" in {np.count_nonzero(alike)} of {len(alike)} groups" if task.grouping else ""
        host.notice(
            f"id_col_name: rows with the same {task.id_sql} are drawn together, so that each tree has all rows or "
            f"none{where}, and there is no out-of-bag error; name a column that tells rows apart"
        )


class TreeNotices:
    """What is to be told of the trees, once all of them are known."""

    def __init__(self, kind: ModelKind, task: TrainingTask, categories: Sequence[Categories | None]) -> None:
        self._kind, self._task = kind, task
        # (n_features,) of unordered features, 0 for the others
        self._n_categories = np.array([0 if known is None else len(known.labels) for known in categories])
        self._perfect = np.zeros(len(task.features), np.int64)  # trees in which the feature predicts nearly perfectly
        self._n_checked = self._n_trees = self._n_grown = self._bare = self._low = 0
        # (n_features,) of the splits between many categories: what they gain, and would gain by chance
        self._gains, self._by_chance = np.zeros((2, len(task.features)))
        self._all_gains = 0.0

    def add(self, trees: TreeColumns, nodes: NodeColumns) -> None:
        self._add_splits(nodes)
        has_nodes = trees.n_nodes > 0
        self._n_trees += int(has_nodes.sum())
        cut = has_nodes & (trees.grown_depth > 0)
        self._n_grown += int(cut.sum())
        bare = cut & (trees.n_leaves == 1)
        self._bare += int(bare.sum())
        lost = trees.grown_depth - trees.tree_depth
        self._low += int((cut & ~bare & (lost > trees.tree_depth) & (lost >= LEVELS_MISSED)).sum())
        self._n_checked += int(trees.is_explainable.sum())
        # A feature with few rows a category parts any rows.
        known = self._n_categories * ROWS_A_CATEGORY <= trees.n_rows[:, None]
        self._perfect += (trees.explained & known).sum(axis=0)

    def _add_splits(self, nodes: NodeColumns) -> None:
        """Of L categories of which each has some rows, chance alone makes the sums of squares between them L - 1 times
        that of a row, and the best split has a share of it, `BETWEEN_HALVES`; of entropies, half a nat in the place of
        a row's.
        """
        by_chance = self._task.parameters.declared.gain_by_chance
        if by_chance is None:
            return
        inner = nodes.feature >= 0
        gain = np.where(inner, nodes.improvement, 0.0)
        if costs := self._task.parameters.feature_costs:
            gain = gain * np.array(costs)[nodes.feature]
        self._all_gains += float(gain.sum())
        n_categories = nodes.left.sizes + nodes.right.sizes
        many = np.flatnonzero((n_categories >= CATEGORIES_OF_CHANCE) & inner)
        feature = nodes.feature[many]
        of_row = nodes.impurity[many] if by_chance == "impurity" else 1 / (2 * np.log(2))
        expected = BETWEEN_HALVES * (n_categories[many] - 1) * of_row * nodes.weight[many] / nodes.n_rows[many]
        self._gains += np.bincount(feature, gain[many], len(self._gains))
        self._by_chance += np.bincount(feature, expected, len(self._gains))

    def _warn_of_chance_splits(self, host: Host) -> None:
        """A notice of features whose splits gain no more than chance does, and yet make up much of the tree."""
        messages = np.flatnonzero((self._gains < self._by_chance) & (self._gains > MUCH * self._all_gains))
        for feature in messages.tolist():
            host.notice(
                f"list_of_features: {self._task.features[feature].name} has {self._n_categories[feature]} categories, "
                f"and its splits, {self._gains[feature] / self._all_gains:.0%} of all that is gained, gain no more "
                "than chance would where categories say nothing; new rows will be predicted worse: leave it out, "
                "group its categories, or prune by cross-validation (pruning_params => 'n_folds=5')"
            )

    def send(self, host: Host) -> None:
        self._warn_of_chance_splits(host)
        self._warn_of_pruning(host)
        if self._n_checked and not self._n_grown and self._task.parameters.max_depth:
            host.notice(
                f"no split was made, so that all rows of a tree are predicted alike: none lowers {self._kind.lowers}"
            )
        for feature in np.flatnonzero(2 * self._perfect > self._n_checked).tolist():
            name, trees = self._task.features[feature].name, ""
            if self._task.grouping:
                trees = f" in {self._perfect[feature]} of {self._n_checked} trees"
            host.notice(
                f"list_of_features: {name} alone predicts {self._task.dependent_name} almost perfectly{trees}; if it "
                "is known only when the outcome is, leave it out"
            )

    def _warn_of_pruning(self, host: Host) -> None:
        """One notice for all trees."""
        messages = []
        if self._bare:
            messages.append(f"{self._count(self._bare)} with a single leaf, which predicts the same for every row")
        if self._low:
            grown = "they" if self._task.grouping else "it"
            messages.append(f"{self._count(self._low)} with less than half of the depth to which {grown} had grown")
        if messages:
            host.notice(
                f"pruning left {', and '.join(messages)}; to keep more, prune less (pruning_params => 'cp=-1' keeps "
                "all splits), weight the rarer outcomes (weights), or choose another split_criterion"
            )

    def _count(self, n: int) -> str:
        return f"{n} of {self._n_trees} trees" if self._task.grouping else "the tree"
