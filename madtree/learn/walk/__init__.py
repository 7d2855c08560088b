"""The way down trees that are grown, by codes: all rows of a block at once, for out-of-bag rows and for prediction."""

from __future__ import annotations

from madtree.learn.walk.agreement import where_leaves_agree
from madtree.learn.walk.code_matrix import MOST_ROWS, CodeMatrix
from madtree.learn.walk.descent import Descent

__all__ = ["MOST_ROWS", "CodeMatrix", "Descent", "where_leaves_agree"]
