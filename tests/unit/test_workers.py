"""When workers are used: never where starting them takes longer than they save."""

from __future__ import annotations

import pytest

from madtree.learn.data.parameters import Parameters
from madtree.parallel.cost_model import START, Workers, best, crew, growing, in_place_of_leader, passes, seconds

SERVER = Workers(available=3)


def test_short_work_is_done_alone() -> None:
    assert best(0.5 * START, 8) == 0
    assert best(START, 8) == 0


def test_long_work_is_shared_by_all() -> None:
    assert best(10.0, 3) == 3
    assert seconds(10.0, 3) < 10.0 / 3


def test_work_that_only_workers_have_to_do_counts() -> None:
    assert best(1.0, 3) == 3
    assert best(1.0, 3, detour=3.0) == 0


def test_more_workers_than_are_available_are_never_chosen() -> None:
    assert best(100.0, 0) == 0
    assert best(100.0, 2) == 2


@pytest.mark.parametrize("n_rows", [1, 1_000, 100_000])
def test_small_tables_are_left_to_one_process(n_rows: int) -> None:
    assert crew(SERVER, n_rows, 10, Parameters()) == 0
    assert passes(SERVER, n_rows, 10, Parameters()) == 0


def test_a_crew_pays_earlier_than_passes_that_start_workers_anew() -> None:
    assert crew(SERVER, 1_000_000, 10, Parameters()) > 0
    assert passes(SERVER, 1_000_000, 10, Parameters()) == 0


def test_large_tables_are_packed_and_counted_by_all() -> None:
    assert crew(SERVER, 10_000_000, 10, Parameters()) == 3
    assert passes(SERVER, 100_000_000, 10, Parameters()) == 3


def test_folds_are_work_too() -> None:
    assert crew(SERVER, 200_000, 10, Parameters()) == 0
    assert crew(SERVER, 200_000, 10, Parameters(n_folds=10)) > 0


def test_there_may_be_no_workers() -> None:
    assert crew(Workers(0), 10_000_000, 10, Parameters()) == 0
    assert passes(Workers(0), 10_000_000, 10, Parameters()) == 0


@pytest.mark.parametrize("n", [0, 1, 5])
def test_what_is_asked_for_is_done(n: int) -> None:
    asked = Workers(n, n, n, n, asked=True)
    assert crew(asked, 10, 10, Parameters(parallel_workers=n)) == n
    assert passes(asked, 10, 10, Parameters(parallel_workers=n)) == n
    assert growing(asked, 1, 10.0, Parameters(parallel_workers=n)) == asked


def test_small_groups_are_grown_by_workers_where_there_are_many() -> None:
    assert growing(SERVER, 16, 1e7, Parameters()).growing == 3
    assert growing(SERVER, 16, 1e5, Parameters()).growing == 0


def test_no_more_workers_than_blocks() -> None:
    assert growing(SERVER, 2, 1e7, Parameters()).growing == 1
    assert growing(SERVER, 1, 1e7, Parameters()).growing == 0


def test_a_waiting_leader_is_replaced() -> None:
    assert [in_place_of_leader(n) for n in (0, 1, 3)] == [0, 2, 4]
