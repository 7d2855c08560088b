"""When workers are used: never where starting them takes longer than they save."""

from __future__ import annotations

import os

import pytest
from memory_host import Catalogue, MemoryHost

from madtree.parallel.cost_model import (
    Workers,
    available,
    best,
    cores,
    growing_workers,
    in_place_of_leader,
    pass_workers,
    resident_workers,
    seconds,
    wave_workers,
)
from madtree.request.tuning import COSTS
from madtree.train.of_forests import Forests
from madtree.trees.parameters import ForestParameters, Parameters

SERVER = Workers(available=3)


def test_short_work_is_done_alone() -> None:
    assert best(0.5 * COSTS.start, 8, COSTS) == 0
    assert best(COSTS.start, 8, COSTS) == 0


def test_long_work_is_shared_by_all() -> None:
    assert best(10.0, 3, COSTS) == 3
    assert seconds(10.0, 3, COSTS) < 10.0 / 3


def test_work_in_few_parts_is_shared_only_where_a_worker_comes_in_time() -> None:
    assert best(3 * COSTS.start, 1, COSTS) == 1
    assert best(3 * COSTS.start, 1, COSTS, n_parts=1) == 0
    assert best(3 * COSTS.start, 1, COSTS, n_parts=2) == 1
    # The leader is done with both before a worker could end one.
    assert best(2 * COSTS.start, 1, COSTS, n_parts=2) == 0
    assert seconds(10.0, 1, COSTS, n_parts=1_000) == pytest.approx(seconds(10.0, 1, COSTS), rel=0.01)


def test_work_that_only_workers_have_to_do_counts() -> None:
    assert best(1.0, 3, COSTS) == 3
    assert best(1.0, 3, COSTS, detour=3.0) == 0


def test_more_workers_than_are_available_are_never_chosen() -> None:
    assert best(100.0, 0, COSTS) == 0
    assert best(100.0, 2, COSTS) == 2


@pytest.mark.parametrize("n_rows", [1, 1_000, 100_000])
def test_small_tables_are_left_to_one_process(n_rows: int) -> None:
    assert resident_workers(SERVER, n_rows, 10, Parameters(), COSTS) == 0
    assert pass_workers(SERVER, n_rows, 10, Parameters(), COSTS) == 0


def test_resident_workers_pay_earlier_than_passes_that_start_workers_anew() -> None:
    assert resident_workers(SERVER, 1_000_000, 10, Parameters(), COSTS) > 0
    assert pass_workers(SERVER, 1_000_000, 10, Parameters(), COSTS) == 0


def test_large_tables_are_packed_and_counted_by_all() -> None:
    assert resident_workers(SERVER, 10_000_000, 10, Parameters(), COSTS) == 3
    assert pass_workers(SERVER, 100_000_000, 10, Parameters(), COSTS) == 3


def test_folds_are_work_too() -> None:
    assert resident_workers(SERVER, 200_000, 10, Parameters(), COSTS) == 0
    assert resident_workers(SERVER, 200_000, 10, Parameters(n_folds=10), COSTS) > 0


def test_there_may_be_no_workers() -> None:
    assert resident_workers(Workers(0), 10_000_000, 10, Parameters(), COSTS) == 0
    assert pass_workers(Workers(0), 10_000_000, 10, Parameters(), COSTS) == 0


@pytest.mark.parametrize("n", [0, 1, 5])
def test_what_is_asked_for_is_done(n: int) -> None:
    requested = Workers(n, requested=True)
    assert resident_workers(requested, 10, 10, Parameters(), COSTS) == n
    assert pass_workers(requested, 10, 10, Parameters(), COSTS) == n
    assert growing_workers(requested, 1, 10, 1, 1, COSTS) == n


def test_small_groups_are_grown_by_workers_where_there_are_many() -> None:
    assert growing_workers(SERVER, 16, 1_000_000, 10, 10, COSTS) == 3
    assert growing_workers(SERVER, 16, 10_000, 10, 10, COSTS) == 0
    assert growing_workers(SERVER, 16, 10_000, 10, 3 * 100, COSTS) == 3
    # Of three features a node in 16 trees, a sixth of the work: not worth the start of a worker.
    assert growing_workers(SERVER, 16, 10_000, 10, 3 * 16, COSTS) == 0


def test_no_more_workers_than_blocks() -> None:
    assert growing_workers(SERVER, 2, 1_000_000, 10, 10, COSTS) == 1
    assert growing_workers(SERVER, 1, 1_000_000, 10, 10, COSTS) == 0


def _row_level(n_trees: int) -> float:
    return Forests(ForestParameters(n_trees, 3)).row_level(COSTS)


def test_a_forest_is_shared_where_its_waves_are_enough() -> None:
    parameters, one = Parameters(max_depth=12), Workers(available=1)
    assert wave_workers(one, 100_000, 10, parameters, COSTS, _row_level(40), (4, 4)) == 1
    # The leader is done with the last wave before the worker is done with its first.
    assert wave_workers(one, 100_000, 10, parameters, COSTS, _row_level(10), (1, 4)) == 0
    assert wave_workers(one, 100_000, 10, parameters, COSTS, _row_level(40), (1, 1)) == 0
    # More waves are more levels to work off.
    assert wave_workers(one, 100_000, 10, parameters, COSTS, _row_level(40), (1, 80)) == 0
    requested = Workers(2, requested=True)
    assert wave_workers(requested, 10, 1, parameters, COSTS, _row_level(1), (1, 1)) == 2


def test_a_waiting_leader_is_replaced() -> None:
    assert [in_place_of_leader(n) for n in (0, 1, 3)] == [0, 2, 4]


def test_no_more_processes_than_processors_are_taken_by_themselves() -> None:
    many = MemoryHost(Catalogue({}, limits={"per_gather": 8, "parallel": 8, "processes": 9, "resident": True}))
    assert [available(many, None, n).available for n in (1, 2, 4, 64)] == [0, 1, 3, 8]
    assert available(many, 5, 1) == Workers(5, requested=True)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"per_gather": 2}, 2),
        ({"parallel": 1}, 1),
        ({"processes": 3}, 2),  # one of them is the server's own: it starts replication
        ({"processes": 0}, 0),
        ({"per_gather": 0}, 0),
    ],
)
def test_no_more_are_taken_than_the_session_may_have(limits: dict[str, int], expected: int) -> None:
    limits = {"per_gather": 8, "parallel": 8, "processes": 9, "resident": False, **limits}
    assert available(MemoryHost(Catalogue({}, limits=limits)), None, 64) == Workers(expected, resident=False)


def test_the_processors_are_those_that_this_process_may_use() -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system does not bind processes to processors")
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert cores() == len(before)
