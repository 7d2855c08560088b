"""Where the time of a run goes: seconds by stage, told at the end of a run with `verbose => true`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

# sample: look at the rows, find levels, groups and bins; pack: read the rows into blocks; passes: grow the trees;
# prune: risks, cross-validation and pruning; write: the model's tables. What is done in one query by workers, or
# within a block of small groups, counts as the stage that it is mainly for.
Stage = Literal["sample", "pack", "passes", "prune", "write"]


class Stopwatch:
    """Seconds of each stage; one stage is under way at any time, and any of them may come again."""

    def __init__(
        self,
        stage: Stage,
        clock: Callable[[], float] = time.monotonic,
        tell: Callable[[Stage], None] = lambda stage: None,
    ) -> None:
        """`tell`: is told of each stage that begins."""
        self._clock, self._tell = clock, tell
        self._stage: Stage = stage
        self._since = clock()
        self._seconds: dict[Stage, float] = {}

    def begin(self, stage: Stage) -> None:
        """End the stage under way; `stage` comes next."""
        now = self._clock()
        self._seconds[self._stage] = self._seconds.get(self._stage, 0.0) + now - self._since
        self._stage, self._since = stage, now
        self._tell(stage)

    @property
    def seconds(self) -> float:
        """Of all stages so far."""
        return sum(self._seconds.values()) + self._clock() - self._since

    def line(self) -> str:
        """`stages: sample 0.012 s, pack 0.345 s, ...`, in the order in which the stages were first begun."""
        self.begin(self._stage)
        return "stages: " + ", ".join(f"{stage} {seconds:.3f} s" for stage, seconds in self._seconds.items())
