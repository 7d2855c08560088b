"""The board: how the processes of a training talk, by files that have no names.

The leader creates them and takes their names away at once, so that nothing can stay behind, however a process ends. The
others reach them through the leader's open descriptors, which Linux shows below /proc. Who does that must know the
board's token. Everything is written and read by system calls, which order it.
"""

from __future__ import annotations

import fcntl
import hmac
import os
import re
import secrets
import struct
from pathlib import Path

from madtree.errors import MadtreeError
from madtree.host import NAME, TemporaryFile, TemporaryPlace

_MAGIC = b"madtree board 2\n"
_TOKEN_BYTES = 16
_BOARD = "board_"
# What is in the files, for errors.
_CONTROL, _REQUESTS, _ROWS = "the state of parallel workers", "requests to parallel workers", "packed rows"
_ANSWERS = "answers of parallel workers"
_KEY = re.compile(r"(\d+)\.(\d+)\.([0-9a-f]{32})")
_NUMBER = struct.Struct("<q")
_NUMBERS_AT = len(_MAGIC) + _TOKEN_BYTES
# Numbers on the board, by their places.
_CLAIMED, _SEATED, _OVER, _N_REQUESTS, _REQUESTS_FD, _N_SEATS, _ROWS_FD = range(7)
# From here on four numbers a seat: descriptor of its answers, how many it has written, the length of the last one (of
# all, where they are added one behind the other), and how many have been read.
_SEATS = 8
_PER_SEAT = 4


# Its number, the query of its images, the one for rows with NULLs, its first tid and the one behind it.
Part = tuple[int, str, str, str, str]


class NotAKeyError(MadtreeError, ValueError):
    """A text is not the key of a training."""


def available() -> bool:
    """Whether processes can reach each other's descriptors: on Linux."""
    return Path("/proc/self/fd").is_dir()


class Board:
    """The files of one training.

    Attributes:
        seat: this process's own, -1 for the leader.
        rows: the file for all rows.
        key: of the leader's board, for the others.
    """

    rows: TemporaryFile
    _requests: TemporaryFile

    def __init__(self, control: TemporaryFile, place: TemporaryPlace) -> None:
        """Of the first file; the others are opened by `create` and `join`."""
        self._control, self._place = control, place
        self._answers: list[TemporaryFile] = []
        self._n_put_up = 0  # by this process: requests of the leader, answers of a worker
        self._written = 0  # bytes of requests
        self.seat = -1
        self.key = ""

    @classmethod
    def create(cls, n_workers: int, place: TemporaryPlace) -> Board:
        """The leader's board, with seats for so many workers; raises MadtreeError where the disk is full."""
        token = secrets.token_bytes(_TOKEN_BYTES)
        board = cls(TemporaryFile.create(place, _CONTROL, _BOARD), place)
        # What is set later finds its room: the others wait for it.
        board._control.make_room(_NUMBERS_AT + _NUMBER.size * (_SEATS + _PER_SEAT * n_workers))
        board._control.write(_MAGIC + token, 0)
        board._requests = TemporaryFile.create(place, _REQUESTS)
        board.rows = TemporaryFile.create(place, _ROWS)
        board._answers = [TemporaryFile.create(place, _ANSWERS) for _ in range(n_workers)]
        board._set(_REQUESTS_FD, board._requests.descriptor)
        board._set(_ROWS_FD, board.rows.descriptor)
        board._set(_N_SEATS, n_workers)
        for seat, file in enumerate(board._answers):
            for number, value in enumerate((file.descriptor, 0, 0, 0)):
                board._set(_SEATS + _PER_SEAT * seat + number, value)
        for place_ in (_CLAIMED, _SEATED, _OVER, _N_REQUESTS):
            board._set(place_, 0)
        board.key = f"{os.getpid()}.{board._control.descriptor}.{token.hex()}"
        return board

    @classmethod
    def join(cls, key: str) -> Board | None:
        """A worker's look at the board; None where it is over, or all seats are taken.

        Raises:
            NotAKeyError: `key` is none of a board.
        """
        match = _matched(key)
        leader, token = match[1], bytes.fromhex(match[3])
        control = _reach(leader, int(match[2]), _CONTROL, _BOARD)
        if control is None:
            return None
        if not hmac.compare_digest(os.pread(control.descriptor, _NUMBERS_AT, 0), _MAGIC + token):
            return None
        board = cls(control, control.place)
        if board._get(_OVER):
            return None
        board.seat = board._next(_SEATED)
        if board.seat >= board._get(_N_SEATS):
            return None
        requests = _reach(leader, board._get(_REQUESTS_FD), _REQUESTS)
        answers = _reach(leader, board._get(_SEATS + _PER_SEAT * board.seat), _ANSWERS)
        rows = _reach(leader, board._get(_ROWS_FD), _ROWS)
        if requests is None or answers is None or rows is None:
            return None
        board._requests, board.rows, board._answers = requests, rows, [answers]
        return board

    def keep_to(self, place: TemporaryPlace) -> None:
        """Let this process's answers keep to the limit of that place, which all files are in."""
        self._place = place
        for file in (self._control, self._requests, self.rows, *self._answers):
            file.place = place

    def close(self) -> None:
        """It is over; who still waits finds out by this."""
        try:
            self._set(_OVER, 1)
        finally:
            for file in (self._control, self._requests, self.rows, *self._answers):
                file.close()

    def end(self) -> None:
        """Let everybody go; what was written can still be read."""
        self._set(_OVER, 1)

    @property
    def is_over(self) -> bool:
        return bool(self._get(_OVER))

    @property
    def n_seats(self) -> int:
        """Workers that may come."""
        return self._get(_N_SEATS)

    @property
    def n_seated(self) -> int:
        """Workers that have come so far."""
        return min(self._get(_SEATED), self.n_seats)

    def claim(self) -> int:
        """The next number, from 0, that no process has claimed yet."""
        return self._next(_CLAIMED)

    def publish(self, request: bytes) -> None:
        """Put up the leader's next request; the first one is the plan.

        Raises:
            MadtreeError: temp_file_limit would be exceeded, or the disk is full.
        """
        # Where it ends stands before it, so that a reader needs no index: [length][bytes][length][bytes]...
        written = self._written + _NUMBER.size + len(request)
        self._place.check(written, self)
        self._requests.write(_NUMBER.pack(len(request)) + request, self._written)
        self._written = written
        self._count_up(_N_REQUESTS)

    def request(self, number: int) -> bytes | None:
        """That request, from 0; None if it has not come yet. Requests are read in order, each once."""
        if self._get(_N_REQUESTS) <= number:
            return None
        (length,) = _NUMBER.unpack(self._requests.read(_NUMBER.size, self._written))
        found = self._requests.read(length, self._written + _NUMBER.size)
        self._written += _NUMBER.size + length
        return found

    def put_answer(self, data: bytes | memoryview) -> None:
        """This worker's next answer; the leader has read the one before (`may_answer`).

        Raises:
            MadtreeError: temp_file_limit would be exceeded, or the disk is full.
        """
        self._place.check(len(data), self)
        self._answers[0].write(data, 0)
        at = _SEATS + _PER_SEAT * self.seat
        self._set(at + 2, len(data))
        self._count_up(at + 1)

    def add_answer(self, data: bytes) -> None:
        """Put an answer behind this worker's others, to be read by `added` when all is over.

        Raises:
            MadtreeError: temp_file_limit would be exceeded, or the disk is full.
        """
        at = _SEATS + _PER_SEAT * self.seat
        size = self._get(at + 2)
        self._place.check(size + len(data), self)
        self._answers[0].write(data, size)
        self._set(at + 2, size + len(data))
        self._count_up(at + 1)

    def n_added(self, seat: int) -> int:
        """Answers that a worker has added so far."""
        return self._get(_SEATS + _PER_SEAT * seat + 1)

    def added(self, seat: int) -> memoryview:
        """All answers that a worker has added, one behind the other."""
        size = self._get(_SEATS + _PER_SEAT * seat + 2)
        return self._answers[seat].mapped(size)

    @property
    def may_answer(self) -> bool:
        """Whether the leader has read this worker's last answer."""
        at = _SEATS + _PER_SEAT * self.seat
        return self._get(at + 3) == self._get(at + 1)

    def answer(self, seat: int, number: int) -> bytes | None:
        """A worker's answer of that number, from 0; None if it has not come yet. Each is read once, in order."""
        at = _SEATS + _PER_SEAT * seat
        if self._get(at + 1) <= number:
            return None
        found = self._answers[seat].read(self._get(at + 2), 0)
        self._set(at + 3, number + 1)
        return found

    def _count_up(self, place: int) -> None:
        """One more is put up by this process."""
        self._n_put_up += 1
        self._set(place, self._n_put_up)

    def _get(self, place: int) -> int:
        found = os.pread(self._control.descriptor, _NUMBER.size, _NUMBERS_AT + _NUMBER.size * place)
        return int(_NUMBER.unpack(found)[0]) if len(found) == _NUMBER.size else 0

    def _set(self, place: int, value: int) -> None:
        self._control.write(_NUMBER.pack(value), _NUMBERS_AT + _NUMBER.size * place)

    def _next(self, place: int) -> int:
        """The number there, which is raised by one for the next process that asks."""
        fcntl.flock(self._control.descriptor, fcntl.LOCK_EX)
        try:
            number = self._get(place)
            self._set(place, number + 1)
        finally:
            fcntl.flock(self._control.descriptor, fcntl.LOCK_UN)
        return number


