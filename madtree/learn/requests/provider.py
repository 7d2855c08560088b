"""Programs that ask, and providers that answer: which method of a provider answers which request is one table.

Growing is a program, a generator that yields requests and is sent the answers; it knows nothing about where rows are. A
provider answers them, one after the other: `learn.at_hand` by the blocks of this process, others by those of workers or
of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Literal, TypeVar

from madtree.learn.counting import CountRequest
from madtree.learn.data import Coroutine
from madtree.learn.requests.requests import (
    FoldHashesRequest,
    RememberRequest,
    ReplaceRequest,
    RowsRequest,
    SampleRequest,
    SumsRequest,
)
from madtree.learn.waves import DrawnRowsRequest, HeldOutRequest, TargetsRequest, WaveRequest
from madtree.records import dataclass

T = TypeVar("T")
Stage = Literal["sample", "pack", "passes", "prune", "write"]  # of a training


@dataclass(frozen=True)
class StepReport:
    """What is told of a step that is done.

    Attributes:
        unit: what is counted: levels of trees, trees of each ensemble, rounds of boosting, blocks of small groups,
            whose levels are too many and too short to tell of, or settings that are tried.
        n_done: how many are done now.
        n_total: of how many; None where nobody knows.
        n_nodes: that have been searched, or made; None where that is not told.
        n_rows: in these nodes; None where that is not told.
        seconds: that it took; None for those since the step before.
        losses: mean ones now, of rows in training and held out; None where there are none, or several models grow.
    """

    unit: Literal["level", "tree", "round", "block", "setting"]
    n_done: int
    n_total: int | None = None
    n_nodes: int | None = None
    n_rows: int | None = None
    seconds: float | None = None
    losses: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True)
class Progress:
    """Nothing is asked; whoever drives may tell of this, and let the server look for cancels.

    Attributes:
        stage: that begins now, or None.
        step: that is done, or None.
        note: a line that a user may want to know.
    """

    stage: Stage | None = None
    step: StepReport | None = None
    note: str = ""


BREATH = Progress()

Request = (
    CountRequest
    | RowsRequest
    | DrawnRowsRequest
    | HeldOutRequest
    | TargetsRequest
    | WaveRequest
    | FoldHashesRequest
    | RememberRequest
    | ReplaceRequest
    | SampleRequest
    | SumsRequest
    | Progress
)
# Asks until it comes to a result of type T.
Program = Generator[Request, Any, T]

# The method of a provider that answers a request of that kind, step by step.
ANSWERED_BY: dict[type, str] = {
    CountRequest: "count",
    RowsRequest: "rows",
    DrawnRowsRequest: "drawn_rows",
    HeldOutRequest: "held_out",
    TargetsRequest: "targets",
    WaveRequest: "wave",
    FoldHashesRequest: "fold_hashes",
    RememberRequest: "remember",
    ReplaceRequest: "replace",
    SampleRequest: "sample",
    SumsRequest: "sums",
}


class NoAnswerError(NotImplementedError):
    """A provider was asked for what it does not have: a defect of the program, or of the choice of a provider."""


class Provider:
    """Who has the rows. It has a method for each kind of request that it answers (`ANSWERED_BY`)."""

    def answer(self, request: Request) -> Coroutine[Any]:
        """Answer any request but Progress, step by step.

        Raises:
            NoAnswerError: it has no method for requests of this kind.
            InexactSumError: sums are no longer exact.
        """
        method = getattr(self, ANSWERED_BY.get(type(request), ""), self.others)
        work: Coroutine[Any] = method(request)
        return work

    def others(self, request: Request) -> Coroutine[Any]:
        """Answer what there is no method for: somebody else may. This one raises NoAnswerError."""
        raise NoAnswerError(f"{type(self).__name__} has no answer to a {type(request).__name__}")


def driven(
    program: Program[T], provider: Provider, report: Callable[[Progress], None] = lambda progress: None
) -> Coroutine[T]:
    """The result of a program, as a coroutine: at each of its pauses the server may look for cancels."""
    try:
        request = next(program)
        while True:
            if isinstance(request, Progress):
                report(request)
                yield
                request = program.send(None)
            else:
                answer = yield from provider.answer(request)
                request = program.send(answer)
    except StopIteration as stop:
        result: T = stop.value
        return result
