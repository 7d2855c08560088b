"""What the learner works on: blocks of binned rows, numbers on an exact grid, PostgreSQL's arrays as numpy arrays,
named arrays as bytes, and the parameters.
"""

from __future__ import annotations

from madtree.learn.data.array_datum import decode, read_rows, rows_in
from madtree.learn.data.block import NARROW_LIMIT, WIDE_LIMIT, Block, CodeLayout, Codes
from madtree.learn.data.grid import Grid, is_exact
from madtree.learn.data.parameters import EXACT_LIMIT, MAX_DEPTH_LIMIT, ORDERED_LIMIT, Parameters
from madtree.learn.data.plans import LastPlan
from madtree.learn.data.sides import LEFT, N_SIDES, RIGHT, UNKNOWN
from madtree.learn.data.types import Array, Bools, Floats, Ints

__all__ = [
    "EXACT_LIMIT",
    "LEFT",
    "MAX_DEPTH_LIMIT",
    "NARROW_LIMIT",
    "N_SIDES",
    "ORDERED_LIMIT",
    "RIGHT",
    "UNKNOWN",
    "WIDE_LIMIT",
    "Array",
    "Block",
    "Bools",
    "CodeLayout",
    "Codes",
    "Floats",
    "Grid",
    "Ints",
    "LastPlan",
    "Parameters",
    "decode",
    "is_exact",
    "read_rows",
    "rows_in",
]
