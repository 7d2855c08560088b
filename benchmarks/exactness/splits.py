"""All splits of some rows, and what each gains, with sums of float64."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exactness.definition import Rows
from exactness.problems import Floats, Problem
from exactness.rules import Rules

LEAST_HESSIAN = 1e-3
FEW_CATEGORIES = 4
CAT_SMOOTH, CAT_L2, MOST_CATEGORIES, GROUP = 10.0, 10.0, 32, 100


@dataclass(frozen=True)
class SplitGains:
    """What splits gain, by some rules, of rows with a gradient and a hessian (n_rows,)."""

    problem: Problem
    rules: Rules
    gradient: Floats
    hessian: Floats

    def slack(self, rows: Rows) -> float:
        """By how much gains of a node may be wrong, where gradients have so many digits."""
        g, h = self.gradient[rows], self.hessian[rows]
        steepest = np.abs(g / np.maximum(h, LEAST_HESSIAN)).max(initial=0.0)
        return float(8 * self.rules.digits * steepest * np.abs(g).sum()) + 1e-13

    def rounded(self, rows: Rows) -> float:
        """By how much sums over rows may be wrong by a grid on which those of all rows are exact in 53 bits."""
        largest = max(np.abs(self.gradient).max(), self.hessian.max())
        return float(2.0**-52 * len(rows) * largest * rows.sum())

    def doubt(self, rows: Rows) -> float:
        """By how much the steps of a node's sides may be wrong, as `slack`."""
        sides = np.maximum(self.hessian[rows].min(), LEAST_HESSIAN)
        return float(8 * self.rules.digits * np.abs(self.gradient[rows]).sum() / sides)

    def is_low(self, side: Rows, other: Rows, feature: int) -> bool:
        """Whether a side has the smaller values; those that are missing count as the largest where they are alone."""
        values = self.problem.features[:, feature]
        own, others = (values[each][~np.isnan(values[each])] for each in (side, other))
        return bool(own.max() < others.min()) if len(own) and len(others) else len(own) > 0

    def penalty(self, feature: int | None) -> float:
        """Of the values of the sides of splits by a feature; None of the root."""
        return self.problem.l2 + (CAT_L2 if feature is not None and self.has_guards(feature) else 0.0)

    def has_guards(self, feature: int) -> bool:
        values = self.problem.features[:, feature]
        few = FEW_CATEGORIES - self.rules.one_category  # LightGBM counts that of rows without a category
        return bool(self.problem.has_categories[feature] and len(np.unique(values[~np.isnan(values)])) > few)

    def step(self, rows: Rows, l2: float) -> float:
        """-G / (H + l2)"""
        return float(-self.gradient[rows].sum() / (self.hessian[rows].sum() + l2))

    def ways(self, rows: Rows, feature: int) -> list[Rows]:
        """All ways in which a node's rows can be parted by a feature."""
        values = self.problem.features[:, feature]
        missing, known = rows & np.isnan(values), rows & ~np.isnan(values)
        if self.problem.has_categories[feature]:
            return self._ways_of_categories(rows, feature, values, missing, known)
        found = []
        for value in np.unique(values[known])[:-1]:
            found.append(known & (values <= value))
            if missing.any():
                found.append(found[-1] | missing)
        if missing.any() and known.any():
            found.append(known)
        return found

    def _ways_of_categories(self, rows: Rows, feature: int, values: Floats, missing: Rows, known: Rows) -> list[Rows]:
        there = np.unique(values[known])
        of_each = [known & (values == value) for value in there]
        g, h = (np.array([each[own].sum() for own in of_each]) for each in (self.gradient, self.hessian))
        counts = np.array([self._rows_of(own, rows, feature) for own in of_each])
        order = np.argsort(g / (h + CAT_SMOOTH), kind="stable")
        found: list[Rows] = []
        if not self.has_guards(feature):
            if self.rules.one_category:
                return of_each
            found = [np.logical_or.reduce([of_each[k] for k in order[: n + 1]]) for n in range(len(order) - 1)]
            least = 0
        else:
            known_order = order[counts[order] >= CAT_SMOOTH]
            n = len(known_order)
            fewer = len(order) > n and not self.rules.rare_either_way
            found, least = [], GROUP
            for some, most in ((known_order, (n + 1) // 2), (known_order[::-1], n // 2 if fewer else (n + 1) // 2)):
                left = np.zeros_like(rows)
                group = 0
                for k in some[: min(MOST_CATEGORIES, most, len(order) - 1)]:
                    left = left | of_each[k]
                    group += counts[k]
                    if (
                        self._rows_of(left, rows, feature) < self.problem.min_bucket
                        or self.hessian[left].sum() < LEAST_HESSIAN
                    ):
                        continue
                    if rows.sum() - self._rows_of(left, rows, feature) < max(GROUP, self.problem.min_bucket):
                        break
                    if group < GROUP:
                        continue
                    group = 0
                    found.append(left)
        if missing.any() and not self.rules.missing_categories_right:
            found += [left | missing for left in found]
            if missing.sum() >= least and known.sum() >= least:
                found.append(known)
        return found

    def _rows_of(self, some: Rows, rows: Rows, feature: int) -> int:
        if not self.rules.estimates_rows:
            return int(some.sum())
        share = self.hessian * (some * rows.sum() / self.hessian[rows].sum())
        values = self.problem.features[:, feature]
        return sum(int(share[some & (values == value)].sum() + 0.5) for value in np.unique(values[some]))

    def spare_rows(self, rows: Rows, left: Rows, feature: int) -> tuple[int, int]:
        """How many the smaller side has more than it must, at most and at least. LightGBM counts one side, that without
        missing values, or the right one where a feature has none, and its halves may be rounded up or down: so there a
        side that has few too few is allowed, but not for sure.
        """
        right, missing = rows & ~left, np.isnan(self.problem.features[:, feature])
        if not self.rules.estimates_rows:
            spare = int(min(left.sum(), right.sum())) - self.problem.min_bucket
            return spare, spare
        if self.problem.has_categories[feature]:
            counted = [left]
        else:
            counted = [side for side in (left, right) if missing.any() and not (side & missing).any()] or [right]
        counts = [self._rows_of(side, rows, feature) for side in counted]
        halves = 1 + len(np.unique(self.problem.features[rows, feature])) // 10 if np.ptp(self.hessian[rows]) > 0 else 0
        spare = [min(count, int(rows.sum()) - count) - self.problem.min_bucket for count in counts]
        return max(spare) + halves, min(spare) - halves

    def gain(self, rows: Rows, left: Rows, feature: int, bounds: tuple[float, float]) -> float | None:
        """Of a split of nodes whose leaves have `bounds`; None where it is not allowed."""
        right, l2 = rows & ~left, self.problem.l2
        if self.spare_rows(rows, left, feature)[0] < 0:
            return None
        if min(self.hessian[left].sum(), self.hessian[right].sum()) < LEAST_HESSIAN:
            return None
        of_sides = self.penalty(feature)
        steps = [self.step(rows, l2), self.step(left, of_sides), self.step(right, of_sides)]
        cut = [float(np.clip(step, *bounds)) for step in steps]
        if self.rules.empty_roots and rows.all():
            cut[0] = 0.0
        low, high = (cut[1], cut[2]) if self.is_low(left, right, feature) else (cut[2], cut[1])
        if self.problem.monotone[feature] * (high - low) < -self.doubt(rows):
            return None
        g = [self.gradient[each].sum() for each in (rows, left, right)]
        h = [self.hessian[each].sum() for each in (rows, left, right)]
        if self.rules.gains_of_values:
            sides = sum(-(2 * g[i] * cut[i] + (h[i] + of_sides) * cut[i] ** 2) for i in (1, 2))
            return float(sides - g[0] ** 2 / (h[0] + l2))
        return float(g[0] * cut[0] - g[1] * cut[1] - g[2] * cut[2])
