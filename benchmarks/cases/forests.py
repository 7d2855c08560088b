"""Random forests beside scikit-learn's and LightGBM's, of many groups, and their cost by trees, rows and columns."""

from __future__ import annotations

from dataclasses import replace

from measure.case import Case, Ratio, Seconds, Suite
from measure.inside import FOREST_SHAPE, PredictForest, TrainForest
from measure.outside import (
    QuantileForestPredict,
    ScikitLearnForest,
    ScikitLearnPredict,
    lightgbm_forest_at_its_best,
)
from measure.table import Table, derived, names, uniform

FOREST, PREDICT = "forest_train", "forest_predict"
REGRESSION, IMPORTANCE = "forest_train, regression", "the same with importance"
INTERVAL, THEIR_INTERVAL = "forest_predict, interval", "RandomForestQuantileRegressor.predict alone"
KEEPING = "the same with intervals => true"
OUTCOME = "x1 * x2 + x3"
LIGHTGBM = "ADBC, LightGBM rf"
SCIKIT_LEARN, THEIRS_PREDICTS = "RandomForestClassifier.fit alone", "RandomForestClassifier.predict alone"
MEMORY = 128  # MB: the budget and 64 more, whatever the number of rows and trees
BY_GROUP = "grouping_cols => 'g'"
MILLION = uniform(1_000_000, 10)
HUNDRED_THOUSAND = uniform(100_000, 10)
TWO_THOUSAND = derived("two_thousand_groups", MILLION, "*, id % 2000 AS g", names(10))
FIVE_MILLION = uniform(5_000_000, 10)
TWENTY = derived("twenty_groups", FIVE_MILLION, "*, id % 20 AS g", names(10))
A_HUNDRED = derived("a_hundred_groups", uniform(50_000, 10), "*, id % 100 AS g", names(10))
THEIRS = {(table, n): ScikitLearnForest(table, n) for table, n in ((HUNDRED_THOUSAND, 10), (MILLION, 100))}


def _fits(name: str, table: Table, n_trees: int, *, long: bool) -> Case:
    """Growing; the goals are those of a million rows and a hundred trees. scikit-learn needs minutes for these."""
    faster, lighter = (12.0, 0.7) if long else (None, None)
    return Case(
        name,
        {
            FOREST: TrainForest(table, n_trees=n_trees),
            LIGHTGBM: lightgbm_forest_at_its_best(table, n_trees),
            SCIKIT_LEARN: THEIRS[table, n_trees],
        },
        [Ratio(SCIKIT_LEARN, FOREST, faster, at_least=True), Ratio(FOREST, LIGHTGBM, lighter)],
        rounds=3,
        fewer={SCIKIT_LEARN: 1} if long else None,
        peaks=[FOREST],
        most_memory=MEMORY,
        long=long,
    )


def _scores(name: str, table: Table, n_trees: int, *, long: bool) -> Case:
    return Case(
        name,
        {
            PREDICT: PredictForest(TrainForest(table, n_trees=n_trees)),
            THEIRS_PREDICTS: ScikitLearnPredict(THEIRS[table, n_trees]),
        },
        [Ratio(PREDICT, THEIRS_PREDICTS, 0.6 if long else None)],
        rounds=3,
        long=long,
    )


def _intervals(name: str, table: Table, n_trees: int, *, long: bool) -> Case:
    """What intervals cost beside means, and keeping the outcomes that they are made of beside growing alone."""
    alone = TrainForest(table, n_trees=n_trees, dependent=OUTCOME)
    keeping = replace(alone, more="intervals => true", model="keeping")
    theirs = {} if long else {THEIR_INTERVAL: QuantileForestPredict(table, n_trees)}
    return Case(
        name,
        {
            PREDICT: PredictForest(keeping),
            INTERVAL: PredictForest(keeping, "interval"),
            REGRESSION: alone,
            KEEPING: keeping,
            **theirs,
        },
        [
            Ratio(INTERVAL, PREDICT, 3.0 if long else None),
            Ratio(KEEPING, REGRESSION),
            *(Ratio(INTERVAL, each) for each in theirs),
        ],
        rounds=3,
        long=long,
    )