class Claims:
    """One process's claims on parts 0 to `n_parts` - 1, which all processes share."""

    def __init__(self, board: Board, n_parts: int) -> None:
        self._board, self._n_parts = board, n_parts
        self._claimed: int | None = None

    def next(self) -> int | None:
        """A part that nobody has claimed; None if none is left. Raises MadtreeError where the last one is not done."""
        if self._claimed is not None:
            raise MadtreeError(f"part {self._claimed} has to be kept first", sqlstate="55000")
        number = self._board.claim()
        if number >= self._n_parts:
            return None
        self._claimed = number
        return number

    def require(self, part: int) -> None:
        """Raises MadtreeError where that is not the part that was claimed."""
        if part != self._claimed:
            raise MadtreeError(f"part {part} is not the one that this process has claimed", sqlstate="55000")

    def done(self) -> None:
        """The part that was claimed is done."""
        self._claimed = None


def leader_of(key: str) -> int:
    """The process that leads the training of that key; raises NotAKeyError where `key` is none."""
    return int(_matched(key)[1])


def _matched(key: str) -> re.Match[str]:
    match = _KEY.fullmatch(key)
    if not match:
        raise NotAKeyError(f"{key[:80]!r} is not the key of a training")
    return match


def _reach(leader: str, descriptor: int, content: str, kind: str = "") -> TemporaryFile | None:
    """Open what the leader has open; None where that is no file of madtree's, of that kind, or cannot be seen."""
    path = f"/proc/{leader}/fd/{descriptor}"
    try:
        target = os.readlink(path)
        name = os.path.basename(target.removesuffix(" (deleted)"))
        match = NAME.fullmatch(name)
        if not target.endswith(" (deleted)") or not match or (match[1] or "") != kind:
            return None
        return TemporaryFile(os.open(path, os.O_RDWR | os.O_CLOEXEC), TemporaryPlace(None, None), content)
    except OSError:
        return None
