"""Which categories the rows of each tree have: known on the way, as roots are counted or their rows looked through."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Ints
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.histogram import HistogramLayout, RowsOfNodes, feature_view
from madtree.learn.problem import Problem


def see_histograms(problem: Problem, growing: GrowingTrees, nodes: Ints, layout: HistogramLayout, state: Array) -> None:
    """Enter the categories of the main trees' roots among `nodes` (n_slots,) by their histograms (of all codes)."""
    roots = np.flatnonzero(nodes < problem.n_groups)
    for i in range(len(layout.widths)):
        if len(roots) and problem.unordered[layout.first + i]:
            counts = feature_view(state, layout, i)[: layout.channels.n_counts]
            growing.see(layout.first + i, nodes[roots], np.asarray(counts[:, roots].any(axis=0)))


def see_rows(problem: Problem, growing: GrowingTrees, nodes: Ints, rows: RowsOfNodes, first: int, last: int) -> None:
    """The same by the rows of `nodes`, which have the codes of the features `first` to `last - 1`."""
    roots = np.flatnonzero(nodes < problem.n_groups)
    for feature in range(first, last):
        if len(roots) and problem.unordered[feature]:
            there = np.zeros((len(nodes), int(problem.bins.widths[feature])), np.bool_)
            there[rows.slot, rows.codes(feature)] = True
            growing.see(feature, nodes[roots], there[roots])
