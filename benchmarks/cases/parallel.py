"""Parallel workers: many rows, where they pay, and few, where they must not be in the way."""

from __future__ import annotations

from measure.case import Case, Ratio, Suite
from measure.inside import ColumnSums, Train
from measure.table import Table, uniform

TEN_MILLION = uniform(10_000_000, 10)
SERIAL = "one process"
# What the machine has to give while this runs: where the plain scan gains little by workers, nothing else can.
SCAN, SHARED_SCAN = "column sums, one process", "column sums, 3 workers"
WORKERS = {
    SERIAL: 0,
    "1 worker": 1,
    "2 workers": 2,
    "3 workers": 3,
    "automatic": None,
}


def _trainings(table: Table, workers: dict[str, int | None]) -> dict[str, Train]:
    """Each with a model of its own, so that the trees can be compared."""
    return {name: Train(table, n, model=f"model_{i}") for i, (name, n) in enumerate(workers.items())}


def _small(n_rows: int) -> Case:
    automatic = {SERIAL: 0, "automatic": None}
    return Case(
        f"{n_rows // 1000}k-rows",
        _trainings(uniform(n_rows, 10), automatic),
        [Ratio("automatic", SERIAL, 1.1)],
        rounds=15,
        same_trees=list(automatic),
    )


SUITE = Suite(
    "parallel",
    "Parallel workers",
    (
        Case(
            "10M-rows",
            {
                SCAN: ColumnSums(TEN_MILLION),
                SHARED_SCAN: ColumnSums(TEN_MILLION, 3),
                **_trainings(TEN_MILLION, WORKERS),
            },
            [
                Ratio(SCAN, SHARED_SCAN, at_least=True),
                Ratio(SERIAL, "1 worker", at_least=True),
                Ratio(SERIAL, "2 workers", at_least=True),
                Ratio(SERIAL, "3 workers", 2.5, at_least=True),
                Ratio(SERIAL, "automatic", 2.2, at_least=True),  # two workers, the server's default
            ],
            rounds=3,
            peaks=[SERIAL, "3 workers"],
            same_trees=list(WORKERS),
            long=True,
        ),
        *(_small(n_rows) for n_rows in (1_000, 10_000, 100_000, 400_000, 1_000_000)),
    ),
)
