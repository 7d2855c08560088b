"""Clients in child processes: they get the password there, which an ordinary pickle leaves out.

A pickle may be written to a file. What multiprocessing and joblib send to their own children never is; both have a
table of their own for how objects are sent, which is how multiprocessing sends its own connections.
"""

from __future__ import annotations

import contextlib
from importlib import import_module
from multiprocessing.reduction import ForkingPickler

from madtree.client.client import Client, Pickled, client_elsewhere

# joblib brings loky with it; it may be there by itself, too.
_LOKY = ("joblib.externals.loky.backend.reduction", "loky.backend.reduction")


def send_passwords_to_children() -> None:
    """Tell multiprocessing, and joblib if it is here, how a client is sent."""
    ForkingPickler.register(Client, _with_password)
    for name in _LOKY:
        with contextlib.suppress(ImportError):
            import_module(name).register(Client, _with_password)


def _with_password(client: Client) -> Pickled:
    return client_elsewhere, (client.conninfo, client.engine, client.connections, client.source_conninfo)
