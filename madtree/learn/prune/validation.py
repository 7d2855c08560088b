"""Cross-validation of the complexity parameter, as rpart does it (src/xval.c, src/rundown.c; semantics, section 5).

Each fold's tree has been grown on the other folds in the same passes as the main tree. A row that was held out runs
down its fold's tree once. At a complexity parameter it is predicted by the first node on its way whose complexity is
not above
it, so a node answers for a stretch of parameters: below its parent's complexity and down to its own. The errors of the
rows that reach a node are summed once, and entered for its stretch.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from madtree.learn.counting import CountRequest
from madtree.learn.criteria import NodeValues, add_upwards, criterion_of
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero
from madtree.learn.grow import GrowingTrees
from madtree.learn.problem import Problem
from madtree.learn.prune.pruning import Pruned
from madtree.learn.requests import Program
from madtree.records import dataclass
from madtree.trees import distinct_complexities


@dataclass(frozen=True)
class CpTable:
    """The sequence of pruned trees of one group, by falling complexity parameter; m rows.

    Attributes:
        cp: (m,) relative to the root's risk; the last is the one that was asked for.
        n_splits: (m,) int64; rel_error: (m,) risk relative to the root's.
        xerror, xstd: (m,) cross-validated relative error and its standard error.
        cv_error_avg, cv_error_stddev: (m,) over folds, of the misclassification rate (with `class_params`, of what
            mistakes cost a unit of weight), root mean squared error or mean deviance.
        chosen: index of the row by which the tree is pruned.
    """

    cp: Floats
    n_splits: Ints
    rel_error: Floats
    xerror: Floats
    xstd: Floats
    cv_error_avg: Floats
    cv_error_stddev: Floats
    chosen: int


@dataclass(frozen=True)
class HeldOutErrors:
    """Of the held-out rows that reach each node: weight, sum of errors and of squared errors; (n_nodes,) each."""

    weight: Floats
    error: Floats
    squared: Floats


def held_out_errors(problem: Problem, growing: GrowingTrees, values: NodeValues) -> Program[HeldOutErrors]:
    """Errors of each node's prediction on held-out rows."""
    every = np.arange(growing.n_nodes, dtype=np.int32)
    counted = yield CountRequest("totals", problem, growing.routing, every, growing.n_nodes, held_out=True)
    judging = criterion_of(problem).judging
    error, squared = yield from judging.held_out_errors(problem, growing, values, counted)
    sums = counted.copy()
    add_upwards(growing, sums)
    return HeldOutErrors(problem.weights(sums, growing.tree), error, squared)


def cross_validate(
    problem: Problem, growing: GrowingTrees, values: NodeValues, pruned: Pruned, alpha: Floats, errors: HeldOutErrors
) -> list[CpTable]:
    """The table of each group.

    Args:
        pruned: all trees, pruned at `alpha` (n_trees,); complexities are not relative.
    """
    order = np.argsort(growing.tree, kind="stable")
    starts = np.searchsorted(growing.tree[order], np.arange(problem.n_trees + 1))
    nodes_of = [order[a:b] for a, b in pairwise(starts)]
    validation = _Validation(problem, values, pruned, alpha, errors, nodes_of, _Stretches(growing, pruned))
    return [validation.table(group) for group in range(problem.n_groups)]


