"""Scoring a table by a model."""

from __future__ import annotations

from measure.case import Case, Ratio, Suite
from measure.inside import Predict, Train, WriteConstant
from measure.table import derived, names, uniform

MILLION = uniform(1_000_000, 10)
GROUPED = derived("ten_thousand_groups", MILLION, "*, id % 10000 AS g", names(10))
CONSTANT = "CREATE TABLE AS SELECT id, 1"
PREDICT, MANY = "tree_predict, one tree", "tree_predict, 10,000 trees"
ONE = ", one process"
TREE, TREES = Train(MILLION), Train(GROUPED, None, "grouping_cols => 'g'", model="groups")

SUITE = Suite(
    "scoring",
    "Scoring",
    (
        Case(
            "one-tree",
            {
                CONSTANT: WriteConstant(MILLION),
                PREDICT: Predict(TREE),
                CONSTANT + ONE: WriteConstant(MILLION, one_process=True),
                PREDICT + ONE: Predict(TREE, one_process=True),
            },
            [Ratio(PREDICT, CONSTANT, 1.3), Ratio(PREDICT + ONE, CONSTANT + ONE, 1.3)],
        ),
        Case(
            "10000-trees",
            {
                PREDICT: Predict(TREE),
                MANY: Predict(TREES),
                PREDICT + ONE: Predict(TREE, one_process=True),
                MANY + ONE: Predict(TREES, one_process=True),
            },
            [Ratio(MANY + ONE, PREDICT + ONE, 3), Ratio(MANY, PREDICT, 3)],
            rounds=3,
        ),
    ),
)
