"""Histograms: how rows are counted by node, feature and bin, and what else is summed over the rows of nodes. The only
code that turns rows into the sums of nodes.
"""

from __future__ import annotations

from madtree.learn.histogram.count_request import COUNTED, CountRequest, batches, by_rows, drawn_layout, state_limit
from madtree.learn.histogram.deviance import (
    LOGARITHMS,
    LOGARITHMS_AND_PRODUCTS,
    SQUARES,
    UP_TO_FOURTH,
    base_rates,
    join_powers,
    join_terms,
)
from madtree.learn.histogram.frontier import Frontier, frontier_values
from madtree.learn.histogram.histogram import (
    HistogramLayout,
    add_codes,
    add_rows_of_nodes,
    check_exact,
    count_cells,
    feature_view,
    node_totals,
    sum_stretches,
    summed,
)
from madtree.learn.histogram.rows_by_node import RowsByNode
from madtree.learn.histogram.rows_of_nodes import RowsOfNodes, joined, shifted
from madtree.learn.histogram.transition import PlacedBlock, final, merge, transition, transition_steps

__all__ = [
    "COUNTED",
    "LOGARITHMS",
    "LOGARITHMS_AND_PRODUCTS",
    "SQUARES",
    "UP_TO_FOURTH",
    "CountRequest",
    "Frontier",
    "HistogramLayout",
    "PlacedBlock",
    "RowsByNode",
    "RowsOfNodes",
    "add_codes",
    "add_rows_of_nodes",
    "base_rates",
    "batches",
    "by_rows",
    "check_exact",
    "count_cells",
    "drawn_layout",
    "feature_view",
    "final",
    "frontier_values",
    "join_powers",
    "join_terms",
    "joined",
    "merge",
    "node_totals",
    "shifted",
    "state_limit",
    "sum_stretches",
    "summed",
    "transition",
    "transition_steps",
]
