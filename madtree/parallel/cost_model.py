"""How many parallel workers to use: a small model of what packing and counting cost, and what starting a worker costs.

A parallel query starts its workers anew, and each of them has to load Python and numpy before it can help. So a query
is worth sharing out only where it takes clearly longer than that start, and only among as many processes as there are
processors.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Mapping

from madtree.host import Host
from madtree.records import dataclass
from madtree.request import Costs
from madtree.sqltext import workers as sql
from madtree.trees import Parameters

_LIKELY_LEVELS = 10

_FREE = {
    "parallel_setup_cost": "0",
    "parallel_tuple_cost": "0",
    "min_parallel_table_scan_size": "0",
    "enable_parallel_append": "on",
}


@dataclass(frozen=True)
class Workers:
    """The workers that a training may use beside its own process.

    Attributes:
        available: how many.
        requested: the caller wants so many, whether they pay or not.
        resident: whether they may stay for all of a training.
    """

    available: int = 0
    requested: bool = False
    resident: bool = True


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available(host: Host, requested: int | None, n_cores: int | None = None) -> Workers:
    """The workers that may be used: those asked for, else what the session's settings and the processors allow."""
    row = host.query(sql.LIMITS)[0]
    if requested is not None:
        return Workers(requested, requested=True, resident=bool(row["resident"]))
    limits = (int(row["per_gather"]), int(row["parallel"]), int(row["processes"]) - 1, (n_cores or cores()) - 1)
    return Workers(max(min(limits), 0), resident=bool(row["resident"]))


def resident_workers(workers: Workers, n_rows: int, n_columns: int, parameters: Parameters, costs: Costs) -> int:
    """How many should pack a table of so many rows and columns, and stay until its trees are grown."""
    if workers.requested:
        return workers.available
    counted = costs.counted_value * min(parameters.max_depth, _LIKELY_LEVELS) * (1 + parameters.n_folds)
    work = n_rows * n_columns * (costs.packed_value + counted)
    return best(work, workers.available, costs, alone=costs.resident)


def wave_workers(
    workers: Workers,
    n_rows: int,
    n_columns: int,
    parameters: Parameters,
    costs: Costs,
    row_level: float,
    n_waves: tuple[int, int],
) -> int:
    """How many should pack a table, and stay until its trees are grown in waves; as `resident_workers`, and

    Args:
        row_level: seconds that a row takes in a level of all trees.
        n_waves: in which one process grows them, and in which several do.
    """
    if workers.requested:
        return workers.available
    levels = min(parameters.max_depth, _LIKELY_LEVELS)
    grown = n_rows * levels * row_level
    alone, shared = n_waves
    work = n_rows * n_columns * costs.packed_value + grown + alone * levels * costs.wave_level
    detour = (shared - alone) * levels * costs.wave_level
    return best(work, workers.available, costs, detour, costs.resident, n_parts=shared)


def pass_workers(workers: Workers, n_rows: int, n_columns: int, parameters: Parameters, costs: Costs) -> int:
    """How many should take part in each pass over a table of blocks with so many rows and columns."""
    if workers.requested:
        return workers.available
    replicas = 1 + parameters.n_folds
    # A worker finds its rows' nodes from the root in every pass; the leader remembers them.
    detour = n_rows * costs.routed_row * min(parameters.max_depth, _LIKELY_LEVELS) / 2 * replicas
    return best(n_rows * n_columns * costs.counted_value * replicas, workers.available, costs, detour)


def handing_over_pays(state_bytes: int, n_workers: int, costs: Costs) -> bool:
    """Whether a pass is worth sharing out whose histograms, which each worker hands to the leader, take so much."""
    return n_workers > 0 and state_bytes * n_workers * costs.handed_byte < costs.start


def growing_workers(
    workers: Workers,
    n_blocks: int,
    n_rows: int,
    n_columns: int,
    looked_at: int,
    costs: Costs,
) -> int:
    """How many should grow small groups of so many rows together, block by block.

    `looked_at`: features, in all levels and trees, that each row is counted by.
    """
    if workers.requested:
        return workers.available
    work = n_rows * looked_at * costs.grown_value
    # Workers take the rows from a table, which has to be written first.
    stored = n_rows * n_columns * costs.stored_value
    return best(work, min(workers.available, n_blocks - 1), costs, stored, n_parts=n_blocks)


def seconds(work: float, workers: int, costs: Costs, n_parts: int | None = None) -> float:
    """Of a query of `work` seconds in one process, with so many workers beside the leader, who begins at once.

    `n_parts`: equal parts of the work, each of which one process does; None where it can be shared out at will.
    """
    if not workers:
        return work
    start = costs.start + costs.per_worker * workers
    if work <= start:
        return work
    if n_parts is None:
        return start + (work - start) / (workers + 1)
    end, free = 0.0, [0.0] + [start] * workers
    for _ in range(n_parts):  # by who is free first, so that each ends after those before it
        end = free[0] + work / n_parts
        heapq.heapreplace(free, end)
    return end


def best(
    work: float,
    available_workers: int,
    costs: Costs,
    detour: float = 0.0,
    alone: float = 0.0,
    n_parts: int | None = None,
) -> int:
    """The number of workers that is quickest by a margin.

    Args:
        detour: seconds of work in one process that only workers have to do.
        alone: seconds that the leader spends because there are workers.
        n_parts: as for `seconds`.
    """
    chosen, fastest = 0, work * costs.worth
    for n in range(1, available_workers + 1):
        if (taken := seconds(work + detour, n, costs, n_parts) + alone) < fastest:
            chosen, fastest = n, taken
    return chosen


def sharing(n_workers: int, leader: str = "on") -> Mapping[str, str]:
    """The planner's settings for a query that so many workers share; none for a query of one process.

    `leader`: whether it takes part.
    """
    if not n_workers:
        return {}
    return {"max_parallel_workers_per_gather": str(n_workers), "parallel_leader_participation": leader, **_FREE}


def in_place_of_leader(n_workers: int) -> int:
    """The workers that do what `n_workers` beside the leader would, where the leader only takes rows in.

    Rows of some megabytes wait in small queues until the leader looks after them: where it works, too, everybody stands
    still most of the time.
    """
    return n_workers + 1 if n_workers else 0


def without_leader(n_workers: int) -> Mapping[str, str]:
    """Settings for a query that workers share in place of `n_workers` and the leader, who only takes in what they hand
    over.
    """
    return sharing(in_place_of_leader(n_workers), leader="off")
