"""Trained trees on their way to the model's tables."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import TypeVar

from madtree.host import Host, Span, SpillFile, TemporaryPlace
from madtree.ingest import Profile
from madtree.learn.data import Coroutine
from madtree.learn.prune import TrainedTrees
from madtree.records import dataclass

T = TypeVar("T")
NODES_TOGETHER = 8_192  # that are written together, at least


@dataclass(frozen=True)
class Batch:
    """Some trained trees, and what is known by then of the rows."""

    trees: TrainedTrees
    profile: Profile


class TreeBuffer:
    """Trees that a program has handed over while others grow: in memory, or in a temporary file where they are many
    before anybody may write them.
    """

    def __init__(self, host: Host, *, in_file: bool) -> None:
        self._place, self._in_file = TemporaryPlace.of(host), in_file
        self._trees: list[TrainedTrees] = []
        self._n_nodes = 0  # of these; at least 64 of each handing over
        self._file: SpillFile | None = None
        self._spans: list[Span] = []

    def add(self, trees: TrainedTrees) -> None:
        """Raises MadtreeError where temp_file_limit would be exceeded, or the disk is full."""
        self._trees.append(trees)
        # However few the nodes, their arrays take as much memory as 64.
        self._n_nodes += max(int(trees.trees.n_nodes.sum()), 64)
        if self._in_file and self._n_nodes >= NODES_TOGETHER:
            self._file = self._file or SpillFile(self._place, "trees")
            self._spans.append(self._file.write(self._joined().dump()))

    def drained(self, least: int = 0) -> Iterator[TrainedTrees]:
        """What has been handed over since, small trees together; of those in memory once there are `least` nodes."""
        spans, self._spans = self._spans, []
        for span in spans:
            assert self._file is not None
            yield TrainedTrees.load(bytes(self._file.read(span)))
        if self._trees and self._n_nodes >= least:
            yield self._joined()

    def _joined(self) -> TrainedTrees:
        """The trees in memory, which are no longer there then."""
        trees, self._trees, self._n_nodes = self._trees, [], 0
        return TrainedTrees.join(trees)


def batches_of(
    work: Coroutine[T], buffer: TreeBuffer, profile: Profile, between: Callable[[], None]
) -> Generator[Batch, None, T]:
    """Go on with work to its end, and yield what it hands over, small trees together: a statement for each would take
    longer than to grow it. Returns what it comes to.

    `between` is called at each pause, for cancels to be let in.
    """
    with closing(work):
        while True:
            try:
                next(work)
            except StopIteration as stop:
                result: T = stop.value
                break
            between()
            for trees in buffer.drained(NODES_TOGETHER):
                yield Batch(trees, profile)
    for trees in buffer.drained():
        yield Batch(trees, profile)
    return result
