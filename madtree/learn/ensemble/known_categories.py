"""The categories that each group's rows in training have: what they are does not depend on who holds the rows, while
bins may be there for categories of all rows of a table.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from madtree.learn.counting import CountRequest, batches, state_limit
from madtree.learn.data import Array, Ints, flat_nonzero
from madtree.learn.histogram import check_exact
from madtree.learn.problem import Problem
from madtree.learn.requests import Program
from madtree.learn.route import Routing


def count_categories(problem: Problem) -> Program[Ints]:
    """(3, n) int64 group, unordered feature and code of each category that rows have, sorted.

    `problem`: with the rows that count as its replica; without one all of them do.
    """
    n_groups, channels = problem.n_groups, problem.channels
    bin_bytes = channels.count * channels.dtype(problem.most_rows).itemsize
    found = [np.zeros((3, 0), np.int64)]
    for first, last in _stretches(problem):
        widths = problem.bins.widths[first:last]
        for slots, start, stop in batches(n_groups, widths, bin_bytes, state_limit(problem)):
            groups = np.arange(n_groups)[slots]
            slot_of_node = np.full(n_groups, -1, np.int32)
            slot_of_node[groups] = np.arange(len(groups))
            features = first + start, first + stop
            request = CountRequest(
                "histograms",
                problem,
                Routing.leaves(0, n_groups),
                slot_of_node,
                len(groups),
                features,
                n_rows=int(problem.rows[groups].sum()),
            )
            state: Array = yield request
            check_exact(state)
            for feature in range(*features):
                counts = request.layout.view(state, feature - features[0], feature - features[0] + 1)[:, 0]
                place, code = np.nonzero(problem.row_counts(counts)[:, 1:])  # without the missing one
                found.append(np.stack((groups[place], np.full(len(place), feature), code + 1)))
    seen = np.concatenate(found, axis=1)
    return np.asarray(seen[:, np.lexsort(seen[::-1])])


def _stretches(problem: Problem) -> Iterator[tuple[int, int]]:
    """Neighbouring unordered features, from and to."""
    edges = flat_nonzero(np.diff(problem.unordered.astype(np.int8), prepend=0, append=0))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def numbers_of_categories(problem: Problem, seen: Ints) -> Ints:
    """(n_groups, n_features) how many there are of each feature."""
    found = np.zeros((problem.n_groups, len(problem.unordered)), np.int64)
    np.add.at(found, (seen[0], seen[1]), 1)
    return found
