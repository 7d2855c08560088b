"""Exact weighted quantiles of the residuals of boosted rows, wherever these are: found digit by digit, from counts
(`learn.columns.residuals`).

The quantile of level q is the least residual up to which rows have at least the share q of the weight; where they have
exactly that, the mean of it and of the next larger one. Of the median of rows that count alike that is the usual one;
a weight of 2 is two rows. (Hyndman and Fan 1996, definition 2.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.learn.data import Array, Floats, Grid, Ints, portable
from madtree.learn.problem import Problem
from madtree.learn.requests import Program, SumsRequest
from madtree.learn.route import Routing
from madtree.records import dataclass

_FEWEST_CELLS, _MOST_CELLS = 2**12, 2**18  # of the counts of a pass: about as many as rows
_FEWEST_BITS, _MOST_BITS = 4, 16
_ROUNDING = 1e-12  # shares of a weight that are closer than this are the same
_LOWER, _UPPER = 0, 1


@dataclass(frozen=True)
class ResidualPlaces:
    """Rows whose residuals are looked at, by places such as leaves.

    Attributes:
        problem: of the trees whose nodes rows have reached, with the sample of rows that counts.
        routing: of these trees.
        place: (n_nodes,) of each node's rows.
        tree: (n_places,) that each place is in.
        loss: the values that tell of the loss.
        weight_grid: of the rows' weights; None where all are 1.
    """

    problem: Problem
    routing: Routing
    place: Ints
    tree: Ints
    loss: dict[str, Any]
    weight_grid: Grid | None

    def request_of(self, function: str, more: dict[str, Any]) -> SumsRequest:
        """The sums of that function over the rows."""
        grid = self.weight_grid
        common = {"place": self.place, "sum_weight_exponents": None if grid is None else grid.exponents}
        return SumsRequest(function, {**self.loss, **common, **more}, self.problem, self.routing)

    def joined(self, limbs: Array) -> Floats:
        """(..., n_places) weights, of sums (n_channels, ..., n_places)."""
        return np.asarray(limbs[0] if self.weight_grid is None else self.weight_grid.join(limbs, self.tree))


def residual_quantiles(rows: ResidualPlaces, level: float, *, absolute: bool = False) -> Program[Floats]:
    """(n_places,) the quantiles of that level, of residuals or of their absolute values; 0 where no row is."""
    n_places, known = len(rows.tree), 0
    prefix = np.zeros((2, n_places), np.int64)
    below: Array | None = None  # (n_channels, 2, n_places) of the rows whose digits are less
    total = wanted = np.zeros(n_places)
    while known < portable.KEY_BITS:
        bits = min(_digit_bits(rows.problem, n_places), portable.KEY_BITS - known)
        lines = prefix if (prefix[_LOWER] != prefix[_UPPER]).any() else prefix[:1]
        named = {"absolute": absolute, "known_bits": known, "digit_bits": bits, "prefix": lines}
        answer: Array = yield rows.request_of("residuals", named)
        counted = np.broadcast_to(answer, (len(answer), 2, *answer.shape[2:])).copy()
        same = prefix[_LOWER] == prefix[_UPPER]
        counted[:, _UPPER, :, same] = counted[:, _LOWER, :, same]
        if below is None:
            below = np.zeros((len(answer), 2, n_places))
            total = rows.joined(counted[:, _LOWER].sum(axis=1))
            wanted = level * total
        up_to = counted.cumsum(axis=2) + below[:, :, None]
        weight = rows.joined(up_to)
        reached = np.stack((weight[_LOWER] >= wanted - _ROUNDING * total, weight[_UPPER] > wanted + _ROUNDING * total))
        reached[_LOWER] &= counted[:, _LOWER].any(axis=0)  # a digit that rows have
        digit = reached.argmax(axis=1)
        before = (up_to - counted)[:, [[_LOWER], [_UPPER]], digit, np.arange(n_places)]
        prefix, below, known = (prefix << bits) | digit, before, known + bits
    found = portable.numbers_of_keys(prefix.view(np.uint64))
    lower, upper = found
    with np.errstate(invalid="ignore"):
        middle = np.where(lower == upper, lower, (lower + upper) / 2)
    return np.where(total > 0, middle, 0.0)


def _digit_bits(problem: Problem, n_places: int) -> int:
    """Digits of a pass: it counts not many more cells than there are rows."""
    cells = min(max(int(problem.rows.sum()), _FEWEST_CELLS), _MOST_CELLS) // n_places
    return min(max(cells.bit_length() - 1, _FEWEST_BITS), _MOST_BITS)
