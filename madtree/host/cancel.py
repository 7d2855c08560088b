"""Letting the session look for a cancel or a timeout while Python code is at work."""

from __future__ import annotations

import time

from madtree.host.protocol import Host

_SECONDS = 0.05  # between two looks: a look takes some 0.15 ms, and nobody notices such a delay


class Cancels:
    """Lets cancels in, not too often."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._next = time.monotonic() + _SECONDS

    def let_in(self) -> None:
        """Raises the error of a cancel or a timeout that is waiting."""
        if time.monotonic() >= self._next:
            self._host.let_in()
            self._next = time.monotonic() + _SECONDS
