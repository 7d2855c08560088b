"""Letting the server look for a cancel or a timeout while Python code is at work."""

from __future__ import annotations

from madtree.host.protocol import Host

# PostgreSQL looks for them when it runs a statement or sends a message, never within Python.
_LOOK_FOR_CANCEL = "SELECT"


def let_cancel_in(host: Host) -> None:
    """Raises the server's own error where a cancel or a timeout is waiting."""
    host.query(_LOOK_FOR_CANCEL)
