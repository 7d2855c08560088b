"""What a grown forest says: risk, impurity and prediction of each node, the pruned trees, importance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from madtree.core import impurity
from madtree.core.forest import Forest
from madtree.core.frontier import StatisticsSource
from madtree.core.powers import SQUARES
from madtree.core.problem import Problem
from madtree.core.prune import prune_at, relative
from madtree.core.surrogates import Surrogate
from madtree.core.types import Array, Floats, Ints
from madtree.core.validation import CpTable, cross_validate, held_out_errors


@dataclass(frozen=True)
class Outcome:
    """The pruned main trees: an entry for each node that is kept, ordered by tree and node id.

    Attributes:
        tree, node_id, depth, n_rows: integers.
        is_leaf, majority_left: bool; majority_left means nothing for a leaf.
        feature: index, -1 for leaves.
        threshold: NaN where there is none.
        left_codes, right_codes: codes of the levels on either side, by position in this outcome, of unordered splits.
        surrogates: of inner nodes, by position, in the order in which they are asked.
        weight, impurity, risk, complexity: float64.
        improvement: NaN for leaves.
        class_weights: (n_nodes, K), or None for regression.
        prediction: class index, or mean.
        importance: (n_trees, n_features) gain summed over the splits of a feature, and, where it is a surrogate, gain
            times adjusted agreement.
        root_risk: (n_trees,).
        cp_tables: one for each tree, with cross-validation; else empty.
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
    surrogates: dict[int, list[Surrogate]]
    weight: Floats
    impurity: Floats
    risk: Floats
    complexity: Floats
    improvement: Floats
    class_weights: Floats | None
    prediction: Array
    importance: Floats
    root_risk: Floats
    cp_tables: list[CpTable]


def conclude(problem: Problem, forest: Forest, source: StatisticsSource) -> Outcome:
    """Evaluate, validate and prune a grown forest.

    Regression takes one more pass, for the leaves' squares; cross-validation one or two, for the held-out rows.
    """
    tree = forest.tree
    weight = problem.weights(forest.sums, tree)
    class_weights: Floats | None = None
    means = np.zeros(0)
    left = np.where(forest.feature >= 0, forest.routing.child, -1).astype(np.int64)
    with np.errstate(divide="ignore", invalid="ignore"):  # a fold may have held out all rows of a group
        if problem.n_classes:
            by_class = problem.class_weights(forest.sums, tree)
            class_weights = by_class.T
            risk = impurity.class_risk(by_class)
            impurities = impurity.class_impurity(problem.parameters.criterion, by_class)
            prediction: Array = by_class.argmax(axis=0)
        else:
            means = np.nan_to_num(problem.means(forest.sums, tree))
            risk = _regression_risk(forest, source.powers(forest, means, SQUARES)[0], weight, means)
            impurities = risk / weight
            prediction = means + problem.centre[tree]
    n_groups = problem.n_groups
    group = np.arange(problem.n_trees) % n_groups
    # A fold's tree is pruned by the main tree's risk, in proportion to the weight that it was grown on.
    alpha = problem.parameters.cp * risk[group] * (weight[: problem.n_trees] / weight[group])
    tables: list[CpTable] = []
    if problem.n_copies > 1:
        all_pruned = prune_at(risk, left, tree, alpha)
        errors = held_out_errors(problem, forest, source, means)
        tables = cross_validate(problem, forest, risk, weight, all_pruned, alpha, errors)
        alpha = np.array([table.cp[table.chosen] for table in tables]) * risk[:n_groups]
    pruned = relative(prune_at(risk, left, tree, alpha[:n_groups]), risk[tree])
    kept = np.flatnonzero(pruned.keep)
    kept = kept[np.lexsort((forest.node_id[kept], forest.tree[kept]))]
    is_leaf = pruned.is_leaf[kept]
    feature = np.where(is_leaf, -1, forest.feature[kept])
    improvement = np.where(is_leaf, np.nan, forest.improvement[kept])
    importance = np.zeros((n_groups, len(problem.unordered)))
    inner = ~is_leaf
    np.add.at(importance, (forest.tree[kept][inner], feature[inner]), improvement[inner])
    surrogates = {
        i: forest.surrogates[node] for i, node in enumerate(kept.tolist()) if node in forest.surrogates and inner[i]
    }
    for i, found in surrogates.items():
        for surrogate in found:
            importance[forest.tree[kept[i]], surrogate.feature] += improvement[i] * surrogate.adjusted
    unordered = {i: int(node) for i, node in enumerate(kept) if int(node) in forest.left_codes and not is_leaf[i]}
    return Outcome(
        tree=forest.tree[kept],
        node_id=forest.node_id[kept],
        depth=forest.depth[kept],
        n_rows=forest.n_rows[kept],
        is_leaf=is_leaf,
        majority_left=forest.majority_left[kept],
        feature=feature,
        threshold=np.where(is_leaf, np.nan, forest.threshold[kept]),
        left_codes={i: forest.left_codes[node] for i, node in unordered.items()},
        right_codes={i: forest.right_codes[node] for i, node in unordered.items()},
        surrogates=surrogates,
        weight=weight[kept],
        impurity=impurities[kept],
        risk=risk[kept],
        complexity=pruned.complexity[kept],
        improvement=improvement,
        class_weights=None if class_weights is None else class_weights[kept],
        prediction=prediction[kept],
        importance=importance,
        root_risk=risk[:n_groups],
        cp_tables=tables,
    )


def _regression_risk(forest: Forest, leaf_squares: Floats, weight: Floats, means: Floats) -> Floats:
    """(n_nodes,) sums of squares about the node's mean: within the children, and between them.

    All terms are positive, so nothing cancels: risk = risk_l + risk_r + W_l W_r / W * (m_l - m_r)**2.
    """
    risk: Floats = leaf_squares.copy()
    for depth in range(int(forest.depth.max()) - 1, -1, -1):
        nodes = np.flatnonzero((forest.depth == depth) & (forest.feature >= 0))
        left = forest.routing.child[nodes]
        right = left + 1
        between = impurity.variance_gain(weight[left], means[left], weight[right], means[right])
        risk[nodes] = risk[left] + risk[right] + between
    return risk
