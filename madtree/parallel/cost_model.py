"""How many parallel workers to use: a small model of what packing and passes cost, and what starting a worker costs.

A parallel query starts its workers anew, and each of them has to load Python and numpy before it can help. So a query
is worth sharing out only where it takes clearly longer than that start.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace

from madtree.host.protocol import Host
from madtree.host.settings import local_settings
from madtree.learn.data.parameters import Parameters
from madtree.sqltext import workers as sql

# Seconds, measured by benchmarks/costmodel.py on one core of an AMD EPYC with PostgreSQL 15; their ratios are what
# matters.
START = 0.10  # until the workers of a query help
PER_WORKER = 0.01  # of each further worker: they load Python at the same time, from the same memory
CREW = 0.03  # more of a crew: its seats are a table, and it waits for the last worker to go
PACKED_VALUE = 20e-9
COUNTED_CELL = 2e-9
ROUTED_ROW = 5e-9  # one step down; workers begin at the root in every pass
GROWN_CELL = 250e-9  # a row times a feature of small groups, over all levels
STORED_CELL = 25e-9  # the same, written for workers to read
HANDED_BYTE = 8e-9  # of a worker's statistics, to the leader and into the sum
_WORTH = 0.9  # of the serial time: workers that save less are left to others
_LIKELY_LEVELS = 10

_FREE = {
    "parallel_setup_cost": "0",
    "parallel_tuple_cost": "0",
    "min_parallel_table_scan_size": "0",
    "enable_parallel_append": "on",
}


@dataclass(frozen=True)
class Workers:
    """The workers of a run, beside the leader.

    Attributes:
        available: what the server and the caller allow.
        crew: pack a table and grow its trees (madtree.crew).
        passes: take part in each pass over a table of blocks.
        growing: take part in growing small groups, block by block.
        asked: the numbers are the caller's, whether they pay or not.
    """

    available: int = 0
    crew: int = 0
    passes: int = 0
    growing: int = 0
    asked: bool = False

    def for_crew(self, host: Host) -> AbstractContextManager[None]:
        return _sharing(host, self.crew)

    def for_growing(self, host: Host) -> AbstractContextManager[None]:
        return without_leader(host, self.growing)

    def for_passes(self, host: Host) -> AbstractContextManager[None]:
        return _sharing(host, self.passes)

    def share(self, state_bytes: int) -> bool:
        """Whether a pass is to be shared whose statistics, which each worker hands to the leader, take so much."""
        return self.passes > 0 and (self.asked or state_bytes * self.passes * HANDED_BYTE < START)

    def for_sorting(self, host: Host) -> AbstractContextManager[None]:
        """Making the rows that are to be grown, in the order of their blocks."""
        return _sharing(host, self.growing)


def in_place_of_leader(workers: int) -> int:
    """The workers that do what `workers` beside the leader would, where the leader only takes rows in.

    Rows of some megabytes wait in small queues until the leader looks after them: where it works, too, everybody stands
    still most of the time.
    """
    return workers + 1 if workers else 0


def without_leader(host: Host, workers: int) -> AbstractContextManager[None]:
    """Queries are shared by workers in place of `workers` and the leader, who only takes in what they hand over."""
    return _sharing(host, in_place_of_leader(workers), leader="off")


@contextmanager
def _sharing(host: Host, workers: int, leader: str = "on") -> Iterator[None]:
    """`leader`: whether it takes part; a crew without its leader would wait for ever."""
    settings = {"max_parallel_workers_per_gather": str(workers), "parallel_leader_participation": leader, **_FREE}
    with local_settings(host, settings if workers else {}):
        yield


def available(host: Host, parameters: Parameters) -> Workers:
    """The workers that may be used: those asked for, else those that the session's settings allow."""
    if parameters.parallel_workers is not None:
        n = parameters.parallel_workers
        return Workers(n, n, n, n, asked=True)
    row = host.query(sql.LIMITS)[0]
    return Workers(max(min(int(row["per_gather"]), int(row["parallel"]), int(row["processes"]) - 1), 0))


def crew(workers: Workers, n_rows: int, n_columns: int, parameters: Parameters) -> int:
    """How many should pack a table of so many rows and columns, and grow its trees, in a crew with the leader."""
    if workers.asked:
        return workers.crew
    counted = COUNTED_CELL * min(parameters.max_depth, _LIKELY_LEVELS) * (1 + parameters.n_folds)
    return best(n_rows * n_columns * (PACKED_VALUE + counted), workers.available, alone=CREW)


def passes(workers: Workers, n_rows: int, n_columns: int, parameters: Parameters) -> int:
    """How many should take part in the passes over a table of blocks with so many rows and columns."""
    if workers.asked:
        return workers.passes
    levels = min(parameters.max_depth, _LIKELY_LEVELS)
    copies = 1 + parameters.n_folds
    # A worker finds its rows' nodes from the root in every pass; the leader remembers them.
    detour = n_rows * ROUTED_ROW * levels / 2 * copies
    return best(n_rows * n_columns * COUNTED_CELL * copies, workers.available, detour)


def growing(workers: Workers, n_blocks: int, n_cells: float, parameters: Parameters) -> Workers:
    """The workers that grow small groups of so many cells (rows times features), block by block."""
    if workers.asked:
        return workers
    work = n_cells * GROWN_CELL * (1 + parameters.n_folds)
    # Workers take the rows from a table, which has to be written first.
    chosen = best(work, min(workers.available, n_blocks - 1), n_cells * STORED_CELL)
    return replace(workers, growing=chosen)


def seconds(work: float, workers: int) -> float:
    """Of a query of `work` seconds in one process, with so many workers beside the leader, who begins at once."""
    if not workers:
        return work
    start = START + PER_WORKER * workers
    return work if work <= start else start + (work - start) / (workers + 1)


def best(work: float, available_workers: int, detour: float = 0.0, alone: float = 0.0) -> int:
    """The number of workers that is quickest by a margin.

    Args:
        detour: seconds of work in one process that only workers have to do.
        alone: seconds that the leader spends because there are workers.
    """
    chosen, fastest = 0, work * _WORTH
    for n in range(1, available_workers + 1):
        if (taken := seconds(work + detour, n) + alone) < fastest:
            chosen, fastest = n, taken
    return chosen
