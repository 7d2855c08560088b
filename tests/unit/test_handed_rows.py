"""Rows that the leader of resident workers hands over, so that all processes have as many. The processes are one here,
and go on in turns.
"""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.host import TemporaryPlace
from madtree.ingest import Packed
from madtree.learn.counting import CountRequest
from madtree.learn.data import Array, codec, finished
from madtree.learn.packing import Packer, RowFormat
from madtree.learn.requests import Program
from madtree.learn.route import Routing
from madtree.records import dataclass
from madtree.storage.blocks import BlockLimits, BlockStore
from madtree.storage.workers import taking_part
from madtree.storage.workers.board import Board
from madtree.storage.workers.leader import Leader
from madtree.storage.workers.leading import published
from madtree.storage.workers.messages import KeepRows, TakeRows
from madtree.storage.workers.resident import Resident
from madtree.trees import Parameters
from tests.unit.learn.binned import problem_of, sample_rows

N_ROWS, PART = 1_200, 50
MOST_TURNS = 100_000
FORMAT = RowFormat(frozenset({"target", "weight"}), np.arange(3.0), [None, None, None, np.arange(6.0), np.arange(14.0)])
PROBLEM, ROWS = problem_of(sample_rows(N_ROWS, 3, weighted=True), 3, Parameters("gini", 4, min_split=10, min_bucket=4))
TOTALS = CountRequest("totals", PROBLEM, Routing.leaves(0, 1), np.zeros(1, np.int32), 1)
# By the codes of all features: so each row's count.
HISTOGRAMS = CountRequest("histograms", PROBLEM, Routing.leaves(0, 1), np.zeros(1, np.int32), 1, (0, 5))


@dataclass(frozen=True)
class Work:
    """What came of rows that processes have kept together.

    Attributes:
        counted: by all of them.
        rows: that each has kept in the end, the leader's first.
    """

    counted: Array
    rows: list[int]


def count_together(
    n_seats: int, packed: list[int], *, evenly: bool = True, limit: int | None = None, memory: int = 2**20
) -> Work:
    """`packed`: parts that each worker who comes has packed; the leader has packed all others."""
    counted: list[Array] = []

    def program(told: Packed) -> Program[Packed]:
        counted.append((yield HISTOGRAMS))
        return told

    place = TemporaryPlace(None, limit)
    plan = plan_in(place, memory)
    with published(codec.dump(plan.to_values()), n_seats, place) as board:
        leader = Leader(board, plan, program, lambda progress: None, evenly)
        workers = [_worker(board.key) for _ in packed]
        first = 0
        parts = list(ROWS.pieces(PART))
        for keeper, n_parts in zip([*workers, leader], [*packed, len(parts) - sum(packed)], strict=True):
            for number in range(first, first := first + n_parts):
                keeper.add(number, parts[number], 0, 0)
        lives: list[Resident] = [leader, *workers]
        for _ in range(MOST_TURNS):
            lives = [each for each in lives if not each.step()]
        assert not lives
        assert leader.outcome == Packed(N_ROWS, 0, 0)
        return Work(counted[0], [_rows(each.store) for each in (leader, *workers)])


def plan_in(place: TemporaryPlace, memory: int) -> KeepRows:
    ranges = [(0, "(0,0)", "(9,0)")] * (N_ROWS // PART)
    return KeepRows(
        Packer(PROBLEM, FORMAT, None), [("", "")], ranges, BlockLimits(2 * PART, memory, 2**10), place, False
    )


def _worker(key: str) -> Resident:
    board = Board.join(key)
    assert board is not None
    plan = board.request(0)
    assert plan is not None
    return Resident(board, KeepRows.from_values(codec.load(plan)))


def _rows(store: BlockStore) -> int:
    return int(finished(store.answer(TOTALS))[:3].sum())


@pytest.fixture(scope="module")
def alone() -> Work:
    return count_together(0, [])


@pytest.mark.parametrize("memory", [0, 2**20])
@pytest.mark.parametrize(
    ("packed", "kept"),
    [([0], [600, 600]), ([3], [600, 600]), ([2, 0], [400, 400, 400]), ([16, 0], [400, 800, 0]), ([23], [50, 1150])],
)
def test_all_have_as_many_rows_as_the_leader_can_give(
    packed: list[int], kept: list[int], memory: int, alone: Work
) -> None:
    found = count_together(len(packed), packed, memory=memory)
    assert found.rows == kept
    assert np.array_equal(found.counted, alone.counted)


def test_a_worker_who_does_not_come_gets_none(alone: Work) -> None:
    found = count_together(2, [1])
    assert found.rows == [600, 600]
    assert np.array_equal(found.counted, alone.counted)


def test_rows_stay_where_they_were_packed_unless_they_are_to_be_even(alone: Work) -> None:
    found = count_together(1, [5], evenly=False)
    assert found.rows == [950, 250]
    assert np.array_equal(found.counted, alone.counted)


def test_few_rows_are_handed_over_where_files_may_not_grow(alone: Work) -> None:
    found = count_together(1, [0], limit=2**15)
    assert 600 < found.rows[0] < N_ROWS
    assert sum(found.rows) == N_ROWS
    assert np.array_equal(found.counted, alone.counted)


def test_an_error_that_nobody_asks_for_leaves_no_file(tmp_path: Path) -> None:
    """As where the query ends by a worker's error: nobody asks what became of the program."""

    def program(told: Packed) -> Program[Packed]:
        yield HISTOGRAMS
        raise MadtreeError("there is no room")

    def open_files() -> list[str]:
        links = [os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
        return [link for link in links if link.startswith(str(tmp_path))]

    place = TemporaryPlace(str(tmp_path), None)
    plan = plan_in(place, 0)
    gc.disable()  # which would remove what refers to itself, some time
    try:
        with published(codec.dump(plan.to_values()), 0, place) as board:
            leader = Leader(board, plan, program, lambda progress: None)
            taking_part.lead(board.key, leader)
            for number, part in enumerate(ROWS.pieces(PART)):
                leader.add(number, part, 0, 0)
            while not leader.step():
                pass
            assert open_files()
        del leader
        assert open_files() == []
    finally:
        gc.enable()


def test_rows_are_handed_over_with_all_their_columns() -> None:
    numbers = np.arange(N_ROWS)
    block = replace(
        ROWS,
        tree=(numbers % 3).astype(np.int32),
        fold=(numbers % 2).astype(np.uint8),
        identity=numbers.astype(np.uint32),
        scores=numbers[None] / 7,
    )
    assert all(column is not None for column in block.columns)
    told = codec.load(codec.dump(TakeRows.of(0, block.rows(slice(100, 900))).to_values()))
    found = TakeRows.from_values(told).block(PROBLEM)
    for column, expected in zip(found.columns, block.columns, strict=True):
        assert column is not None
        assert expected is not None
        assert np.array_equal(column, expected[..., 100:900])
