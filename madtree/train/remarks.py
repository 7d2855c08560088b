"""What a training tells besides its result: the outcome, a feature or a pruned tree is probably not what was meant.

All of it is known from what the training looks at anyway.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.host import Host
from madtree.ingest import Categories, Profile, classes_at_most
from madtree.learn.data import Bools, Ints
from madtree.learn.prune import TrainedTrees
from madtree.request import TrainingTask

FEW_CLASSES, MANY_CLASSES = 20, 100  # whole numbers that surely are classes; and that surely are worth a question
ROWS_A_CLASS = 10  # on average, below which whole numbers are not taken for classes without a question
LEVELS_MISSED = 3  # that pruning took away; fewer are not told
FEWEST_ROWS = 20  # below which nothing is told of features
ROWS_A_SIDE = 10  # of a split that shows something: fewer rows are parted by chance
ROWS_A_CATEGORY = 10  # on average, below which a feature's categories can part any rows
ALMOST_ALL = 0.99  # of the impurity


def tell_of_classes(host: Host, task: TrainingTask, profile: Profile) -> None:
    """A warning where whole numbers become more classes than there usually are."""
    n = len(profile.classes)
    if classes_at_most(task) and n > FEW_CLASSES and (n > MANY_CLASSES or n * ROWS_A_CLASS > profile.usable):
        host.warning(
            f"dependent_variable: {task.dependent_sql} is of type {task.dependent_type}, and its {n} distinct values "
            f"are taken as classes; for a regression, write {task.dependent_sql}::float8, or classification => false; "
            "classification => true says that classes are meant"
        )


def tell_of_ids(host: Host, task: TrainingTask, profile: Profile, categories: Sequence[Categories | None]) -> None:
    """A notice that names features with nearly as many categories as rows: more than half as many."""
    if profile.usable < FEWEST_ROWS:
        return
    told = [
        f"{feature.name} ({len(known.labels)})"
        for feature, known in zip(task.features, categories, strict=True)
        if known is not None and 2 * len(known.labels) > profile.usable
    ]
    if told:
        host.notice(
            f"list_of_features: nearly as many categories as there are rows ({profile.usable}): {', '.join(told)}; "
            "what names a single row says nothing of others: leave it out"
        )


class TreeRemarks:
    """What is to be told of the trees, once all of them are known."""

    def __init__(self, task: TrainingTask, categories: Sequence[Categories | None]) -> None:
        self._task = task
        # (n_features,) of unordered features, 0 for the others
        self._n_categories = np.array([0 if known is None else len(known.labels) for known in categories])
        self._perfect = np.zeros(len(task.features), np.int64)  # trees in which the feature predicts nearly perfectly
        self._judged = self._n_trees = self._bare = self._low = 0

    def add(self, trained: TrainedTrees) -> None:
        trees = trained.trees
        has_nodes = trees.n_nodes > 0
        self._n_trees += int(has_nodes.sum())
        cut = has_nodes & (trees.grown_depth > 0)
        bare = cut & (trees.n_leaves == 1)
        self._bare += int(bare.sum())
        lost = trees.grown_depth - trees.tree_depth
        self._low += int((cut & ~bare & (lost > trees.tree_depth) & (lost >= LEVELS_MISSED)).sum())
        judged, feature = perfect_features(trained, self._n_categories, self._task.parameters.feature_costs)
        self._judged += judged
        np.add.at(self._perfect, feature, 1)

    def tell(self, host: Host) -> None:
        self._tell_of_pruning(host)
        for feature in np.flatnonzero(2 * self._perfect > self._judged).tolist():
            name, trees = self._task.features[feature].name, ""
            if self._task.grouping:
                trees = f" in {self._perfect[feature]} of {self._judged} trees"
            host.notice(
                f"list_of_features: {name} alone predicts {self._task.dependent_name} almost perfectly{trees}; if it "
                "is known only when the outcome is, leave it out"
            )

    def _tell_of_pruning(self, host: Host) -> None:
        """One notice for all trees."""
        told = []
        if self._bare:
            told.append(f"{self._count(self._bare)} with a single leaf, which predicts the same for every row")
        if self._low:
            grown = "they" if self._task.grouping else "it"
            told.append(f"{self._count(self._low)} with less than half of the depth to which {grown} had grown")
        if told:
            host.notice(
                f"pruning left {', and '.join(told)}; to keep more, prune less (pruning_params => 'cp=-1' keeps all "
                "splits), weight the rarer outcomes (weights), or choose another split_criterion"
            )

    def _count(self, n: int) -> str:
        return f"{n} of {self._n_trees} trees" if self._task.grouping else "the tree"


def perfect_features(trained: TrainedTrees, n_categories: Ints, costs: Sequence[float] = ()) -> tuple[int, Ints]:
    """How many trees can be judged, and for each tree of which one feature's splits explain nearly all, that feature.

    A split counts where both sides have enough rows that chance does not part them so well.

    Args:
        n_categories: (n_features,) of unordered features, 0 for the others.
        costs: by which gains were divided, of each feature; empty where they were not.
    """
    nodes, trees = trained.nodes, trained.trees
    own = np.flatnonzero(trees.n_nodes > 0)  # trees that have nodes, in the order of the nodes
    tree = np.repeat(np.arange(len(own)), trees.n_nodes[own])
    roots = np.cumsum(trees.n_nodes[own]) - trees.n_nodes[own]
    # Gains are about what the classes count; of a root without class weights, a regression's, about its weight.
    weight = nodes.class_weights[roots].sum(axis=1) if nodes.class_weights.shape[1] else nodes.weight[roots]
    whole = weight * nodes.impurity[roots]
    judged: Bools = (whole > 0) & (nodes.n_rows[roots] >= FEWEST_ROWS)
    # Within a tree, by id, the j-th inner node has its children at 1 + 2j and 2 + 2j from the root.
    inner = nodes.feature >= 0
    rank: Ints = np.cumsum(inner) - inner
    child = (roots[tree] + 1 + 2 * (rank - rank[roots[tree]]))[inner]
    of_tree, feature, gain = tree[inner], nodes.feature[inner], nodes.improvement[inner]
    gain = gain * np.array(costs)[feature] if costs else gain
    large = np.minimum(nodes.n_rows[child], nodes.n_rows[child + 1]) >= ROWS_A_SIDE
    known = n_categories[feature] * ROWS_A_CATEGORY <= nodes.n_rows[roots[of_tree]]
    counts = large & known & judged[of_tree]
    pair, place = np.unique(of_tree[counts] * len(n_categories) + feature[counts], return_inverse=True)
    gains = np.bincount(place, gain[counts], minlength=len(pair))
    found = pair[gains >= ALMOST_ALL * whole[pair // len(n_categories)]]
    return int(judged.sum()), found % len(n_categories)
