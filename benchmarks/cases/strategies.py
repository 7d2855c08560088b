"""The ways of keeping and counting rows, by name: what each takes, and that the trees are the same."""

from __future__ import annotations

from measure.case import Case, Ratio, Suite
from measure.inside import Train
from measure.table import Table, uniform

MEMORY, AGGREGATE = "in this process", "aggregate, one process"
# Name, parallel_workers and strategy.
WAYS: tuple[tuple[str, int | None, str], ...] = (
    (MEMORY, 0, "memory"),
    ("one resident worker", 1, "workers"),
    (AGGREGATE, 0, "aggregate"),
    ("aggregate, 1 worker", 1, "aggregate"),
    ("automatic", None, "auto"),
)


def _case(name: str, table: Table, goal: float | None, rounds: int) -> Case:
    trainings = {
        way: Train(table, workers, more=f"strategy => '{strategy}'", model=f"strategy_{i}")
        for i, (way, workers, strategy) in enumerate(WAYS)
    }
    return Case(
        name,
        trainings,
        [
            Ratio(AGGREGATE, MEMORY, goal),
            Ratio("aggregate, 1 worker", MEMORY),
            Ratio("one resident worker", MEMORY),
            Ratio("automatic", MEMORY, 1.05),
        ],
        rounds=rounds,
        peaks=[MEMORY, AGGREGATE],
        same_trees=list(trainings),
    )


SUITE = Suite(
    "strategies",
    "Ways of keeping and counting rows",
    (_case("1M-rows", uniform(1_000_000, 10), 2.0, 5), _case("4M-rows", uniform(4_000_000, 10), 2.0, 3)),
)
