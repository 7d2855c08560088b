"""Between what a row's outcome lies, by quantiles of what its leaves keep (Meinshausen 2006).

Of each tree the row comes to a leaf, which keeps one outcome of the training rows that come to it, drawn at random. The
interval is between two quantiles of these, one of each tree.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Coroutine
from madtree.model.arrays import quantiles
from madtree.score.routed_rows import RoutedRows

_CACHED_NUMBERS = 2**17  # that are put in order at once


def interval_outcomes(routed: RoutedRows) -> Coroutine[bytes]:
    """The mean of what the trees predict, and the interval, of some rows."""
    model, n_rows, leaves = routed.model, routed.n_rows, routed.leaves()
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
    return routed.as_floats(found).tobytes()
