"""What the server allows in parallel workers."""

from __future__ import annotations

# `resident`: false where the setting madtree.resident_workers is off, for a server, a database, a role or a session.
LIMITS = """
SELECT pg_catalog.current_setting('max_parallel_workers_per_gather')::pg_catalog.int4 AS per_gather,
       pg_catalog.current_setting('max_parallel_workers')::pg_catalog.int4 AS parallel,
       pg_catalog.current_setting('max_worker_processes')::pg_catalog.int4 AS processes,
       CASE WHEN s.resident OPERATOR(pg_catalog.<>) '' THEN s.resident::pg_catalog.bool ELSE true END AS resident
FROM (SELECT pg_catalog.current_setting('madtree.resident_workers', true) AS resident) AS s"""


def plan_of(query: str) -> str:
    """The planner's plan of a query, a line a row, in the column `QUERY PLAN`."""
    return f"EXPLAIN (COSTS OFF) {query}"


def whole_plan_of(query: str) -> str:
    """As `plan_of`, with every expression, after functions written in SQL have been put in place."""
    return f"EXPLAIN (COSTS OFF, VERBOSE) {query}"
