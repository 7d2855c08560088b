"""The database session that we work in, behind one protocol: an adaptor for the server's inside and one for the
client's side, statements that go to the servers of a cluster, settings for the length of a training, cancels, temporary
files, the stopwatch.
"""

from __future__ import annotations

from madtree.host.cancel import ROWS_AT_ONCE, Cancels, listed, watched, watching
from madtree.host.errors import bare_message
from madtree.host.on_servers import OnServers
from madtree.host.plpy import PlpyHost
from madtree.host.protocol import Host, Request, Row, Sharing
from madtree.host.settings import local_settings
from madtree.host.stopwatch import Stopwatch
from madtree.host.temporary_file import NAME, Scratch, Span, SpillFile, TemporaryFile
from madtree.host.temporary_place import TemporaryPlace

__all__ = [
    "NAME",
    "ROWS_AT_ONCE",
    "Cancels",
    "Host",
    "OnServers",
    "PlpyHost",
    "Request",
    "Row",
    "Scratch",
    "Sharing",
    "Span",
    "SpillFile",
    "Stopwatch",
    "TemporaryFile",
    "TemporaryPlace",
    "bare_message",
    "listed",
    "local_settings",
    "watched",
    "watching",
]
