"""The columns of trained trees: a dataclass for each of the model tables; and categories on their way to these: those
on the sides of splits, and those that each tree has seen.

They hold arrays only, so that a parallel worker can send its trees as bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, nested
from madtree.learn.problem import Problem
from madtree.records import dataclass


@dataclass(frozen=True)
class TreeKeys:
    """Which tree each of n rows belongs to.

    Attributes:
        group: (n,) the group that the tree was trained on, from 1; 1 for all where training was not grouped.
        member: (n,) number of the tree in its group's ensemble; 0 for all where a group has a single tree.
    """

    group: Ints
    member: Ints

    def take(self, rows: Ints) -> TreeKeys:
        return nested.take(self, rows)


@dataclass(frozen=True)
class CategorySets:
    """A set of categories for each of n splits.

    Attributes:
        sizes: (n,) number of categories; 0 where the split is not on an unordered feature.
        indices: positions of the categories in the feature's list, one split's after the other's.
    """

    sizes: Ints
    indices: Ints

    @classmethod
    def of(cls, sets: Sequence[Ints | None]) -> CategorySets:
        sizes = np.array([0 if indices is None else len(indices) for indices in sets], np.int32)
        return cls(sizes, np.concatenate([np.zeros(0, np.int32), *(s for s in sets if s is not None)]))

    def take(self, rows: Ints) -> CategorySets:
        """Those of these splits, which ascend."""
        kept = np.zeros(len(self.sizes), np.bool_)
        kept[rows] = True
        return CategorySets(self.sizes[rows], self.indices[np.repeat(kept, self.sizes)])


@dataclass(frozen=True)
class SeenCategories:
    """The categories of unordered features that the rows of each tree have: n of them, by tree, feature and category.

    Attributes:
        key: of each one's tree.
        feature: (n,) index.
        index: (n,) position of the category in the feature's list.
    """

    key: TreeKeys
    feature: Ints
    index: Ints

    @classmethod
    def of(cls, problem: Problem, key: TreeKeys, seen: Ints) -> SeenCategories:
        """From what was seen in growing (`Outcome.seen`); `key` of each of the problem's trees."""
        tree, feature, code = seen
        return cls(key.take(tree), feature.astype(np.int32), category_indices(problem, tree, feature, code))


def category_indices(problem: Problem, tree: Ints | int, feature: Ints | int, codes: Ints) -> Ints:
    """Positions of the categories that codes stand for: the lower edge of a category's bin."""
    indices: Ints = problem.bins.lower[problem.bins.offsets[tree, feature] + codes - 1].astype(np.int32)
    return indices


@dataclass(frozen=True)
class NodeColumns:
    """The nodes that pruning kept, n rows by tree and node id.

    Attributes:
        key: of each node's tree.
        node_id: (n,) root 0, children 2i+1 and 2i+2.
        feature: (n,) index; -1 for a leaf.
        threshold: (n,) NaN where there is none.
        left, right: the categories on either side of a split on an unordered feature.
        majority_left, improvement: (n,) mean nothing for leaves.
        prediction: (n,) index of the class, or mean.
        class_weights: (n, K); (n, 0) for regression.
    """

    key: TreeKeys
    node_id: Ints
    depth: Ints
    feature: Ints
    threshold: Floats
    left: CategorySets
    right: CategorySets
    majority_left: Bools
    n_rows: Ints
    weight: Floats
    impurity: Floats
    risk: Floats
    complexity: Floats
    improvement: Floats
    prediction: Array
    class_weights: Floats


@dataclass(frozen=True)
class SplitColumns:
    """Splits that are told of beside the nodes' own, n rows by tree, node id and rank.

    Attributes:
        key, node_id: of each one's node.
        rank: (n,) from 1 within a node.
        feature, threshold, left, right: as in `NodeColumns`.
    """

    key: TreeKeys
    node_id: Ints
    rank: Ints
    feature: Ints
    threshold: Floats
    left: CategorySets
    right: CategorySets


@dataclass(frozen=True)
class SurrogateColumns(SplitColumns):
    """The surrogates of these nodes.

    Attributes:
        low_goes_left: (n,) whether values up to the threshold go left.
    """

    low_goes_left: Bools
    agreement: Floats
    adjusted_agreement: Floats


@dataclass(frozen=True)
class CompetitorColumns(SplitColumns):
    """The competitors of these nodes.

    Attributes:
        improvement: (n,) gain, divided by the cost of the feature.
    """

    improvement: Floats


