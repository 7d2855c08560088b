"""What the server allows in parallel workers, and the parallel query of resident ones; and statements that run on the
servers of a cluster, with the cursors over their results.

The latter stand apart from `distributed`, as every parallel worker loads this module.
"""

from __future__ import annotations

from madtree.sqltext.query import Lasting
from madtree.sqltext.quote import INTERNAL, ident

# `resident`: false where the setting madtree.resident_workers is off, for a server, a database, a role or a session.
LIMITS = Lasting("""
SELECT pg_catalog.current_setting('max_parallel_workers_per_gather')::pg_catalog.int4 AS per_gather,
       pg_catalog.current_setting('max_parallel_workers')::pg_catalog.int4 AS parallel,
       pg_catalog.current_setting('max_worker_processes')::pg_catalog.int4 AS processes,
       CASE WHEN s.resident OPERATOR(pg_catalog.<>) '' THEN s.resident::pg_catalog.bool ELSE true END AS resident
FROM (SELECT pg_catalog.current_setting('madtree.resident_workers', true) AS resident) AS s""")


def plan_of(query: str) -> str:
    """The planner's plan of a query, a line a row, in the column `QUERY PLAN`."""
    return f"EXPLAIN (COSTS OFF) {query}"


def whole_plan_of(query: str) -> str:
    """As `plan_of`, with every expression, after functions written in SQL have been put in place."""
    return f"EXPLAIN (COSTS OFF, VERBOSE) {query}"


# Run a query for what it does, so that workers may share it; $1: the query, $2: its parameter.
RUN = f"SELECT {INTERNAL}.run_in_workers($1, $2)"

MOST_WORKERS = 10  # PostgreSQL gives 2**(n - 1) branches n workers


def work(n_workers: int) -> str:
    """Let this process and at most `n_workers` others take part in the training whose key is $1.

    The key is a parameter because the text of a worker's query stands in pg_stat_activity.

    PostgreSQL gives each branch of such a query to exactly one process, and plans n workers for 2**(n - 1) branches.
    Who takes part stays in its branch until all is over, so with more branches than workers one is left for this
    process. By the planner's figures a single worker saves nothing on such branches; a scan that processes can share,
    and that is never begun, makes it worth while.
    """
    n_branches = max(n_workers + 2, 2 ** (n_workers - 1))
    branches = [f"SELECT {INTERNAL}.resident_worker($1)"] * n_branches
    shared = "SELECT false FROM pg_catalog.pg_class WHERE pg_catalog.now() IS NULL"
    return " UNION ALL ".join([*branches, shared])


HAS_CITUS = Lasting("SELECT 1 AS found FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'citus'")

# Runs a statement, $1, whose only parameter is a plan, $2, on whatever servers it goes to; the number of its rows.
# Where they are wanted, $3 names the cursor that is to have them.
RUN_ON_SERVERS = f"SELECT {INTERNAL}.run_on_servers($1, $2, $3) AS n_rows"


def fetch(cursor: str, n_rows: int | None = None) -> str:
    """The next rows of a cursor; all of them if None."""
    return f"FETCH {'ALL' if n_rows is None else f'FORWARD {n_rows}'} FROM {ident(cursor)}"


def close(cursor: str) -> str:
    return f"CLOSE {ident(cursor)}"
