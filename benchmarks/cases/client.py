"""The client as the engine, over a socket: against the extension on the same rows, and fetching them for LightGBM."""

from __future__ import annotations

from measure.by_client import TrainByClient
from measure.case import Case, Ratio, Suite
from measure.inside import Train
from measure.outside import Extract, LightGBM, lightgbm_at_its_best
from measure.table import Table, uniform

CLIENT, ONE, OTHERS = "client engine", "tree_train, one process", "ADBC, LightGBM"


def _case(name: str, table: Table, rounds: int, *, long: bool = False) -> Case:
    return Case(
        name,
        {
            CLIENT: TrainByClient(table, model="by_client"),
            OTHERS: lightgbm_at_its_best(table),
            ONE: Train(table, model="by_extension"),
            f"{OTHERS}, one thread": LightGBM(table, threads=1),
            "ADBC alone": Extract(table, "ADBC"),
        },
        [Ratio(CLIENT, OTHERS, 0.9), Ratio(CLIENT, f"{OTHERS}, one thread", 0.9), Ratio(CLIENT, ONE)],
        rounds=rounds,
        same_trees=[CLIENT, ONE],
        long=long,
    )


SUITE = Suite(
    "client",
    "The client as the engine",
    (
        _case("100k-rows", uniform(100_000, 10), 7),
        _case("1M-rows", uniform(1_000_000, 10), 7),
        _case("40-columns", uniform(1_000_000, 40), 3, long=True),
    ),
)
