"""Between what a row's outcome lies, by quantiles of what its leaves keep (Meinshausen 2006).

Of each tree the row comes to a leaf, which keeps one outcome of the training rows that come to it, drawn at random. The
interval is between two quantiles of these, one of each tree.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import Any

import numpy as np

from madtree.learn.data import Bools, Floats, Ints, Steps
from madtree.score.outcome_bytes import as_floats

_CACHED_NUMBERS = 2**17  # that are put in order at once


def interval_outcomes(
    model: dict[str, Any], n_rows: int, known: Bools | None, leaves: Callable[[int], Steps[Ints]]
) -> Steps[bytes]:
    """The mean of what the trees predict, and the interval, of some rows.

    Args:
        model: the plan, checked.
        known: (n_rows,) whether a row has trees, None where all have.
        leaves: by the number of a tree.
    """
    members, level = model["members"], model["level"]
    kept = np.empty((members, n_rows))
    total = np.zeros(n_rows)
    for member in range(members):
        leaf = yield from leaves(member)
        total += model["means"].take(leaf)
        model["outcomes"].take(leaf, out=kept[member], mode="clip")
    found = np.empty((n_rows, 3))
    found[:, 0] = total / members
    below = (1 - level) / 2
    size = max(1, _CACHED_NUMBERS // members)
    for first in range(0, n_rows, size):
        yield
        rows = slice(first, first + size)
        found[rows, 1:] = quantiles(np.ascontiguousarray(kept[:, rows].T), (below, 1 - below)).T
    return as_floats(found, known).tobytes()


def quantiles(numbers: Floats, wanted: tuple[float, ...]) -> Floats:
    """(n_wanted, n_rows) quantiles of the numbers of each row (n_rows, n), which are put into another order: between
    two of them by the distance from both (R's type 7, numpy's "linear").
    """
    last = numbers.shape[1] - 1
    places = [last * quantile for quantile in wanted]
    ends = [(floor(place), min(floor(place) + 1, last)) for place in places]
    numbers.partition(sorted({end for both in ends for end in both}), axis=1)
    found = np.empty((len(wanted), len(numbers)))
    for row, place, (low, high) in zip(found, places, ends, strict=True):
        share = place - low
        lower, upper = numbers[:, low], numbers[:, high]
        # From the nearer end, so that rounding leaves the other one no room.
        distance = upper - lower
        row[:] = lower + distance * share if share < 0.5 else upper - distance * (1 - share)
    return found
