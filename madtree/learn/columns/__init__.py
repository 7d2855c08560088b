"""The columns of blocks: how they travel and are read, and how they are made anew between rounds of growth."""

from __future__ import annotations

from madtree.learn.columns.columns import COLUMNS, SCORES, ColumnReader, block_columns
from madtree.learn.columns.new_columns import (
    COLUMN_FUNCTIONS,
    ROW_SUMS,
    column_values,
    sum_values,
    summed_rows,
    with_columns,
)
