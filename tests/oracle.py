"""Brute-force CART: the tree that the specification asks for, grown the shortest way and with no thought of speed.

It knows nothing of madtree: no bins, no blocks, no integer grids. Every candidate split of every feature is tried on
the rows themselves. What it shares with madtree is the specification: which gains are equal, which way missing values
go, and how a tree is pruned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

EQUAL = 1e-10  # gains within this relative distance are equal, and the first of them wins
EXHAUSTIVE = 10  # levels up to which three or more classes are split by trying every subset


@dataclass(frozen=True)
class Column:
    """A feature: `values` (n,) float64, NaN where missing; an unordered feature's are ranks in SQL order."""

    values: np.ndarray
    ordered: bool = True


@dataclass(frozen=True)
class Rules:
    """When to split. `n_classes` is 0 for regression."""

    criterion: str
    n_classes: int
    max_depth: int = 10
    min_split: int = 20
    min_bucket: int = 6
    max_leaves: int | None = None
    min_decrease: float = 0.0


@dataclass
class Split:
    """A split and what makes it: `left` (n,) bool over the rows whose feature is known."""

    gain: float
    feature: int
    left: np.ndarray
    threshold: float | None = None
    left_levels: tuple[float, ...] | None = None
    right_levels: tuple[float, ...] | None = None
    majority_left: bool = True


@dataclass
class Node:
    """A node; `totals` are its weighted class counts, or the sums of w, w*y and w*y**2."""

    n_rows: int
    totals: np.ndarray
    risk: float
    split: Split | None = None
    complexity: float = 0.0


def statistics(y: np.ndarray, weights: np.ndarray, n_classes: int) -> np.ndarray:
    """What a row adds to its node's totals: (n, n_classes), or (n, 3) for regression."""
    if n_classes:
        return np.eye(n_classes)[y] * weights[:, None]
    return np.stack([weights, weights * y, weights * y * y], axis=1)


def total_impurity(criterion: str, totals: np.ndarray) -> np.ndarray:
    """Weight times impurity for totals (..., n_statistics)."""
    if criterion == "mse":
        w, wy, wyy = np.moveaxis(totals, -1, 0)
        return wyy - wy * wy / w
    weight = totals.sum(-1)
    if criterion == "gini":
        return weight - (totals**2).sum(-1) / weight
    if criterion == "misclassification":
        return weight - totals.max(-1)
    share = totals / weight[..., None]
    return -weight * np.sum(share * np.log2(np.where(share > 0, share, 1)), axis=-1)


def candidates(
    column: Column, values: np.ndarray, rows: np.ndarray, n_classes: int
) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
    """Every split of the known `values` (n,), first among equals first: who goes left, and how the split is written."""
    present = np.unique(values)
    if column.ordered:
        for low, high in pairwise(present):
            middle = (low + high) / 2
            yield values <= low, {"threshold": middle if low <= middle < high else low}
        return
    if n_classes > 2:
        if len(present) > EXHAUSTIVE:
            raise ValueError("the oracle has no principal components")
        gray_codes = [k ^ (k >> 1) for k in range(1, 2 ** (len(present) - 1))]
        subsets = [[level for i, level in enumerate(present) if code >> i & 1] for code in gray_codes]
    else:
        # Breiman et al. 1984, theorem 4.5: the best subset is a prefix by the first class's share, or by the mean.
        sums = {level: rows[values == level].sum(0) for level in present}
        means = {level: s[0] / s.sum() if n_classes else s[1] / s[0] for level, s in sums.items()}
        ranked = sorted(present, key=means.__getitem__)
        subsets = [ranked[:k] for k in range(1, len(ranked))]
    for subset in subsets:
        others = tuple(np.setdiff1d(present, subset))
        yield np.isin(values, subset), {"left_levels": tuple(sorted(subset)), "right_levels": others}


def best_split(columns: list[Column], members: np.ndarray, rows: np.ndarray, rules: Rules) -> Split | None:
    """The split of the node with these `members` that lowers the impurity of its known rows the most, if any does."""
    best: Split | None = None
    for feature, column in enumerate(columns):
        known = members[~np.isnan(column.values[members])]
        if np.unique(column.values[known]).size < 2:
            continue
        parent = total_impurity(rules.criterion, rows[known].sum(0))
        for left, how in candidates(column, column.values[known], rows[known], rules.n_classes):
            if min(left.sum(), (~left).sum()) < rules.min_bucket:
                continue
            sides = np.stack([rows[known[left]].sum(0), rows[known[~left]].sum(0)])
            gain = float(parent - total_impurity(rules.criterion, sides).sum())
            if gain <= EQUAL * parent:
                continue
            if rules.criterion == "gain_ratio":
                share = sides.sum(1) / sides.sum()
                gain /= -float(share @ np.log2(share))
            if best is None or gain > best.gain * (1 + EQUAL):
                weight = sides[:, 0] if rules.n_classes == 0 else sides.sum(1)
                best = Split(gain, feature, left, majority_left=bool(weight[0] >= weight[1]), **how)
    return best


