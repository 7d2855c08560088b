"""Weighted quantiles of rows that are all at hand, as `learn.ensemble.quantiles` defines and finds them wherever rows
are: the least value up to which rows have at least the share q of the weight; where they have exactly that, the mean of
it and of the next larger one.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Floats, Grid, Ints

_ROUNDING = 1e-12  # shares of a weight that are closer than this are the same


def quantiles_of_places(values: Floats, weights: Floats | None, place: Ints, n_places: int, level: float) -> Floats:
    """(n_places,) the quantile of that level of each place's `values` (n,); 0 where there are none.

    Args:
        weights: (n,), above 0; None where all are 1.
        place: (n,) of each value.
    """
    n = np.bincount(place, minlength=n_places)
    if weights is None:
        order = np.lexsort((values, place))
        up_to = np.arange(1.0, len(order) + 1)
    else:
        # Whole numbers, whose sums do not depend on the order of equal values.
        (counts,) = Grid.choose(np.array([weights.max(initial=0.0)]), np.array([len(weights)]), 1).split(weights)
        order = np.lexsort((values, place))
        up_to = counts.take(order).cumsum()
    ends = n.cumsum()
    before = np.concatenate(([0.0], up_to)).take(ends - n)
    total = np.concatenate(([0.0], up_to)).take(ends) - before
    found, near = values.take(order), _ROUNDING * total
    first, last = ends - n, np.maximum(ends - 1, 0)
    lower = np.searchsorted(up_to, before + level * total - near, side="left")
    upper = np.searchsorted(up_to, before + level * total + near, side="right")
    with np.errstate(invalid="ignore"):
        places = (np.clip(each, first, last) for each in (lower, upper))
        low, high = (found.take(each, mode="clip") if len(found) else np.zeros(n_places) for each in places)
        middle = np.where(low == high, low, (low + high) / 2)
    return np.where(n > 0, middle, 0.0)
