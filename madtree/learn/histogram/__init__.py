"""Histograms: how they lie in memory, and how rows are added to them by node, feature and bin.

With `learn.leaf_sums` and `learn.counting`, through which all go, the only code that turns rows into the sums of
nodes.
"""

from __future__ import annotations

from madtree.learn.histogram.histogram import (
    HistogramLayout,
    Histograms,
    add_codes,
    add_rows,
    add_rows_of_nodes,
    add_totals,
    check_exact,
    count_cells,
    sum_stretches,
    summed,
)
from madtree.learn.histogram.rows_of_nodes import RowsInPlay, RowsOfNodes, joined, shifted
