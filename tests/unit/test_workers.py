"""When workers are used: never where starting them takes longer than they save."""

from __future__ import annotations

import pytest

from madtree.core.params import Parameters
from madtree.workers import START, Workers, best, growing, in_place_of_leader, in_use, seconds

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


@pytest.mark.parametrize("n_rows", [1, 1_000, 100_000, 1_000_000])
def test_blocks_that_fit_are_held_by_one_process(n_rows: int) -> None:
    assert in_use(SERVER, n_rows, 10, Parameters(), holdable=True) is None


def test_large_tables_are_packed_by_workers() -> None:
    chosen = in_use(SERVER, 10_000_000, 10, Parameters(), holdable=False)
    assert chosen is not None
    assert chosen.packing == 3


def test_a_large_table_may_be_held_where_there_are_no_workers() -> None:
    assert in_use(Workers(0), 10_000_000, 10, Parameters(), holdable=True) is None
    assert in_use(Workers(0), 10_000_000, 10, Parameters(), holdable=False) == Workers(0)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_what_is_asked_for_is_done(n: int) -> None:
    parameters = Parameters(parallel_workers=n)
    asked = Workers(n, n, n, n, asked=True)
    assert in_use(asked, 10, 10, parameters, holdable=True) == (asked if n else None)
    assert in_use(asked, 10, 10, parameters, holdable=False) == asked
    assert growing(asked, 1, 10.0, parameters) == asked


def test_small_groups_are_grown_by_workers_where_there_are_many() -> None:
    assert growing(SERVER, 16, 1e7, Parameters()).growing == 3
    assert growing(SERVER, 16, 1e5, Parameters()).growing == 0


def test_no_more_workers_than_blocks() -> None:
    assert growing(SERVER, 2, 1e7, Parameters()).growing == 1
    assert growing(SERVER, 1, 1e7, Parameters()).growing == 0


def test_a_waiting_leader_is_replaced() -> None:
    assert [in_place_of_leader(n) for n in (0, 1, 3)] == [0, 2, 4]
