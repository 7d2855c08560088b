"""The database session that we work in, behind one protocol: an adaptor for the server's inside and one for the
client's side, settings for the length of a training, cancels, temporary files and full disks, the stopwatch.
"""

from __future__ import annotations

from madtree.host.cancel import Cancels
from madtree.host.full_disk import full_disk_told
from madtree.host.plpy import PlpyHost
from madtree.host.protocol import Host, Row
from madtree.host.settings import local_settings
from madtree.host.stopwatch import Stopwatch
from madtree.host.temporary import NAME, Span, SpillFile, TemporaryPlace, nameless

__all__ = [
    "NAME",
    "Cancels",
    "Host",
    "PlpyHost",
    "Row",
    "Span",
    "SpillFile",
    "Stopwatch",
    "TemporaryPlace",
    "full_disk_told",
    "local_settings",
    "nameless",
]
