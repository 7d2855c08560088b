"""Whether processes other than the session's own may take part in a training: parallel workers, or other sessions."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.host import Host, Sharing, WorkSpace, local_settings, planned
from madtree.parallel import Workers, sharing
from madtree.sqltext import rows as rows_sql
from madtree.sqltext import sessions as sessions_sql
from madtree.sqltext import workers as workers_sql
from madtree.sqltext.rows import RowSource
from madtree.storage.workers import board
from madtree.train.source import Source

_NUMBER = 8  # bytes


NOT_SAFE = "PostgreSQL lets no workers read these rows (a temporary table, or a function not PARALLEL SAFE)"


def obstacle_to_workers(host: Host, workers: Workers) -> str:
    """Why there can be no resident workers, whatever rows they would have to read; empty where there can be."""
    if not host.in_server:
        return "this training is driven from outside the server"
    if not workers.resident:
        return "the setting madtree.resident_workers is off"
    if not board.available():
        return "the system has no /proc with a process's open files"
    return ""


def parallel_safe(host: Host, source: RowSource) -> bool:
    """Whether the planner would let workers evaluate the user's expressions on the training table."""
    return any("Gather" in line for line in _shared_plan(host, workers_sql.plan_of(_whole(source))))


def sharing_of(source: Source, n_rows: int, space: WorkSpace) -> Sharing | None:
    """What other sessions need to know to read all rows, about `n_rows`; None where there are work tables, a copy of
    the rows or their groups, which nobody else sees.
    """
    return _for_sessions(source.reader, source.rows, source.oids, n_rows) if space.is_empty else None


def _for_sessions(host: Host, source: RowSource, oids: Sequence[int], n_rows: int) -> Sharing:

    def obstacle() -> str:
        plan = _shared_plan(host, workers_sql.whole_plan_of(_whole(source)))
        if not any("Gather" in line for line in plan):
            return "a temporary table, or a function that is not PARALLEL SAFE, belongs to this session"
        # What a session has set under a name that no extension has declared cannot be listed.
        if any("current_setting(" in line for line in plan):
            return "an expression asks for a setting of this session"
        if host.query(sessions_sql.ROW_SECURITY, ["pg_catalog.oid[]"], [list(oids)])[0]["active"]:
            return "row-level security may ask for settings of this session"
        return ""

    return Sharing(workers_sql.plan_of(_whole(source)), n_rows * source.n_columns * _NUMBER, obstacle)


def _whole(source: RowSource) -> str:
    return rows_sql.count_images(source, source.from_clause())


def _shared_plan(host: Host, explained: str) -> list[str]:
    """The lines of a plan, if workers cost nothing."""
    with local_settings(host, sharing(1)):
        return planned(host, explained)
