"""How a frontier is worked off in parts: passes whose histograms fit the memory budget, and nodes by their rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from madtree.learn.data import Ints
from madtree.learn.problem import Problem


def state_limit(problem: Problem) -> int:
    """Bytes that one array of histograms may take."""
    return problem.parameters.memory_bytes // problem.tuning.state_share


def batches(n_nodes: int, widths: Ints, bin_bytes: int, limit: int) -> list[tuple[slice, int, int]]:
    """Slots and features (from, to) of each pass.

    As many features as fit the limit with all nodes: each number of the data is then counted once, while nodes that
    come in turns need the rows to be looked through again each time. Where not even one feature fits, part of the
    nodes.
    """
    size = max(min(n_nodes, limit // (int(widths.max()) * bin_bytes)), 1)
    ranges, first, total = [], 0, 0
    for i, width in enumerate(widths.tolist()):
        if i > first and total + size * width * bin_bytes > limit:
            ranges.append((first, i))
            first, total = i, 0
        total += size * width * bin_bytes
    ranges.append((first, len(widths)))
    return [(slice(i, min(i + size, n_nodes)), a, b) for i in range(0, n_nodes, size) for a, b in ranges]


def by_rows(n_rows: Ints, rows_together: int) -> Iterator[slice]:
    """Stretches of nodes with about `rows_together` rows together; `n_rows` (n,) of each."""
    first = 0
    while first < len(n_rows):
        last = first + max(1, int(np.searchsorted(np.cumsum(n_rows[first:]), rows_together, side="right")))
        yield slice(first, last)
        first = last
