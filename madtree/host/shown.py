"""What pg_stat_activity shows of the session while it works for long: in the column `application_name`, which every
role of the cluster may read.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from madtree.host.protocol import Host
from madtree.sqltext import sessions as sql

_NAME = "application_name"
_TEXTS = ["pg_catalog.text", "pg_catalog.text"]
_SECONDS = 1.0  # between two texts over a wire: each is a statement


@contextmanager
def shown_by_process(host: Host) -> Iterator[Callable[[str], None]]:
    """Inside the server. A setting cannot be changed while a parallel query runs, which is when most is to be told, so
    PostgreSQL's own function is called that a change of the setting calls. The setting stays what it is, so log lines
    keep the name that the user has given.
    """
    show = _show_by_function()
    before = host.query(sql.current_settings([_NAME]))[0][_NAME]
    try:
        yield show
    finally:
        show(before)


def _show_by_function() -> Callable[[str], None]:
    """Where the server does not have that function, nothing is shown."""
    report = getattr(ctypes.PyDLL(None), "pgstat_report_appname", None)
    if report is None:
        return lambda text: None
    report.argtypes, report.restype = [ctypes.c_char_p], None
    return lambda text: report(text.encode("ascii", "replace"))


@contextmanager
def shown_by_setting(host: Host, clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[str], None]]:
    """By the setting, in the transaction that is under way; after an error its end puts the old name back. What comes
    sooner than a second after what was shown before is left out, so a short training runs no statement for it.
    """
    before: str | None = None
    last = clock()

    def show(text: str) -> None:
        nonlocal before, last
        now = clock()
        if now - last < _SECONDS:
            return
        if before is None:
            before = host.query(sql.current_settings([_NAME]))[0][_NAME]
        host.query(sql.SET_LOCAL, _TEXTS, [_NAME, text])
        last = now

    yield show
    if before is not None:
        host.query(sql.SET_LOCAL, _TEXTS, [_NAME, before])
