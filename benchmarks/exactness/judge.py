"""Whether a grown tree has the splits that gain most, in their order, and leaves that add what they should."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from exactness.definition import Round, Rows, Tree, middle_quantile
from exactness.problems import LEVELS, Floats, Problem
from exactness.rules import DIFFERENCES, MADTREE, Rules
from exactness.splits import LEAST_HESSIAN, SplitGains


@dataclass(frozen=True)
class Splits:
    """The splits of one node that are allowed: (n_splits,) gains, and (n_splits, n_rows) whose rows go left; `best`:
    the most that is gained by one that is allowed for sure.
    """

    gains: Floats
    left: NDArray[np.bool_]
    best: float


class Judge:
    """Holds a tree against the rules by which it should have been grown."""

    def __init__(self, problem: Problem, rules: Rules, given: Round, tree: Tree) -> None:
        self.problem, self.rules, self.given, self.tree = problem, rules, given, tree
        self.gains = SplitGains(problem, rules, given.gradient, given.hessian)
        self.order = [0]
        self.depth, self.path = {0: 0}, {0: frozenset[int]()}
        for number in self.order:
            node = tree[number]
            if node.left is not None:
                self.order += node.children
                for child in node.children:
                    self.depth[child], self.path[child] = self.depth[number] + 1, self.path[number] | {node.feature}
        self.bounds = self._bounds()
        self._useless: dict[int, set[int]] = {0: set()}  # features by node, where nodes above say so

    def faults(self) -> list[str]:
        """What is wrong with it."""
        found, best, made = [], {}, {}
        for number in self.order:
            node, slack = self.tree[number], self.gains.slack(self.tree[number].rows)
            splits = self.splits(number)
            best[number] = splits.best
            if node.left is not None:
                gain = self.gain(splits, node.left)
                made[number] = best[number] if gain is None else gain
                if gain is None:
                    found.append(f"node {number}: a split that is not allowed (best {best[number]:.6g})")
                elif gain < best[number] - slack:
                    found.append(f"node {number}: gains {gain:.9g} where {best[number]:.9g} could be gained")
        return found + self._out_of_order(best, made) + self._wrong_values()

    def _wrong_values(self) -> list[str]:
        if self.problem.is_of_quantiles and self.rules != MADTREE:
            return []  # other definitions of quantiles
        above = {child: node.feature for node in self.tree.values() for child in node.children if node.left is not None}
        found = []
        for number in self.order:
            node, slack = self.tree[number], self.gains.slack(self.tree[number].rows)
            if node.left is None:
                value = self.value(
                    node.rows, self.gains.penalty(above.get(number)), self.bounds[number], alone=number == 0
                )
                near = 1e-9 if self.rules == MADTREE else 1e-4
                of_sums = slack + self.gains.rounded(node.rows) * (1 + abs(value / self.problem.learning_rate))
                of_sums /= max(self.given.hessian[node.rows].sum(), LEAST_HESSIAN)
                if abs(node.value - value) > near * max(1.0, abs(value)) + of_sums:
                    found.append(f"leaf {number} adds {node.value!r}, and not {value!r}")
        return found

    def value(self, rows: Rows, l2: float, bounds: tuple[float, float], *, alone: bool) -> float:
        problem, residual, w = self.problem, self.given.residual[rows], self.problem.weights[rows]
        if problem.is_of_quantiles:
            middle = middle_quantile(residual, w, LEVELS[problem.loss] if problem.loss == "quantile" else 0.5)
            if problem.loss == "huber":
                cut = np.clip(residual - middle, -self.given.threshold, self.given.threshold)
                middle += (w * cut).sum() / w.sum()
            return problem.learning_rate * middle
        step = self.gains.step(rows, l2)
        if alone and self.rules.quiet_roots:
            step = 0.0
        if alone and self.given.hessian[rows].sum() < LEAST_HESSIAN:
            step = 0.0
        if problem.loss in ("poisson", "gamma") and self.rules == MADTREE:
            most = max(np.log(1 + abs(step)), 4.0) / problem.learning_rate
            step = float(np.clip(step, -most, most))
        return problem.learning_rate * float(np.clip(step, *bounds))

    def _out_of_order(self, best: dict[int, float], made: dict[int, float]) -> list[str]:
        """Whether splits are those that gain most: a queue by gain."""
        waiting, found = [0], []
        for _ in made:
            number = max((each for each in waiting if each in made), key=made.__getitem__)
            for leaf in waiting:
                slack = self.gains.slack(self.tree[leaf].rows) + self.gains.slack(self.tree[number].rows)
                if leaf not in made and best[leaf] > made[number] + slack:
                    found.append(f"leaf {leaf} would gain {best[leaf]:.9g}, node {number} gains {made[number]:.9g}")
            waiting.remove(number)
            waiting += self.tree[number].children
        if len(made) + 1 < self.problem.max_leaf_nodes:
            for leaf in waiting:
                if best[leaf] > max(self.gains.slack(self.tree[leaf].rows), self.problem.min_gain):
                    found.append(f"leaf {leaf} would gain {best[leaf]:.9g}")
        return found

    def gain(self, splits: Splits, left: Rows) -> float | None:
        """Of a split, whichever side is called left; None where it is not allowed."""
        same = (splits.left == left).all(axis=1)
        return float(splits.gains[same].max()) if same.any() else None

    def _bounds(self) -> dict[int, tuple[float, float]]:
        bounds = {0: (-np.inf, np.inf)}
        for number in self.order:
            node, (low, high) = self.tree[number], bounds[number]
            if node.left is None:
                continue
            way = self.problem.monotone[node.feature]
            sides = (node.left, node.rows & ~node.left)
            values = [
                float(np.clip(self.gains.step(side, self.gains.penalty(node.feature)), low, high)) for side in sides
            ]
            middle = sum(values) / 2
            is_low = self.gains.is_low(*sides, node.feature)
            for child, lower in zip(node.children, (is_low, not is_low), strict=True):
                bounds[child] = (low, high) if way == 0 else (low, middle) if lower == (way > 0) else (middle, high)
        return bounds

    def splits(self, number: int) -> Splits:
        """All that are allowed of a node."""
        rows, problem, bounds = self.tree[number].rows, self.problem, self.bounds[number]
        gains, lefts, best = [0.0], [np.zeros_like(rows)], 0.0
        for feature in range(problem.features.shape[1]) if self.depth[number] < problem.max_depth else ():
            path = {*self.path[number], feature}
            if self.rules.forgets_features and feature in self._useless[number]:
                continue
            if problem.interactions and not any(path <= {*group} for group in problem.interactions):
                continue
            most = 0.0
            for left in self.gains.ways(rows, feature):
                gain = self.gains.gain(rows, left, feature, bounds)
                most = max(most, gain or 0.0)
                if gain is not None and gain > problem.min_gain - self.gains.slack(rows):
                    gains += [gain, gain]
                    lefts += [left, rows & ~left]
                    best = max(best, gain) if self.gains.spare_rows(rows, left, feature)[1] >= 0 else best
            for child in self.tree[number].children if most <= problem.min_gain else ():
                self._useless.setdefault(child, set()).add(feature)
        for child in self.tree[number].children:
            self._useless[child] = self._useless.get(child, set()) | self._useless[number]
        return Splits(np.array(gains), np.array(lefts), best)


def differences(problem: Problem, rules: Rules, given: Round, tree: Tree) -> list[str]:
    """By which of its own rules a tree was grown, where madtree's do not allow it: the fewest that make it
    faultless.
    """
    ours = replace(MADTREE, digits=rules.digits)
    names = [name for name in DIFFERENCES if getattr(rules, name) != getattr(ours, name)]
    for n in range(1, len(names)):
        for some in combinations(names, n):
            if not Judge(problem, replace(ours, **dict.fromkeys(some, True)), given, tree).faults():
                return list(some)
    return names
