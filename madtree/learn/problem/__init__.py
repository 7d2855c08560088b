"""The problem: what there is to learn from once bins, grids and trees are known; and how rows become its blocks."""

from __future__ import annotations

from madtree.learn.problem.bootstrap import Bootstrap, identities
from madtree.learn.problem.channels import Channels, over_classes
from madtree.learn.problem.columns import (
    COLUMNS,
    SCORES,
    ColumnReader,
    block_columns,
    rows_by_tree,
)
from madtree.learn.problem.new_columns import COLUMN_FUNCTIONS, column_values, with_column
from madtree.learn.problem.packing import Packer, block_fields, pack_images, pack_values, packer_of, require_images
from madtree.learn.problem.parameters import forest_parameters_of, parameters_of
from madtree.learn.problem.prepare import BinLimits, RawRows, prepare, preparing
from madtree.learn.problem.problem import Problem, weights_by_class
from madtree.learn.problem.replicas import Folds, roots
from madtree.learn.problem.row_format import NullNumberError, RowFormat
from madtree.learn.problem.scale import Scale
from madtree.learn.problem.tuning import SearchTuning

__all__ = [
    "COLUMNS",
    "COLUMN_FUNCTIONS",
    "SCORES",
    "BinLimits",
    "Bootstrap",
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
    "column_values",
    "forest_parameters_of",
    "identities",
    "over_classes",
    "pack_images",
    "pack_values",
    "packer_of",
    "parameters_of",
    "prepare",
    "preparing",
    "require_images",
    "roots",
    "rows_by_tree",
    "weights_by_class",
    "with_column",
]
