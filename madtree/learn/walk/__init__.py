"""The way down finished trees: the flat form of trees, and all rows of a block at once, by codes or by values."""

from __future__ import annotations

from madtree.learn.walk.by_values import RowsByValues
from madtree.learn.walk.code_matrix import MOST_ROWS, CodeMatrix
from madtree.learn.walk.descent import Descent
from madtree.learn.walk.flat_trees import (
    ALL_TREES,
    FlatSplits,
    FlatTrees,
    KnownCategories,
    SplitCategories,
    by_node,
    children_in_order,
    first_nodes,
    inner_by_level,
    where_leaves_agree,
)
from madtree.learn.walk.walk import Route, RouteByNodes, Walk
