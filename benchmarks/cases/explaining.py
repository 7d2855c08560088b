"""Explaining the rows of a table by a model."""

from __future__ import annotations

from measure.case import Case, Ratio, Suite
from measure.inside import Explain
from measure.outside import LightGBMContributions
from measure.table import uniform

# Of more, LightGBM alone would take half an hour a run.
TABLE = uniform(100_000, 10)
OURS, THEIRS = "tree_shap, 100 trees of 31 leaves", "lightgbm, pred_contrib after ADBC"

SUITE = Suite(
    "explaining",
    "Explaining",
    (
        Case(
            "boosted",
            {OURS: Explain(TABLE, 100), THEIRS: LightGBMContributions(TABLE, 100)},
            [Ratio(OURS, THEIRS, 0.1)],
            rounds=3,
        ),
    ),
)
