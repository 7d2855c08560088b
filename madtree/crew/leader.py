"""The orchestrator's side of a crew: the member that asks the others, and a store whose blocks are with all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from madtree.blocks.count import forget
from madtree.blocks.pack import pack_values
from madtree.core import codec
from madtree.core.packing import RowFormat
from madtree.core.problem import Problem
from madtree.core.statistics import check
from madtree.core.types import Array, Ints
from madtree.crew import member
from madtree.crew.exchange import Exchange, is_running, waited_for
from madtree.crew.member import PATIENCE, Member
from madtree.host.interrupts import InterruptedByServerError
from madtree.host.protocol import Host
from madtree.pages import PageRanges
from madtree.rowpacker import Packed, range_queries
from madtree.source import PlanSource
from madtree.sqltext import crew as sql
from madtree.sqltext.rows import RowSource
from madtree.sqltext.work import WorkTables
from madtree.workers import Workers

T = TypeVar("T")


class Leader(Member, Generic[T]):
    """The member in the orchestrator's own process; when the table is packed it does what the crew is there for."""

    def __init__(self, exchange: Exchange, plan: bytes, job: Callable[[Packed], T]) -> None:
        """`job`: run once the table is packed; it may not run statements, since a parallel query is under way."""
        super().__init__(exchange, plan)
        self._job = job
        self._others: dict[int, Array] = {}  # process id and what it has packed, of members that have anything
        self._outcome: list[T] = []
        self._error: Exception | None = None
        self._interrupted = False

    def step(self) -> bool:
        if not self._finished:
            self.finish()
        if waited_for(self._all_packed, PATIENCE) is None:
            return False
        if self._interrupted:
            raise RuntimeError("madtree: the training was interrupted, and the server did not say why")
        try:
            self._outcome.append(self._job(Packed(*self._packed()[1:].tolist())))
        except InterruptedByServerError:
            self._interrupted = True
            return False
        except Exception as error:  # raised again where the orchestrator is, with its class
            self._error = error
        self._publish({"what": "end"})
        return True

    @property
    def n_workers(self) -> int:
        """Those who keep rows, beside this process."""
        return len(self._others)

    def outcome(self) -> T:
        """What the job came to; raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._outcome[0]

    def asked(self, request: dict[str, Any]) -> Iterator[Array]:
        """What each member answers to a request, this one first; the others' as one row of numbers."""
        self.interrupts.check()
        self._publish(request)
        mine = self.answer(request)
        yield mine
        for pid in self._others:
            yield np.frombuffer(self._answer_of(pid), mine.dtype)
        self.exchange.drop(f"request-{self.n_requests}")
        self.n_requests += 1

    def total(self, request: dict[str, Any]) -> Array:
        """The sum of all members' answers; raises OverflowError where it is no longer exact."""
        answers = self.asked(request)
        total = next(answers)
        for answer in answers:
            total += answer.reshape(total.shape)
            check(total)
        return total

    def _publish(self, request: dict[str, Any]) -> None:
        self.exchange.put(f"request-{self.n_requests}", codec.dump(request))

    def _packed(self) -> Ints:
        packed: Ints = np.sum([self.n_packed, *self._others.values()], axis=0)
        return packed

    def _all_packed(self) -> bool | None:
        for pid in map(int, self.exchange.with_prefix("packed-")):
            packed = np.frombuffer(self.exchange.get(f"packed-{pid}") or b"", np.int64)
            if packed[0]:
                self._others[pid] = packed
        return True if self._packed()[0] == self.n_parts else None

    def _answer_of(self, pid: int) -> bytes:
        name = f"answer-{self.n_requests}-{pid}"
        while (answer := waited_for(lambda: self.exchange.get(name), PATIENCE)) is None:
            self.interrupts.check()
            failure = self.exchange.get(f"failed-{pid}")
            if failure is not None or not is_running(pid):
                raise RuntimeError(f"a parallel worker has ended: {(failure or b'its process is gone').decode()}")
        self.exchange.drop(name)
        return answer


class CrewBlocks:
    """Blocks that the members of a crew pack and keep, each its own; they exist as long as `fill` lasts."""

    may_query = False

    def __init__(
        self, host: Host, work: WorkTables, made: list[str], source: RowSource, pages: PageRanges, workers: Workers
    ) -> None:
        """`made`: the parts of the work tables that exist; those made here are added."""
        self._host, self._work, self._made, self._workers = host, work, made, workers
        self._source, self._pages = source, pages
        self._leader: Leader[Any]

    def fill(
        self,
        problem: Problem,
        row_format: RowFormat,
        tree_ids: Ints | None,
        never_null: Sequence[bool],
        then: Callable[[Packed], T],
    ) -> T:
        if "seats" not in self._made:
            self._host.command(self._work.create_seats(1 + self._workers.crew))
            self._made.append("seats")
            self._host.command(self._work.settle("seats", self._workers.crew, "seat"))
        ranges = [(r.relation, r.low, r.high) for r in self._pages.ranges]
        plan = codec.dump({**pack_values(problem, row_format, tree_ids), "n_trees": problem.n_trees, "ranges": ranges})
        queries, careful = range_queries(self._source, self._pages, never_null)
        exchange = Exchange.create(self._work.token)
        try:
            exchange.put("plan", plan)
            leader = Leader(exchange, plan, then)
            self._leader = leader
            member.lead(leader)
            with self._workers.for_crew(self._host):
                query = sql.crew_work(self._work.name("seats"), exchange.name, queries, careful)
                self._host.command(sql.RUN, ["pg_catalog.text"], [query])
            return leader.outcome()
        finally:
            forget(exchange.name)
            member.leave(exchange.name)
            exchange.remove()

    def deal_folds(self, problem: Problem) -> None:
        counts = np.zeros((len(self._pages.ranges), problem.n_trees), np.int64)
        for answer in self._leader.asked({"what": "trees"}):
            found = answer.reshape(-1, 1 + problem.n_trees)
            counts[found[:, 0]] = found[:, 1:]
        first, n_rows = np.cumsum(counts, axis=0) - counts, counts.sum(axis=0)
        parameters = problem.parameters
        folds = {"what": "folds", "first": first, "n_rows": n_rows}
        for _ in self._leader.asked({**folds, "n_folds": parameters.n_folds, "seed": parameters.seed}):
            pass

    def source(self, problem: Problem) -> CrewSource:
        return CrewSource(problem, self._leader)

    def told(self) -> str:
        n = self._leader.n_workers
        return f"packed by this process and {n} worker{'s' * (n != 1)}, who stay for all levels"

    def close(self) -> None:
        """The workers are gone with their blocks, and `fill` has let go of its own."""


class CrewSource(PlanSource):
    """Statistics that each member counts of its own rows."""

    def __init__(self, problem: Problem, leader: Leader[Any]) -> None:
        super().__init__(problem, leader.exchange.name)
        self._leader = leader

    def _sums(self, plan: dict[str, Any], shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
        return self._leader.total(plan)