@dataclass(frozen=True)
class _Validation:
    """What the tables of all groups are made of.

    Attributes:
        nodes_of: of each tree.
        stretches: of all nodes.
    """

    problem: Problem
    values: NodeValues
    pruned: Pruned
    alpha: Floats
    errors: HeldOutErrors
    nodes_of: list[Ints]
    stretches: _Stretches

    def table(self, group: int) -> CpTable:
        problem, pruned, alpha, errors = self.problem, self.pruned, self.alpha, self.errors
        risk, weight, nodes_of, stretches = self.values.risk, self.values.weight, self.nodes_of, self.stretches
        main = nodes_of[group][pruned.keep[nodes_of[group]]]
        inner = main[~pruned.is_leaf[main]]
        above = pruned.complexity[inner][pruned.complexity[inner] > alpha[group]]
        cps = np.append(distinct_complexities(np.unique(above).tolist(), float(risk[group])), alpha[group])
        n_splits = (pruned.complexity[inner][:, None] > cps).sum(axis=0)
        risks = stretches.spread(main, cps, risk[main])
        # A parameter below 0, which can only be the last one, stands for the whole tree: there is no mean with it.
        between = np.where(cps[1:] < 0, cps[1:], np.sqrt(np.maximum(cps[:-1] * cps[1:], 0.0)))
        points = np.append(10 * max(cps[0], 0.0), between)
        total = np.zeros((2, len(cps)))
        rates = []
        for copy in range(1, problem.n_replicas):
            tree = copy * problem.n_groups + group
            nodes = nodes_of[tree][pruned.keep[nodes_of[tree]]]
            share = weight[tree] / weight[group]
            parts = [stretches.spread(nodes, points * share, each[nodes]) for each in (errors.error, errors.squared)]
            total += parts
            if errors.weight[tree] > 0:
                rate = parts[0] / errors.weight[tree]
                rates.append(criterion_of(problem).judging.fold_error(rate))
        tested = sum(float(errors.weight[copy * problem.n_groups + group]) for copy in range(1, problem.n_replicas))
        with np.errstate(divide="ignore", invalid="ignore"):
            xerror = total[0] / risk[group]
            xstd = np.sqrt(np.maximum(total[1] - np.square(total[0]) / tested, 0.0)) / risk[group]
            relative = cps / risk[group] if risk[group] > 0 else np.full(len(cps), problem.parameters.cp)
            rel_error = risks / risk[group]
            by_fold = np.array(rates).reshape(len(rates), len(cps))
            average = by_fold.mean(axis=0) if rates else np.full(len(cps), np.nan)
            spread = by_fold.std(axis=0, ddof=1) if len(rates) > 1 else np.full(len(cps), np.nan)
        return CpTable(
            cp=relative,
            n_splits=n_splits,
            rel_error=rel_error,
            xerror=xerror,
            xstd=xstd,
            cv_error_avg=average,
            cv_error_stddev=spread,
            chosen=choose(xerror, xstd, problem.parameters.rule),
        )


class _Stretches:
    """For which complexity parameters each node of the pruned trees answers."""

    def __init__(self, growing: GrowingTrees, pruned: Pruned) -> None:
        self._lowest = np.where(pruned.is_leaf, -np.inf, pruned.complexity)
        parent = growing.parent
        self._below = np.where(parent >= 0, pruned.complexity[np.maximum(parent, 0)], np.inf)

    def spread(self, nodes: Ints, cps: Floats, values: Floats) -> Floats:
        """(m,) for each of `cps` (m,), falling, the sum of the `values` of one tree's nodes that answer for it."""
        ends: Floats = -cps
        first = np.searchsorted(ends, -self._below[nodes], side="right")
        last = np.searchsorted(ends, -self._lowest[nodes], side="right")
        steps = np.zeros(len(cps) + 1)
        keep: Bools = first < last
        np.add.at(steps, first[keep], values[keep])
        np.add.at(steps, last[keep], -values[keep])
        spread: Array = np.cumsum(steps[:-1])
        return spread


def choose(xerror: Floats, xstd: Floats, rule: str) -> int:
    """Index of the largest cp with the least xerror (`min`), or with an xerror within one xstd of it (`1se`).

    Errors may be infinite, where a leaf has no event and others have some; all are NaN where the root risks nothing.
    """
    best = int(np.argmin(xerror))
    if rule == "min" or not np.isfinite(xerror[best]):
        return best
    return int(flat_nonzero(xerror <= xerror[best] + xstd[best])[0])
