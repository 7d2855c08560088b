"""Trained trees on their way to whoever writes them, held back while no statement may be run."""

from __future__ import annotations

from collections.abc import Callable

from madtree.host import Host, Span, SpillFile, TemporaryPlace
from madtree.learn.prune import TrainedTrees


class Deliveries:
    """Hands trees over at once, or, while `held`, puts them into a temporary file."""

    def __init__(self, host: Host, deliver: Callable[[TrainedTrees], None]) -> None:
        self._deliver, self._place = deliver, TemporaryPlace.of(host)
        self._file: SpillFile | None = None
        self._waiting: list[Span] = []
        self.held = False

    def add(self, trees: TrainedTrees) -> None:
        """Raises MadtreeError where temp_file_limit would be exceeded, or the disk is full."""
        if not self.held:
            self._deliver(trees)
            return
        self._file = self._file or SpillFile(self._place, "trees")
        self._waiting.append(self._file.write(trees.dump()))

    def release(self) -> None:
        """Hand over what was held back."""
        self.held = False
        for span in self._waiting:
            assert self._file is not None
            self._deliver(TrainedTrees.load(bytes(self._file.read(span))))
        self._waiting, self._file = [], None
