"""Trained trees on their way to the model tables: a dataclass of columns for each table.

They hold arrays only, so that a parallel worker can send its trees as bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, codec, nested
from madtree.learn.problem import Problem
from madtree.learn.prune.categories import CategorySets, SeenCategories, TreeKeys, category_indices
from madtree.learn.prune.outcome import Outcome


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
class SurrogateColumns:
    """The surrogates of these nodes, n rows by tree, node id and rank.

    Attributes:
        key, node_id: of each surrogate's node.
        rank: (n,) from 1 within a node.
        feature, threshold, left, right: as in `NodeColumns`.
        low_goes_left: (n,) whether values up to the threshold go left.
    """

    key: TreeKeys
    node_id: Ints
    rank: Ints
    feature: Ints
    threshold: Floats
    left: CategorySets
    right: CategorySets
    low_goes_left: Bools
    agreement: Floats
    adjusted_agreement: Floats


@dataclass(frozen=True)
class CompetitorColumns:
    """The competitors of these nodes, n rows by tree, node id and rank; columns as in `SurrogateColumns`.

    Attributes:
        improvement: (n,) gain, divided by the cost of the feature.
    """

    key: TreeKeys
    node_id: Ints
    rank: Ints
    feature: Ints
    threshold: Floats
    left: CategorySets
    right: CategorySets
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
        oob_error: (n,) out-of-bag error of the forest's trees up to and with this one; NaN where it was not computed.
        is_tested: (n,) whether any row is out of a forest's tree's bag, and so takes part in that error.
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

    @classmethod
    def untrained(cls, key: TreeKeys, n_features: int, cp: float) -> TreeColumns:
        """Trees without nodes."""
        n = len(key.group)
        none = np.zeros(n, np.int64)
        nan, false = np.full(n, np.nan), np.zeros(n, np.bool_)
        return cls(key, none, none, none, none, none, np.full(n, cp), nan, np.zeros((n, n_features)), nan, false)

    def take(self, rows: Ints) -> TreeColumns:
        return TreeColumns(
            self.key.take(rows),
            self.n_rows[rows],
            self.n_nodes[rows],
            self.n_leaves[rows],
            self.tree_depth[rows],
            self.grown_depth[rows],
            self.pruning_cp[rows],
            self.root_risk[rows],
            self.importance[rows],
            self.oob_error[rows],
            self.is_tested[rows],
        )


@dataclass(frozen=True)
class OutOfBagColumns:
    """What the out-of-bag rows of some groups' forests say, n rows; of single trees none (`learn.ensemble.OutOfBag`).

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
class TrainedTrees:
    """Some trained trees with all that the model tables hold of them."""

    trees: TreeColumns
    nodes: NodeColumns
    surrogates: SurrogateColumns
    competitors: CompetitorColumns
    cp_table: CpColumns
    seen: SeenCategories
    out_of_bag: OutOfBagColumns

    @classmethod
    def of(cls, outcome: Outcome, problem: Problem, groups: Ints, members: Ints | None = None) -> TrainedTrees:
        """From the outcome of a problem.

        Args:
            groups, members: the key of each of the problem's trees, ascending; members are 0 where they are not given.
        """
        key = TreeKeys(groups, np.zeros(len(groups), np.int64) if members is None else members)
        return cls(
            _trees(outcome, problem, key),
            _nodes(outcome, problem, key),
            _surrogates(outcome, problem, key),
            _competitors(outcome, problem, key),
            _cp_table(outcome, key),
            SeenCategories.of(problem, key, outcome.seen),
            OutOfBagColumns.none(len(problem.unordered)),
        )

    @classmethod
    def none(cls, n_features: int, n_classes: int) -> TrainedTrees:
        """No tree; of classes where `n_classes` is not 0."""
        ids, numbers = np.zeros(0, np.int64), np.zeros(0)
        key, sets = TreeKeys(ids, ids), CategorySets.of([])
        short, flags = np.zeros(0, np.int32), np.zeros(0, np.bool_)
        of_nodes = dict.fromkeys(("weight", "impurity", "risk", "complexity", "improvement", "prediction"), numbers)
        nodes = NodeColumns(
            key, ids, short, short, numbers, sets, sets, flags, ids, **of_nodes, class_weights=np.zeros((0, n_classes))
        )
        surrogates = SurrogateColumns(key, ids, short, short, numbers, sets, sets, flags, numbers, numbers)
        of_cp = dict.fromkeys(("rel_error", "cv_error_avg", "cv_error_stddev", "xerror", "xstd"), numbers)
        cp_table = CpColumns(key, numbers, ids, **of_cp, chosen=flags)
        trees = TreeColumns.untrained(key, n_features, 0.0)
        competitors = CompetitorColumns(key, ids, short, short, numbers, sets, sets, numbers)
        seen = SeenCategories(key, short, short)
        return cls(trees, nodes, surrogates, competitors, cp_table, seen, OutOfBagColumns.none(n_features))

    @classmethod
    def join(cls, parts: Sequence[TrainedTrees]) -> TrainedTrees:
        """Several as one; at least one."""
        return nested.join(parts)

    def dump(self) -> bytes:
        return codec.dump(nested.flatten(self))

    @classmethod
    def load(cls, data: bytes) -> TrainedTrees:
        return nested.unflatten(cls, codec.load(data))


