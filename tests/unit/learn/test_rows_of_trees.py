"""Rows by tree, where a block has the rows of many."""

from __future__ import annotations

import numpy as np

from madtree.learn.problem.replicas import rows_of_trees


def test_each_tree_has_its_rows_in_order() -> None:
    found = [(tree, rows.tolist()) for tree, rows in rows_of_trees(np.array([5, 0, 5, 2, 0], np.int32))]
    assert found == [(0, [1, 4]), (2, [3]), (5, [0, 2])]


def test_no_rows_are_of_no_tree() -> None:
    assert list(rows_of_trees(np.zeros(0, np.int64))) == []
