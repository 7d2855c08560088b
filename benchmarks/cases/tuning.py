"""Trying settings by cross-validation, beside one training, and beside scikit-learn's grid search of the same ones."""

from __future__ import annotations

from measure.case import Case, Ratio, Suite
from measure.inside import Train, TrainBoosted, Tune
from measure.outside import ScikitLearnSearch
from measure.table import uniform

ONE, SEARCH, HALVING = "tree_train", "tree_tune, 30 settings", "tree_tune, 30 settings, halving"
BOOST, BOOSTS = "boost_train, 20 trees", "tree_tune, 30 settings of boosting"
TREES, HISTOGRAMS = "ADBC, GridSearchCV, trees", "ADBC, GridSearchCV, one tree by histograms"
# Three of them share a tree; so there are ten trees for each fold.
DEPTHS, BUCKETS = (6, 8, 10), (7, 10, 20, 50, 100, 150, 200, 300, 500, 1000)
SETTINGS = f"max_depth={','.join(map(str, DEPTHS))}; min_bucket={','.join(map(str, BUCKETS))}"
GRID = {"max_depth": DEPTHS, "min_samples_leaf": BUCKETS}
HALVED = "search => 'halving'"
# Three of them share their trees, too.
BOOSTED = "num_trees=5,10,20; learning_rate=0.05,0.1,0.2,0.3,0.5; max_leaf_nodes=8,31"
HUNDRED_THOUSAND, MILLION = uniform(100_000, 10), uniform(1_000_000, 10)

SUITE = Suite(
    "tuning",
    "Trying settings",
    (
        Case(
            "trees-100k-rows",
            {
                ONE: Train(HUNDRED_THOUSAND, None),
                SEARCH: Tune(HUNDRED_THOUSAND, None, params=SETTINGS),
                TREES: ScikitLearnSearch(HUNDRED_THOUSAND, GRID),
            },
            [Ratio(SEARCH, ONE, 40), Ratio(SEARCH, TREES, 0.2)],
            rounds=1,
            long=True,
        ),
        Case(
            "trees-1M-rows",
            {
                ONE: Train(MILLION, None),
                SEARCH: Tune(MILLION, None, params=SETTINGS),
                HISTOGRAMS: ScikitLearnSearch(MILLION, GRID, by_histograms=True),
            },
            [Ratio(SEARCH, ONE, 40), Ratio(SEARCH, HISTOGRAMS, 0.2)],
            rounds=1,
            long=True,
        ),
        Case(
            "halving-1M-rows",
            {
                SEARCH: Tune(MILLION, None, params=SETTINGS),
                HALVING: Tune(MILLION, None, params=SETTINGS, more=HALVED),
            },
            [Ratio(HALVING, SEARCH)],
            rounds=1,
            long=True,
        ),
        Case(
            "boosting-100k-rows",
            {
                BOOST: TrainBoosted(HUNDRED_THOUSAND, None, n_trees=20),
                BOOSTS: Tune(HUNDRED_THOUSAND, None, method="boost", params=BOOSTED),
            },
            [Ratio(BOOSTS, BOOST, 40)],
            rounds=1,
            long=True,
        ),
    ),
)
