"""The parallel query of resident workers."""

from __future__ import annotations

from madtree.sqltext.schemas import INTERNAL

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
