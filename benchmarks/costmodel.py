"""The constants by which `madtree.parallel.cost_model` decides how many parallel workers pay, measured on this machine.

Slopes between two sizes, so that what every call costs does not count; medians of trainings that take turns. What needs
no database (rows routed, small groups grown) runs in this process, so with this environment's numpy.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from measure import table as tables
from measure.inside import Train
from measure.readme import table
from measure.session import Session, connect, session
from measure.table import uniform
from measure.timing import interleaved

from madtree.embedded import PrivateServer
from madtree.learn.at_hand.blocks_at_hand import BlocksAtHand
from madtree.learn.data import finished
from madtree.learn.grow.grow import grow
from madtree.learn.packing import RawRows, prepare
from madtree.learn.prune.program import train_at_hand
from madtree.learn.requests.provider import driven
from madtree.request.tuning import Costs
from madtree.trees import FeatureKind
from madtree.trees.parameters import Parameters

LEVELS = 10
HELD = "memory_mb => 1024"  # blocks in memory
HALF, FULL = uniform(500_000, 10), uniform(2_000_000, 10)
N_FEATURES = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a server with madtree in it, as superuser; default: your private server")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds (default: %(default)s)")
    options = parser.parse_args()
    with session(options.dsn or PrivateServer().up()) as here:
        found = {**reading(here, options.rounds), **starting(here.dsn, options.rounds)}
    found |= {"routed_row": routing(options.rounds), "grown_value": growing(options.rounds)}
    rows = [(name, f"{getattr(Costs(), name):.3g}", f"{seconds:.3g}") for name, seconds in found.items()]
    print("\n".join(table(("constant", "in Costs, s", "measured, s"), rows)))


def reading(here: Session, rounds: int) -> dict[str, float]:
    """Seconds to pack a value and to count a cell, in one process."""
    trainings = {"half": Train(HALF, 0, HELD), "full": Train(FULL, 0, HELD)}
    for training in trainings.values():
        tables.make(here.db, training.table)
    actions = {name: training.action(here) for name, training in trainings.items()}
    timings = interleaved(actions, dict.fromkeys(trainings, rounds))

    def slope(stage: str) -> float:
        half, full = (timings[name].part_medians[stage] for name in ("half", "full"))
        return (full - half) / (FULL.total_bins - HALF.total_bins)

    return {"packed_value": slope("pack"), "counted_value": slope("passes") / LEVELS}


def starting(dsn: str, rounds: int) -> dict[str, float]:
    """Seconds until a process that has just been started can count: it loads Python, numpy and madtree.

    Sessions stand for workers, which cannot be told to start without work: 1 to 3 at a time, and a line through them.
    """
    numbers = [1, 2, 3]
    medians = [statistics.median(_first_calls(dsn, n) for _ in range(rounds)) for n in numbers]
    per_worker, start = np.polyfit(numbers, medians, 1)
    return {"start": float(start), "per_worker": float(per_worker)}


def _first_calls(dsn: str, n: int) -> float:
    """Seconds for the first call of one of madtree's functions in each of `n` new sessions at once."""
    sessions = [connect(dsn) for _ in range(n)]
    try:
        with ThreadPoolExecutor(n) as pool:
            begin = time.perf_counter()
            list(pool.map(lambda db: db.execute("SELECT madtree_internal.node_statistics_merge(NULL, '')"), sessions))
            return time.perf_counter() - begin
    finally:
        for db in sessions:
            db.close()


def _rows(n_rows: int, n_trees: int) -> RawRows:
    rng = np.random.default_rng(1)
    features = rng.random((N_FEATURES, n_rows))
    target = ((features[0] + features[1] * features[2] > 0.8) ^ (rng.random(n_rows) < 0.1)).astype(np.float64)
    return RawRows(features, target, None, np.arange(n_rows) % n_trees if n_trees > 1 else None)


def _median(run: Callable[[], object], rounds: int) -> float:
    seconds = []
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def routing(rounds: int) -> float:
    """Seconds to take a row one step down."""
    n_rows = 65_536
    problem, block = prepare(_rows(n_rows, 1), 1, 2, [FeatureKind.CONTINUOUS] * N_FEATURES, Parameters())
    growing = finished(driven(grow(problem, rows_at_hand=True), BlocksAtHand([block], 2**20)))
    roots = np.zeros(n_rows, np.int32)
    deep = growing.routing.advance(growing.routing.advance(roots, block.codes), block.codes)
    return _median(lambda: growing.routing.advance(deep, block.codes), 10 * rounds) / n_rows


def growing(rounds: int) -> float:
    """Seconds for a number of groups of 100 rows, from raw numbers to pruned trees."""
    n_rows, n_trees = 65_000, 650
    rows = _rows(n_rows, n_trees)

    def run() -> None:
        problem, block = prepare(rows, n_trees, 2, [FeatureKind.CONTINUOUS] * N_FEATURES, Parameters(min_bucket=7))
        train_at_hand(problem, [block])

    return _median(run, rounds) / (n_rows * N_FEATURES)


if __name__ == "__main__":
    main()
