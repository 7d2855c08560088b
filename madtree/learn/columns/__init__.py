"""The columns of blocks: how they travel and are read, and how they are made anew between rounds of growth."""

from __future__ import annotations

from madtree.learn.columns.columns import COLUMNS, SCORES, ColumnReader, block_columns
from madtree.learn.columns.new_columns import COLUMN_FUNCTIONS, column_values, with_column

__all__ = [
    "COLUMNS",
    "COLUMN_FUNCTIONS",
    "SCORES",
    "ColumnReader",
    "block_columns",
    "column_values",
    "with_column",
]
