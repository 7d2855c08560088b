"""Explaining the rows of a table by a model."""

from __future__ import annotations

from measure.case import Case, Ratio, Suite
from measure.inside import Explain, TrainBoosted, TrainForest
from measure.outside import LightGBMContributions, ShapOfForest
from measure.table import first_rows, uniform

# Of more, LightGBM alone would take half an hour a run.
TABLE = uniform(100_000, 10)
OURS, THEIRS = "tree_shap, 100 trees of 31 leaves", "lightgbm, pred_contrib after ADBC"
# The package takes minutes for the rows that the forest explains: it has some of them.
ASKED, SOME = first_rows(TABLE, 10_000), first_rows(TABLE, 200)
FOREST = TrainForest(TABLE)
OURS_OF_FOREST, SHAP = "tree_shap, 100 trees of depth 12", "shap's TreeExplainer of the same forest"

SUITE = Suite(
    "explaining",
    "Explaining",
    (
        Case(
            "boosted",
            {OURS: Explain(TABLE, TrainBoosted(TABLE)), THEIRS: LightGBMContributions(TABLE, 100)},
            [Ratio(OURS, THEIRS, 0.1)],
            rounds=3,
        ),
        Case(
            "forest",
            {OURS_OF_FOREST: Explain(ASKED, FOREST, "type => 'prob_mean'"), SHAP: ShapOfForest(SOME, FOREST)},
            [Ratio(OURS_OF_FOREST, SHAP, 0.1, per="cell")],
            rounds=3,
        ),
    ),
)
