"""What a training tells while it works: to the stopwatch, and with `verbose => true` to the user."""

from __future__ import annotations

import time
from collections.abc import Callable

from madtree.host import Host, Stopwatch
from madtree.learn.requests import Progress
from madtree.train.activity import Activity

_LINE_SECONDS = 1.0


class Teller:
    """Is told of a program's progress."""

    def __init__(self, host: Host, watch: Stopwatch, activity: Activity, verbose: bool) -> None:
        self._host, self._watch, self._activity, self._verbose = host, watch, activity, verbose
        self._last = time.monotonic()

    def tell(self, progress: Progress) -> None:
        """A stage begins, or a round of growth has been searched: its frontier nodes, the rows still in play, the
        seconds it took.
        """
        if progress.stage is not None:
            self._watch.begin(progress.stage)
            self._last = time.monotonic()
        self._activity.tell(progress)
        if progress.note and self._verbose:
            self._host.info(progress.note)
        if not self._verbose:
            return
        if (found := progress.round) is not None:
            nodes = f"{found.n_nodes} frontier node{'s' * (found.n_nodes != 1)}"
            self._line(f"level {found.number}: {nodes}, {found.n_rows} rows in play,")
        if (wave := progress.wave) is not None:
            self._line(f"tree {wave.n_done} of {wave.n_trees}: {wave.n_nodes} nodes in the last ones,")
        if (blocks := progress.blocks) is not None:
            self._line(f"block {blocks.n_done} of {blocks.n_blocks} of small groups:")

    def _line(self, line: str) -> None:
        """Tell that, and the seconds since the line before."""
        now = time.monotonic()
        self._host.info(f"{line} {now - self._last:.3f} s")
        self._last = now


class ReadingTeller:
    """Tells how far rows that come over a connection have been read, a line a second: a slow network takes minutes."""

    def __init__(
        self, host: Host, activity: Activity, verbose: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._host, self._activity, self._verbose, self._clock = host, activity, verbose, clock
        self._last = clock()

    def tell(self, n_read: int, n_ranges: int, n_rows: int) -> None:
        """So many page ranges have been read, with so many rows."""
        self._activity.read(n_read, n_ranges)
        now = self._clock()
        if self._verbose and now - self._last >= _LINE_SECONDS and not self._host.has_extension:
            self._host.info(f"pack {n_read} of {n_ranges}: {n_rows} rows read, {now - self._last:.3f} s")
            self._last = now
