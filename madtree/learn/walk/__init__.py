"""The way down trees that are grown, by codes: all rows of a block at once, for out-of-bag rows and for prediction."""

from __future__ import annotations

from madtree.learn.walk.descent import Descent, code_matrix

__all__ = ["Descent", "code_matrix"]
