"""The database session that we work in, behind one protocol: an adaptor for the server's inside and one for the
client's side, statements that go to the servers of a cluster, what is done through any of them, temporary files, work
tables, the stopwatch.
"""

from __future__ import annotations

from madtree.host.at_end import at_end, looked_at_end
from madtree.host.cancels import savepoints_are_sent
from madtree.host.message import Message, StepDone
from madtree.host.on_servers import OnServers, failed_server, has_citus, on_servers, said_by_citus
from madtree.host.plpy import PlpyHost
from madtree.host.protocol import TYPES, Host, Query, Row, Sharing, bare_message, has_more_to_say, read_json
from madtree.host.session import (
    ROWS_AT_ONCE,
    listed,
    local_settings,
    making_here,
    planned,
    rows_at_once,
    watched,
    watching,
)
from madtree.host.stopwatch import Stage, Stopwatch
from madtree.host.temporary_file import NAME, ScratchFile, Span, SpillFile, TemporaryFile
from madtree.host.temporary_place import TemporaryPlace
from madtree.host.work_space import WorkSpace
