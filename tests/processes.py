"""Programs that tests start and signal."""

from __future__ import annotations

import signal


def heed_signals() -> None:
    """For a child that is to end by them: a suite in the background, or under nohup, hands its own down ignored."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
