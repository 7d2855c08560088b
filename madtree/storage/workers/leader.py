"""The orchestrator's own process: it drives a program, and answers its requests by everybody's rows."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Generic

import numpy as np

from madtree.errors import INTERNAL_ERROR, MadtreeError
from madtree.ingest import Packed
from madtree.learn.counting import CountRequest, final, merge, transition
from madtree.learn.data import Array, Block, Coroutine, Ints, codec
from madtree.learn.ensemble import Wave
from madtree.learn.histogram import RowsOfNodes
from madtree.learn.requests import (
    FoldHashesRequest,
    Program,
    Progress,
    Provider,
    RememberRequest,
    ReplaceRequest,
    Request,
    RowsRequest,
    SampleRequest,
    SumsRequest,
    T,
    driven,
)
from madtree.learn.waves import WaveRequest
from madtree.storage.protocol import row_bytes
from madtree.storage.workers.board import Board
from madtree.storage.workers.messages import ByOwnRows, KeepRows, MessageWriter, ShareRows, TakeRows
from madtree.storage.workers.resident import Resident, waited_for
from madtree.storage.workers.waves import SharedWaves
from madtree.wording import count_text

_COPIED_SHARE = 2  # of the memory budget, what rows may take that are handed over instead of their histograms
_OF_A_PART = 4  # numbers: which one, rows, rows that were not usable, those of an unknown class
_ROWS_AT = 1
_OWN = -1  # the leader's seat
_ROW_BYTES = 16  # of such a row beside its codes
_LATE_SECONDS = 0.15  # that workers are waited for who have not come yet when all is packed
_GIVEN_SHARE = 4  # of temp_file_limit, what rows may take that are handed over: 1 / this
_EVEN_SHARE = 0.95  # of the rows that each process would have: who has as many lacks none


class Leader(Resident, Provider, Generic[T]):
    """The process that the others listen to; a provider of blocks that are spread over processes."""

    def __init__(
        self,
        board: Board,
        plan: KeepRows,
        program: Callable[[Packed], Program[T]],
        report: Callable[[Progress], None],
        evenly: bool = False,
    ) -> None:
        """
        Args:
            program: begun once the table is packed. No statement may be run in it, since a parallel query is under way.
            evenly: whether workers who come late are handed rows that this process has packed, until all have as many.
        """
        super().__init__(board, plan)
        self._program, self._report, self._evenly = program, report, evenly
        self._others: list[int] = []  # seats of the workers that keep any rows
        self._answered: dict[int, int] = {}  # of each seat, answers that have been read
        self._waves: SharedWaves | None = None
        self._outcome: list[T] = []
        self._error: Exception | None = None
        self._writer = MessageWriter()
        self._n_taken = 0
        self.began = False

    def take(self, block: Block, packed: Packed) -> None:
        """Keep rows that were read before the others came; then there are no parts to claim."""
        self.add(self._n_taken, block, packed.n_skipped, packed.n_unknown)
        self._n_taken += 1

    @property
    def n_parts(self) -> int:
        return super().n_parts + self._n_taken

    @property
    def outcome(self) -> T:
        """What the program came to; raises what it raised."""
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # it refers to this frame
        return self._outcome[0]

    def claim(self) -> tuple[int, str, str, str, str] | None:
        self.began = True
        return super().claim()

    def end(self) -> None:
        """As of any process; and forget an error that nobody has asked for, as where a worker's has ended the query: it
        refers to what it came from, and so to files.
        """
        super().end()
        self._error = None

    def life(self) -> Coroutine[None]:
        self.store.finish()
        packed = yield from waited_for(self._all_packed)
        n, shared = (self.board.n_seats, ", shared with") if self._n_taken else (len(self._others), " and")
        self._report(Progress(note=f"packed by this process{shared} {count_text(n, 'resident worker')}"))
        try:
            if self._plan.sharing:
                yield from self._share_rows()
            elif self._evenly:
                yield from self._hand_over()
            self._outcome.append((yield from driven(self._program(packed), self, self._report)))
        except Exception as error:  # raised again where the orchestrator is, with its class
            self._error = error
        self.board.end()

    def count(self, request: CountRequest) -> Coroutine[Array]:
        if self._all_rows is not None:
            found: Array = yield from self.others(request)
            return found
        if self._are_rows_lighter(request):
            rows_request = RowsRequest(request.problem, request.routing, request.slot_of_node, request.features)
            return final(transition(None, (yield from self.rows(rows_request)), request))
        return (yield from self._added_up(request))

    def sums(self, request: SumsRequest) -> Coroutine[Array]:
        return (yield from self._added_up(request))

    def _added_up(self, request: CountRequest | ReplaceRequest | SumsRequest) -> Coroutine[Array]:
        """Everybody's sums together; each process has looked at its own (`final`), and `merge` does at all."""
        total: Array
        total, theirs = yield from self._ask_everybody(request)
        for data in theirs:
            total = merge(total, np.frombuffer(data, total.dtype).reshape(total.shape))
        return total

    def rows(self, request: RowsRequest) -> Coroutine[RowsOfNodes]:
        mine: RowsOfNodes
        mine, theirs = yield from self._ask_everybody(request)
        if not theirs:
            return mine
        first = request.features[0]
        values = [mine.to_values(request.widths, first), *map(codec.load, theirs)]
        return RowsOfNodes.from_values(values, request.widths, first)

    def fold_hashes(self, request: FoldHashesRequest) -> Coroutine[Ints]:
        mine, theirs = yield from self._ask_everybody(request)
        return np.concatenate([mine, *(np.frombuffer(data, np.int64).reshape(-1, mine.shape[1]) for data in theirs)])

    def replace(self, request: ReplaceRequest) -> Coroutine[Array]:
        """Raises NoAnswerError where all processes share their rows: each may have begun trees of the old ones."""
        return (yield from self._added_up(request))

    def remember(self, request: RememberRequest) -> Coroutine[None]:
        yield from self._ask_everybody(request)

    def sample(self, request: SampleRequest) -> Coroutine[None]:
        yield from self._ask_everybody(request)

    def wave(self, request: WaveRequest) -> Coroutine[Wave]:
        if self._waves is None:
            self._waves = SharedWaves(self.board, request.ensemble, self.at_hand, self._answered)
        return (yield from self._waves.wave(request.number))

    def others(self, request: Request) -> Coroutine[Any]:
        """By all rows, once everybody has shared them."""
        if self._all_rows is None:
            return super().others(request)
        return self.at_hand.answer(request)

    def _ask_everybody(self, request: ByOwnRows) -> Coroutine[Any]:
        """This process's answer by its own rows, and the bytes of everybody else's."""
        work = self.store.answer(request)  # it may have no answer, before anybody is asked
        self.board.publish(self._writer.dump(request))
        mine = yield from work
        return mine, (yield from self._answers())

    def _answers(self) -> Coroutine[list[bytes]]:
        """Of all workers that keep rows, to the request that was published last."""
        found = []
        for seat in self._others:

            def look(seat: int = seat) -> tuple[bytes] | None:
                data = self.board.answer(seat, self._answered[seat])
                return None if data is None else (data,)

            found.append((yield from waited_for(look)))
            self._answered[seat] += 1
        return found

    def _share_rows(self) -> Coroutine[None]:
        """Let everybody put their rows into the file of all rows: the leader's come first."""
        stops = np.cumsum(self._n_rows)
        first = dict(zip([_OWN, *self._others], (stops - self._n_rows).tolist(), strict=True))
        n_rows = int(stops[-1])
        self._all_rows = self._all_rows_of(n_rows)
        self._plan.place.check(self._all_rows.n_bytes, self)
        self.board.rows.make_room(self._all_rows.n_bytes)  # before anybody writes or maps them
        message = ShareRows(n_rows, [first.get(seat, 0) for seat in range(self.board.n_seats)])
        self.board.publish(codec.dump(message.to_values()))
        self.store.write_to(self._all_rows, self.board.rows, 0)
        yield from self._answers()

    def _hand_over(self) -> Coroutine[None]:
        """Let everybody have as many rows. Who has to load Python first comes when this process has packed most of a
        table; in the many passes that follow, all would wait for the one that has the most rows.
        """
        until = time.monotonic() + _LATE_SECONDS

        def look() -> tuple[dict[int, Ints]] | None:
            reports = self._reports()
            return (reports,) if len(reports) == self.board.n_seats or time.monotonic() > until else None

        reports = yield from waited_for(look)
        rows_of = {seat: int(report[:, _ROWS_AT].sum()) for seat, report in reports.items()}
        own, may_give = int(self._n_rows[0]), self._most_given
        even = int(self._n_rows.sum()) // (1 + len(rows_of))
        for seat, n_rows in rows_of.items():
            lacking = min(even - n_rows, own - even, may_give)
            if n_rows < _EVEN_SHARE * even and lacking > 0:
                yield from self._give(seat, lacking)
                own, may_give = own - lacking, may_give - lacking
                rows_of[seat] += lacking
        self._listen_to([seat for seat, n_rows in rows_of.items() if n_rows])

    @property
    def _most_given(self) -> int:
        """Rows that may go through the file of requests: few where a temp_file_limit leaves little room for them."""
        limit = self._plan.place.limit
        return sys.maxsize if limit is None else limit // _GIVEN_SHARE // row_bytes(self._plan.packer.problem)

    def _give(self, seat: int, n_rows: int) -> Coroutine[None]:
        """Let a worker have so many of this process's rows."""
        while n_rows:
            yield
            block = self.store.give(n_rows)
            self.board.publish(codec.dump(TakeRows.of(seat, block).to_values()))
            n_rows -= block.codes.n_rows

    def _reports(self) -> dict[int, Ints]:
        """What workers have packed (n_parts, 4), of those that will pack no more."""
        found = {}
        for seat in range(self.board.n_seated):
            report = self.board.answer(seat, 0)
            if report is not None:
                found[seat] = np.frombuffer(report, np.int64).reshape(-1, _OF_A_PART)
        return found

    def _listen_to(self, seats: list[int]) -> None:
        """Wait for the answers of these workers, who keep rows: the first answer was what they have packed."""
        self._others, self._answered = seats, dict.fromkeys(seats, 1)

    def _all_packed(self) -> tuple[Packed] | None:
        """What was packed by everybody, once that is the whole table.

        Raises:
            MadtreeError: a part has been packed twice, or is none of the table's.
        """
        theirs = {seat: report for seat, report in self._reports().items() if len(report)}
        found = [np.array(self.packed, np.int64).reshape(-1, _OF_A_PART), *theirs.values()]
        packed = np.concatenate(found)
        parts: Ints = np.sort(packed[:, 0])
        if not np.array_equal(np.unique(parts), parts) or (len(parts) and parts[-1] >= self.n_parts):
            raise MadtreeError("a part of the table has been packed twice by parallel workers", sqlstate=INTERNAL_ERROR)
        if len(parts) < self.n_parts:
            return None
        self._listen_to([*theirs])
        self._n_rows = np.array([part[:, _ROWS_AT].sum() for part in found])
        return (Packed(*packed[:, 1:].sum(axis=0).tolist()),)

    def _are_rows_lighter(self, request: CountRequest) -> bool:
        """Whether nodes have become so small that handing over their rows takes less than handing over histograms, and
        there is memory for the rows. Times are compared roughly: a byte of a histogram takes about as long to hand over
        as a row's code to hand over and to count, beside which the rest of a row is left out. Rows that stand in the
        order of nodes are counted where they are: to find others of them takes a pass over all rows.
        """
        if request.what != "histograms" or request.waiting is not None or not self._others:
            return False
        n_features = request.features[1] - request.features[0]
        n_bytes = request.n_rows * (n_features + _ROW_BYTES + 8 * request.channels.limbs)
        if n_bytes > request.problem.parameters.memory_bytes // _COPIED_SHARE:
            return False
        return request.state_bytes * (1 + len(self._others)) > request.n_rows * n_features
