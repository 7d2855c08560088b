"""The main job: a million rows of ten columns, against the scan below it and the ways around it."""

from __future__ import annotations

from measure.case import Case, Ratio, Seconds, Suite
from measure.inside import ColumnSums, FirstCall, Train
from measure.outside import Extract, LightGBM, ScikitLearn, lightgbm_at_its_best
from measure.table import iris, uniform

MILLION = uniform(1_000_000, 10)
WIDER = uniform(1_000_000, 40)
IRIS = iris()
ONE = "tree_train, one process"
SUMS = "column sums, one process"

SUITE = Suite(
    "job",
    "The main job",
    (
        Case(
            "reading",
            {
                SUMS: ColumnSums(MILLION),
                ONE: Train(MILLION),
                "tree_train": Train(MILLION, None),
            },
            [
                Ratio(ONE, SUMS, 5),
                Ratio("tree_train", ONE, 1.1),
            ],
            rounds=9,
            peaks=[ONE],
        ),
        Case(
            "lightgbm",
            {
                "tree_train": Train(MILLION, None),
                "ADBC, LightGBM": lightgbm_at_its_best(MILLION),
                ONE: Train(MILLION),
                "ADBC, LightGBM, one thread": LightGBM(MILLION, threads=1),
                "ADBC alone": Extract(MILLION, "ADBC"),
                "binary COPY alone": Extract(MILLION, "binary COPY"),
            },
            [
                Ratio("tree_train", "ADBC, LightGBM", 0.7),
                Ratio(ONE, "ADBC, LightGBM", 0.7),
                Ratio(ONE, "ADBC, LightGBM, one thread", 0.7),
            ],
            rounds=7,
            fewer={"ADBC alone": 2, "binary COPY alone": 2},
        ),
        Case(
            "scikit-learn",
            {"tree_train": Train(MILLION, None), "psycopg, pandas, scikit-learn": ScikitLearn(MILLION)},
            [Ratio("psycopg, pandas, scikit-learn", "tree_train", 10, at_least=True)],
            rounds=3,
            long=True,
        ),
        Case(
            "options",
            {
                ONE: Train(MILLION),
                "ten folds": Train(MILLION, more="pruning_params => 'n_folds=10'"),
                "five surrogates": Train(MILLION, more="surrogate_params => 'max_surrogates=5'"),
            },
            [Ratio("ten folds", ONE, 6), Ratio("five surrogates", ONE, 2)],
            rounds=3,
            peaks=["ten folds"],
        ),
        Case(
            "40-columns",
            {ONE: Train(MILLION), "40 columns": Train(WIDER)},
            [Ratio("40 columns", ONE, 1.1, per="cell")],
            rounds=3,
            peaks=["40 columns"],
        ),
        Case(
            "iris",
            {
                "tree_train on 150 rows, warm": Train(IRIS, None),
                "tree_train on 150 rows, first call of a session": FirstCall(Train(IRIS, None)),
            },
            [
                Seconds("tree_train on 150 rows, warm", 0.06),
                Seconds("tree_train on 150 rows, first call of a session", 0.5),
            ],
            rounds=20,
            fewer={"tree_train on 150 rows, first call of a session": 5},
        ),
    ),
)