def _memory(name: str, table: Table, n_trees: int, label: str, dependent: str = "y", more: str = "") -> Case:
    """Of many rows: targets of regression take more than classes, and importance looks at all out-of-bag rows of a tree
    together; of large groups, the sample that bins are found in is large, too.
    """
    alone = TrainForest(table, n_trees=n_trees, dependent=dependent, more=more)
    return Case(
        name,
        {label: alone, IMPORTANCE: replace(alone, shape=FOREST_SHAPE.replace("false", "true"), model="important")},
        rounds=1,
        peaks=[label, IMPORTANCE],
        most_memory=MEMORY,
        long=True,
    )


def _groups(name: str, table: Table, goal: float, *, long: bool) -> Case:
    return Case(
        name,
        {FOREST: TrainForest(table, more=BY_GROUP, n_trees=20)},
        [Seconds(FOREST, goal)],
        rounds=3,
        peaks=[FOREST],
        most_memory=MEMORY,
        long=long,
    )


SUITE = Suite(
    "forests",
    "Forests",
    (
        _fits("fit-100kx10", HUNDRED_THOUSAND, 10, long=False),
        _fits("fit-1Mx100", MILLION, 100, long=True),
        _scores("predict-100kx10", HUNDRED_THOUSAND, 10, long=False),
        _scores("predict-1Mx100", MILLION, 100, long=True),
        _intervals("intervals-100kx100", HUNDRED_THOUSAND, 100, long=False),
        _intervals("intervals-1Mx100", MILLION, 100, long=True),
        Case(
            "100k-rows-10-trees",
            {FOREST: TrainForest(HUNDRED_THOUSAND, n_trees=10)},
            [Seconds(FOREST, 0.3)],
            rounds=7,
        ),
        _memory("regression-1Mx5", MILLION, 5, REGRESSION, OUTCOME),
        _memory("importance-5Mx4", FIVE_MILLION, 4, FOREST),
        _memory("20-groups-5Mx4", TWENTY, 4, FOREST, more=BY_GROUP),
        _groups("100-groups-of-500", A_HUNDRED, 0.75, long=False),
        _groups("2000-groups-of-500", TWO_THOUSAND, 15, long=True),
    ),
)

# The cost against one size at a time; the others stay as they are.
OF_TREES, OF_ROWS, OF_COLUMNS = 10, 100_000, 10
TREE_COUNTS = (1, 3, 10, 30, 100)
ROW_COUNTS = (1_000, 10_000, 100_000, 1_000_000)
COLUMN_COUNTS = (5, 10, 20, 50, 100)
MADTREE, BESIDE_LIGHTGBM, BESIDE_SCIKIT_LEARN = "madtree", "LightGBM after ADBC", "scikit-learn's fit alone"
_LONG = 10_000_000  # cells times trees beyond which a case is long


def _size(size: int, n_rows: int, n_columns: int, n_trees: int) -> Case:
    table = uniform(n_rows, n_columns)
    long = table.total_bins * n_trees > _LONG
    return Case(
        f"{size}",
        {
            MADTREE: TrainForest(table, n_trees=n_trees),
            BESIDE_LIGHTGBM: lightgbm_forest_at_its_best(table, n_trees),
            BESIDE_SCIKIT_LEARN: ScikitLearnForest(table, n_trees),
        },
        [Ratio(MADTREE, BESIDE_LIGHTGBM), Ratio(BESIDE_SCIKIT_LEARN, MADTREE, at_least=True)],
        rounds=3,
        fewer={BESIDE_SCIKIT_LEARN: 1} if long else None,
        long=long,
    )


TREES = Suite(
    "forest_trees",
    f"Forests: seconds against trees, {OF_ROWS:,} rows",
    [_size(n, OF_ROWS, OF_COLUMNS, n) for n in TREE_COUNTS],
)
ROWS = Suite(
    "forest_rows",
    f"Forests: seconds against rows, {OF_TREES} trees",
    [_size(n, n, OF_COLUMNS, OF_TREES) for n in ROW_COUNTS],
)
COLUMNS = Suite(
    "forest_columns",
    f"Forests: seconds against columns, {OF_ROWS:,} rows, {OF_TREES} trees",
    [_size(n, OF_ROWS, n, OF_TREES) for n in COLUMN_COUNTS],
)
