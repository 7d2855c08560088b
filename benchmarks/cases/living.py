"""What a model needs while it is used."""

from __future__ import annotations

from measure.case import Case, Ratio, Suite
from measure.inside import Drift, Predict, Refresh, Train, TrainBoosted, TrainForest
from measure.table import uniform

TABLE = uniform(1_000_000, 10)
TREE, FOREST, BOOSTED = Train(TABLE), TrainForest(TABLE, n_trees=10), TrainBoosted(TABLE, n_trees=20)
PREDICT, DRIFT, TRAIN, REFRESH = "tree_predict", "tree_drift", "tree_train", "tree_refresh"
FOREST_TRAIN, BOOST_TRAIN = "forest_train", "boost_train"

SUITE = Suite(
    "living",
    "Living with a model",
    (
        Case("drift", {PREDICT: Predict(TREE), DRIFT: Drift(TREE)}, [Ratio(DRIFT, PREDICT, 1.5)]),
        Case("refresh", {TRAIN: TREE, REFRESH: Refresh(TREE)}, [Ratio(REFRESH, TRAIN, 0.5)]),
        Case("refresh-forest", {FOREST_TRAIN: FOREST, REFRESH: Refresh(FOREST)}, [Ratio(REFRESH, FOREST_TRAIN, 0.5)]),
        Case("refresh-boosted", {BOOST_TRAIN: BOOSTED, REFRESH: Refresh(BOOSTED)}, [Ratio(REFRESH, BOOST_TRAIN, 1)]),
    ),
)
