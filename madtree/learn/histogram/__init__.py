"""Histograms: how rows are counted by node, feature and bin, and what else is summed over the rows of nodes."""

from __future__ import annotations

from madtree.learn.data import Steps, finished
from madtree.learn.histogram.at_hand import BlocksAtHand
from madtree.learn.histogram.at_hand_requests import (
    CategoriesRequest,
    DrawnRowsRequest,
    Ensemble,
    HeldOut,
    HeldOutRequest,
    Targets,
    TargetsRequest,
    WaveRequest,
)
from madtree.learn.histogram.batching import batches, by_rows, state_limit
from madtree.learn.histogram.deviance import LOGARITHMS, LOGARITHMS_AND_PRODUCTS, base_rates, join_terms
from madtree.learn.histogram.drive import driven
from madtree.learn.histogram.frontier import Frontier, frontier_values
from madtree.learn.histogram.histogram import (
    HistogramLayout,
    add_codes,
    add_rows_of_nodes,
    check_exact,
    feature_view,
    node_totals,
)
from madtree.learn.histogram.powers import SQUARES, UP_TO_FOURTH, join_powers
from madtree.learn.histogram.requests import (
    BREATH,
    BlocksReport,
    CountRequest,
    Program,
    Progress,
    ReplaceRequest,
    Request,
    RoundReport,
    RowsByTreeRequest,
    RowsRequest,
    T,
    WaveReport,
    request_of,
)
from madtree.learn.histogram.row_records import Room, SameRoom, array_in, in_memory
from madtree.learn.histogram.rows_of_nodes import RowsOfNodes, joined, shifted
from madtree.learn.histogram.transition import PlacedBlock, final, merge, transition, transition_steps

__all__ = [
    "BREATH",
    "LOGARITHMS",
    "LOGARITHMS_AND_PRODUCTS",
    "SQUARES",
    "UP_TO_FOURTH",
    "BlocksAtHand",
    "BlocksReport",
    "CategoriesRequest",
    "CountRequest",
    "DrawnRowsRequest",
    "Ensemble",
    "Frontier",
    "HeldOut",
    "HeldOutRequest",
    "HistogramLayout",
    "PlacedBlock",
    "Program",
    "Progress",
    "ReplaceRequest",
    "Request",
    "Room",
    "RoundReport",
    "RowsByTreeRequest",
    "RowsOfNodes",
    "RowsRequest",
    "SameRoom",
    "Steps",
    "T",
    "Targets",
    "TargetsRequest",
    "WaveReport",
    "WaveRequest",
    "add_codes",
    "add_rows_of_nodes",
    "array_in",
    "base_rates",
    "batches",
    "by_rows",
    "check_exact",
    "driven",
    "feature_view",
    "final",
    "finished",
    "frontier_values",
    "in_memory",
    "join_powers",
    "join_terms",
    "joined",
    "merge",
    "node_totals",
    "request_of",
    "shifted",
    "state_limit",
    "transition",
    "transition_steps",
]