def _trees(outcome: Outcome, problem: Problem, key: TreeKeys) -> TreeColumns:
    n, tree = len(key.group), outcome.tree
    roots = outcome.node_id == 0
    n_rows, depth = np.zeros(n, np.int64), np.zeros(n, np.int64)
    n_rows[tree[roots]] = outcome.n_rows[roots]
    np.maximum.at(depth, tree, outcome.depth)
    chosen = [table.cp[table.chosen] for table in outcome.cp_tables]
    return TreeColumns(
        key=key,
        n_rows=n_rows,
        n_nodes=np.bincount(tree, minlength=n),
        n_leaves=np.bincount(tree[outcome.is_leaf], minlength=n),
        tree_depth=depth,
        grown_depth=outcome.grown_depth,
        pruning_cp=np.array(chosen or [problem.parameters.cp] * n, np.float64),
        root_risk=outcome.root_risk,
        importance=outcome.importance,
        oob_error=np.full(n, np.nan),
        is_tested=np.zeros(n, np.bool_),
    )


def _nodes(outcome: Outcome, problem: Problem, key: TreeKeys) -> NodeColumns:
    n = len(outcome.tree)

    def categories(codes: dict[int, Ints]) -> CategorySets:
        sets: list[Ints | None] = [None] * n
        for node, of_node in codes.items():
            sets[node] = category_indices(problem, int(outcome.tree[node]), int(outcome.feature[node]), of_node)
        return CategorySets.of(sets)

    return NodeColumns(
        key=key.take(outcome.tree),
        node_id=outcome.node_id,
        depth=outcome.depth,
        feature=outcome.feature,
        threshold=outcome.threshold,
        left=categories(outcome.left_codes),
        right=categories(outcome.right_codes),
        majority_left=outcome.majority_left,
        n_rows=outcome.n_rows,
        weight=outcome.weight,
        impurity=outcome.impurity,
        risk=outcome.risk,
        complexity=outcome.complexity,
        improvement=outcome.improvement,
        prediction=outcome.prediction,
        class_weights=np.zeros((n, 0)) if outcome.class_weights is None else outcome.class_weights,
    )


def _surrogates(outcome: Outcome, problem: Problem, key: TreeKeys) -> SurrogateColumns:
    splits, _, columns = _of_nodes(outcome, problem, key, outcome.surrogates)
    return SurrogateColumns(
        **columns,
        threshold=np.array([split.threshold for split in splits], np.float64),
        low_goes_left=np.array([split.low_goes_left for split in splits], np.bool_),
        agreement=np.array([split.agreement for split in splits], np.float64),
        adjusted_agreement=np.array([split.adjusted for split in splits], np.float64),
    )


def _competitors(outcome: Outcome, problem: Problem, key: TreeKeys) -> CompetitorColumns:
    splits, tree, columns = _of_nodes(outcome, problem, key, outcome.competitors)
    feature = columns["feature"]
    left, right = (np.array([getattr(split, name) for split in splits], np.int32) for name in ("left", "right"))
    threshold = np.full(len(splits), np.nan)
    ordered = ~problem.unordered[feature]
    at = (tree[ordered], feature[ordered], left[ordered], right[ordered])
    threshold[ordered] = problem.bins.threshold(*at)
    return CompetitorColumns(
        **columns, threshold=threshold, improvement=np.array([split.gain for split in splits], np.float64)
    )


def _of_nodes(
    outcome: Outcome, problem: Problem, key: TreeKeys, found: Mapping[int, Sequence[Any]]
) -> tuple[list[Any], Ints, dict[str, Any]]:
    """The splits that are told of beside the nodes' own, by node and rank.

    Args:
        found: of each node its surrogates or its competitors, the best one first.

    Returns:
        The splits, the tree of each, and the columns that both kinds of them have.
    """
    by_node = sorted(found.items())
    splits = [split for _, of_node in by_node for split in of_node]
    node = np.array([node for node, of_node in by_node for _ in of_node], np.int64)
    tree = outcome.tree[node]

    def categories(codes: list[Ints | None]) -> CategorySets:
        return CategorySets.of(
            [
                None if own is None else category_indices(problem, int(of_tree), split.feature, own)
                for of_tree, split, own in zip(tree, splits, codes, strict=True)
            ]
        )

    columns = {
        "key": key.take(tree),
        "node_id": outcome.node_id[node],
        "rank": np.array([rank for _, of_node in by_node for rank in range(1, len(of_node) + 1)], np.int32),
        "feature": np.array([split.feature for split in splits], np.int32),
        "left": categories([split.left_codes for split in splits]),
        "right": categories([split.right_codes for split in splits]),
    }
    return splits, tree, columns


def _cp_table(outcome: Outcome, key: TreeKeys) -> CpColumns:
    tables = outcome.cp_tables

    def column(of_table: Callable[[Any], Array], dtype: Any = np.float64) -> Array:
        return np.concatenate([np.zeros(0, dtype), *(of_table(table).astype(dtype) for table in tables)])

    tree = np.repeat(np.arange(len(tables)), [len(table.cp) for table in tables])
    return CpColumns(
        key=key.take(tree),
        cp=column(lambda table: table.cp),
        n_splits=column(lambda table: table.n_splits, np.int64),
        rel_error=column(lambda table: table.rel_error),
        cv_error_avg=column(lambda table: table.cv_error_avg),
        cv_error_stddev=column(lambda table: table.cv_error_stddev),
        xerror=column(lambda table: table.xerror),
        xstd=column(lambda table: table.xstd),
        chosen=column(lambda table: np.arange(len(table.cp)) == table.chosen, np.bool_),
    )
