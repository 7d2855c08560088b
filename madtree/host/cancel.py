"""Letting the server look for a cancel or a timeout while Python code is at work."""

from __future__ import annotations

import time

from madtree.host.protocol import Host

# PostgreSQL looks for them when it runs a statement or sends a message, never within Python.
_LOOK_FOR_CANCEL = "SELECT"
_SECONDS = 0.02  # between two looks: a look takes some microseconds, and nobody notices such a delay


class Cancels:
    """Lets cancels in, not too often."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._next = time.monotonic() + _SECONDS

    def let_in(self) -> None:
        """Raises the server's own error where a cancel or a timeout is waiting."""
        if time.monotonic() >= self._next:
            self._host.query(_LOOK_FOR_CANCEL)
            self._next = time.monotonic() + _SECONDS
