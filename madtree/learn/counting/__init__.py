"""Counting: what is asked for, and the three functions that turn blocks of rows into the sums of nodes."""

from __future__ import annotations

from madtree.learn.counting.count_request import COUNTED, CountRequest, batches, by_rows, drawn_layout, state_limit
from madtree.learn.counting.frontier import Frontier, frontier_values
from madtree.learn.counting.joint_tables import lines_together
from madtree.learn.counting.rows_by_node import RowsByNode
from madtree.learn.counting.transition import PlacedBlock, final, merge, transition, transition_coroutine
