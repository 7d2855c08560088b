"""What a model needs while it is used."""

from __future__ import annotations

from measure.case import Case, Ratio, Suite
from measure.inside import Drift, Predict, Refresh, Train
from measure.table import uniform

TREE = Train(uniform(1_000_000, 10))
PREDICT, DRIFT, TRAIN, REFRESH = "tree_predict", "tree_drift", "tree_train", "tree_refresh"

SUITE = Suite(
    "living",
    "Living with a model",
    (
        Case("drift", {PREDICT: Predict(TREE), DRIFT: Drift(TREE)}, [Ratio(DRIFT, PREDICT, 1.5)]),
        Case("refresh", {TRAIN: TREE, REFRESH: Refresh(TREE)}, [Ratio(REFRESH, TRAIN, 0.5)]),
    ),
)
