"""The problem: what there is to learn from once bins, grids and trees are known; and how rows become its blocks."""

from __future__ import annotations

from madtree.learn.problem.channels import Channels, over_classes
from madtree.learn.problem.columns import COLUMNS, ColumnReader, block_columns, rows_by_tree, with_column
from madtree.learn.problem.pack import block_fields, pack_values, packer_of
from madtree.learn.problem.packing import NullNumberError, Packer, RowFormat
from madtree.learn.problem.prepare import BinLimits, RawRows, Scale, prepare
from madtree.learn.problem.problem import Problem, weights_by_class
from madtree.learn.problem.replicas import Folds, roots
from madtree.learn.problem.tuning import SearchTuning

__all__ = [
    "COLUMNS",
    "BinLimits",
    "Channels",
    "ColumnReader",
    "Folds",
    "NullNumberError",
    "Packer",
    "Problem",
    "RawRows",
    "RowFormat",
    "Scale",
    "SearchTuning",
    "block_columns",
    "block_fields",
    "over_classes",
    "pack_values",
    "packer_of",
    "prepare",
    "roots",
    "rows_by_tree",
    "weights_by_class",
    "with_column",
]