@dataclass(frozen=True)
class CpColumns:
    """The cp tables of cross-validation, n rows by tree; none without it. See `learn.prune.validation.CpTable`.

    Attributes:
        key: of each row's tree.
        chosen: (n,) whether the tree was pruned at this cp.
    """

    key: TreeKeys
    cp: Floats
    n_splits: Ints
    rel_error: Floats
    cv_error_avg: Floats
    cv_error_stddev: Floats
    xerror: Floats
    xstd: Floats
    chosen: Bools


@dataclass(frozen=True)
class TreeColumns:
    """The trees, n rows; a tree without nodes could not be trained.

    Attributes:
        n_rows: (n,) of the training.
        tree_depth, grown_depth: (n,) after pruning, and before.
        pruning_cp: (n,) that the tree was pruned at.
        root_risk: (n,) NaN for a tree without nodes.
        importance: (n, number of features) summed improvement of each feature's splits and surrogates.
        oob_error: (n,) out-of-bag error of the group's trees up to and with this one; NaN where it was not computed.
        is_tested: (n,) whether any row is out of the tree's bag, and so takes part in that error.
        is_explainable: (n,) whether it has enough rows, and different ones, to tell which feature explains it.
        explained: (n, number of features) bool, whether the splits of a feature explain nearly all of the tree.
    """

    key: TreeKeys
    n_rows: Ints
    n_nodes: Ints
    n_leaves: Ints
    tree_depth: Ints
    grown_depth: Ints
    pruning_cp: Floats
    root_risk: Floats
    importance: Floats
    oob_error: Floats
    is_tested: Bools
    is_explainable: Bools
    explained: Bools

    @classmethod
    def untrained(cls, key: TreeKeys, n_features: int, cp: float) -> TreeColumns:
        """Trees without nodes."""
        n = len(key.group)
        none = np.zeros(n, np.int64)
        nan, false = np.full(n, np.nan), np.zeros(n, np.bool_)
        of_features = np.zeros((n, n_features))
        flags = nan, false, false, of_features.astype(np.bool_)
        return cls(key, none, none, none, none, none, np.full(n, cp), nan, of_features, *flags)

    @classmethod
    def sorted(cls, parts: Sequence[TreeColumns]) -> TreeColumns:
        """All trees by group and member."""
        trees = nested.join(parts)
        return nested.take(trees, np.lexsort((trees.key.member, trees.key.group)))


@dataclass(frozen=True)
class OutOfBagColumns:
    """What the out-of-bag rows of some groups say, n rows; none of other kinds (`learn.ensemble.OutOfBag`).

    Attributes:
        group: (n,) from 1; n_rows: (n,) its rows, in bag or not.
        importance, importance_sd: (n, number of features); NaN where it was not asked for.
    """

    group: Ints
    n_rows: Ints
    error: Floats
    score: Floats
    importance: Floats
    importance_sd: Floats

    @classmethod
    def none(cls, n_features: int) -> OutOfBagColumns:
        of_features = np.zeros((0, n_features))
        none = np.zeros(0)
        ids = none.astype(np.int64)
        return cls(ids, ids, none, none, of_features, of_features)


@dataclass(frozen=True)
class BoostedColumns:
    """The boosted models of some groups, n rows; none of other kinds (`learn.ensemble.boosting`).

    Attributes:
        group: (n,) from 1; n_rows: (n,) its rows, held out or not.
        n_held_out: (n,) of these.
        n_rounds: (n,) of the model.
        base: (n, n_scores) the scores before any tree.
        threshold: (n,) by which the loss is told; NaN of losses that have none.
    """

    group: Ints
    n_rows: Ints
    n_held_out: Ints
    n_rounds: Ints
    base: Floats
    threshold: Floats

    @classmethod
    def none(cls) -> BoostedColumns:
        ids = np.zeros(0, np.int64)
        return cls(ids, ids, ids, ids, np.zeros((0, 1)), np.zeros(0))


@dataclass(frozen=True)
class RoundColumns:
    """The mean losses of some groups after each round, n rows.

    Attributes:
        group: (n,) from 1; number: (n,) of the round, 0 before the first.
        training: (n,) of the rows in training; held_out: (n,) of those held out, NaN where there are none.
    """

    group: Ints
    number: Ints
    training: Floats
    held_out: Floats

    @classmethod
    def none(cls) -> RoundColumns:
        ids, none = np.zeros(0, np.int64), np.zeros(0)
        return cls(ids, ids, none, none)
