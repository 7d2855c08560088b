"""What the learner works on: blocks of binned rows, numbers on an exact grid, PostgreSQL's arrays as numpy arrays,
and named arrays as bytes.
"""

from __future__ import annotations

from madtree.learn.data import portable
from madtree.learn.data.allocators import Allocator, ReusingAllocator, allocated, extend, in_memory
from madtree.learn.data.block import (
    CACHED_ROWS,
    MOST_BLOCK_ROWS,
    NARROW_LIMIT,
    USUAL_BLOCK_ROWS,
    WIDE_LIMIT,
    Block,
    CodeLayout,
    Codes,
    CodesOfRows,
    CodesOfRuns,
    pieces_of,
)
from madtree.learn.data.checked import Values, ascends, check_room, require, required
from madtree.learn.data.codec import LastPlan
from madtree.learn.data.coroutine import Coroutine, advanced, at_once, finished
from madtree.learn.data.exact_sums import ExactSums, in_powers
from madtree.learn.data.grid import Grid, is_exact, scaled
from madtree.learn.data.hashes import keyed, order_by_hashes, stable_order
from madtree.learn.data.mixing import mixed
from madtree.learn.data.postgres_bytes import in_columns, rows_in, sent_floats, sent_ints, sent_rows
from madtree.learn.data.runs import Runs, flat_nonzero, heads
from madtree.learn.data.size_bins import N_SIZES, bins_of_sizes, least_sizes
from madtree.learn.data.types import LEFT, N_SIDES, RIGHT, UNKNOWN, Array, Bools, Floats, Ints, narrowest, unsigned
