"""The board of resident workers: who knows its key reaches it through the leader's open files; nobody else does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import pytest

from madtree.errors import MadtreeError
from madtree.host.temporary_place import TemporaryPlace
from madtree.storage.workers import board as boards
from madtree.storage.workers.board import Board

pytestmark = pytest.mark.skipif(not boards.available(), reason="processes see each other's files on Linux only")
# Forked off a process of its own. A fork of this one would have what other tests left in it: temporary files, which
# count for a limit, and locks of threads that are not there any more.
PROCESSES = get_context("forkserver")
PROCESSES.set_forkserver_preload(["pytest", boards.__name__, TemporaryPlace.__module__])


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    made = Board.create(3, TemporaryPlace(str(tmp_path), None))
    yield made
    made.close()


def _put(results: Queue[Any], work: Callable[..., Any], *arguments: Any) -> None:
    results.put(work(*arguments))


def elsewhere(work: Callable[..., Any], *arguments: Any) -> Any:
    """What `work` returns in another process."""

    results: Queue[Any] = PROCESSES.Queue()
    process = PROCESSES.Process(target=_put, args=(results, work, *arguments))
    process.start()
    found = results.get(timeout=60)
    process.join()
    return found


def _joined(key: str) -> int | None:
    found = Board.join(key)
    return None if found is None else found.seat


def _claimed(key: str, n: int) -> list[int]:
    found = Board.join(key)
    assert found is not None
    return [found.claim() for _ in range(n)]


def _echo(key: str, n: int) -> list[bytes]:
    """Answers each request with itself, backwards."""
    found = Board.join(key)
    assert found is not None
    seen = []
    for number in range(n):
        request = found.request(number)
        assert request is not None
        found.put_answer(request[::-1])
        seen.append(request)
    return seen


def test_each_worker_has_a_seat_of_its_own_and_there_are_no_more_than_seats(board: Board) -> None:
    assert [elsewhere(_joined, board.key) for _ in range(4)] == [0, 1, 2, None]
    assert board.n_seated == 3


def _left_open(key: str, n: int) -> int:
    """How many descriptors a worker has more after so many attempts to take a seat that it does not get."""
    before = len(os.listdir("/proc/self/fd"))
    assert [Board.join(key) for _ in range(n)] == [None] * n
    return len(os.listdir("/proc/self/fd")) - before


@pytest.mark.parametrize("why", ["no seat", "another token", "over"])
def test_who_gets_no_seat_leaves_nothing_open(board: Board, why: str) -> None:
    key = board.key
    if why == "no seat":
        assert [elsewhere(_joined, key) for _ in range(3)] == [0, 1, 2]
    elif why == "another token":
        key = key[:-4] + ("0000" if key[-4:] != "0000" else "1111")
    else:
        board.end()
    assert elsewhere(_left_open, key, 20) == 0


def test_no_number_is_claimed_twice(board: Board) -> None:
    with PROCESSES.Pool(3) as pool:
        numbers = pool.starmap(_claimed, [(board.key, 250)] * 3)
    assert sorted(number for mine in numbers for number in mine) == list(range(750))
    assert board.claim() == 750


def test_requests_are_read_in_order_and_answered(board: Board) -> None:
    requests = [b"plan", b"", b"x" * 3_000_000, b"last"]
    for request in requests:
        board.publish(request)
    assert elsewhere(_echo, board.key, 4) == requests
    assert board.answer(0, 4) is None
    assert board.answer(0, 3) == b"tsal"
    assert board.answer(1, 0) is None


def _adds(key: str, answers: list[bytes]) -> int:
    found = Board.join(key)
    assert found is not None
    for answer in answers:
        found.add_answer(answer)
    return found.seat


def test_answers_that_are_added_stay_until_they_are_read(board: Board) -> None:
    given = [[b"one", b"", b"x" * 3_000_000], [b"two"], []]
    assert [elsewhere(_adds, board.key, answers) for answers in given] == [0, 1, 2]
    board.end()
    assert [bytes(board.added(seat)) for seat in range(3)] == [b"".join(answers) for answers in given]
    assert [board.n_added(seat) for seat in range(3)] == [3, 1, 0]


def _adds_within(key: str, limit: int) -> str:
    found = Board.join(key)
    assert found is not None
    found.keep_to(TemporaryPlace(None, limit))
    found.add_answer(b"x" * limit)
    with pytest.raises(MadtreeError) as caught:
        found.add_answer(b"x")
    return str(caught.value)


def test_answers_that_are_added_count_together(board: Board) -> None:
    assert "temp_file_limit (2kB)" in elsewhere(_adds_within, board.key, 2048)
    assert len(board.added(0)) == 2048


def test_who_comes_when_it_is_over_is_sent_away(board: Board) -> None:
    board.end()
    assert board.is_over
    assert elsewhere(_joined, board.key) is None


@pytest.mark.parametrize("key", ["", "1.2", "a.b.c", f"1.2.{'0' * 31}", f"1.2.{'g' * 32}", f"../1.2.{'0' * 32}"])
def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="is not the key of a training"):
        Board.join(key)


def test_another_token_opens_nothing(board: Board) -> None:
    leader, descriptor, token = board.key.split(".")
    other = f"{leader}.{descriptor}.{'0' * len(token)}"
    assert elsewhere(_joined, other) is None
    assert elsewhere(_joined, f"{leader}.999999.{token}") is None


def test_only_files_without_names_that_are_ours_are_opened(tmp_path: Path, board: Board) -> None:
    """Not another file of the leader's, and not one that still has a name, whatever is in it."""
    leader, own, token = board.key.split(".")
    content = os.pread(int(own), 200, 0)
    named = os.open(tmp_path / f"pgsql_tmp{leader}.madtree_00ff", os.O_RDWR | os.O_CREAT)
    foreign = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT)
    (tmp_path / "other").unlink()
    reading, writing = os.pipe()
    for descriptor in (named, foreign):
        os.pwrite(descriptor, content, 0)
    for descriptor in (named, foreign, reading):
        assert elsewhere(_joined, f"{leader}.{descriptor}.{token}") is None
    for descriptor in (named, foreign, reading, writing):
        os.close(descriptor)


def _lead(directory: str) -> None:
    Board.create(2, TemporaryPlace(directory, None)).publish(b"plan")
    os.kill(os.getpid(), 9)


def test_nothing_is_left_of_a_leader_that_is_killed(tmp_path: Path) -> None:
    process = PROCESSES.Process(target=_lead, args=(str(tmp_path),))
    process.start()
    process.join()
    assert process.exitcode == -9
    assert os.listdir(tmp_path) == []