def grow(columns: list[Column], y: np.ndarray, weights: np.ndarray, rules: Rules) -> dict[int, Node]:
    """The unpruned tree, nodes by id (root 0, children 2i + 1 and 2i + 2).

    Args:
        columns: features in list order.
        y: (n,) class numbers, or numbers.
        weights: (n,) positive.
        rules: when to split.
    """
    rows = statistics(y, weights, rules.n_classes)
    risk_criterion = "misclassification" if rules.n_classes else "mse"
    nodes: dict[int, Node] = {}
    waiting = [(0, 0, np.arange(len(y)))]
    while waiting:
        number, depth, members = waiting.pop()
        totals = rows[members].sum(0)
        risk = float(total_impurity(risk_criterion, totals))
        node = nodes[number] = Node(len(members), totals, risk)
        pure = np.ptp(y[members]) == 0
        if len(members) < rules.min_split or depth == rules.max_depth or pure:
            continue
        node.split = best_split(columns, members, rows, rules)
        if node.split is not None and rules.min_decrease > node.split.gain / weights.sum() + 1e-15:
            node.split = None
        if node.split is not None:
            values = columns[node.split.feature].values[members]
            goes_left = np.full(len(members), node.split.majority_left)
            goes_left[~np.isnan(values)] = node.split.left
            waiting.append((2 * number + 1, depth + 1, members[goes_left]))
            waiting.append((2 * number + 2, depth + 1, members[~goes_left]))
    if rules.max_leaves is not None:
        keep_best(nodes, rules.max_leaves)
    return nodes


def keep_best(nodes: dict[int, Node], max_leaves: int) -> None:
    """Take back all splits but those that are made if the leaf that gains most is always split next."""
    leaves, made = {0}, set()
    while len(leaves) < max_leaves:
        gains = {number: split.gain for number in leaves if (split := nodes[number].split) is not None}
        if not gains:
            break
        best = min(number for number, gain in gains.items() if gain >= max(gains.values()) * (1 - EQUAL))
        made.add(best)
        leaves = leaves - {best} | {2 * best + 1, 2 * best + 2}
    for number in list(nodes):
        if number not in made | leaves:
            del nodes[number]
        elif number in leaves:
            nodes[number].split = None


def prune(nodes: dict[int, Node], cp: float = 0.0) -> dict[int, Node]:
    """Cut back what lowers the risk by no more than `cp` times the root's a split: rpart's recursion (Therneau and
    Atkinson, An introduction to recursive partitioning, section 4), complexities relative to the root's risk.
    """
    alpha = cp * nodes[0].risk

    def cut(number: int) -> None:
        for child in (2 * number + 1, 2 * number + 2):
            if child in nodes:
                cut(child)
                del nodes[child]
        nodes[number].split = None

    def visit(number: int, bound: float) -> tuple[int, float]:
        """Splits and risk of the pruned subtree."""
        node = nodes[number]
        if node.split is None or min(node.risk, bound) <= alpha:
            cut(number)
            node.complexity = alpha
            return 0, node.risk
        left, right = nodes[2 * number + 1], nodes[2 * number + 2]
        splits, risks = [0, 0], [0.0, 0.0]
        splits[0], risks[0] = visit(2 * number + 1, min(node.risk, bound) - alpha)
        rest = min(max((node.risk - risks[0]) / (splits[0] + 1), node.risk - left.risk), bound)
        splits[1], risks[1] = visit(2 * number + 2, rest - alpha)

        def per_split() -> float:
            return (node.risk - sum(risks)) / (sum(splits) + 1)

        for side in (0, 1) if right.complexity > left.complexity else (1, 0):
            child = (left, right)[side]
            if per_split() <= child.complexity:
                break
            splits[side], risks[side] = 0, child.risk
        node.complexity = per_split()
        if node.complexity <= alpha:
            cut(number)
            return 0, node.risk
        return sum(splits) + 1, sum(risks)

    visit(0, np.inf)
    for number in sorted(nodes):  # a child falls with its parent at the latest
        if number:
            parent = nodes[(number - 1) // 2]
            nodes[number].complexity = min(nodes[number].complexity, max(parent.complexity, alpha))
    for node in nodes.values():
        node.complexity = node.complexity / nodes[0].risk if nodes[0].risk > 0 else 0.0
    return nodes
