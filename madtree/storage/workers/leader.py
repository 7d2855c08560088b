"""The orchestrator's own member: it drives a program, and answers its requests by all members' rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic

import numpy as np

from madtree.errors import MadtreeError
from madtree.ingest import Packed
from madtree.learn.data import Array, Ints, codec
from madtree.learn.histogram import (
    CountRequest,
    Program,
    Progress,
    ReplaceRequest,
    Request,
    RowsByTreeRequest,
    RowsOfNodes,
    RowsRequest,
    Steps,
    T,
    driven,
    final,
    merge,
    transition,
)
from madtree.storage.workers.board import Board
from madtree.storage.workers.member import Member, waited_for

_COPIED_SHARE = 2  # of the memory budget, what rows may take that are handed over instead of their histograms
_OF_A_PART = 4  # numbers: which one, rows, rows that were not usable, those of an unknown class
_ROW_BYTES = 16  # of such a row beside its codes


class Leader(Member, Generic[T]):
    """The member that the others listen to; a provider of blocks that are spread over processes."""

    rows_at_hand = True

    def __init__(
        self,
        board: Board,
        plan: bytes,
        program: Callable[[Packed], Program[T]],
        tell: Callable[[Progress], None],
    ) -> None:
        """`program`: begun once the table is packed. No statement may be run in it, since a parallel query is under
        way.
        """
        super().__init__(board, plan)
        self._program, self._tell = program, tell
        self._others: list[int] = []  # seats of the workers that keep any rows
        self._n_asked = 0
        self._outcome: list[T] = []
        self._error: Exception | None = None
        self.began = False

    @property
    def outcome(self) -> T:
        """What the program came to; raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._outcome[0]

    def claim(self) -> tuple[int, str, str, str, str] | None:
        self.began = True
        return super().claim()

    def life(self) -> Steps[None]:
        self.store.finish()
        packed = yield from waited_for(self._all_packed)
        n = len(self._others)
        self._tell(Progress(note=f"packed by this process and {n} resident worker{'s' * (n != 1)}"))
        try:
            self._outcome.append((yield from driven(self._program(packed), self, self._tell)))
        except Exception as error:  # raised again where the orchestrator is, with its class
            self._error = error
        self.board.end()

    def answer(self, request: Request) -> Steps[Any]:
        if not isinstance(request, CountRequest | RowsRequest | RowsByTreeRequest | ReplaceRequest):
            raise NotImplementedError(f"resident workers have no answer to {request}")
        if isinstance(request, CountRequest) and self._are_rows_lighter(request):
            rows_request = RowsRequest(request.problem, request.routing, request.slot_of_node, request.features)
            rows = yield from self.answer(rows_request)
            return final(transition(None, rows, request))
        self.board.publish(codec.dump(request.to_values()))
        mine = yield from self.store.answer(request)
        theirs = yield from self._answers()
        self._n_asked += 1
        if isinstance(request, RowsRequest):
            first = request.features[0]
            values = [mine.to_values(request.widths, first), *map(codec.load, theirs)]
            return RowsOfNodes.from_values(values, request.widths, first) if theirs else mine
        if isinstance(request, ReplaceRequest):
            return None
        if isinstance(request, RowsByTreeRequest):
            found = [np.frombuffer(data, np.int64).reshape(-1, mine.shape[1]) for data in theirs]
            return np.concatenate([mine, *found])
        total: Array = mine
        for data in theirs:
            total = merge(total, np.frombuffer(data, total.dtype).reshape(total.shape))
        return final(total)

    def _answers(self) -> Steps[list[bytes]]:
        """Of all workers that keep rows, to the request that was published last."""
        found = []
        number = 1 + self._n_asked  # the first answer was what was packed
        for seat in self._others:

            def look(seat: int = seat) -> tuple[bytes] | None:
                data = self.board.answer(seat, number)
                return None if data is None else (data,)

            found.append((yield from waited_for(look)))
        return found

    def _all_packed(self) -> tuple[Packed] | None:
        """What was packed by everybody, once that is the whole table.

        Raises:
            MadtreeError: a part has been packed twice, or is none of the table's.
        """
        found, others = [np.array(self.packed, np.int64).reshape(-1, _OF_A_PART)], []
        for seat in range(self.board.n_seated):
            report = self.board.answer(seat, 0)
            if report:
                found.append(np.frombuffer(report, np.int64).reshape(-1, _OF_A_PART))
                others.append(seat)
        packed = np.concatenate(found)
        parts: Ints = np.sort(packed[:, 0])
        if not np.array_equal(np.unique(parts), parts) or (len(parts) and parts[-1] >= self.n_parts):
            raise MadtreeError("a part of the table has been packed twice by parallel workers", sqlstate="XX000")
        if len(parts) < self.n_parts:
            return None
        self._others = others
        return (Packed(*packed[:, 1:].sum(axis=0).tolist()),)

    def _are_rows_lighter(self, request: CountRequest) -> bool:
        """Whether nodes have become so small that handing over their rows takes less than handing over histograms: a
        byte takes about as long to hand over as a bin to count, which all members do at the same time.
        """
        if request.what != "histograms" or not self._others:
            return False
        n_features = request.features[1] - request.features[0]
        limbs = request.channels.weight_limbs + request.channels.target_limbs
        n_bytes = request.n_rows * (n_features + _ROW_BYTES + 8 * limbs)
        if n_bytes > request.problem.parameters.memory_bytes // _COPIED_SHARE:
            return False
        return request.state_bytes * (1 + len(self._others)) > request.n_rows * n_features
