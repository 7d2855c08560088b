"""Gradient boosting beside LightGBM's, of the same shape: from the table to the model, and from that to predictions."""

from __future__ import annotations

from measure.apart import Quickest
from measure.case import Case, Ratio, Suite
from measure.inside import PredictBoosted, TrainBoosted
from measure.outside import LightGBMBoosting, LightGBMPredict
from measure.table import Table, uniform

ONE, FREE = "boost_train, one process", "boost_train"
LIGHTGBM, ONE_THREAD = "ADBC, LightGBM", "ADBC, LightGBM, one thread"
PREDICT, THEIR_PREDICT = "boost_predict", "ADBC, LightGBM's predict"
MEMORY = 128  # MB: the budget and 64 more
ROUNDS = 100


def _fits(name: str, table: Table, goal: float | None, *, long: bool, goss: bool = False) -> Case:
    """`goss`: rows are drawn by the size of their gradients, on both sides."""
    more = "boost_params => 'top_rate=0.2, other_rate=0.1'" if goss else ""  # as LightGBM does it by itself
    every, one = (LightGBMBoosting(table, ROUNDS, threads, goss) for threads in (0, 1))
    return Case(
        name,
        {
            ONE: TrainBoosted(table, n_trees=ROUNDS, more=more),
            FREE: TrainBoosted(table, None, n_trees=ROUNDS, more=more),
            ONE_THREAD: one,
            LIGHTGBM: Quickest({"all threads": every, "one thread": one}),
        },
        [Ratio(ONE, ONE_THREAD, goal), Ratio(FREE, LIGHTGBM, goal)],
        rounds=3,
        peaks=[ONE] if long else [],
        most_memory=MEMORY,
        long=long,
    )


def _scores(name: str, table: Table, goal: float | None, *, long: bool) -> Case:
    training = LightGBMBoosting(table, ROUNDS)
    theirs = {
        "all threads": LightGBMPredict(training),
        "one thread": LightGBMPredict(LightGBMBoosting(table, ROUNDS, 1)),
    }
    return Case(
        name,
        {PREDICT: PredictBoosted(TrainBoosted(table, None, n_trees=ROUNDS)), THEIR_PREDICT: Quickest({**theirs})},
        [Ratio(PREDICT, THEIR_PREDICT, goal)],
        rounds=5,
        long=long,
    )


HUNDRED_THOUSAND, MILLION = uniform(100_000, 10), uniform(1_000_000, 10)

SUITE = Suite(
    "boosting",
    "Gradient boosting",
    (
        _fits("100k-rows", HUNDRED_THOUSAND, None, long=False),
        _scores("predict-100k-rows", HUNDRED_THOUSAND, None, long=False),
        _fits("1M-rows", MILLION, 1.2, long=True),
        _fits("1M-rows-drawn", MILLION, 1.0, long=True, goss=True),
        _scores("predict-1M-rows", MILLION, 0.5, long=True),
        Case(
            "10M-rows",
            {
                FREE: TrainBoosted(MILLION, None, n_trees=10),
                "10,000,000 rows": TrainBoosted(uniform(10_000_000, 10), None, n_trees=10),
            },
            [Ratio("10,000,000 rows", FREE, 10.5)],
            rounds=1,
            long=True,
        ),
    ),
)
