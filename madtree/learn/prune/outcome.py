"""What grown trees say: risk, impurity and prediction of each node, the pruned trees, importance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from madtree.learn.criteria import KnownNodes, NodeValues, criterion_of
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero, stable_order
from madtree.learn.grow import GrowingTrees, inner_nodes
from madtree.learn.problem import Problem
from madtree.learn.prune.pruning import prune_at, relative
from madtree.learn.prune.validation import CpTable, cross_validate, held_out_errors
from madtree.learn.requests import Program
from madtree.learn.split import RankedSplit, SurrogateSplit
from madtree.records import dataclass

T = TypeVar("T")


@dataclass(frozen=True)
class Outcome:
    """The pruned main trees: an entry for each node that is kept, ordered by tree and node id.

    Attributes:
        tree, node_id, depth, n_rows: integers.
        is_leaf, majority_left: bool; majority_left means nothing for a leaf.
        feature: index, -1 for leaves.
        threshold: NaN where there is none.
        left_codes, right_codes: codes of the categories on either side, by position in this outcome, of unordered
            splits.
        surrogates: of inner nodes, by position, in the order in which they are asked.
        competitors: of inner nodes, by position, the best one first.
        weight, impurity, risk, complexity: float64.
        improvement: NaN for leaves.
        class_weights: (n_nodes, K) weights of the rows of each class, times what the class counts; None for regression.
        prediction: class index, mean, or rate.
        importance: (n_trees, n_features) gain summed over the splits of a feature, and, where it is a surrogate, gain
            times adjusted agreement.
        root_risk: (n_trees,).
        grown_depth: (n_trees,) before pruning.
        cp_tables: one for each tree, with cross-validation; else empty.
        seen: (3, n) tree, feature and code of each category of an unordered feature that a tree's rows have, sorted.
    """

    tree: Ints
    node_id: Ints
    depth: Ints
    n_rows: Ints
    is_leaf: Array
    majority_left: Array
    feature: Ints
    threshold: Floats
    left_codes: dict[int, Ints]
    right_codes: dict[int, Ints]
    surrogates: dict[int, list[SurrogateSplit]]
    competitors: dict[int, list[RankedSplit]]
    weight: Floats
    impurity: Floats
    risk: Floats
    complexity: Floats
    improvement: Floats
    class_weights: Floats | None
    prediction: Array
    importance: Floats
    root_risk: Floats
    grown_depth: Ints
    cp_tables: list[CpTable]
    seen: Ints


def leaf_predictions(problem: Problem, growing: GrowingTrees) -> Array:
    """(n_nodes,) index of the class or mean that each node would predict as a leaf; of no meaning without rows."""
    return criterion_of(problem).judging.predictions(problem, growing)


def conclude(problem: Problem, growing: GrowingTrees, known: KnownNodes | NodeValues | None = None) -> Program[Outcome]:
    """Evaluate, validate and prune grown trees.

    `known`: leaves of other rows than those that they were grown on; or what all nodes are worth.

    Regression takes one more pass, for the leaves' risks; cross-validation one or two, for the held-out rows.
    """
    tree = growing.tree
    problem = problem.with_class_factors(growing.sums[:, : problem.n_trees])
    judging = criterion_of(problem).judging
    inner = inner_nodes(growing, problem.parameters.max_leaf_nodes)
    left = np.where(inner, growing.routing.child, -1).astype(np.int64)
    values = known if isinstance(known, NodeValues) else (yield from judging.values(problem, growing))
    if isinstance(known, KnownNodes):
        known.enter(values)
    weight, risk = values.weight, values.risk
    n_main, alpha = problem.n_main, _alphas(problem, values)
    tables: list[CpTable] = []
    if problem.replicas.validate:
        all_pruned = prune_at(risk, left, tree, alpha)
        errors = yield from held_out_errors(problem, growing, values)
        tables = cross_validate(problem, growing, values, all_pruned, alpha, errors)
        alpha = np.array([table.cp[table.chosen] for table in tables]) * risk[:n_main]
    pruned = relative(prune_at(risk, left, tree, alpha[:n_main]), risk[tree])
    kept = flat_nonzero(pruned.keep)
    kept = kept[_by_tree_and_node(growing.tree[kept], growing.node_id[kept])]
    # A slice makes views: of a single large tree that is not pruned, copies of all columns would take much memory.
    chosen = slice(None) if np.array_equal(kept, np.arange(len(tree))) else kept
    is_leaf = pruned.is_leaf[chosen]
    feature = np.where(is_leaf, -1, growing.feature[chosen])
    improvement = np.where(is_leaf, np.nan, growing.improvement[chosen])
    split = flat_nonzero(~is_leaf)
    n_features = len(problem.unordered)
    cell = growing.tree[kept[split]].astype(np.int64) * n_features + feature[split]
    importance: Floats = np.bincount(cell, improvement[split], n_main * n_features).astype(np.float64, copy=False)
    importance = importance.reshape(n_main, n_features)
    place = dict(zip(kept[split].tolist(), split.tolist(), strict=True)) if _some_nodes_have_more(growing) else {}

    def of_kept(found: Mapping[int, T]) -> dict[int, T]:
        """What inner nodes have, by their positions in the outcome."""
        return {place[node]: found[node] for node in sorted(found.keys() & place.keys(), key=place.__getitem__)}

    surrogates = of_kept(growing.surrogates)
    for i, found in surrogates.items():
        for surrogate in found:
            importance[growing.tree[kept[i]], surrogate.feature] += improvement[i] * surrogate.adjusted
    return Outcome(
        tree=growing.tree[chosen],
        node_id=growing.node_id[chosen],
        depth=growing.depth[chosen],
        n_rows=growing.n_rows[chosen],
        is_leaf=is_leaf,
        majority_left=growing.majority_left[chosen],
        feature=feature,
        threshold=np.where(is_leaf, np.nan, growing.threshold[chosen]),
        left_codes=of_kept(growing.left_codes),
        right_codes=of_kept(growing.right_codes),
        surrogates=surrogates,
        competitors=of_kept(growing.competitors),
        weight=weight[chosen],
        impurity=values.impurity[chosen],
        risk=risk[chosen],
        complexity=pruned.complexity[chosen],
        improvement=improvement,
        class_weights=None if values.class_weights is None else values.class_weights.T[chosen],
        prediction=values.prediction[chosen],
        importance=importance,
        root_risk=risk[:n_main],
        grown_depth=_depths(growing, inner, n_main),
        cp_tables=tables,
        seen=growing.seen_codes(),
    )


def _alphas(problem: Problem, values: NodeValues) -> Floats:
    """(n_trees,) complexity parameter times the risk that it is relative to. A fold's tree is pruned by the main tree's
    risk, in proportion to the weight that it was grown on.
    """
    cp, group = problem.parameters.cp, np.arange(problem.n_trees) % problem.n_main
    of_main = values.weight[group]
    share = np.divide(values.weight[: problem.n_trees], of_main, out=np.zeros_like(of_main), where=of_main > 0)
    alpha: Floats = cp * np.abs(values.risk[group]) * share
    # Whatever the risk of a root, which a criterion of unpruned trees need not have.
    return np.minimum(alpha, -np.finfo(np.float64).tiny) if cp < 0 else alpha


def _by_tree_and_node(tree: Ints, node_id: Ints) -> Ints:
    """(n,) the order of nodes by tree and id, of which (n,) each. Those of a tree that has grown level by level are in
    order already.
    """
    order = stable_order(tree.astype(np.uint32))
    same_tree, follows = np.diff(tree.take(order)) == 0, np.diff(node_id.take(order)) > 0
    if (follows | ~same_tree).all():
        return order
    return np.lexsort((node_id, tree))


def _some_nodes_have_more(growing: GrowingTrees) -> bool:
    """Whether some nodes have what is kept by node: categories, surrogates or competitors."""
    return bool(growing.left_codes or growing.surrogates or growing.competitors)


def deepest(tree: Ints, depth: Ints, n_trees: int) -> Ints:
    """(n_trees,) the largest `depth` (m,) of each `tree` (m,); 0 where there is none."""
    reached = np.zeros((n_trees, int(depth.max(initial=0)) + 1), np.bool_)
    reached[tree, depth] = True
    found: Ints = reached.shape[1] - 1 - reached[:, ::-1].argmax(axis=1)
    return np.where(reached.any(axis=1), found, 0)


def _depths(growing: GrowingTrees, inner: Bools, n_main: int) -> Ints:
    """(n_main,) depth of each tree that is there for itself, by the nodes `inner` (n_nodes,) that are split."""
    main = inner & (growing.tree < n_main)
    return deepest(growing.tree[main], growing.depth[main] + 1, n_main)
