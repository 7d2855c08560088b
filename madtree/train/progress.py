"""What a run with `verbose => true` tells while it works."""

from __future__ import annotations

import time
from collections.abc import Callable

from madtree.host.cancel import let_cancel_in
from madtree.host.protocol import Host
from madtree.learn.grow.grow import LevelReport


def level_reporter(host: Host, verbose: bool) -> Callable[[LevelReport], None]:
    """Tells of each level: its frontier nodes, the rows still in play, the seconds it took.

    Where nothing is to be told it still lets a cancel in: blocks held in memory need no statement from level to level.
    """
    if not verbose:
        return lambda level: let_cancel_in(host)
    last = time.monotonic()

    def report(level: LevelReport) -> None:
        nonlocal last
        now = time.monotonic()
        host.info(
            f"level {level.level}: {level.n_nodes} frontier node{'s' * (level.n_nodes != 1)}, "
            f"{level.n_rows} rows in play, {now - last:.3f} s"
        )
        last = now

    return report


def block_reporter(host: Host, verbose: bool, n_blocks: int) -> Callable[[], None]:
    """Tells of each block of small groups when it is done: its levels are too many and too short to tell of."""
    done, last = 0, time.monotonic()

    def report() -> None:
        nonlocal done, last
        done += 1
        if verbose:
            now = time.monotonic()
            host.info(f"block {done} of {n_blocks} of small groups: {now - last:.3f} s")
            last = now

    return report
