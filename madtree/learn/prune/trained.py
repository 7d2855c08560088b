"""Trained trees on their way to the model tables: from the outcome of a problem to columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.learn.data import Array, Bools, Ints, codec, flat_nonzero, nested
from madtree.learn.problem import Problem
from madtree.learn.prune.columns import (
    BoostedColumns,
    CategorySets,
    CompetitorColumns,
    CpColumns,
    NodeColumns,
    OutOfBagColumns,
    RoundColumns,
    SeenCategories,
    SurrogateColumns,
    TreeColumns,
    TreeKeys,
    category_indices,
)
from madtree.learn.prune.explained import explained
from madtree.learn.prune.outcome import Outcome, deepest
from madtree.learn.prune.packed import PackedNodes, without_implied
from madtree.records import dataclass


@dataclass(frozen=True)
class TrainedTrees:
    """Some trained trees with all that the model tables hold of them.

    Attributes:
        nodes: of single trees.
        packed: the nodes of an ensemble's.
    """

    trees: TreeColumns
    nodes: NodeColumns
    packed: PackedNodes
    surrogates: SurrogateColumns
    competitors: CompetitorColumns
    cp_table: CpColumns
    seen: SeenCategories
    out_of_bag: OutOfBagColumns
    boosted: BoostedColumns
    rounds: RoundColumns

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
            PackedNodes.none(),
            _surrogates(outcome, problem, key),
            _competitors(outcome, problem, key),
            _cp_table(outcome, key),
            SeenCategories.of(problem, key, outcome.seen),
            OutOfBagColumns.none(len(problem.unordered)),
            BoostedColumns.none(),
            RoundColumns.none(),
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
        of_ensembles = OutOfBagColumns.none(n_features), BoostedColumns.none(), RoundColumns.none()
        return cls(trees, nodes, PackedNodes.none(), surrogates, competitors, cp_table, seen, *of_ensembles)

    def pack(self, problem: Problem) -> TrainedTrees:
        """These trees, of that problem, with their nodes packed."""
        trees, unordered = self.trees, problem.unordered
        nodes = self.nodes if problem.parameters.max_surrogates else without_implied(self.nodes)
        packed = PackedNodes.of(nodes, trees.key, trees.n_nodes, unordered, problem.node_layout)
        return replace(self, nodes=TrainedTrees.none(len(unordered), problem.n_classes).nodes, packed=packed)

    def only(self, kept: Bools) -> TrainedTrees:
        """Some of these trees (n_trees,), whose nodes are packed."""
        if kept.all():
            return self
        chosen = flat_nonzero(kept)
        return replace(self, trees=nested.take(self.trees, chosen), packed=self.packed.take(chosen))

    def with_rows(self) -> TrainedTrees:
        """Those of these trees, whose nodes are not packed, that have rows."""
        kept = self.trees.n_rows > 0
        if kept.all():
            return self
        groups, keys = self.trees.key.group[kept], (self.trees.key, self.nodes.key, self.cp_table.key)
        of_trees, of_nodes, of_cp = (flat_nonzero(np.isin(key.group, groups)) for key in keys)
        nodes, cp_table = nested.take(self.nodes, of_nodes), nested.take(self.cp_table, of_cp)
        return replace(self, trees=nested.take(self.trees, of_trees), nodes=nodes, cp_table=cp_table)

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
    n_rows = np.zeros(n, np.int64)
    n_rows[tree[roots]] = outcome.n_rows[roots]
    chosen = [table.cp[table.chosen] for table in outcome.cp_tables]
    # Gains are about what the classes count; of a root without class weights, a regression's, about its weight.
    by_class = outcome.class_weights
    weight = outcome.weight[roots] if by_class is None else by_class[roots].sum(axis=1)
    is_explainable, is_explained = explained(outcome, weight * outcome.impurity[roots], problem)
    return TreeColumns(
        key=key,
        n_rows=n_rows,
        n_nodes=np.bincount(tree, minlength=n),
        n_leaves=np.bincount(tree[outcome.is_leaf], minlength=n),
        tree_depth=deepest(tree, outcome.depth, n),
        grown_depth=outcome.grown_depth,
        pruning_cp=np.array(chosen or [problem.parameters.cp] * n, np.float64),
        root_risk=outcome.root_risk,
        importance=outcome.importance,
        oob_error=np.full(n, np.nan),
        is_tested=np.zeros(n, np.bool_),
        is_explainable=is_explainable,
        explained=is_explained,
    )


# Columns of nodes that are those of the outcome.
_AS_GROWN = (
    *("node_id", "depth", "feature", "threshold", "majority_left", "n_rows", "weight", "impurity", "risk"),
    *("complexity", "improvement", "prediction"),
)


def _nodes(outcome: Outcome, problem: Problem, key: TreeKeys) -> NodeColumns:
    n = len(outcome.tree)

    def categories(codes: dict[int, Ints]) -> CategorySets:
        sizes = np.zeros(n, np.int32)
        sets = []
        for node, of_node in codes.items():  # ascending
            sets.append(category_indices(problem, int(outcome.tree[node]), int(outcome.feature[node]), of_node))
            sizes[node] = len(of_node)
        return CategorySets(sizes, np.concatenate([np.zeros(0, np.int32), *sets]))

    return NodeColumns(
        key=key.take(outcome.tree),
        left=categories(outcome.left_codes),
        right=categories(outcome.right_codes),
        **{name: getattr(outcome, name) for name in _AS_GROWN},
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
