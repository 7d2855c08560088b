"""The orchestrator's own member of a crew: it asks the others, and goes by what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from madtree.host.interrupts import InterruptedByServerError
from madtree.ingest.row_reader import Packed
from madtree.learn.data import codec
from madtree.learn.data.block import Block
from madtree.learn.data.types import Array, Ints
from madtree.learn.histogram.histogram import check
from madtree.learn.problem.columns import ColumnReader
from madtree.learn.problem.problem import Problem
from madtree.storage.exchange import Exchange, is_running, waited_for
from madtree.storage.kept import KeptBlocks
from madtree.storage.member import PATIENCE, Member

T = TypeVar("T")


class Leader(Member, Generic[T]):
    """The member that the others listen to."""

    def __init__(self, exchange: Exchange, plan: bytes, job: Callable[[Packed], T]) -> None:
        """`job`: run once the table is packed; it may not run statements, since a parallel query is under way."""
        super().__init__(exchange, plan)
        self._job = job
        # Process ids of the members that keep anything beside this one, and their blocks as far as they are seen here.
        self._others: dict[int, KeptBlocks] = {}
        self._all_packed = self.n_packed
        self._outcome: list[T] = []
        self._error: Exception | None = None
        self._interrupted = False
        self._ended = False

    @property
    def n_workers(self) -> int:
        """Those who keep rows, beside this process."""
        return len(self._others)

    def step(self) -> bool:
        if not self._finished:
            self.finish()
        reports = waited_for(self._reports, PATIENCE)
        if reports is None:
            return False
        if self._interrupted:
            raise RuntimeError("madtree: the training was interrupted, and the server did not say why")
        self._see_all(reports)
        try:
            self._outcome.append(self._job(Packed(*self._all_packed[1:].tolist())))
        except InterruptedByServerError:
            self._interrupted = True
            return False
        except Exception as error:  # raised again where the orchestrator is, with its class
            self._error = error
        self.end()
        return True

    def outcome(self) -> T:
        """What the job came to; raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._outcome[0]

    def end(self) -> None:
        """Let the others go; their blocks stay."""
        if not self._ended:
            self._publish({"what": "end"})
            self._ended = True

    def total(self, request: dict[str, Any]) -> Array:
        """The sum of all members' answers; raises OverflowError where it is no longer exact."""
        answers = self._asked(request)
        total = next(answers)
        for answer in answers:
            total += answer.reshape(total.shape)
            check(total)
        return total

    def deal_folds(self, problem: Problem) -> None:
        """Give every row a fold at random, by its place among the rows of its tree."""
        counts = np.zeros((self.n_parts, problem.n_trees), np.int64)
        for answer in self._asked({"what": "trees"}):
            found = answer.reshape(-1, 1 + problem.n_trees)
            counts[found[:, 0]] = found[:, 1:]
        parameters = problem.parameters
        folds = {
            "what": "folds",
            "first": np.cumsum(counts, axis=0) - counts,
            "n_rows": counts.sum(axis=0),
            "n_folds": parameters.n_folds,
            "seed": parameters.seed,
        }
        _, *others = self._asked(folds)
        for kept, spans in zip(self._others.values(), others, strict=True):
            kept.see_folds(spans.reshape(-1, 2).tolist())
            kept.map()

    def all_blocks(self, problem: Problem) -> list[Block]:
        """The blocks of all members."""
        reader = ColumnReader(problem)
        return [block for kept in (self.kept, *self._others.values()) for _, block in kept.blocks(reader)]

    def _asked(self, request: dict[str, Any]) -> Iterator[Array]:
        """What each member answers to a request, this one first; the others' as one row of numbers."""
        self.interrupts.check()
        self._publish(request)
        mine = self.answer(request)
        yield mine
        for pid in self._others:
            yield np.frombuffer(self._answer_of(pid), mine.dtype)
        self.exchange.drop(f"request-{self.n_requests}")
        self.n_requests += 1

    def _publish(self, request: dict[str, Any]) -> None:
        self.exchange.put(f"request-{self.n_requests}", codec.dump(request))

    def _reports(self) -> dict[int, dict[str, Any]] | None:
        """What members say of what they have packed, by their process ids; None until all is packed."""
        reports = {}
        for pid in map(int, self.exchange.with_prefix("packed-")):
            report = codec.load(self.exchange.get(f"packed-{pid}") or b"")
            if report["n_packed"][0]:
                reports[pid] = report
        packed: Ints = sum((report["n_packed"] for report in reports.values()), self.n_packed)
        self._all_packed = packed
        return reports if packed[0] == self.n_parts else None

    def _see_all(self, reports: dict[int, dict[str, Any]]) -> None:
        """Look at everybody's files, and take their names away: without one they go when their processes do."""
        for pid, report in reports.items():
            self._others[pid] = KeptBlocks(self.exchange.open(f"blocks-{pid}", "rb"), index=report["index"])
            self._others[pid].map()
        for name in list(self.exchange.with_prefix("blocks-")):
            self.exchange.drop(f"blocks-{name}")

    def _answer_of(self, pid: int) -> bytes:
        name = f"answer-{self.n_requests}-{pid}"
        while (answer := waited_for(lambda: self.exchange.get(name), PATIENCE)) is None:
            self.interrupts.check()
            failure = self.exchange.get(f"failed-{pid}")
            if failure is not None or not is_running(pid):
                raise RuntimeError(f"a parallel worker has ended: {(failure or b'its process is gone').decode()}")
        self.exchange.drop(name)
        return answer
